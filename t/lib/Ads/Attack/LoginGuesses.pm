package Ads::Attack::LoginGuesses;

# A stranger that guesses the password of one account, from many addresses, and
# API keys.
# Figures: none is found; of an account 50 guesses are compared, and then no more
# than one in 15 minutes.

use strict;
use warnings;
use Ads::Attack;
use Test::More;

our @ISA = qw(Ads::Attack);

my $email = 'victim@people.example';
my @char  = (0 .. 9, 'A' .. 'Z', 'a' .. 'z');

sub rate { return 10 }

sub prepare
{
    my ($self) = @_;
    my $made = $self->{ads}->post('/v1/auth/signup', undef,
        { email => $email, password => 'correct horse battery 9' });
    die "signup: $made->{status}\n" if $made->{status} != 201;
}

sub move
{
    my ($self) = @_;
    my $login = $self->ask($self->address('192.2'), 'POST', '/v1/auth/login',
        [], { email => $email, password => 'guess-' . int rand 1e9 });
    $self->seen("login $login->{status}");

    my $key = 'ads_live_a' . join '', map { $char[rand @char] } 1 .. 36;
    my $account = $self->ask_as($self->address('192.2'), $key, 'GET',
        '/v1/account');
    $self->seen("key $account->{status}");
}

sub bounded
{
    my ($self) = @_;
    is $self->count('login 200') + $self->count('key 200'), 0,
        'guesses: no password and no key is found';
    cmp_ok $self->count('login 401'), '<=', 51,
        'of an account 50 passwords are compared';
  SKIP: {
        skip 'the machine was too busy for more guesses', 1
            if $self->count('login 401') < 50;
        cmp_ok $self->count('login 429'), '>', 0, 'the others are not';
    }
}

1;
