package Ads::Dashboard;

# The dashboard in a real browser, on the real service.
#
#     Ads::Dashboard::need();                  # skips without npm or chromium
#     my $world = Ads::Dashboard->new;         # accounts, people, a history
#     my $said  = $world->walk('screens.mjs'); # what the script prints, as JSON
#
# People are advertiser@, publisher@ and operator@test.example; each is the
# owner of an account of that type.  The advertiser has two campaigns, products,
# money, and sixty days of reports.

use strict;
use warnings;
use Ads::Npm;
use Ads::Test;
use JSON::PP;
use Test::More;

our $password = 'correct-horse-test-staple';
my $chromium = '/usr/bin/chromium';

# With ADS_CI what is missing is a failure, else the file is skipped.
sub need
{
    my ($dir, $why) = Ads::Npm::install('dashboard');
    $why = "$chromium is not installed" if $dir && !-x $chromium;
    if (!$dir || $why) {
        die "$why\n" if $ENV{ADS_CI};
        plan skip_all => $why;
    }
    link_packages();
}

# Node looks for packages beside the files that ask for them.
sub link_packages
{
    my $link = 'dashboard/node_modules';
    symlink '../build/npm/dashboard/node_modules', $link if !-l $link;
}

sub new
{
    my ($class, %opt) = @_;
    my $ads  = Ads::Test->new(%opt);
    my $self = bless { ads => $ads }, $class;

    my $shop = $self->{shop} = $ads->seed_shop(
        name => 'Quillon Store', campaign_name => 'Printers and ink',
        daily => '50', lifetime => '5000', topup => 2500
    );
    $self->{second} = $ads->campaign($shop->{account},
        campaign_name => 'Coffee and sport', bid => '0.40', daily => '20');
    $self->{site} = $ads->seed_publisher(name => 'Printer Talk',
        key => ['--explain']);
    $self->{boss} = $ads->seed_platform(name => 'Operator');

    $self->person('advertiser', $shop->{account});
    $self->person('publisher',  $self->{site}{account});
    $self->person('operator',   $self->{boss}{account});
    $self->history;
    $self->traffic;
    return $self;
}

sub person
{
    my ($self, $name, $account, @role) = @_;
    my $ads  = $self->{ads};
    my $user = $ads->adsctl('user', 'create', '--email',
        "$name\@test.example", '--verified')->{id};
    $ads->adsctl('member', 'add', '--account', $account, '--user', $user,
        '--role', $role[0] // 'owner');
    my $secret = "$ads->{dir}/password";
    $ads->write_file($secret, "$password\n", 0600);
    $ads->run('sh', '-c', 'exec "$@" <"$0"', $secret,
        $ads->adsctl_argv('user', 'password', $user));
    unlink $secret;
}

# Sixty days of what the first campaign did, straight into the reports.
sub history
{
    my ($self) = @_;
    my $ads = $self->{ads};
    my @ad  = @{ $ads->sql(
            'select id, campaign_id from ads.ads where campaign_id = ?',
            $self->{shop}{campaign}) };
    my $nil = '00000000-0000-0000-0000-000000000000';
    my %dims = (
        0  => [$nil, $nil, '', ''],
        1  => [$ad[0][1], $nil, '', ''],
        12 => [$nil, $nil, 'inline', 'US'],
        15 => [$ad[0][1], $ad[0][0], 'inline', 'US'],
    );
    for my $level (sort keys %dims) {
        $ads->db->do(<<'SQL', undef, $self->{shop}{account}, $level, @{ $dims{$level} });
insert into ads.reports
select ?, 'd', ?, d, ?, ?, ?, ?, 900 + 40 * n % 700, 20 + (n * 7) % 23, n % 3,
    n % 2, 0, (20 + (n * 7) % 23) * 210000, 1 + n % 3, (1 + n % 3) * 45000000
from generate_series(date_trunc('day', now(), 'UTC') - interval '60 days',
    date_trunc('day', now(), 'UTC') - interval '1 day', interval '1 day')
    with ordinality t (d, n)
on conflict do nothing
SQL
    }
}

# Some answers with ads and without, and a click, by the real way.
sub traffic
{
    my ($self) = @_;
    my $ads = $self->{ads};
    my $shown;
    for my $query ('buy a laser printer', 'good running shoes to buy',
        'what is the capital of France?', 'buy an espresso machine')
    {
        my $answer = $ads->recommend($self->{site}{key}, $query);
        $shown ||= $answer->{json}{ads}[0];
    }
    $ads->click($shown->{click_url});
}

# A script of dashboard/test/browser: its JSON, or undef with a diagnosis.
sub walk
{
    my ($self, $script, @words) = @_;
    return browse($self->{ads}, $script, @words);
}

# The same on a service of the test's own.
sub browse
{
    my ($ads, $script, @words) = @_;
    my $pictures = $ENV{ADS_PICTURES} || "$ads->{dir}/pictures";
    mkdir $pictures;
    local $ENV{ADS_PASSWORD} = $password;
    my ($status, $said) = Ads::Npm::output('timeout',
        int(500 * Ads::Test::patience()), 'node',
        "dashboard/test/browser/$script", $ads->{base_url}, $pictures, @words);
    is $status, 0, "$script walks to its end" or diag $said;
    my ($line) = $said =~ /^(\{.*\})$/m;
    return $line ? decode_json($line) : {};
}

1;
