package Ads::Attack::OwnClicks;

# Publishers that click the ads of their own sites: one that the operator
# approved, from one address as fast as it can, and one that just signed up.
# Figures: of a network at most 5 clicks on a campaign are billed in 10 s, and 60
# in half an hour; of a publisher that is not approved none.

use strict;
use warnings;
use Ads::Attack;
use Test::More;
use Time::HiRes qw(time);

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

    # as slowly as a person
    my $links = $self->{links} //= [];
    push @$links, map { [time, $_->{click_url}] } @ads;
    while (@$links && $links->[0][0] < time - 1) {
        $self->seen('clicks')
            if $self->click($from, (shift @$links)->[1])->{status} == 302;
    }
}

sub bounded
{
    my ($self) = @_;
    my $known = $self->classes(publisher_id => $self->{known}{account});
    my @own = @{ $self->{ads}->sql(
        'select campaign_id, count(*) from ads.clicks
         where publisher_id = ? and class = 0 group by 1',
        $self->{known}{account}) };
    my $most = 5 * (int($self->{seconds} / 10) + 2 * $self->{rounds});
    $most = 60 if $most > 60;
    is_deeply [grep { $_->[1] > $most } @own], [], 'own clicks: of '
        . $self->count('clicks') . ' at most 5 in 10 s are billed a campaign';
    cmp_ok $known->{valid} // 0, '>', 0, 'though some are';
    cmp_ok $known->{'invalid:burst'} // 0, '>', 0, 'the rest is too many';
    my $new = $self->classes(publisher_id => $self->{new}{account});
    cmp_ok $new->{test} // 0, '>', 0, 'before approval they are tests';
    is $new->{valid} // 0, 0, 'and none is billed';
}

1;
