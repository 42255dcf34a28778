package Ads::Attack::EventFlood;

# A publisher that reports made-up impressions and clicks, a hundred in a
# request, for what it showed and for requests of others.
# Figures: 1,000 events a second of a key, and 2,000 at once; no row.

use strict;
use warnings;
use Ads::Attack;
use Test::More;

our @ISA = qw(Ads::Attack);

my $from = '203.0.113.10';

sub rate { return 30 }

sub prepare
{
    my ($self) = @_;
    $self->{pub} = $self->{ads}->seed_publisher(name => 'Flood');
    my $other = $self->{ads}->seed_publisher(name => 'Flooded');
    ($self->{foreign}) = $self->shown($from, $other->{key}, 'buy a printer');
}

sub move
{
    my ($self) = @_;
    my ($own) = $self->{own} //=
        ($self->shown($from, $self->{pub}{key}, 'buy a laser printer'))[0];
    my $kind   = rand() < 0.5 ? 'impression' : 'click';
    my $theirs = rand() < 0.1;
    my $answer = $self->ask_as($from, $self->{pub}{key}, 'POST',
        "/v1/events/$kind",
        { events => [map { {
                        request_id => $theirs ? $self->{foreign} : $own,
                        ad_id => sprintf('00000000-0000-4000-8000-%012x', rand 2**40)
                    } } 1 .. 100] });
    my @taken = grep { ($_->{status} // '') eq 'accepted' }
        @{ $answer->{json}{results} || [] };
    $self->seen('refused') if $answer->{status} == 429;
    $self->seen($theirs ? 'foreign' : 'taken', scalar @taken);
}

sub bounded
{
    my ($self) = @_;
    my $most = 1000 * ($self->{seconds} + 1) + 2000 * $self->{rounds};
    my $n    = $self->count('taken');
    cmp_ok $n, '>', 0, 'flood of events: junk is answered as the truth is';
    cmp_ok $n, '<=', $most, "at most 1,000 a second and 2,000 at once";
  SKIP: {
        skip 'the machine was too busy for a flood', 1
            if $n < 1000 * $self->{seconds};
        cmp_ok $self->count('refused'), '>', 0, 'the rest is refused';
    }
    is $self->count('foreign'), 0, "none for another publisher's request";
    for my $table (qw(impressions clicks)) {
        is $self->{ads}->sql_value("select count(*) from ads.$table
            where publisher_id = ?", $self->{pub}{account}), 0,
            "none is a row of $table";
    }
}

1;
