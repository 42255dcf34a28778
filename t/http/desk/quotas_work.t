#!/usr/bin/perl
#
# No account uses up time that all share: feeds sent, their bytes, what reports
# take and mails have quotas of a day or hour.  Beyond one is 429 with the time
# until there is enough again, for a feed before its body is read; the account
# sees what it used, and the operator may give it more.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use IO::Socket::UNIX;
use JSON::PP;
use Test::More;

my $ads = Ads::Test->new(adsd => { imports_per_day => 6,
    import_mb_per_day => 2, report_seconds_per_hour => 5, mails_per_day => 3,
    person_mails_per_day => 4 });
my $shop  = $ads->seed_shop;
my $other = $ads->seed_shop(name => 'Other shop', products => []);

sub is_used_up
{
    my ($answer, $name, $what) = @_;
    $ads->is_problem($answer, 429, 'rate_limited', $what);
    like $answer->{json}{detail}, qr/^$name is /, 'which names the quota';
    like $answer->{headers}{'retry-after'} // '', qr/^[1-9]\d*$/,
        'and says when to come again';
}

# ---- feeds -----------------------------------------------------------------

my $path = '/v1/products/import';

sub feed
{
    my ($who, $len, @headers) = @_;
    my $answer = $ads->http('POST',
        "$path?campaign_id=$who->{campaign}&dry_run=true",
        ['X-API-Key' => $who->{key}, 'Content-Type' => 'application/x-ndjson',
            @headers],
        "{}\n" . ' ' x ($len // 0));
    $ads->wait_until(sub { !$ads->sql_value(q{select count(*) from ads.imports
        where status in ('queued', 'running')}) }, 30, 'the import to end');
    return $answer;
}

my @once = (1_500_000, 'Idempotency-Key' => 'once');
is feed($shop, @once)->{status}, 202, 'a feed of 1.5 MB';
is_used_up(feed($shop, 1_500_000), 'import_mb_per_day', 'the bytes of a day');
is feed($shop, @once)->{status}, 202, 'not for one that was taken before';
is feed($other, 1_500_000)->{status}, 202, 'another account has its own';
is join(' ', map { feed($shop)->{status} } 1 .. 5), '202 202 202 202 202',
    'small ones are taken';
is_used_up(feed($shop), 'imports_per_day', 'the feeds of a day');
is $ads->sql_value(q{select count(*) from ads.imports
    where account_id = ? and source = 'api'}, $shop->{account}), 6,
    'what is refused leaves nothing';

# By the daemon's socket, which gets the head and no byte of the body.
SKIP: {
    my $socket = IO::Socket::UNIX->new(Peer => "$ads->{dir}/run/feed.sock")
        or skip 'no socket', 1;
    my %head = (CONTENT_LENGTH => 30_000_000, SCGI => 1,
        REQUEST_METHOD => 'POST', DOCUMENT_URI => $path,
        REQUEST_URI => $path, QUERY_STRING => "campaign_id=$shop->{campaign}",
        CONTENT_TYPE => 'application/x-ndjson', HTTP_X_API_KEY => $shop->{key},
        SERVER_PROTOCOL => 'HTTP/1.1', REMOTE_ADDR => '127.0.0.1');
    my $text = join '', map { "$_\0$head{$_}\0" } 'CONTENT_LENGTH',
        grep { $_ ne 'CONTENT_LENGTH' } sort keys %head;
    syswrite $socket, length($text) . ":$text,";
    sysread $socket, my $answer, 4096;
    like $answer // '', qr/^Status: 429 /, 'refused before the body';
}

# ---- reports ---------------------------------------------------------------

sub report
{
    return $ads->http('GET', '/v1/analytics/advertiser?group_by=product',
        ['X-API-Key' => $_[0]{key}]);
}

is $ads->http('GET', '/v1/analytics/advertiser?from=never',
    ['X-API-Key' => $shop->{key}])->{status}, 400, 'a mistake costs little'
    for 1 .. 4;
my ($n, $answer) = (0);
$n++ while $n < 2000 && ($answer = report($shop))->{status} == 200;
is_used_up($answer, 'report_seconds_per_hour', 'reports end');
cmp_ok $n, '>', 5, 'not before their time';
is report($other)->{status}, 200, "another account's do not";

# ---- mails -----------------------------------------------------------------

my $ada = $ads->post('/v1/auth/signup', undef, { email => 'ada@shop.example',
    password => 'a long enough secret' })->{json};
my @ada = (Authorization => "Bearer $ada->{access_token}",
    'Content-Type' => 'application/json');

# As if a minute had passed since the last one.
sub another_minute
{
    $ads->sql(q{update ads.mail_codes set created_at = created_at - interval '2 hours' returning 1});
}

sub new_address
{
    another_minute();
    return $ads->http('POST', '/v1/auth/email', \@ada,
        qq({"email":"victim$_[0]\@else.example","password":"a long enough secret"}));
}

my @asked = map { new_address($_) } 1 .. 4;
is join(' ', map { $_->{status} } @asked), '202 202 202 429',
    'a person has some mails a day, the first at sign-up';
is_used_up($asked[3], 'person_mails_per_day', 'the next one');
another_minute();
$ads->post('/v1/auth/password/reset', undef, { email => 'ada@shop.example' });
$ads->wait_until(sub { !$ads->sql_value('select count(*) from ads.mails') }, 20,
    'all mails to be sent');
is $ads->sql_value(q{select count(*) from ads.mail_codes where purpose = 'reset'}),
    0, 'nor is a mail to reset the password sent';

$ads->sql(q{update ads.users set email_verified_at = now() returning 1});
my @invited = map { $ads->http('POST', '/v1/account/members', \@ada,
    qq({"email":"guest$_\@else.example","role":"viewer"})) } 1 .. 4;
is join(' ', map { $_->{status} } @invited), '201 201 201 429',
    'an account has some invitations a day';
is_used_up($invited[3], 'mails_per_day', 'the next one');

# ---- what is seen, and changed ---------------------------------------------

sub quotas
{
    my ($who) = @_;
    my $got = $ads->http('GET', '/v1/account/quotas', ['X-API-Key' => $who->{key}]);
    return { map { $_->{name} => $_ } @{ $got->{json}{data} } };
}

my $seen = quotas($shop);
is_deeply [@{ $seen->{imports_per_day} }{qw(limit used per_s)}], [6, 6, 86400],
    'an account sees what it used of a day';
is_deeply [@{ $seen->{campaigns_max} }{qw(limit used per_s)}], [10000, 1, undef],
    'and what it has';
is quotas($other)->{imports_per_day}{used}, 1, 'its own';

$ads->adsctl('tenant', 'quota', $shop->{account}, 'imports_per_day', 60);
is feed($shop)->{status}, 202, 'the operator gives it more';
is quotas($shop)->{imports_per_day}{limit}, 60, 'which it sees';
is quotas($other)->{imports_per_day}{limit}, 6, 'the other has as before';
my ($row) = @{ $ads->sql(q{select action, actor, object_id, after ->> 'most'
    from ads.audit_log where object = 'account_quotas' and account_id = ?},
    $shop->{account}) };
is "@$row[0, 2, 3]", 'create imports_per_day 60', 'the audit log has it';
like $row->[1], qr/^ctl:/, 'and who did it';
$ads->adsctl('tenant', 'quota', $shop->{account}, 'imports_per_day', 'default');
is quotas($shop)->{imports_per_day}{limit}, 6, 'and takes it back';
for my $bad (['no_such_quota', 5], ['imports_per_day', 0],
    ['imports_per_day', 'many']) {
    my ($failed) = $ads->try_adsctl('tenant', 'quota', $shop->{account}, @$bad);
    isnt $failed, 0, "not @$bad";
}

$ads->wait_until(sub {
    ($ads->metric('ads_quota_refused_total{quota="imports_per_day"}') // 0) >= 2
}, 10, 'the metric of refusals');
$ads->restart('adsd');    # it measures at its start, and then each minute
$ads->wait_until(sub {
    ($ads->metric('ads_quota_use_percent{quota="mails_per_day"}') // 0) >= 99
}, 30, 'the metric of use');

$ads->done;
