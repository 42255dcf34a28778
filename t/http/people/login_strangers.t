#!/usr/bin/perl
#
# Strangers who guess passwords for ever delay themselves and lock no one out:
# what they get wrong counts for their own address, of IPv6 for its network.
# When many addresses guess for one e-mail, who reads its mailbox signs in by a
# code.  Nothing tells whether the e-mail has an account.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Load;
use Ads::Test;
use JSON::PP;
use Test::More;

my $ads  = Ads::Test->new(nginx_http => Ads::Load::realip());
my $good = 'a long enough secret';
my $home = '198.51.100.7';

sub login
{
    my ($email, $password, $address, %more) = @_;
    return $ads->post('/v1/auth/login', undef,
        { email => $email, password => $password, %more },
        'X-Forwarded-For' => $address);
}

# How many of those addresses are heard before the first is blocked.
sub tries
{
    my ($email, @addresses) = @_;
    my $n = 0;
    for my $address (@addresses) {
        my $answer = login($email, "guess $n", $address);
        return $n if $answer->{status} == 429;
        is_deeply [@{ $answer->{json} }{qw(status code)}],
            [401, 'login_failed'], 'refused' if $answer->{status} != 401;
        $n++;
    }
    return $n;
}

sub later
{
    my ($interval) = @_;
    $ads->sql("update ads.login_failures
        set last_at = last_at - interval '$interval' returning 1");
    $ads->sql("update ads.login_totals
        set over_at = over_at - interval '$interval' returning 1");
    return;
}

sub codes
{
    my ($email) = @_;
    return map { m{/dashboard/\#login=([\w-]{43})\r$}m }
        grep { /^To: \Q$email\E\r$/m }
        map { Ads::Stack::read_file($_) } sort glob "$ads->{dir}/mail/*.eml";
}

# Waits for the n-th code that was sent to that address.
sub code
{
    my ($email, $n) = @_;
    my @codes;
    $ads->wait_until(sub { (@codes = codes($email)) >= $n }, 10,
        "code $n for $email");
    return $codes[$n - 1];
}

sub ask_code
{
    my ($email) = @_;
    return $ads->post('/v1/auth/login/code', undef, { email => $email });
}

is $ads->post('/v1/auth/signup', undef,
    { email => "$_\@shop.example", password => $good })->{status}, 201,
    "$_ signs up" for qw(ada bob);

# ---- one stranger ----------------------------------------------------------

for my $email ('ada@shop.example', 'nobody@shop.example') {
    is tries($email, ('192.0.2.66') x 40), 10, "ten guesses for $email";
    my $blocked = login($email, $good, '192.0.2.66');
    $ads->is_problem($blocked, 429, 'login_blocked',
        'then even the right one has to wait');
    my $wait = $blocked->{headers}{'retry-after'};
    ok $wait > 0 && $wait <= 60, 'a minute at first';
}
is login('ada@shop.example', $good, $home)->{status}, 200,
    'while its owner signs in from elsewhere';

my @waits;
for (1 .. 9) {
    later('61 minutes');
    is login('ada@shop.example', 'a guess', '192.0.2.66')->{status}, 401,
        'one more guess';
    push @waits, login('ada@shop.example', 'a guess', '192.0.2.66')
        ->{headers}{'retry-after'};
}
ok $waits[$_] > 1.8 * $waits[$_ - 1], 'each waits longer: ' . $waits[$_]
    for 1 .. 4;
ok $waits[-1] > 3500 && $waits[-1] <= 3600, 'an hour at most';
is login('ada@shop.example', $good, $home)->{status}, 200,
    'its owner signs in all the while';

is tries('bob@shop.example', map { "2001:db8:0:1::$_" } 1 .. 40), 10,
    'a network of IPv6 is one stranger';
is tries('bob@shop.example', ('192.0.2.67') x 9), 9, 'nine wrong ones';
is login('bob@shop.example', $good, '192.0.2.67')->{status}, 200,
    'and a right one';
is tries('bob@shop.example', ('192.0.2.67') x 9), 9,
    'which makes up for them';
later('16 minutes');
is tries('bob@shop.example', ('192.0.2.67') x 40), 10,
    'fewer than ten are forgotten after 15 minutes';
later('25 hours');
is tries('bob@shop.example', ('192.0.2.67') x 40), 10, 'all after a day';

# ---- strangers from everywhere ---------------------------------------------

$ads->sql("delete from ads.$_ returning 1")
    for qw(login_failures login_totals);
my @everywhere = map { "203.0.113.$_" } 1 .. 120;
my @blocked;
for my $email ('ada@shop.example', 'nobody@shop.example') {
    is tries($email, @everywhere), 50, "all have fifty guesses for $email";
    push @blocked, login($email, 'a guess', $home);
    $ads->is_problem($blocked[-1], 429, 'login_blocked', 'then all wait');
    delete $blocked[-1]{json}{request_id};
}
is_deeply $blocked[1]{json}, $blocked[0]{json}, 'in the same words';
later('24 hours');
is tries('ada@shop.example', @everywhere), 50, 'a day later as many';

my @accepted = map { ask_code($_) } 'ADA@shop.example', 'nobody@shop.example';
is $_->{status}, 202, 'a code is asked for' for @accepted;
is $accepted[1]{body}, $accepted[0]{body}, 'which tells nothing';
my $code = code('ada@shop.example', 1);
ok $code, 'its owner gets one';
$ads->is_problem(login('ada@shop.example', $good, $home), 429,
    'login_blocked', 'strangers guess on');
$ads->is_problem(login('ada@shop.example', 'wrong', $home, code => $code),
    401, 'login_failed', 'a code is no password');
$ads->is_problem(login('bob@shop.example', $good, $home, code => $code), 400,
    'code_invalid', 'nor for another address');
$ads->is_problem(login('ada@shop.example', $good, $home,
        code => $code =~ tr/a-zA-Z/b-zaB-ZA/r), 400,
    'code_invalid', 'nor is a made-up one a code');
my $in = login('ada@shop.example', $good, $home, code => $code);
is $in->{status}, 200, 'with code and password its owner signs in';
$ads->is_problem(login('ada@shop.example', $good, $home, code => $code), 400,
    'code_invalid', 'once');

# strangers also ask for codes; the latest are good, so the owner has one
ask_code('ada@shop.example') for 1 .. 20;
$ads->wait_until(
    sub { !$ads->sql_value('select count(*) from ads.mails') }, 10,
    'the mails to be sent');
my @sent = codes('ada@shop.example');
is scalar(@sent), 6, 'five an hour are sent, beside the one that was used';
is scalar(grep { /^To: nobody/m } map { Ads::Stack::read_file($_) }
        glob "$ads->{dir}/mail/*.eml"), 0, 'nobody gets none';
is login('ada@shop.example', $good, $home, code => $sent[$_])->{status}, 200,
    'each of them is good' for 1, 5;
$ads->sql(q{update ads.mail_codes set created_at = now() - interval '2 hours',
    expires_at = now() - interval '1 second' where purpose = 'login'
    returning 1});
$ads->is_problem(login('ada@shop.example', $good, $home, code => $sent[2]),
    400, 'code_invalid', 'for an hour');

# ---- who is signed in ------------------------------------------------------

is $ads->post('/v1/auth/password', $in->{json}{access_token},
    { current_password => $good, password => "$good too" })->{status}, 204,
    'strangers do not keep a person from another password';

# ---- all at once -----------------------------------------------------------

$ads->sql("delete from ads.$_ returning 1")
    for qw(login_failures login_totals);
my @sockets = map {
    my $socket = Ads::Http::connect($ads->{port});
    syswrite $socket, join '', Ads::Http::bytes($ads->{port}, 'POST',
        '/v1/auth/login', ['Content-Type' => 'application/json',
            'X-Forwarded-For' => '192.0.2.66'],
        encode_json({ email => 'bob@shop.example', password => "at once $_" }));
    $socket
} 1 .. 24;
my %seen;
$seen{ Ads::Http::answer($_)->{json}{code} }++ for @sockets;
cmp_ok $seen{login_failed} // 0, '<=', 10, 'guesses at once are ten too';
note join ', ', map { "$_: $seen{$_}" } sort keys %seen;

$ads->done;
