#!/usr/bin/perl
#
# A module that is loaded and not used makes nothing and breaks nothing; one
# that is used also serves with `master_process off`.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $plain = <<'END';
events { }
END

sub files
{
    my ($ads) = @_;
    return join ' ', map { s{.*/}{}r } sort glob "$ads->{dir}/state/*"
        . " $ads->{dir}/state/.[a-z]* $ads->{run_path}/*";
}

# In its event loop: one process alone does not notice a signal of before.
sub asleep
{
    my ($part) = @_;
    my ($state) = Ads::Process::stat_of($part->{pid});
    return ($state // '') eq 'S';
}

# Starts nginx with this configuration beside the load_module line.
sub with_conf
{
    my ($text, $pattern) = @_;
    my $ads  = Ads::Test->new(parts => []);
    my ($load) = Ads::Stack::read_file("$ads->{dir}/nginx.conf")
        =~ /^(load_module[^;]*;)/m;
    $load //= '';
    my $own = join '', map { "${_}_temp_path $ads->{dir}/tmp/$_; " }
        qw(client_body proxy fastcgi scgi uwsgi);
    my $http = $text =~ s/PORT/$ads->{port}/r =~ s/http \{/http { $own/r;
    $ads->write_file("$ads->{dir}/nginx.conf",
        "$load\npid $ads->{run_path}/nginx.pid;\n"
            . "error_log $ads->{dir}/log/nginx.log notice;\n$http");
    my $before = files($ads);
    my $part   = $ads->start('nginx');
    $ads->wait_until(
        sub { -e "$ads->{run_path}/nginx.pid" && asleep($part) || $part->ended },
        10, 'nginx');
    ok !$part->ended, "nginx runs $pattern";
    return ($ads, $before);
}

for my $case (
    ['without http',          $plain],
    ['without a directive',   "$plain http { access_log off; }\n"],
    ['with a server that does not use it',
        "$plain http { access_log off; server { listen 127.0.0.1:PORT;"
        . " location / { return 200 ok; } } }\n"],
    ['with paths that no location uses',
        "$plain http { access_log off; ads_state_path state;"
        . " ads_run_path run; server { listen 127.0.0.1:PORT;"
        . " location / { return 200 \$ads_request_id; } } }\n"],
    ['without a master', "master_process off;\n$plain http { access_log off; }\n"],
) {
    my ($name, $conf) = @$case;
    my ($ads, $before) = with_conf($conf, $name);
    if ($conf =~ /PORT/) {
        my $answer;
        $ads->wait_until(
            sub { $answer = eval { $ads->http('GET', '/') } }, 10, 'an answer');
        is $answer->{status}, 200, 'and serves';
    }
    is $ads->stop('nginx'), 0, 'it ends cleanly';
    is files($ads), $before, 'and leaves nothing behind';
    $ads->check_logs;
    $ads->clean;
}

# ---- one process -----------------------------------------------------------

my $ads = Ads::Test->new(parts => [qw(postgres adsd)]);
$ads->write_file("$ads->{dir}/nginx.conf",
    "master_process off;\n" . $ads->nginx_conf);

# it changes no user, so root is not who starts it
$ads->{as}{nginx} = $ads->{user};
$ads->start_nginx;
$ads->wait_ready(30);
my $pub = $ads->seed_publisher;
$ads->seed_shop;

my $json = $ads->recommend($pub->{key}, 'buy a laser printer')->{json};
is $json->{decision}, 'SHOW', 'one process serves';
is $ads->click($json->{ads}[0]{click_url})->{status}, 302, 'and redirects';
$ads->wait_until(
    sub {
        $ads->sql_value('select count(*) from ads.clicks') == 1;
    },
    15,
    'the click to be stored'
);
pass 'and journals';

$ads->done;
