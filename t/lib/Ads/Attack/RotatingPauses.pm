package Ads::Attack::RotatingPauses;

# An advertiser with four campaigns of one product, each active for a moment,
# whose visitors follow the links after the pause.
# Figure: at most 0.5 % of its clicks cost nothing.

use strict;
use warnings;
use Ads::Attack;
use Test::More;

our @ISA = qw(Ads::Attack);

my $from = '203.0.113.14';

sub rate { return 2 }

sub prepare
{
    my ($self) = @_;
    my $ads     = $self->{ads};
    my $product = { %{ $ads->products->[0] }, id => 'hammock',
        title => 'Garden hammock', description => 'Cotton hammock' };
    $self->{pub}  = $ads->seed_publisher(name => 'Hammock talk');
    $self->{shop} = $ads->seed_shop(name => 'Rotating',
        products => [$product], status => 'paused');
    my $account = $self->{shop}{account};
    $self->{campaigns} = [
        $self->{shop}{campaign},
        map {
            $ads->campaign($account, status => 'paused', campaign_name => "No $_")
        } 2 .. 4
    ];
    $ads->import_products($_, [$product]) for @{ $self->{campaigns} }[1 .. 3];
}

sub set
{
    my ($self, $campaign, $status) = @_;
    my $answer = $self->ask_as($from, $self->{shop}{key}, 'PATCH',
        "/v1/campaigns/$campaign", { status => $status });
    $self->seen("patched $answer->{status}");
}

sub move
{
    my ($self) = @_;
    my $campaign = $self->{campaigns}[ $self->{turns}++ % 4 ];
    $self->set($campaign, 'active');
    my @links;
    for (1 .. 4) {
        my $visitor = $self->address('192.1');
        my (undef, @ads) =
            $self->shown($visitor, $self->{pub}{key}, 'buy a garden hammock');
        push @links, map { [$visitor, $_->{click_url}] } @ads;
    }
    $self->set($campaign, 'paused');
    $self->think;
    for my $link (@links) {
        $self->seen('clicks') if $self->click(@$link)->{status} == 302;
    }
}

sub bounded
{
    my ($self) = @_;
    my $class  = $self->classes(publisher_id => $self->{pub}{account});
    my $valid  = delete $class->{valid} // 0;
    my $free   = 0;
    $free += $_ for values %$class;
    cmp_ok $valid, '>', 0, 'rotating pauses: clicks are billed';
    is $valid + $free, $self->count('clicks'), 'each click has its row';
    cmp_ok $free, '<=', 0.005 * ($valid + $free),
        "$free of " . ($valid + $free) . ' were free'
        or diag explain $class;
}

1;
