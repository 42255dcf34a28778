# Many campaigns, and that whatever is changed beside them is served.

package Ads::Many;

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(time);

# Of an installation with a publisher and a shop, shown for that query; an
# account of many campaigns beside them.
sub new
{
    my ($class, $ads, $query) = @_;
    my $self = bless { ads => $ads, query => $query }, $class;
    $self->{publisher} = $ads->seed_publisher;
    $self->{shop}      = $ads->seed_shop(bid => '0.10');
    $self->{account}   = $ads->tenant('advertiser', 'Many');
    return $self;
}

# What 8 requests are answered, so both workers; one word when they agree.
sub everywhere
{
    my ($self, $key) = @_;
    my %said;
    for (1 .. 8) {
        my $answer = $self->{ads}
            ->recommend($key // $self->{publisher}{key}, $self->{query});
        $said{ $answer->{json}{decision} // $answer->{status} } = 1;
    }
    return join ' ', sort keys %said;
}

# So many campaigns at once, as rows.
sub make
{
    my ($self, $n, $name, %columns) = @_;
    my $db     = $self->{ads}->db;
    my $names  = join '', map { ", $_" } sort keys %columns;
    my $values = join '', map { ", $columns{$_}" } sort keys %columns;
    my $quota  = 'alter table ads.campaigns %s trigger campaigns_quota';
    $db->do(sprintf $quota, 'disable');
    $db->do(
        'insert into ads.campaigns (account_id, name, bid_micros,'
            . " lifetime_budget_micros$names) select ?, ? || n, 100000,"
            . " 1000000000$values from generate_series(1, ?) n",
        {}, $self->{account}, $name, $n);
    $db->do(sprintf $quota, 'enable');
}

# Tells how long it took until that is so.
sub soon
{
    my ($self, $what, $name) = @_;
    my $begin = time;
    $self->{ads}->wait_until($what, 60, $name);
    return pass sprintf '%s (%.1f s)', $name, time - $begin;
}

sub works
{
    my ($self, $when) = @_;
    my ($ads, $account, $campaign) =
        ($self->{ads}, $self->{publisher}{account}, $self->{shop}{campaign});
    my $key = $ads->key($account);
    $self->soon(sub { $self->everywhere($key) eq 'SHOW' },
        "$when: a new key is served");
    my ($id) = map { $_->{id} } grep { $_->{last_four} eq substr $key, -4 }
        $ads->adsctl('key', 'list', '--account', $account);
    $ads->adsctl('key', 'revoke', $id);
    $self->soon(sub { $self->everywhere($key) eq '401' },
        "$when: its revocation is served");
    $ads->adsctl('campaign', 'pause', $campaign);
    $self->soon(sub { $self->everywhere eq 'NO_AD' },
        "$when: a pause is served");
    $ads->adsctl('campaign', 'activate', $campaign);
    $self->soon(sub { $self->everywhere eq 'SHOW' }, "$when: and its end");
}

1;
