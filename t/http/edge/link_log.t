#!/usr/bin/perl
#
# Who reads nginx's logs can click in no one's name: no line holds a link,
# whatever nginx has to say about the request.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

# nginx's own log format beside ours
my $ads = Ads::Test->new(
    rates => 1,
    nginx => "        access_log log/combined.log combined;\n"
);
my $pub = $ads->seed_publisher;
$ads->seed_shop;

sub links
{
    my ($n) = @_;
    return map {
        my $answer = $ads->recommend($pub->{key}, 'buy a laser printer');
        $answer->{json}{ads}[0]{click_url} =~ m{^https?://[^/]+(/.*)$}
    } 1 .. $n;
}

# A line about each of these requests, and in none of them a link.
my @links = links(60);
sub is_silent
{
    my ($name, $pattern) = @_;
    my @lines = map { $ads->log_lines($_, qr/^/) }
        qw(nginx.log combined.log access.log adsd.out);
    my @said = grep { $_ =~ $pattern } @lines;
    cmp_ok scalar(@said), '>', 0, "$name: nginx tells";
    my %part;
    for my $link (@links) {
        my ($token) = $link =~ m{([^/]+)$};
        $part{ substr $token, $_, 24 } = 1 for 0, 60, 120;
    }
    my $any = join '|', map { quotemeta } keys %part;
    is_deeply [grep { /$any/ } @lines], [], "$name: but names no link";
}

is $ads->click($links[0])->{status}, 302, 'a click';
is $ads->click("$links[1]?from=somewhere")->{status}, 302, 'with a query';
is $ads->http('GET', $links[2] =~ s{/click/\K(.)}{sprintf '%%%02x', ord $1}er)
    ->{status}, 302, 'with a character in another form';
is $ads->http('GET', $links[3] =~ s{v1/}{%76%31/}r)->{status}, 302,
    'with its path in another form';
is $ads->http('GET', "http://x$links[4]")->{status}, 302, 'with a host';
is $ads->http('GET', $links[59] =~ s{/click/}{/i/}r)->{status}, 204,
    'an impression';
is $ads->http('POST', $links[59] =~ s{/v1/click/}{/%76%31/i/}r)->{status}, 204,
    'with its path in another form';
is_silent('access log', qr/"GET \S+ HTTP/);

# too many of one visitor
$ads->click($_) for @links[5 .. 49];
is scalar(() = $ads->log_lines('nginx.log', qr/limiting requests, dry run/)), 0,
    'clicks over the rate write no error lines';

# no one knows the ad, and who could is away
$ads->stop($_) for qw(nginx adsd);
unlink "$ads->{dir}/state/head" or die "head: $!\n";
$ads->start_nginx;
is $ads->click($links[50])->{status}, 503, 'an ad that is not known';
is_silent('adsd away', qr/connect\(\) to unix:\S+ failed/);
like join('', $ads->log_lines('nginx.log', qr/connect\(\) to unix/)),
    qr{request: "GET /v1/click/- HTTP/1\.1"}, 'the line says what was asked for';

# everything else is logged as it is
$ads->get('/v1/click/short');
is scalar(() = $ads->log_lines('combined.log', qr{"GET /v1/click/short HTTP})), 1,
    'what is no link is told whole';

$ads->done;
