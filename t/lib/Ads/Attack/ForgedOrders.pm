package Ads::Attack::ForgedOrders;

# A publisher that invents orders: huge ones, many of one click, of clicks that
# were not, and adjustments of the advertiser's own.
# Figures: 20 of a click, 100,000 a day of a campaign; none is the
# advertiser's.

use strict;
use warnings;
use Ads::Attack;
use Test::More;

our @ISA = qw(Ads::Attack);

my $from = '203.0.113.12';

sub rate { return 40 }

sub prepare
{
    my ($self) = @_;
    $self->{pub} = $self->{ads}->seed_publisher(name => 'Forger');
    $self->{shop} = $self->{ads}->seed_shop(
        name     => 'Kettles',
        products => [{ %{ $self->{ads}->products->[0] }, id => 'kettle',
                title => 'Whistling kettle', description => 'Steel kettle' }]
    );
    my (undef, $ad) =
        $self->shown($from, $self->{pub}{key}, 'buy a whistling kettle');
    $self->think;
    ($self->{click}) = $self->click($from, $ad->{click_url})
        ->{headers}{location} =~ /ads_click_id=([0-9a-f-]{36})/;
    $self->{order} = $self->ask_as($from, $self->{shop}{key}, 'POST',
        '/v1/events/conversion', { click_id => $self->{click}, value => 50,
            currency => 'USD', order_id => 'own' })->{json}{event_id};
}

sub move
{
    my ($self) = @_;
    my @case = (
        [huge     => value    => 1_000_000_000],
        [many     => value    => 7_000],
        [made_up  => click_id => $self->{click} =~ s/.{6}$/sprintf '%06x', rand 1 << 24/er],
        [adjusted => adjusts  => $self->{order}, value => 0],
    );
    my ($what, %fields) = @{ $case[rand @case] };
    my $answer = $self->ask_as($from, $self->{pub}{key}, 'POST',
        '/v1/events/conversion',
        { click_id => $self->{click}, value => 1, currency => 'USD',
            ($what eq 'adjusted' ? () : (order_id => 'F-' . int rand 1e9)),
            %fields });
    my $result = $answer->{json}{status} // '-';
    $self->seen("$what " . ($result =~ /^\d/ ? 'refused' : $result));
}

sub bounded
{
    my ($self) = @_;
    my ($ads, $pub, $shop) = @{$self}{qw(ads pub shop)};
    cmp_ok $self->count('huge held'), '>', 0, 'forged orders: huge ones are held';
    is $self->count("made_up $_"), 0, "a made-up click has none $_"
        for qw(recorded held);
    is $self->count("adjusted $_"), 0, "the advertiser's order is not $_"
        for qw(recorded held);
    my ($n, $micros) = @{ $ads->sql(q{select count(*),
        coalesce(sum(value_micros), 0) from ads.conversions
        where actor_account_id = ? and status = 'recorded'}, $pub->{account})
        ->[0] };
    cmp_ok $n, '<=', 20, 'of one click at most 20 count';
    cmp_ok $micros, '<=', 100_000 * 1e6, 'of one campaign at most 100,000 a day';
    my $totals = $ads->http('GET', '/v1/analytics/advertiser',
        ['X-API-Key' => $shop->{key}])->{json}{totals};
    is_deeply [@$totals{qw(conversions conversion_value)}], [1, 50],
        "the advertiser's report has what it reported";
}

1;
