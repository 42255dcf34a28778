package Ads::SignIn;

# The service with identity providers beside it, and what people do there.
#
#     my $world = Ads::SignIn->new('google', 'github');   # skips without npm
#     my $in = $world->sign_in('google');                 # a browser's way
#     is $in->{error}, undef, 'signed in';
#     is $world->me($in->{browser})->{user}{email}, '...';

use strict;
use warnings;
use Ads::Browser;
use Ads::Idp;
use Ads::Scgi;
use Ads::Test;
use JSON::PP;
use Test::More;
use Time::HiRes qw(time);

our $password = 'a long enough secret';

sub new
{
    my ($class, @kinds) = @_;
    my $why = Ads::Idp::missing();
    plan skip_all => $why if $why;

    my $ads  = Ads::Test->new(parts => ['postgres']);
    my $self = bless { ads => $ads }, $class;
    my %conf = (oauth_allow_private => 'on');
    for my $kind (@kinds) {
        my $idp = Ads::Idp->start($ads->{dir}, kind => $kind,
            base_url => $ads->{base_url});
        $ads->write_file("$ads->{dir}/$kind.secret", "$idp->{secret}\n", 0600);
        $self->{$kind} = $idp;
        %conf = (%conf, $idp->conf($ads->{dir}));
    }
    $ads->{adsd} = \%conf;
    $self->begin;
    $ads->start_nginx;
    $ads->wait_ready(30);
    return $self;
}

# adsd with its configuration as it is now, until it can be asked.
sub begin
{
    my ($self) = @_;
    my $ads = $self->{ads};
    $ads->write_configs;
    $ads->start_adsd;
    $ads->wait_until(
        sub {
            my $answer = eval {
                Ads::Scgi::request("$ads->{run_path}/oauth.sock", 'GET',
                    '/v1/auth/oauth')
            };
            return $answer && $answer->{status} == 200;
        },
        30,
        'oauth.sock'
    );
}

# Ends adsd: its status, and how long that took.
sub stop
{
    my ($self) = @_;
    my $began  = time;
    my $status = $self->{ads}->part('adsd')->stop('TERM', 20);
    return ($status, time - $began);
}

sub url
{
    my ($self, $path) = @_;
    return "$self->{ads}{base_url}$path";
}

