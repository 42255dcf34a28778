#!/usr/bin/perl
#
# The README's way from signing up to the first paid click, word by word, with
# what stands in examples/, against a server with its rates; and TypeScript's
# word that the example in JavaScript uses the API as docs/openapi.json has it.

use strict;
use warnings;
use lib 't/lib';

use Ads::Npm;
use Ads::Test;
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;

my ($block) = Ads::Stack::read_file('README.md')
    =~ /^ {4}(set -a; .*?\n)(?! {4})/ms;
my ($env, @lines) = map { s/^ {4}//r } split /\n/, $block // '';
is scalar @lines, 3, 'the README says three commands';

my $ads  = Ads::Test->new(rates => 1);
my $site = $ads->seed_publisher;
my $boss = $ads->seed_platform;
$ads->seed_shop;

# as in a checkout where the demo runs, but what npm writes
my $dir = tempdir(CLEANUP => 1);
make_path("$dir/.demo", "$dir/docs");
$ads->write_file("$dir/.demo/env", <<"END");
ADS_BASE_URL='$ads->{base_url}'
ADS_PUBLISHER_KEY='$site->{key}'
ADS_PLATFORM_KEY='$boss->{key}'
END
for my $file (map { split /\0/ } qx(git ls-files -coz --exclude-standard examples 2>/dev/null)
    || join "\0", grep { -f } glob 'examples/*/*')
{
    make_path("$dir/" . ($file =~ s{/[^/]*$}{}r));
    system('cp', '-p', $file, "$dir/$file") == 0 or die "$file: cp fails\n";
}
system('cp', 'docs/openapi.json', "$dir/docs/") == 0 or die "cp fails\n";

# A line of the README there: exit code and what it prints.
sub in_checkout
{
    my ($line) = @_;
    return Ads::Npm::output('timeout', '300', 'sh', '-ec',
        "cd '$dir'; $env; $line");
}

for my $line (@lines) {
    my ($name) = $line =~ m{examples/(\w+)};
    SKIP: {
        if ($line =~ /npm/) {
            my ($installed, $why) = Ads::Npm::install('examples/javascript');
            skip $why, 13 if !$installed;
        }
        my ($status, $said) = in_checkout($line);
        is $status, 0, "$name: the README's line works" or diag $said;
        for my $step (
            ['signed up',  qr/ \S+@/],
            ['campaign',   qr/ [0-9a-f-]{36}/],
            ['products',   qr/ 5\b/],
            ['feed',       qr/ done$/m],
            ['top-up',     qr/settled$/m],
            ['preview',    qr/ SHOW,? rank 1$/m],
            ['shown',      qr/ \[Sponsored\] \w+ stunt kite/],
            ['click',      qr{ https://shop\.example/kites/\w+\?ads_click_id=}],
            ['conversion', qr/ (?:recorded|accepted)$/m],
            ['balance',    qr/ 49\.5,? spent 0\.5$/m],
            ['statement',  qr/ \d{4}-\d\d\b.* 49\.5$/m],
            )
        {
            my ($what, $says) = @$step;
            like $said, qr/^\Q$what\E\s.*$says/m, "$name: $what";
        }
        like $said, qr/^report\s.*clicks\W+1\W+spend\W+0\.5\W+(?:publisher_)?conversions\W+1\b/m,
            "$name: report";
    }
}

SKIP: {
    skip 'no packages', 1 if !-d "$dir/examples/javascript/node_modules";
    my ($status, $said) = in_checkout('cd examples/javascript; npm run -s check');
    is $status, 0, 'the calls in JavaScript fit the description' or diag $said;
}

is $ads->sql_value('select count(*) from ads.clicks where billed_micros > 0'),
    -d "$dir/examples/javascript/node_modules" ? 3 : 2,
    'each was billed one click';

$ads->done;
