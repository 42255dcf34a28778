#!/usr/bin/perl
#
# A password is hashed outside of any transaction, for as long as that takes.
# What the old one was right for is not done when a reset came in between: else
# somebody who knows it would keep what the reset was to take from them.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $ads  = Ads::Test->new;
my $old  = 'a long enough secret';
my $new  = 'another secret, longer';
my $mine = 'a secret of somebody else';

sub auth
{
    my ($what, $body, $token) = @_;
    return $ads->post("/v1/auth/$what", $token, $body);
}

# a hash of $new, as a reset would set it
auth('signup', { email => 'hash@shop.example', password => $new });
my $hash = $ads->sql_value('select password_hash from ads.users');

# Someone who is signed in: (access token, id).
sub person
{
    my ($email) = @_;
    my $in = auth('signup', { email => $email, password => $old })->{json};
    return ($in->{access_token}, $in->{user}{id});
}

# The answer to a request that was under way, its password found to be right,
# while the person's password was reset.
sub overtaken
{
    my ($user, $what, $body, $token) = @_;
    $ads->db->begin_work;
    $ads->db->do("select from ads.$_->[0] where $_->[1] = ? for update", undef,
        $user)
        for [users => 'id'], [members => 'user_id'];
    my $socket = Ads::Http::connect($ads->{port});
    syswrite $socket, join '', Ads::Http::bytes($ads->{port}, 'POST',
        "/v1/auth/$what", ['Content-Type' => 'application/json',
            $token ? ('Authorization' => "Bearer $token") : ()],
        encode_json($body));
    $ads->wait_for_lock(10, "$what to wait");
    $ads->db->do('select ads.password_set(?, ?, null)', undef, $user, $hash);
    $ads->db->commit;
    return Ads::Http::answer($socket);
}

sub sessions
{
    my ($user) = @_;
    return $ads->sql_value('select count(*) from ads.sessions_of(?)', $user);
}

# ---- signing in ------------------------------------------------------------

my ($token, $user) = person('ada@shop.example');
my $answer = overtaken($user, 'login',
    { email => 'ada@shop.example', password => $old });
$ads->is_problem($answer, 503, 'unavailable',
    'a sign-in that a reset overtakes is to be tried again');
is sessions($user), 0, 'and begins no session';
is auth('login', { email => 'ada@shop.example', password => $old })->{status},
    401, 'the old password is good no more';
is auth('login', { email => 'ada@shop.example', password => $new })->{status},
    200, 'the new one is';

# ---- another password ------------------------------------------------------

($token, $user) = person('bob@shop.example');
$answer = overtaken($user, 'password',
    { current_password => $old, password => $mine }, $token);
$ads->is_problem($answer, 503, 'unavailable',
    'so is a change of the password');
is $ads->sql_value('select password_hash from ads.users where id = ?', $user),
    $hash, 'which changes nothing';

# ---- another address -------------------------------------------------------

($token, $user) = person('cy@shop.example');
$answer = overtaken($user, 'email',
    { email => 'eve@shop.example', password => $old }, $token);
$ads->is_problem($answer, 503, 'unavailable',
    'so is a change of the address');
is $ads->sql_value(q{select count(*) from ads.mail_codes
    where user_id = ? and purpose = 'email_change'}, $user), 0,
    'for which no code is made';

$ads->done;
