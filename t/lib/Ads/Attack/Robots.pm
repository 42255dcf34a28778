package Ads::Attack::Robots;

# Robots, previews and pages that load their links, and one link that is
# followed again and again.
# Figures: no robot is billed; a link is billed once.

use strict;
use warnings;
use Ads::Attack;
use Test::More;

our @ISA = qw(Ads::Attack);

my @robots = (
    ['User-Agent' => 'Googlebot/2.1 (+http://www.google.com/bot.html)'],
    ['User-Agent' => 'curl/7.88.1'],
    ['User-Agent' => 'python-requests/2.31.0'],
    ['User-Agent' => ''],
    ['User-Agent' => 'Mozilla/5.0 Firefox/128.0', 'Sec-Fetch-Dest' => 'image'],
    ['User-Agent' => 'Mozilla/5.0 Firefox/128.0', 'Sec-Fetch-Dest' => 'iframe'],
    ['User-Agent' => 'Mozilla/5.0 Firefox/128.0', 'Sec-Fetch-Mode' => 'cors'],
    ['User-Agent' => 'Mozilla/5.0 Firefox/128.0', 'Sec-Purpose' => 'prefetch'],
);

sub rate { return 40 }

sub prepare
{
    my ($self) = @_;
    my $ads = $self->{ads};
    $self->{visited}  = $ads->seed_publisher(name => 'Visited by robots');
    $self->{replayed} = $ads->seed_publisher(name => 'Replayed');
    (undef, $self->{ad}) = $self->shown('203.0.113.13',
        $self->{replayed}{key}, 'buy a laser printer');
}

sub move
{
    my ($self) = @_;
    my $from = $self->address('192.0');
    my (undef, $ad) = rand() < 0.5
        ? $self->shown($from, $self->{visited}{key}, 'buy a laser printer')
        : ();
    if ($ad) {
        my @as = @{ $robots[rand @robots] };
        $self->seen($self->click($from, $ad->{click_url}, @as)->{status});
    } else {
        $self->click($from, $self->{ad}{click_url});
        $self->seen('replayed');
    }
}

sub bounded
{
    my ($self) = @_;
    my $robots = $self->classes(publisher_id => $self->{visited}{account});
    is $robots->{valid} // 0, 0, 'robots: none of '
        . $self->count(302) . ' clicks is billed';
    cmp_ok $self->count(302), '>', 0, 'though each is redirected';
    my $again = $self->classes(publisher_id => $self->{replayed}{account});
    is $again->{valid} // 0, 1, 'a link that was followed '
        . $self->count('replayed') . ' times is billed once';
}

1;
