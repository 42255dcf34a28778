#!/usr/bin/perl
#
# A login costs the same whether the address is known or not, measured in
# processor time of adsd and its children; and a password that was hashed with
# other parameters is hashed again when its owner signs in.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use IO::Select;
use Test::More;

my $ads  = Ads::Test->new;
my $good = 'a long enough secret';

sub login
{
    my ($email, $password) = @_;
    return $ads->post('/v1/auth/login', undef,
        { email => $email, password => $password })->{status};
}

# Every thread of a process and of its children.
sub threads
{
    my ($pid) = @_;
    my @tasks = glob "/proc/$pid/task/*";
    my @children = map {
        open my $in, '<', "$_/children" or next;
        split ' ', <$in> // '';
    } @tasks;
    return (@tasks, map { threads($_) } @children);
}

# The milliseconds that they ran.
sub cpu_ms
{
    my $sum = 0;
    for my $task (threads($ads->part('adsd')->{pid})) {
        open my $in, '<', "$task/schedstat" or next;
        my ($ns) = split ' ', <$in> // 0;
        $sum += $ns / 1e6;
    }
    return $sum;
}

# Of each of five logins.
sub cost
{
    my ($email) = @_;
    my $before = cpu_ms();
    my %status = map { (login($email->($_), 'a wrong one') => 1) } 1 .. 5;
    my $ms = (cpu_ms() - $before) / 5;
    is join(' ', keys %status), '401', 'is refused';
    return $ms;
}

is $ads->post('/v1/auth/signup', undef,
    { email => "p$_\@shop.example", password => $good })->{status}, 201,
    'somebody signs up'
    for 1 .. 5;
login('nobody@shop.example', 'a wrong one');

my $unknown = cost(sub { "nobody$_[0]\@shop.example" });
my $wrong   = cost(sub { "p$_[0]\@shop.example" });
note sprintf 'a login costs %.1f ms for an unknown address, %.1f ms with a'
    . ' wrong password', $unknown, $wrong;
cmp_ok $unknown, '>', 20, 'an unknown address is hashed for';
cmp_ok $wrong, '>', 20, 'a wrong password is hashed';
cmp_ok abs($unknown - $wrong), '<', 0.3 * $wrong,
    'which cannot be told apart by what it costs';

# ---- other parameters ------------------------------------------------------

my $weak = '$argon2id$v=19$m=8192,t=1,p=1$qSF1DTGvuHTBxn0LEIQOOA'
    . '$GiLSlWTyuw6k0T4lj6a/Wwv14DeFrIIWon1+AXV1o8E';
my $stored = 'select password_hash from ads.users where email = ?';

$ads->sql('update ads.users set password_hash = ? where email = ? returning 1',
    $weak, 'p1@shop.example');
is login('p1@shop.example', 'a wrong one'), 401, 'a wrong password';
is $ads->sql_value($stored, 'p1@shop.example'), $weak, 'changes nothing';
is login('p1@shop.example', $good), 200, 'the right one signs in';
like $ads->sql_value($stored, 'p1@shop.example'),
    qr/^\$argon2id\$v=19\$m=65536,t=2,p=1\$/, 'and is hashed anew';
is login('p1@shop.example', $good), 200, 'it is the same password';

# ---- a crowd ---------------------------------------------------------------

# sixty at once: those whose turn would not come in time are refused before the
# first few were hashed for, and no one waits without success for longer
my @crowd = map {
    my $socket = Ads::Http::connect($ads->{port});
    syswrite $socket, join '', Ads::Http::bytes($ads->{port}, 'POST',
        '/v1/auth/login', ['Content-Type' => 'application/json'],
        qq({"email":"c$_\@shop.example","password":"a wrong one"}));
    $socket
} 1 .. 60;
my $select = IO::Select->new(@crowd);
my ($hashed, $early, %status) = (0, 0);
while ($select->count) {
    for my $socket ($select->can_read(10)) {
        my $answer = Ads::Http::answer($socket);
        $select->remove($socket);
        $status{ $answer->{status} }++;
        $hashed++ if $answer->{status} == 401;
        $early++  if $answer->{status} == 429 && $hashed < 5;
    }
}
is_deeply [grep { !/^(?:401|429|503)$/ } keys %status], [],
    'a crowd is hashed for, or turned away';
cmp_ok $early, '>=', 10, 'many of them at once';
cmp_ok $hashed, '>', 0, 'and some signed in';
note join ', ', map { "$_: $status{$_}" } sort keys %status;

$ads->done;
