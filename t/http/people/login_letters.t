#!/usr/bin/perl
#
# In a locale with letters of all languages the Kelvin sign is a k in another
# case.  An address written with it is no one's: else each k of an address would
# give another ten tries at its password.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use Test::More;

my $ads  = Ads::Test->new(locale => 'C.UTF-8');
my $good = 'a long enough secret';

sub login
{
    my ($email, $password) = @_;
    return $ads->post('/v1/auth/login', undef,
        { email => $email, password => $password });
}

is $ads->sql_value('select lower(?)', "\x{212a}"), 'k',
    'this database folds the Kelvin sign';
is $ads->post('/v1/auth/signup', undef,
    { email => 'kim@shop.example', password => $good })->{status}, 201,
    'somebody with a k signs up';
is login('KIM@shop.example', $good)->{status}, 200,
    'who is the same in capitals';
$ads->is_problem(login("\x{212a}im\@shop.example", $good), 401,
    'login_failed', 'and nobody with a Kelvin sign');
is login('kim@shop.example', "wrong $_")->{status}, 401, 'a wrong password'
    for 1 .. 10;
is login('kim@shop.example', $good)->{status}, 429, 'ten are enough';
is login("\x{212a}im\@shop.example", $good)->{status}, 401,
    'and there is no way round';

$ads->done;
