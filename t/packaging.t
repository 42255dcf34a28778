#!/usr/bin/perl
#
# What `make install` puts where, and that systemd takes the unit and has
# little to say against it.

use strict;
use warnings;
use lib 't/lib', 'tools/lib';

use Ads::Stack;
use File::Temp qw(tempdir);
use Test::More;

plan skip_all => 'the plain build is installed'
    if ($ENV{ADS_BUILD} // 'build') ne 'build';

my $root = tempdir('ads-XXXXXX', TMPDIR => 1, CLEANUP => 1);
is system("make -s install DESTDIR=$root/tree PREFIX=/opt/ads >$root/log 2>&1"),
    0, 'make install with DESTDIR and PREFIX'
    or diag Ads::Stack::read_file("$root/log");
my $tree = "$root/tree/opt/ads";
ok -e "$tree/$_", "$_ is installed"
    for qw(sbin/adsd sbin/adsctl lib/nginx/modules/ngx_http_ads_module.so
    lib/systemd/system/adsd.service lib/tmpfiles.d/ads.conf
    lib/sysusers.d/ads.conf
    share/doc/ngx-ads/nginx.conf.example share/doc/ngx-ads/adsd.conf.example
    share/doc/ngx-ads/nginx-ads.conf share/ngx-ads/intent.model
    share/ngx-ads/nginx/ads-main.conf share/ngx-ads/nginx/ads-http.conf
    share/ngx-ads/nginx/ads-server.conf share/ngx-ads/nginx/welcome.html
    share/ngx-ads/docs/errors.html
    share/ngx-ads/guard/self_harm.txt share/ngx-ads/guard/harmless.txt
    share/ngx-ads/roles.sql share/ngx-ads/duties.sql
    share/ngx-ads/dashboard/index.html
    share/ngx-ads/dashboard/app.js
    share/ngx-ads/goods/cues.txt share/ngx-ads/goods/computing.txt);

my $unit = Ads::Stack::read_file("$tree/lib/systemd/system/adsd.service");
like $unit, qr{^ExecStart=/opt/ads/sbin/adsd }m,
    'the unit starts what was installed';
is +(grep { -x "$root/tree$_" } $unit =~ /^ExecStart=(\S+)/m), 1,
    'which is there';

# a crash leaves no keys, and is not the end
like $unit, qr/^$_$/m, "the unit has $_"
    for qw(Restart=always LimitCORE=0 NoNewPrivileges=yes
    ProtectSystem=strict MemoryDenyWriteExecute=yes
    RuntimeDirectoryPreserve=yes);
my ($run) = Ads::Stack::read_file('adsd.conf.example') =~ /^run_path = (\S+)/m;
like Ads::Stack::read_file("$tree/lib/tmpfiles.d/ads.conf"),
    qr/^d \Q$run\E 0710 ads ads$/m,
    'the run folder of the example is made at boot';

# ---- who is who --------------------------------------------------------------

like Ads::Stack::read_file("$tree/lib/sysusers.d/ads.conf"), qr/^u ads - /m,
    'adsd has a user of its own';
like $unit, qr/^User=ads$/m, 'which the unit runs it as';
like $unit, qr/^UMask=0077$/m, 'and what it writes is its own';
like Ads::Stack::read_file('nginx.conf.example'), qr/^user\s+www-data ads;$/m,
    'workers are another user, and have its group';
SKIP: {
    skip 'systemd-sysusers is not there', 1
        if system('which systemd-sysusers >/dev/null 2>&1') != 0;
    mkdir "$root/users";
    system "systemd-sysusers --root=$root/users --dry-run -"
        . " <'$tree/lib/sysusers.d/ads.conf' >$root/log 2>&1";
    like Ads::Stack::read_file("$root/log"), qr/^Creating user 'ads' /m,
        'systemd takes the user as it is';
}
for my $line (grep { /^d / }
    split /\n/, Ads::Stack::read_file("$tree/lib/tmpfiles.d/ads.conf"))
{
    my ($path, $mode) = (split ' ', $line)[ 1, 2 ];
    my $wanted = $path =~ /journal$/ ? qr/^1770$/ : qr/^071[01]$/;
    like $mode, $wanted, "$path gives workers the least";
}

SKIP: {
    skip 'systemd-analyze is not there', 3
        if system('which systemd-analyze >/dev/null 2>&1') != 0;
    mkdir "$root/units" or die "$root/units: $!\n";
    $unit =~ s{/opt/ads/sbin/adsd}{/bin/true};    # it looks for the program
    my $plain = $unit =~ s/^(?:No|Cap|Ambient|Pr|Restr|Lock|Mem|Sys).*\n//mgr;
    write_unit('adsd', $unit);
    write_unit('bare', $plain);
    is analyze('verify', 'adsd'), '', 'systemd takes the unit as it is';
    is exposed('adsd'), 0, 'systemd-analyze security: exposure of at most 1.5';
    isnt exposed('bare'), 0, 'which a unit without its walls has not';
}
done_testing();

sub write_unit
{
    my ($name, $text) = @_;
    open my $out, '>', "$root/units/$name.service" or die "$name: $!\n";
    print {$out} $text;
    close $out;
}

# What it said, and how it ended when that was badly.
sub analyze
{
    my ($words, $name) = @_;
    my $said = `systemd-analyze $words '$root/units/$name.service' 2>&1`;
    return $? == 0 ? $said : "$said: $?";
}

sub exposed
{
    my ($name) = @_;
    return system("systemd-analyze security --offline=true --threshold=15"
            . " --no-pager '$root/units/$name.service' >$root/log 2>&1");
}
