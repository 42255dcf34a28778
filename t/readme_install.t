#!/usr/bin/perl
#
# The README's install, line by line as it stands there, on a copy of this
# machine that is thrown away: folders are overlays, network and processes
# apart.  PostgreSQL is Debian's, nginx Debian's with its own configuration.
# Only what systemd would start is started by its unit's words here, because no
# systemd runs in the copy; and the address is replaced, as the README says.

use strict;
use warnings;
use lib 't/lib', 'tools/lib';

use Ads::Http;
use Ads::Stack;
use Ads::Test;
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;

if (!@ARGV) {
    plan skip_all => 'the plain build is installed'
        if ($ENV{ADS_BUILD} // 'build') ne 'build' || $ENV{ADS_NGINX};
    plan skip_all => 'only root may mount' if $> != 0;
    plan skip_all => 'nginx is not as Debian has it'
        if !-e '/etc/nginx/modules-enabled';
    my @apart = qw(unshare --mount --net --pid --fork --mount-proc
        --kill-child);
    plan skip_all => 'this machine lets nobody mount'
        if system("@apart true 2>/dev/null") != 0;
    my $place = tempdir('ads-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    exit system(@apart, $^X, $0, $place) >> 8;
}

my ($place) = @ARGV;
my $address = 'http://127.0.0.1:8080';

# ---- a copy of the machine ---------------------------------------------------

sub must
{
    my (@argv) = @_;
    system(@argv) == 0 or die "@argv: $?\n";
}

must(qw(mount -t tmpfs ads), $place);
for my $folder (qw(etc usr var)) {
    my @parts = map { "$place/$folder.$_" } qw(upper work);
    mkdir $_ or die "$_: $!\n" for @parts;
    must(qw(mount -t overlay ads -o),
        "lowerdir=/$folder,upperdir=$parts[0],workdir=$parts[1]", "/$folder");
}
must(qw(mount -t tmpfs ads /run));
must(qw(install -d -o postgres -g postgres -m 2775 /run/postgresql));

# the loopback device is up: SIOCSIFFLAGS with IFF_UP
socket my $any, 2, 2, 0 or die "socket: $!\n";
my $flags = pack 'Z16 s x22', 'lo', 1;
ioctl $any, 0x8914, $flags or die "lo: $!\n";

# what this machine happens to have is not there in the copy
must(qw(rm -rf /etc/ads /var/lib/ads /usr/share/ngx-ads /etc/postgresql/15),
    '/var/lib/postgresql/15', glob '/etc/nginx/conf.d/*');
must('sh', '-c', 'pg_createcluster 15 main -- --no-sync >/dev/null');
must(qw(pg_ctlcluster 15 main start -- -w));

# ---- the lines ---------------------------------------------------------------

my $readme = Ads::Stack::read_file('README.md');
my ($part) = $readme =~ /^## Into an nginx[^\n]*\n(.*?)^## /ms;
my @blocks = map { s/^\n+//r =~ s/^ {4}//gmr }
    $part =~ /((?:^ {4}.*\n|^\n(?= {4}))+)/mg;
is scalar(@blocks), 4, 'the README has four blocks of it';
my ($make, $edit, $site, $start) = @blocks;

sub run_lines
{
    my ($text) = @_;
    delete local @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
    for my $line (split /\n/, $text) {
        my $said = qx(exec 2>&1; $line);
        is $?, 0, $line or diag $said;
    }
}

# The reader's own address, in both places that the README names.
sub own_address
{
    my ($text) = @_;
    is $text =~ s{https://ads\.example\.com}{$address}g, 1,
        'the address stands there once';
    return $text;
}

sub write_text
{
    my ($path, $text) = @_;
    open my $out, '>', $path or die "$path: $!\n";
    print {$out} $text;
    close $out;
}

run_lines($make);
write_text('/etc/ads/adsd.conf',
    own_address(Ads::Stack::read_file('/etc/ads/adsd.conf')));
run_lines($edit);
write_text('/etc/nginx/conf.d/ads.conf', own_address($site));

# ---- what systemd starts -----------------------------------------------------

my @start = split /\n/, $start;
is_deeply [splice @start, 0, 2],
    ['systemctl enable --now adsd', 'systemctl restart nginx'],
    'what systemd is asked for';
my $unit = Ads::Stack::read_file('/usr/lib/systemd/system/adsd.service');
my ($user)    = $unit =~ /^User=(\w+)$/m;
my ($program) = $unit =~ /^ExecStart=(.*)$/m;
my $adsd = fork // die "fork: $!\n";
if ($adsd == 0) {
    open STDERR, '>', "$place/adsd.log";
    exec 'runuser', '-u', $user, '--', split ' ', $program or POSIX::_exit(127);
}
is system('nginx 2>&1'), 0, 'nginx starts';

my $deadline = time + 60 * Ads::Test::patience();
my $ready    = 0;
until ($ready || time > $deadline) {
    my $answer = eval { Ads::Http::request(8080, 'GET', '/readyz') };
    $ready = $answer && $answer->{status} == 200;
    select undef, undef, undef, 0.05;
}
ok $ready, 'the service is ready'
    or diag Ads::Stack::read_file("$place/adsd.log"),
    Ads::Stack::read_file('/var/log/nginx/error.log');
for my $line (@start) {
    my $said = qx(exec 2>&1; $line);
    is $?, 0, $line;
    is join('', grep { !/clock/ } $said =~ /^(?:warn|bad) .*\n/mg), '',
        'and has nothing to say but of the clock';
}

# ---- all of it is there ------------------------------------------------------

sub ask
{
    my ($method, $path, $body) = @_;
    return Ads::Http::request(8080, $method, $path,
        ['Content-Type' => 'application/json'],
        $body ? encode_json($body) : ());
}

for my $path (qw(/ /docs /v1/openapi.json /dashboard/ /healthz /readyz /metrics))
{
    is ask('GET', $path)->{status}, 200, "$path is there";
}
my %person = (email => 'ann@shop.example', password => 'a long enough one');
is ask('POST', '/v1/auth/signup', \%person)->{status}, 201, 'people sign up';
is ask('POST', '/v1/auth/login', \%person)->{status}, 200, 'and in';
for my $path (qw(/nowhere /v1/auth/oauth/nobody /v1/click /v1/campaigns)) {
    my $answer = ask('GET', $path);
    like $answer->{headers}{'content-type'}, qr{^application/problem\+json},
        "$path is refused with a problem document";
}
like Ads::Stack::read_file('/var/log/nginx/error.log') . 'end',
    qr/^(?!.*(?:alert|emerg|ads_base_url))/s, 'nginx has nothing to complain of';
done_testing();
