#!/usr/bin/perl
#
# The back ends of docs/embed.md, as they stand there, against the real service:
# each shows ads, escapes what advertisers write, keeps its key, and has a page
# without ads when there is none or the service is down.

use strict;
use warnings;
use lib 't/lib', 'tools/lib';

use Ads::Npm;
use Ads::Process;
use Ads::Test;
use Test::More;

my $doc = Ads::Stack::read_file('docs/embed.md');
my $ads = Ads::Test->new;
my $pub = $ads->seed_publisher;
$ads->seed_shop(
    name     => 'Quillon & Sons',
    products => [
        @{ $ads->products },
        {
            id          => 'hostile',
            title       => q{Vexor "teapot" <script>alert('x')</script>},
            price       => 12.5,
            currency    => 'USD',
            category    => ['Kitchen'],
            description => 'A teapot by Vexor',
            url         => 'https://shop.example/p/h',
        },
    ],
);
my $dir = "$ads->{dir}/tmp";

# The first block of code in a section, in a file.
sub code
{
    my ($section, $name) = @_;
    my ($text) = $doc =~ /^## \Q$section\E\n(?:(?!^## ).)*?^```\w+\n(.*?)^```$/ms
        or die "docs/embed.md: no code in $section\n";
    $ads->write_file("$dir/$name", $text, 0644);
    return "$dir/$name";
}

# A page of a back end that runs; the key must not be in it.
sub page
{
    my ($port, $query) = @_;
    my $answer = eval { Ads::Http::request($port, 'GET', "/?q=$query",
            ['Host' => "127.0.0.1:$port"]) };
    return $answer ? "$answer->{status} $answer->{body}" : '';
}

sub try_back_end
{
    my ($name, $url, $port, @argv) = @_;
    my $log     = "$dir/$name.log";
    my $process = Ads::Process->start(
        name   => $name,
        argv   => \@argv,
        dir    => $dir,
        log    => $log,
        signal => 'KILL',
        env    => { ADS_URL => $url, ADS_KEY => $pub->{key}, PORT => $port },
    );
    $ads->wait_until(sub { page($port, '') ne '' || $process->ended }, 60,
        "$name to answer");
    diag Ads::Stack::read_file($log) if $process->ended;
    my @pages = map { page($port, $_) }
        qw(buy+a+laser+printer buy+a+vexor+teapot what+time+is+it);
    $process->signal('KILL');
    $ads->wait_until(sub { $process->ended }, 10, "$name to end");
    return @pages;
}

sub works
{
    my ($name, @argv) = @_;
    my $port = Ads::Test::free_port();
    s/PORT/$port/ for @argv;
    my ($ad, $hostile, $none) = try_back_end($name, $ads->{base_url}, $port, @argv);
    like $ad, qr/^200 .*Sponsored.*Quillon laser printer.*189.* USD/s, "$name shows an ad";
    like $ad, qr/Quillon &(?:amp|#38);/, "$name says for whom";
    my ($seen) = $ad =~ m{data-ads-seen="[^"]+?(/v1/i/[\w-]+)"};
    is $ads->http('POST', $seen // '/', ['User-Agent' => 'Mozilla/5.0 Firefox/128.0'])->{status},
        204, "$name: its page can report it";
    my ($click) = $ad =~ m{href="([^"]+/v1/click/[^"]+)"};
    is $ads->click($click // '/')->{status}, 302, "$name: the link leads on";
    like $hostile,   qr/Vexor/,         "$name shows a hostile text";
    unlike $hostile, qr/<script>alert/, "$name escapes it";
    like $none,   qr/^200 .*<title>/s, "$name has a page without an ad";
    unlike $none, qr/ads-card/,        "$name has none there";
    is index("$ad$hostile$none", $pub->{key}), -1, "$name keeps the key";

    my $nobody = 'http://127.0.0.1:' . Ads::Test::free_port();
    my $again  = Ads::Test::free_port();
    s/\b$port\b/$again/ for @argv;
    my ($down) = try_back_end($name, $nobody, $again, @argv);
    like $down, qr/^200 .*<title>/s, "$name has a page when the service is down";
}

# Is it here?  With ADS_CI what is missing is a failure.
sub have
{
    my ($what, @argv) = @_;
    return 1 if system("@argv >/dev/null 2>&1") == 0;
    die "$what is not installed\n" if $ENV{ADS_CI};
    return 0;
}

SKIP: {
    skip 'php-cli is not installed', 12 if !have('php-cli', 'php', '-v');
    works('php', 'php', '-S', '127.0.0.1:PORT', code('PHP', 'index.php'));

    # there is no WordPress here, so of its plugin only the form is known
    my $plugin = code('WordPress', 'ads.php');
    like qx(php -l $plugin 2>&1), qr/^No syntax errors/, 'the plugin is PHP';
}

SKIP: {
    my $python = '/usr/bin/python3';
    skip 'python3-django is not installed', 10
        if !have('python3-django', $python, '-c', '"import django"');
    works('django', $python, code('Django', 'site.py'), 'runserver', '--noreload',
        '127.0.0.1:PORT');
}

SKIP: {
    my ($packages, $why) = Ads::Npm::install('t/embed');
    die "$why\n" if !$packages && $ENV{ADS_CI};
    skip $why, 10 if !$packages;
    symlink "$packages/node_modules", "$dir/node_modules" or die "node_modules: $!\n";
    my $file = code('Express', 'site.mjs');
    works('express', 'node', $file);
}

$ads->done;
