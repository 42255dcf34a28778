#!/usr/bin/perl
#
# POST /v1/events/impression and /v1/events/click: a publisher reports what he
# saw, once or in a batch; 202 means that it is in the journal.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use POSIX qw(strftime);
use Test::More;

my $uuid = qr/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
my ($impression, $click) = qw(/v1/events/impression /v1/events/click);

my $ads   = Ads::Test->new;
my $pub   = $ads->seed_publisher;
my $other = $ads->seed_publisher(name => 'Other');
my $shop  = $ads->seed_shop;
my $key   = $pub->{key};
my $build = $ENV{ADS_BUILD} || 'build';
my $maker = "$ads->{dir}/tmp/make_link";

# request ids of another age are made by core itself
system($ENV{CC} || 'cc', '-Icore',
    split(' ', $ENV{ADS_CFLAGS} // ''), '-o', $maker,
    't/http/edge/make_link.c', "$build/libadscore.a", '-lsodium') == 0
    or die "make_link does not build\n";

my $shown = $ads->recommend($key, 'buy a laser printer')->{json};
my %event = (
    request_id => $shown->{request_id},
    ad_id      => $shown->{ads}[0]{ad_id}
);

sub id_of_age
{
    my ($age_s) = @_;
    my $line = qx($maker $ads->{dir}/click.keys $age_s $pub->{account} $event{ad_id} 1);
    return (split ' ', $line)[0];
}

# ---- one -------------------------------------------------------------------

my $seen = $ads->post($impression, $key, { %event, session_id => 's-1' });
is $seen->{status}, 202, 'an impression is accepted';
like $seen->{body},
    qr/\A\{"event_id":"$uuid","type":"impression","status":"accepted"\}\z/,
    'the answer is as specified, to the byte';
is $ads->post($impression, $key, \%event)->{json}{event_id},
    $seen->{json}{event_id}, 'a retry gets the same event id';

my $clicked = $ads->post($click, $key, \%event);
is $clicked->{status}, 202, 'a click is accepted';
like $clicked->{body}, qr/\A\{"event_id":"$uuid","type":"click",
    "click_id":"$uuid","status":"accepted"\}\z/x, 'with its click id';
isnt $clicked->{json}{event_id}, $seen->{json}{event_id},
    'of another event id';
my ($by_link) = $ads->click($shown->{ads}[0]{click_url})->{headers}{location}
    =~ /ads_click_id=($uuid)/;
is $clicked->{json}{click_id}, $by_link,
    'the link and the event have one click id';

$ads->wait_until(
    sub {
        $ads->sql_value('select count(*) from ads.impressions'
                . ' where request_id = $1', $event{request_id}) == 2
            && $ads->sql_value('select count(*) from ads.clicks'
                . ' where request_id = $1', $event{request_id}) == 2;
    },
    15,
    'the events to be stored'
);
pass 'all of them are stored';

my $test_key = $ads->key($pub->{account}, '--test');
is $ads->post($impression, $test_key, \%event)->{headers}{'x-ads-test'}, '1',
    'events of a test key are marked';

# ---- time ------------------------------------------------------------------

sub at
{
    return strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(time + $_[0]));
}

is $ads->post($impression, $key, { %event, occurred_at => at(-60) })
    ->{status}, 202, 'a time may be told';
for my $offset (-8 * 86400, 11 * 60) {
    my $answer = $ads->post($impression, $key,
        { %event, occurred_at => at($offset) });
    $ads->is_problem($answer, 400, 'invalid_fields',
        "but not one that is $offset s away");
    is $answer->{json}{errors}[0]{pointer}, '/occurred_at', 'which is told';
}

for my $case (
    [$impression, 23,      202],
    [$impression, 25,      410],
    [$click,      25,      202],
    [$click,      29 * 24, 202],
    [$click,      31 * 24, 410],
) {
    my ($path, $hours, $status) = @$case;
    my $answer = $ads->post($path, $key,
        { %event, request_id => id_of_age($hours * 3600) });
    is $answer->{status}, $status, "$path after $hours hours: $status";
    $ads->is_problem($answer, 410, 'too_late', 'too late') if $status == 410;
}

# ---- whose -----------------------------------------------------------------

