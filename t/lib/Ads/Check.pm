package Ads::Check;

# Does everything add up?  A second opinion beside `adsctl reconcile`: it
# shares no code with it, reads the segment files with Ads::Journal and the
# tables as plain rows, and does its sums in Perl.
#
#     is_deeply [Ads::Check::differences($ads)], [], '...';
#     is_deeply [Ads::Check::against($ads, @answered_ids)], [], '...';
#
# Nodes that share a database are given together.  Numbers are below 2^53.

use strict;
use warnings;
use Ads::Journal;
use Fcntl qw(LOCK_NB LOCK_SH LOCK_UN);

my $shown = 5;    # differences told of a kind

# Everything that differs, a line each.
sub differences
{
    my (@ads) = @_;
    my $world = world(@ads);
    return (
        places($world), cursors($world), verdicts($world), bills($world),
        ledger($world), budgets($world), reports($world)
    );
}

# Answered click ids against the valid rows: both ways.
sub against
{
    my ($ads, @answered) = @_;
    my %billed = map { $_->[0] => 1 }
        @{ $ads->sql('select click_id from ads.clicks where class = 0') };
    my %answered = map { $_ => 1 } @answered;
    return few(
        'answered, not billed: ' => [grep { !$billed{$_} } sort keys %answered],
        'billed, not answered: ' => [grep { !$answered{$_} } sort keys %billed]
    );
}

# Ids that no file of the journal has a click of.
sub unrecorded
{
    my ($ads, @ids) = @_;
    my %recorded = map { $_ => 1 } map {
        Ads::Journal::click_ids(Ads::Journal::segments("$_->{dir}/state"))
    } ref $ads eq 'ARRAY' ? @$ads : $ads;
    return grep { !$recorded{$_} } @ids;
}

sub few
{
    my @told;
    while (my ($what, $list) = splice @_, 0, 2) {
        next if !@$list;
        my $last = $#$list < $shown ? $#$list : $shown - 1;
        push @told, map { "$what$_" } @{$list}[ 0 .. $last ];
        push @told, "$what... " . @$list . ' in all' if @$list > $shown;
    }
    return @told;
}

# ---- what there is ---------------------------------------------------------

sub rows
{
    my ($ads, $statement) = @_;
    return $ads->db->selectall_arrayref($statement, { Slice => {} });
}

