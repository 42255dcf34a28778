package Ads::Attack::Bombs;

# An advertiser whose feeds unpack a thousand to one.
# Figures: none becomes a product, each is given up; honest feeds of one row are
# imported meanwhile (t/lib/Ads/Honest.pm waits for them).

use strict;
use warnings;
use Ads::Attack;
use IO::Compress::Gzip;
use Test::More;

our @ISA = qw(Ads::Attack);

my $from = '203.0.113.11';

sub rate { return 1 }

sub prepare
{
    my ($self) = @_;
    $self->{shop} =
        $self->{ads}->seed_shop(name => 'Bomber', products => []);
    $self->{bombs} = [map { bomb($_) } "{}\n", "\n", ' ' x 4096];
}

sub bomb
{
    my ($text) = @_;
    my $mib = $text x ((1 << 20) / length $text);
    my $gz  = IO::Compress::Gzip->new(\my $packed, -Level => 1);
    $gz->print($mib) for 1 .. 150;
    $gz->close;
    return $packed;
}

sub move
{
    my ($self) = @_;
    my $bomb   = $self->{bombs}[rand @{ $self->{bombs} }];
    my $answer = $self->ask($from, 'POST',
        "/v1/products/import?campaign_id=$self->{shop}{campaign}",
        ['X-API-Key' => $self->{shop}{key},
            'Content-Type' => 'application/x-ndjson'], $bomb);
    $self->seen($answer->{status});
}

sub bounded
{
    my ($self) = @_;
    my ($ads, $account) = ($self->{ads}, $self->{shop}{account});
    cmp_ok $self->count(202), '>', 0, 'bombs: some were taken';
    $ads->wait_until(
        sub {
            $ads->sql_value(q{select count(*) from ads.imports
                where account_id = ? and status not in ('done', 'failed')},
                $account) == 0;
        },
        60,
        'the bombs to be given up'
    );
    my %ended = map { @$_ } @{ $ads->sql(q{
        select coalesce(fault_code, status), count(*) from ads.imports
        where account_id = ? and source = 'api' group by 1}, $account) };
    is join(' ', grep { !/^(?:all_bad|too_large)$/ } sort keys %ended), '',
        'each was given up';
    is $ads->sql_value('select count(*) from ads.products
        where account_id = ?', $account), 0, 'none became a product';
}

1;
