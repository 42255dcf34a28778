package Ads::Browser;

# A browser as far as signing in needs one: it keeps cookies for each server,
# sends those that are SameSite=Strict only to where it already was, and
# follows redirects until it stands where the test wants it.
#
#     my $browser = Ads::Browser->new;
#     my $at = $browser->go($url, qr{/callback\?});   # stops before asking
#     my $at = $browser->go($url);                    # to the last answer
#
# Both return {url, answer}: what would be asked next (undef: nothing more),
# and the last answer.

use strict;
use warnings;
use Ads::Http;

my $redirects_max = 20;

sub new
{
    my ($class) = @_;
    return bless { jar => {} }, $class;
}

sub parts
{
    my ($url) = @_;
    my ($host, $port, $path) = $url =~ m{^http://([\w.]+):(\d+)(/[^#]*)}
        or die "not a test's address: $url\n";
    return ("$host:$port", $port, $path);
}

# One request.  `from` is the server that led here; none: the person did.
sub ask
{
    my ($self, $method, $url, $headers, $body, $from) = @_;
    my ($server, $port, $path) = parts($url);
    my $jar     = $self->{jar}{$server} ||= {};
    my @cookies = grep {
        $path =~ /^\Q$jar->{$_}{path}\E/
            && !($jar->{$_}{strict} && defined $from && $from ne $server)
    } sort keys %$jar;
    my %say = (
        'User-Agent' => 'Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0',
        Accept       => 'text/html,application/xhtml+xml',
        @cookies
        ? (Cookie => join '; ', map { "$_=$jar->{$_}{value}" } @cookies)
        : (),
        @{ $headers || [] },
    );
    my $answer = Ads::Http::request($port, $method, $path, [%say], $body);
    $self->keep($server, $answer->{headers}{'set-cookie'} // '');
    return $answer;
}

# Several Set-Cookie come joined; a date has a comma too.
sub keep
{
    my ($self, $server, $text) = @_;
    for my $cookie (split /,\s*(?=[\w.-]+=)/, $text) {
        my ($name, $value, $rest) = $cookie =~ /^([\w.-]+)=([^;]*)(.*)$/s
            or next;
        if ($rest =~ /max-age=0\b|expires=[^;]*1970/i) {
            delete $self->{jar}{$server}{$name};
            next;
        }
        $self->{jar}{$server}{$name} = {
            value  => $value,
            path   => $rest =~ /path=([^;]+)/i ? "$1" : '/',
            strict => $rest =~ /samesite=strict/i ? 1 : 0,
        };
    }
}

sub go
{
    my ($self, $url, $until, @headers) = @_;
    my ($answer, $from);
    for (1 .. $redirects_max) {
        return { url => $url, answer => $answer } if $until && $url =~ $until;
        my ($server) = parts($url);
        $answer = $self->ask('GET', $url, \@headers, undef, $from);
        my $location = $answer->{headers}{location};
        return { url => undef, answer => $answer, last => $url }
            if $answer->{status} !~ /^30[1237]$/ || !defined $location;
        $from = $server;
        $url  = $location =~ m{^/} ? "http://$server$location" : $location;
    }
    die "more than $redirects_max redirects\n";
}

sub cookie
{
    my ($self, $port, $name) = @_;
    my $cookie = ($self->{jar}{"127.0.0.1:$port"} || {})->{$name};
    return $cookie && $cookie->{value};
}

1;