# Files first, then the tables in one snapshot: the journal has to be quiet.
sub world
{
    my (@ads) = @_;
    my %world = (segments => []);
    for my $ads (@ads) {
        for my $path (sort glob "$ads->{dir}/state/journal/*.seg") {
            my $segment = Ads::Journal::read_segment($path);
            $segment->{final} = is_final($path);
            push @{ $world{segments} }, $segment;
        }
    }

    my $db = $ads[0]->db;
    $db->begin_work;
    $db->do('set transaction isolation level repeatable read read only');
    $world{cursors} = rows($ads[0],
        'select segment, off, final from ads.journal_cursor');
    $world{clicks} = rows($ads[0],
        'select segment, off, click_id, ad_id, account_id, campaign_id,
            publisher_id, price_micros, billed_micros, ledger_tx, budget_day,
            class
         from ads.clicks order by segment, off');
    $world{aside} = rows($ads[0],
        q{select segment, off from ads.event_pending where kind = 'click'
          union all
          select segment, off from ads.clicks_held
          union all
          select segment, off from ads.ingest_reject});
    $world{counted} = rows($ads[0],
        q{select segment, sum(n)::bigint as n from ads.events_counted
          where kind = 'click' group by segment});
    $world{transactions} = rows($ads[0],
        'select id, kind, account_id, campaign_id, publisher_id, share_bps
         from ads.ledger_transactions');
    $world{entries} = rows($ads[0],
        'select tx_id, ledger_account_id, amount_micros
         from ads.ledger_entries');
    $world{accounts} = rows($ads[0],
        'select id, kind, account_id, balance_micros
         from ads.ledger_accounts');
    $world{campaigns} = rows($ads[0],
        'select c.id, c.lifetime_budget_micros as lifetime,
            c.daily_budget_micros as daily,
            coalesce(s.spent_micros, 0) as spent
         from ads.campaigns c
         left join ads.campaign_spend s on s.campaign_id = c.id');
    $world{days} = rows($ads[0],
        'select campaign_id, day, spent_micros from ads.campaign_days');
    $world{rollups} = rows($ads[0],
        'select campaign_id, sum(clicks) as clicks,
            sum(spend_micros) as spend, sum(revenue_micros) as revenue
         from ads.spend_rollups group by campaign_id');
    $db->commit;
    return \%world;
}

# No one holds the writer's lock any more.
sub is_final
{
    my ($path) = @_;
    open my $in, '<', $path or return 1;
    my $free = flock $in, LOCK_SH | LOCK_NB;
    flock $in, LOCK_UN if $free;
    return $free ? 1 : 0;
}

sub sum_by
{
    my ($rows, $key, $value) = @_;
    my %sum;
    $sum{ $_->{$key} // '-' } += $_->{$value} for @$rows;
    return \%sum;
}

# ---- the journal -----------------------------------------------------------

# Each click of a file is one row at its place, with its id, or set aside; no
# row of these files stands where no record does.  Only of reported clicks may
# some have no row: as many of each file as were counted instead.
sub places
{
    my ($world) = @_;
    my %known = map { $_->{uuid} => 1 } @{ $world->{segments} };
    my %record = map { join(' ', (split)[ 0, 1 ]) => (split)[2] }
        Ads::Journal::click_places(@{ $world->{segments} });
    my %row = map { ("$_->{segment} $_->{off}" => $_->{click_id}) }
        grep { $known{ $_->{segment} } } @{ $world->{clicks} };
    my %aside = map { ("$_->{segment} $_->{off}" => 1) } @{ $world->{aside} };
    my %counted = map { ($_->{segment} => $_->{n}) }
        grep { $known{ $_->{segment} } } @{ $world->{counted} };
    my @lost = grep { !$row{$_} && !$aside{$_} } sort keys %record;
    for my $segment (@{ $world->{segments} }) {
        my %manual = map { ("$segment->{uuid} $_->{off}" => 1) }
            grep { $_->{type} == 1 && $_->{flags} & 1 } @{ $segment->{records} };
        my $n = $counted{ $segment->{uuid} } // 0;
        @lost = grep { !($manual{$_} && $n > 0 && $n--) } @lost;
        $counted{ $segment->{uuid} } = $n;
    }

    return few(
        'record without a row: ' => \@lost,
        'counted without a record: ' =>
            [grep { $counted{$_} > 0 } sort keys %counted],
        'row without a record: ' =>
            [grep { !defined $record{$_} } sort keys %row],
        'record and set aside: ' =>
            [grep { $row{$_} && $aside{$_} } sort keys %record],
        'another click id: ' => [
            grep { $row{$_} && $row{$_} ne $record{$_} } sort keys %record
        ]
    );
}

# Every cursor stands at the end of its file's last record; behind that lies
# at most one torn record, and only where the writer is gone.
sub cursors
{
    my ($world) = @_;
    my %cursor = map { $_->{segment} => $_ } @{ $world->{cursors} };
    my (@behind, @open, @tail);
    for my $segment (@{ $world->{segments} }) {
        my $cursor = $cursor{ $segment->{uuid} } // { off => 0, final => 0 };
        my $off = $cursor->{off} || 64;
        push @behind, "$segment->{name}: $off of $segment->{end}"
            if $off != $segment->{end};
        push @open, $segment->{name}
            if $segment->{final} && !$cursor->{final};
        push @tail, "$segment->{name}: $segment->{size}"
            if $segment->{size} - $segment->{end}
            > ($segment->{final} ? 4096 : 0);
    }
    return few(
        'cursor elsewhere: '               => \@behind,
        'ended, but its cursor is open: '  => \@open,
        'bytes that are no record: '       => \@tail
    );
}

# ---- money -----------------------------------------------------------------

# A click id is valid once; only what is valid is billed, at its price.
sub verdicts
{
    my ($world) = @_;
    my %valid;
    $valid{"$_->{click_id} of " . ($_->{account_id} // '-')}++
        for grep { $_->{class} == 0 } @{ $world->{clicks} };
    my @wrong = map { "$_->{click_id} class $_->{class}" }
        grep {
        $_->{billed_micros} != ($_->{class} == 0 ? $_->{price_micros} : 0)
        } @{ $world->{clicks} };
    return few(
        'valid twice: ' => [grep { $valid{$_} > 1 } sort keys %valid],
        'billed at another price than its class says: ' => \@wrong
    );
}

# floor(price * bps / 10,000) of one click
sub share
{
    my ($price, $bps) = @_;
    use integer;
    return $price / 10000 * $bps + $price % 10000 * $bps / 10000;
}

# What each spending transaction moved is what its clicks cost.
sub bills
{
    my ($world) = @_;
    my %kind = map { $_->{id} => $_ } @{ $world->{accounts} };
    my %moved;
    for my $entry (@{ $world->{entries} }) {
        my $account = $kind{ $entry->{ledger_account_id} };
        $moved{ $entry->{tx_id} }{ $account->{kind} } +=
            $entry->{amount_micros};
    }
    my %tx = map { $_->{id} => $_ } @{ $world->{transactions} };
    my (%due, @stray);
    for my $click (@{ $world->{clicks} }) {
        my $id = $click->{ledger_tx} // next;
        my $tx = $tx{$id};
        if (!$tx || $tx->{campaign_id} ne $click->{campaign_id}
            || $tx->{publisher_id} ne $click->{publisher_id}
            || $tx->{account_id} ne $click->{account_id})
        {
            push @stray, "$click->{click_id} in $id";
            next;
        }
        $due{$id}{cost}  += $click->{billed_micros};
        $due{$id}{share} += share($click->{billed_micros}, $tx->{share_bps});
    }

    my @wrong;
    for my $tx (grep { $_->{kind} eq 'spend' } values %tx) {
        my $moved = $moved{ $tx->{id} } || {};
        my $due   = $due{ $tx->{id} }   || { cost => 0, share => 0 };
        push @wrong, "$tx->{id}: due $due->{cost}"
            if -($moved->{advertiser_balance} // 0) != $due->{cost}
            || ($moved->{publisher_revenue}   // 0) != $due->{share}
            || ($moved->{platform_revenue}    // 0)
            != $due->{cost} - $due->{share};
    }
    return few(
        'click in a transaction of another: ' => \@stray,
        'transaction moves what its clicks did not cost: ' => [sort @wrong]
    );
}

# Transactions are zero, balances are their entries, no one is in debt.
sub ledger
{
    my ($world) = @_;
    my $tx     = sum_by($world->{entries}, 'tx_id', 'amount_micros');
    my $booked = sum_by($world->{entries}, 'ledger_account_id',
        'amount_micros');
    my @empty = grep { !exists $tx->{$_} }
        map { $_->{id} } @{ $world->{transactions} };
    my @wrong = map { "$_->{kind} $_->{id}" }
        grep { $_->{balance_micros} != ($booked->{ $_->{id} } // 0) }
        @{ $world->{accounts} };
    my @debt = map { $_->{account_id} }
        grep {
               $_->{kind} eq 'advertiser_balance'
            && $_->{balance_micros} < 0
        } @{ $world->{accounts} };
    return few(
        'transaction is not zero: '    => [grep { $tx->{$_} != 0 } sort keys %$tx],
        'transaction has no entries: ' => \@empty,
        'balance is not its entries: ' => \@wrong,
        'in debt: '                    => \@debt
    );
}

# What was billed is what was spent, and within lifetime and day.
sub budgets
{
    my ($world) = @_;
    my %billed;
    my %day;
    for my $click (grep { $_->{billed_micros} > 0 } @{ $world->{clicks} }) {
        $billed{ $click->{campaign_id} } += $click->{billed_micros};
        $day{"$click->{campaign_id} $click->{budget_day}"} +=
            $click->{billed_micros};
    }
    my %spent = map { ("$_->{campaign_id} $_->{day}" => $_->{spent_micros}) }
        @{ $world->{days} };

    my (@life, @over);
    for my $campaign (@{ $world->{campaigns} }) {
        my $id     = $campaign->{id};
        my $billed = $billed{$id} // 0;
        push @life, "$id: clicks $billed, spent $campaign->{spent}"
            if $billed != $campaign->{spent};
        push @over, $id
            if defined $campaign->{lifetime} && $billed > $campaign->{lifetime};
        next if !defined $campaign->{daily};
        push @over, grep { /^\Q$id\E / && $day{$_} > $campaign->{daily} }
            sort keys %day;
    }
    my %all = (%day, %spent);
    return few(
        'spent is not what was billed: ' => \@life,
        'a day is not what was billed: ' =>
            [grep { ($day{$_} // 0) != ($spent{$_} // 0) } sort keys %all],
        'over its budget: ' => \@over
    );
}

# Reports say what the clicks say.
sub reports
{
    my ($world) = @_;
    my (%clicks, %spend);
    for my $click (grep { defined $_->{campaign_id} } @{ $world->{clicks} }) {
        $spend{ $click->{campaign_id} } += $click->{billed_micros};
        $clicks{ $click->{campaign_id} }++ if $click->{class} == 0;
    }
    my %rollup = map { $_->{campaign_id} => $_ } @{ $world->{rollups} };
    my %all = (%clicks, map { $_ => 1 } keys %rollup);
    my @wrong;
    for my $id (sort keys %all) {
        my $row = $rollup{$id} || { clicks => 0, spend => 0 };
        push @wrong, "$id: $row->{clicks} of " . ($clicks{$id} // 0)
            if $row->{clicks} != ($clicks{$id} // 0)
            || $row->{spend} != ($spend{$id} // 0);
    }
    return few('report is not its clicks: ' => \@wrong);
}

1;
