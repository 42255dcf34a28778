#!/usr/bin/perl
#
# With `error_log ... debug` the module says what it decides about a click and
# a recommendation, as nginx's own modules do, and never what a user asked.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $nginx = $ENV{ADS_NGINX} || '/usr/sbin/nginx';
plan skip_all => 'this nginx was built without --with-debug'
    if `$nginx -V 2>&1` !~ /--with-debug/;

my $ads = Ads::Test->new(nginx => "        error_log log/debug.log debug;\n");
my $pub = $ads->seed_publisher;
$ads->seed_shop;

# What the log says of the module's decisions since the last time.
my $read = 0;
sub said
{
    my @lines = map { s/^.*?(?=ads (?:click|recommend):)//r }
        $ads->log_lines('debug.log', qr/ ads (?:click|recommend):/);
    my @new = @lines[ $read .. $#lines ];
    $read = @lines;
    return join '', @new;
}

my $answer = $ads->recommend($pub->{key}, 'buy a laser printer');
my ($path) = $answer->{json}{ads}[0]{click_url} =~ m{^https?://[^/]+(/.*)$};
my $text = said();
like $text, qr/^ads recommend: [1-9]\d* ads, reason "", \d+ terms/m,
    'a recommendation: how many ads, and out of how many';
like $text, qr/^ads recommend: record written:1 durable:1/m,
    'that its record is in the file';

$ads->recommend($pub->{key}, 'who invented the laser printer');
like said(), qr/^ads recommend: no ad, reason "not_commercial"/m,
    'no ad: the reason';

is $ads->click($path)->{status}, 302, 'a click';
$text = said();
like $text, qr/^ads click: class valid, link of \d+ ms/m, 'its class';
like $text, qr/^ads click: record written:1 durable:1/m,
    'that its record is in the file';

$ads->click($path);
like said(), qr/^ads click: class duplicate/m, 'a second one';

$ads->http('GET', '/v1/click/' . 'A' x 200);
like said(), qr/^ads click: no link of this ring/m, 'a forged one';

$ads->http('GET', $path, ['Sec-Purpose' => 'prefetch']);
like said(), qr/^ads click: prefetch/m, 'a prefetch';

is_deeply [ grep { /\bads \w+:/ && /laser|invented/ }
        $ads->log_lines('debug.log', qr/ ads \w+:/) ], [],
    'no line of the module says what was asked';

$ads->done;
