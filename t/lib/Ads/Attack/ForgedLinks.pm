package Ads::Attack::ForgedLinks;

# Links that were altered, cut, put together of two or made up.
# Figure: none opens, and no row is made of one.

use strict;
use warnings;
use Ads::Attack;
use Test::More;

our @ISA = qw(Ads::Attack);

my @char = ('A' .. 'Z', 'a' .. 'z', 0 .. 9, '-', '_');

sub rate { return 40 }

sub prepare
{
    my ($self) = @_;
    $self->{pub} = $self->{ads}->seed_publisher(name => 'Forged');
    for my $query ('buy a laser printer', 'buy running shoes') {
        my (undef, $ad) =
            $self->shown('203.0.113.15', $self->{pub}{key}, $query);
        push @{ $self->{tokens} }, $ad->{click_url} =~ m{/([^/]+)$};
    }
}

sub forged
{
    my ($self) = @_;
    my ($link, $two) = @{ $self->{tokens} };
    my $how = int rand 4;
    if ($how == 0) {
        my $at = int rand length $link;
        my $is = substr $link, $at, 1;
        substr($link, $at, 1) = (grep { $_ ne $is } @char)[rand @char - 1];
    } elsif ($how == 1) {
        $link = substr $link, 0, rand length $link;
    } elsif ($how == 2) {
        # links of one process begin alike, up to the counter of the nonce
        my $cut = 40 + int rand(length($link) - 50);
        $link = substr($link, 0, $cut) . substr $two, $cut;
    } else {
        $link = join '', map { $char[rand @char] } 1 .. length $link;
    }
    return $link;
}

sub move
{
    my ($self) = @_;
    my $status = $self->click($self->address('192.3'),
        'http://x/v1/click/' . $self->forged)->{status};
    $self->seen('sent');
    $self->seen("answer $status");
}

sub bounded
{
    my ($self) = @_;
    cmp_ok $self->count('sent'), '>', 10, 'forged links: many were sent';
    is $self->count('answer 404'), $self->count('sent'),
        'each is answered with 404';
    is_deeply $self->classes(publisher_id => $self->{pub}{account}), {},
        'none is a click';
}

1;
