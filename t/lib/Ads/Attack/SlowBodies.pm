package Ads::Attack::SlowBodies;

# Strangers that send bodies byte by byte, to use up what is limited for all.
# The figure is that of the day itself: no honest request fails.

use strict;
use warnings;
use Ads::Attack;
use Ads::SlowBodies;
use Test::More;

our @ISA = qw(Ads::Attack);

sub begin
{
    my ($self) = @_;
    $self->{slow} = Ads::SlowBodies->begin($self->{ads},
        $ENV{ADS_LONG} ? 1000 : 200, $self->{rounds}++ % 2);
}

sub end
{
    my ($self) = @_;
    $self->{bytes} += delete($self->{slow})->end;
}

sub bounded
{
    my ($self) = @_;
    cmp_ok $self->{bytes}, '>', 10_000, 'slow bodies: they were sent';
}

1;
