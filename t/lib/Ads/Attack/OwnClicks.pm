package Ads::Attack::OwnClicks;

# Publishers that click the ads of their own sites: one that the operator
# approved, from one address as fast as it can, and one that just signed up.
# Figures: at most 20 clicks a second of an address are billed, and 20 at once;
# of a publisher that is not approved none.

use strict;
use warnings;
use Ads::Attack;
use Test::More;

our @ISA = qw(Ads::Attack);

my $from = '203.0.113.16';

sub rate { return 100 }

sub prepare
{
    my ($self) = @_;
    my $ads = $self->{ads};
    $self->{known} = $ads->seed_publisher(name => 'Own clicks');
    my $made = $ads->post('/v1/auth/signup', undef,
        { email => 'own@people.example', account_type => 'publisher',
            password => 'correct horse battery 9' });
    die "signup: $made->{status}\n" if $made->{status} != 201;
    $self->{new} = { account => $made->{json}{account}{id},
        key => $ads->post('/v1/auth/api-key', $made->{json}{access_token},
            { name => 'site' })->{json}{key} };
}

sub move
{
    my ($self) = @_;
    my $who = $self->{ rand() < 0.8 ? 'known' : 'new' };
    my (undef, @ads) = $self->shown($from, $who->{key}, 'buy a laser printer',
        max_results => 20);
    for my $ad (@ads) {
        $self->seen('clicks')
            if $self->click($from, $ad->{click_url})->{status} == 302;
    }
}

sub bounded
{
    my ($self) = @_;
    my $known = $self->classes(publisher_id => $self->{known}{account});
    my $most  = 20 * ($self->{seconds} + $self->{rounds})
        + 21 * $self->{rounds};
    cmp_ok $known->{valid} // 0, '<=', $most, 'own clicks: of '
        . $self->count('clicks') . ' at most 20 a second are billed';
    my $new = $self->classes(publisher_id => $self->{new}{account});
    cmp_ok $new->{test} // 0, '>', 0, 'before approval they are tests';
    is $new->{valid} // 0, 0, 'and none is billed';
}

1;