# From the button to the dashboard.  Options: browser, start (an address that a
# link began with), change (sub on the callback's address), headers.  Answers
# {browser, error (a code), answer, callback, url}.
sub sign_in
{
    my ($self, $kind, %opt) = @_;
    my $browser = $opt{browser} || Ads::Browser->new;
    my $start   = $opt{start} || $self->url("/v1/auth/oauth/$kind");
    my $at      = $browser->go($start, qr{/callback\?|/dashboard/});
    my $in      = { browser => $browser };
    if (defined $at->{url} && $at->{url} =~ m{/callback\?}) {
        $in->{callback} = $at->{url};
        my $url = $opt{change} ? $opt{change}->($at->{url}) : $at->{url};
        $at = $browser->go($url, qr{/dashboard/}, @{ $opt{headers} || [] });
    }
    $in->{answer} = $at->{answer};
    $in->{url}    = $at->{url};
    if (defined $at->{url}) {
        ($in->{error})  = $at->{url} =~ m{/dashboard/#error=(\w+)$};
        ($in->{linked}) = $at->{url} =~ m{/dashboard/#linked=(\w+)$};
        $in->{in} = $at->{url} =~ m{/dashboard/$} ? 1 : 0;
    } else {
        $in->{error} = $at->{answer}{json}{code} // $at->{answer}{status};
    }
    return $in;
}

# What the dashboard does first: tokens for the cookie; undef without one.
sub refresh
{
    my ($self, $browser) = @_;
    my $answer = $browser->ask('POST', $self->url('/v1/auth/refresh'),
        [Origin => $self->{ads}{base_url}]);
    return $answer->{status} == 200 ? $answer->{json} : undef;
}

# Who a browser is signed in as, with its access token.
sub me
{
    my ($self, $browser) = @_;
    return $self->refresh($browser);
}

# Somebody who signed up with a password: {access_token, user, account}.
sub person
{
    my ($self, $email, %opt) = @_;
    my $answer = $self->{ads}->post('/v1/auth/signup', undef,
        { email => $email, password => $password, name => 'Person' });
    die "signup: $answer->{status} $answer->{body}\n"
        if $answer->{status} != 201;
    $self->{ads}->db->do(
        'update ads.users set email_verified_at = now() where email = ?',
        undef, $email)
        if $opt{verified};
    return $answer->{json};
}

sub login
{
    my ($self, $email) = @_;
    return $self->{ads}->post('/v1/auth/login', undef,
        { email => $email, password => $password });
}

sub api
{
    my ($self, $method, $path, $token, @headers) = @_;
    return $self->{ads}->http($method, $path,
        ['Authorization' => "Bearer $token", @headers]);
}

# Begins to link from the profile, in that browser; the answer.
sub begin_link
{
    my ($self, $browser, $kind, $token) = @_;
    return $browser->ask('POST', $self->url("/v1/auth/links/$kind"),
        [Authorization => "Bearer $token"], '');
}

sub link_from_profile
{
    my ($self, $kind, $token, %opt) = @_;
    my $browser = $opt{browser} || Ads::Browser->new;
    my $begun   = $self->begin_link($browser, $kind, $token);
    return { error => $begun->{json}{code}, answer => $begun }
        if $begun->{status} != 200;
    return $self->sign_in($kind, %opt, browser => $browser,
        start => $begun->{json}{url});
}

# Providers a person can sign in with, by name.
sub links
{
    my ($self, $token) = @_;
    my $answer = $self->api('GET', '/v1/auth/links', $token);
    return join ' ', map { $_->{provider} } @{ $answer->{json}{data} || [] };
}

# The mails to an address, oldest first, once all are out.
sub mail_texts
{
    my ($self, $email) = @_;
    my $ads = $self->{ads};
    $ads->wait_until(
        sub { !$ads->sql_value('select count(*) from ads.mails') },
        10, 'the mails to be out');
    return grep { /^To: \Q$email\E\r$/mi }
        map { Ads::Stack::read_file($_) } sort glob "$ads->{dir}/mail/*.eml";
}

my %about = (
    'Confirm your e-mail address'         => 'verify',
    'Confirm your new e-mail address'     => 'email_change',
    'Set a new password'                  => 'reset',
    'Another way to sign in was added'    => 'link_added',
    'A way to sign in was removed'        => 'link_removed',
    'Your password was changed'           => 'password_changed',
);

# What they are about, in the order of words.
sub mails
{
    my ($self, $email) = @_;
    return join ' ',
        sort map { /^Subject: (.*)\r$/m ? $about{$1} // $1 : '?' }
        $self->mail_texts($email);
}

# The code in the latest mail to an address about that.  A mail about a password
# may be written only after the request for it was answered.
sub mail_code
{
    my ($self, $email, $about) = @_;
    my @texts;
    $self->{ads}->wait_until(
        sub {
            @texts = grep { /^Subject: (.*)\r$/m && ($about{$1} // '') eq $about }
                $self->mail_texts($email);
        },
        10, "a mail about $about to $email");
    my ($code) = $texts[-1] =~ m{/dashboard/#\w+=([\w-]+)\r$}m;
    return $code;
}

# Secrets that no log may hold, beside what Ads::Test looks for.
sub done
{
    my ($self) = @_;
    my $ads = $self->{ads};
    my $log = join '', map { Ads::Idp::slurp("$ads->{dir}/log/$_") }
        qw(adsd.out access.log);
    unlike $log, qr/eyJ|gho_|code=|state=/,
        'no code, state or token is in a log';
    for my $kind (grep { ref $self->{$_} eq 'Ads::Idp' } sort keys %$self) {
        unlike $log, qr/\Q$self->{$kind}{secret}\E/,
            "nor is the secret of $kind";
        $self->{$kind}->stop;
    }
    $ads->done;
}

1;
