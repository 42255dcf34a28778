#!/usr/bin/perl

# Two thousand connections at once ask for management: how soon are those that
# are too many told so (429 or 503), and what do visitors notice of it?
#
#     bench/shed.pl [CONNECTIONS]
#
# The limits are those of nginx.conf.example.  "one key" and "one address" meet
# nginx's rates, "many addresses" meets adsd's queue, since no rate knows of
# any of them yet; "sign-in" asks for a password hash from many addresses.
# Times are milliseconds from sending the request.  The last line of each is a
# steady 200 clicks a second meanwhile, from the worst second.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../tools/lib";

use Ads::Load;
use Ads::Test;
use JSON::PP;
use Time::HiRes qw(sleep);

chdir "$FindBin::Bin/.." or die "$!\n";
my $n = shift // 2000;
system('make', '-s', 'build/shed', 'build/visitors') == 0 or die "make\n";

my $ads = Ads::Test->new(
    rates      => 1,
    workers    => 2,
    nginx_http => Ads::Load::realip(),
);
my $shop = $ads->seed_shop(topup => 100_000, lifetime => 100_000);
my $pub  = $ads->seed_publisher;
my $login = encode_json({ email => 'u%number@x.example', password => 'x' x 12 });

sub request
{
    my ($line, $body, @headers) = @_;
    return join "\r\n", $line, "Host: 127.0.0.1:$ads->{port}",
        'Connection: close', 'X-Forwarded-For: %a', @headers,
        (defined $body ? ('Content-Type: application/json',
            'Content-Length: ' . length $body) : ()), '', $body // '';
}

my @cases = (
    ['one key', 'one', request('GET /v1/campaigns HTTP/1.1', undef,
            "X-API-Key: $shop->{key}")],
    ['one address', 'one', request('GET /v1/campaigns HTTP/1.1')],
    ['many addresses', 'each', request('GET /v1/campaigns HTTP/1.1', undef,
            'X-API-Key: ads_live_a' . 'x' x 36)],
    ['sign-in', 'each', request('POST /v1/auth/login HTTP/1.1', $login)],
);

my $load = Ads::Load->begin($ads, key => $pub->{key}, clicks => 200,
    recommends => 50, queries => ['buy a laser printer']);
my $worst = 0;
printf "%-16s %6s %6s %9s %9s %9s\n", 'case', 'status', 'n', 'p50 ms',
    'p99 ms', 'max ms';
for my $case (@cases) {
    my ($name, $form, $text) = @$case;
    $ads->write_file("$ads->{dir}/tmp/shed", $text);
    sleep 1;
    my $begin = Ads::Load::now();
    my $out = qx(build/shed $ads->{port} $n $form $ads->{dir}/tmp/shed);
    die "shed failed\n" if $?;
    for my $line (split /\n/, $out) {
        my @row = split / /, $line;
        printf "%-16s %6d %6d %9.1f %9.1f %9.1f\n", $name, @row;
        $worst = $row[4]
            if ($row[0] == 429 || $row[0] == 503) && $row[4] > $worst;
    }
    push @$case, $begin, Ads::Load::now();
}
sleep 1;
$load->end;
for my $case (@cases) {
    printf "%-16s clicks %d, p50 %.1f ms, p99 %.1f ms meanwhile\n", $case->[0],
        scalar(grep { $_->{due} >= $case->[3] && $_->{due} < $case->[4] }
            $load->clicks),
        map { 1000 * $load->seconds('click', $_, @{$case}[ 3, 4 ]) } 0.5, 0.99;
}
my @bad = $load->bad;
printf "clicks and recommendations that failed: %d\n", scalar @bad;
printf "slowest refusal: %.1f ms\n", $worst;
$ads->clean;
