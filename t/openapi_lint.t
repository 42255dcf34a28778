#!/usr/bin/perl
#
# docs/openapi.json as others read it: the linters Redocly and Spectral find
# nothing, neither an error nor a warning.

use strict;
use warnings;
use lib 't/lib';

use Ads::Npm;
use Test::More;

my $dir  = Ads::Npm::folder('t/openapi');
my $file = 'docs/openapi.json';
$ENV{REDOCLY_TELEMETRY} = 'off';
$ENV{REDOCLY_SUPPRESS_UPDATE_NOTICE} = 'true';

my ($status, $said) = Ads::Npm::run('t/openapi', 'redocly', 'lint',
    "--config=$dir/redocly.yaml", '--format=stylish', $file);
is $status, 0, 'Redocly finds nothing' or diag $said;

($status, $said) = Ads::Npm::run('t/openapi', 'spectral', 'lint', '--quiet',
    '--fail-severity=hint', "--ruleset=$dir/spectral.yaml", $file);
is $status, 0, 'Spectral finds nothing' or diag $said;

done_testing();