for my $path ($impression, $click) {
    $ads->is_problem($ads->post($path, $other->{key}, \%event), 404,
        'request_not_found', 'another publisher\'s request is not there');
    my $forged = $event{request_id} =~ s/(.)$/$1 eq '0' ? '1' : '0'/er;
    $ads->is_problem($ads->post($path, $key,
            { %event, request_id => $forged }),
        404, 'request_not_found', 'nor a forged one');
    $ads->is_problem($ads->post($path, $key,
            { %event, request_id => '11111111-1111-4111-8111-111111111111' }),
        404, 'request_not_found', 'nor anything else');

    for my $bad (
        ['/ad_id required',       { request_id => $event{request_id} }],
        ['/request_id required',  { ad_id      => $event{ad_id} }],
        ['/ad_id invalid_format', { %event, ad_id => 'x' }],
        [' unknown_field',        { %event, email => 'x' }],
        ['/session_id pii_not_allowed',
            { %event, session_id => '4111-1111-1111-1111' }],
        ['/session_id pii_not_allowed',
            { %event, session_id => '192.0.2.77' }],
    ) {
        my $answer = $ads->post($path, $key, $bad->[1]);
        $ads->is_problem($answer, 400, 'invalid_fields', 'a bad field');
        my $error = $answer->{json}{errors}[0];
        is "$error->{pointer} $error->{code}", $bad->[0], $bad->[0];
    }
    $ads->is_problem($ads->post($path, $key, '{"request_id":"a","request_id":1}'),
        400, 'malformed_json', 'a key that comes twice');
}
is $ads->sql_value('select count(*) from ads.impressions'
        . ' where publisher_id = $1', $other->{account}), 0,
    'nothing of a foreign request is stored';

# ---- batches ---------------------------------------------------------------

my $batch = $ads->post($impression, $key, {
    events => [
        \%event,
        { %event, request_id => id_of_age(25 * 3600) },
        { %event, email => 'x' },
        { %event, session_id => 's-2' },
        { %event, request_id => '11111111-1111-4111-8111-111111111111' },
    ]
});
is $batch->{status}, 200, 'a batch is answered';
is_deeply [map { $_->{code} // $_->{status} } @{ $batch->{json}{results} }],
    [qw(accepted too_late invalid_fields accepted request_not_found)],
    'each item for itself, in order';
is $batch->{json}{results}[0]{event_id}, $seen->{json}{event_id},
    'with the event id it has alone';
is $batch->{json}{results}[2]{errors}[0]{pointer}, '/events/2',
    'and with what is wrong';

is_deeply $ads->post($click, $key, { events => [] })->{json},
    { results => [] }, 'an empty batch is answered';
my $hundred = $ads->post($click, $key, { events => [(\%event) x 100] });
is scalar(grep { $_->{status} eq 'accepted' } @{ $hundred->{json}{results} }),
    100, 'a hundred events are accepted';
is $ads->post($click, $key, { events => [(\%event) x 101] })->{status}, 400,
    'a hundred and one are not';
$ads->wait_until(
    sub {
        $ads->sql_value('select count(*) from ads.clicks'
                . ' where request_id = $1', $event{request_id}) >= 4;
    },
    15,
    'clicks of the batch to be stored'
);

# ---- a campaign that is paused ---------------------------------------------

# The publisher has the right to bill; the ads were shown before the pause.
$ads->psql('ads', "update ads.accounts set manual_clicks_billable = true
    where id = '$pub->{account}'");
my @before = map { $ads->recommend($key, 'buy a laser printer')->{json} } 1, 2;

sub reported
{
    my ($json) = @_;
    my $said = {
        request_id => $json->{request_id},
        ad_id      => $json->{ads}[0]{ad_id}
    };
    is $ads->post($click, $key, $said)->{status}, 202, 'a click is accepted';
    my $row;
    $ads->wait_until(
        sub {
            $row = $ads->{db}->selectrow_arrayref(
                'select class, billed_micros > 0 from ads.clicks'
                    . ' where request_id = ?', undef, $json->{request_id});
        },
        15,
        'the click'
    );
    return $row;
}

is_deeply reported($before[0]), [0, 1], 'billed while the campaign is active';
$ads->adsctl('campaign', 'pause', $shop->{campaign});
is_deeply reported($before[1]), [0, 1],
    'and after its pause, as it was shown before';
$ads->adsctl('campaign', 'activate', $shop->{campaign});

# ---- no journal, no 202 ----------------------------------------------------

my $journal = "$ads->{dir}/state/journal";
rename $journal, "$journal.away" or die "rename: $!";
$ads->reload;
my $refused = $ads->post($impression, $key, \%event);
$ads->is_problem($refused, 503, 'journal_unavailable',
    'what cannot be journalled is not accepted');
like $refused->{headers}{'retry-after'} // '', qr/^\d+$/, 'come again';
my $none = $ads->recommend($key, 'buy a laser printer');
is_deeply [@{ $none->{json} }{qw(decision reason)}], [qw(NO_AD overloaded)],
    'and no ad is shown that nobody could bill';
is $ads->click($shown->{ads}[0]{click_url})->{status}, 302,
    'but a visitor is redirected';
is_deeply [map { $_->{code} }
        @{ $ads->post($click, $key, { events => [\%event] })->{json}{results} }
    ], ['journal_unavailable'], 'also in a batch';

rename "$journal.away", $journal or die "rename: $!";
$ads->wait_until(
    sub { $ads->post($impression, $key, \%event)->{status} == 202 },
    10, 'the journal to be written again');
pass 'the journal is written again without a restart';

$ads->done;
