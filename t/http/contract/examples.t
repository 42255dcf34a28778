#!/usr/bin/perl
#
# The examples of docs/openapi.json are one story, told here in its order: each
# operation is sent its example, with the ids of this run, and answers as its
# example does: the same status and the same members.  With ADS_EXAMPLES=FILE
# the answers are written there, for tools/api_examples.

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $text = Ads::Stack::read_file('docs/openapi.json');
my $doc  = decode_json($text);
my $ads  = Ads::Test->new;
my $site = $ads->seed_publisher;
my $boss = $ads->seed_platform;

my %operation;
for my $path (keys %{ $doc->{paths} }) {
    for my $method (keys %{ $doc->{paths}{$path} }) {
        my $one = $doc->{paths}{$path}{$method};
        $operation{ $one->{operationId} } = { method => uc $method, path => $path, %$one };
    }
}

# The members of an object, and of those in it; of a list, those of its first.
sub shape
{
    my ($node) = @_;
    return ref $node eq 'HASH' ? { map { $_ => shape($node->{$_}) } keys %$node }
        : ref $node eq 'ARRAY' ? [@$node ? shape($node->[0]) : ()]
        :                        '';
}

# ---- one step ----------------------------------------------------------------

my (%done, @written);

# step(ID, as => CREDENTIAL, in => {of the path}, use => {member => value},
# query, headers): the answer's JSON.
sub step
{
    my ($id, %how) = @_;
    my $one  = $operation{$id} or die "no operation $id\n";
    my $path = $one->{path} =~ s/\{(\w+)\}/$how{in}{$1}/gr . ($how{query} // '');
    my @headers = @{ $how{headers} || [] };
    push @headers, 'Authorization' => "Bearer $how{as}" if $how{as};

    my ($type) = $how{type} // 'application/json';
    my $content = ($one->{requestBody} || {})->{content}{$type};
    my $sent;
    if ($content) {
        my ($example) = $content->{example}
            // ($how{example} ? $content->{examples}{ $how{example} }{value} : undef);
        $sent = ref $example ? { %$example, %{ $how{use} || {} } } : $example;
        push @headers, 'Content-Type' => $type;
    }
    my $body = ref $sent ? JSON::PP->new->utf8->canonical->encode($sent) : $sent;
    my $answer = $ads->http($one->{method}, $path, \@headers, $body);

    my ($status) = $how{status} // sort grep {/^[23]/} keys %{ $one->{responses} };
    is $answer->{status}, $status, "$id: answered" or diag $answer->{body};
    $done{$id}++;

    my $said = $one->{responses}{$status}{content}{'application/json'};
    if ($said && $said->{schema}) {
        push @written, { id => $id, status => $status, answer => $answer->{body},
            sent => $body, type => $type, example => $how{example} };
        if (!$ENV{ADS_EXAMPLES} && $id ne 'openapi') {
            is_deeply shape($answer->{json}), shape($said->{example}),
                "$id: as in its example" or diag $answer->{body};
        }
    }
    return wantarray ? ($answer->{json}, $answer) : $answer->{json};
}

# The code in the newest mail to an address about a subject.
sub code
{
    my ($email, $subject) = @_;
    my $code;
    $ads->wait_until(
        sub {
            my ($mail) = grep { /^To: \Q$email\E\r$/m && /^Subject: $subject/m }
                reverse map { Ads::Stack::read_file($_) }
                sort glob "$ads->{dir}/mail/*.eml";
            ($code) = ($mail // '') =~ m{/dashboard/#\w+=([\w-]+)\r?$}m;
        },
        10, "a mail to $email");
    return $code;
}

# ---- people ------------------------------------------------------------------

my ($ann, $first) = step('signUp');
my ($cookie) = $first->{headers}{'set-cookie'} =~ /^([^;]+)/;
my $token = $ann->{access_token};
step('verifyEmail', use => { code => code('ann@shop.example', 'Confirm') });
step('refresh', headers => ['Cookie' => $cookie, 'Origin' => $ads->{base_url}]);
my $again = step('logIn');
step($_, as => $token) for qw(me getAccount changeAccount getQuotas listSessions);
step($_) for qw(jwks listProviders health ready metrics openapi docs);
step('listLinks', as => $token);

my $key = step('createApiKey', as => $token);
step('listApiKeys', as => $token);
step('getApiKey', as => $token, in => $key);

my $bob = $ads->post('/v1/auth/signup', undef,
    { email => 'bob@shop.example', password => 'quiet river stones' })->{json};
$ads->post('/v1/auth/email/verify', undef, { code => code('bob@shop.example', 'Confirm') });
step('invite', as => $token);
step('acceptInvitation', as => $bob->{access_token},
    use => { code => code('bob@shop.example', 'You are invited') });
step('listMembers', as => $token);
my %bob = (as => $token, in => { id => $bob->{user}{id} });
step($_, %bob) for qw(getMember changeRole removeMember);

# ---- a campaign, products, money ----------------------------------------------

my $shop     = $key->{key};
my $campaign = step('createCampaign', as => $shop, example => 'small');
my %campaign = (as => $shop, in => { id => $campaign->{id} });
step('listCampaigns', as => $shop);
step($_, %campaign) for qw(getCampaign changeCampaign);

my $product = step('createProducts', as => $shop, status => 201,
    use => { campaign_id => $campaign->{id} });
my %product = (as => $shop, in => { id => $product->{id} });
step('listProducts', as => $shop);
step($_, %product) for qw(getProduct changeProduct);
my $import = step('importProducts', as => $shop, type => 'text/tab-separated-values',
    query => "?campaign_id=$campaign->{id}");
my %import = (as => $shop, in => { id => $import->{id} });
$ads->wait_until(
    sub {
        $ads->http('GET', "/v1/products/import/$import->{id}", ['X-API-Key' => $shop])
            ->{json}{status} eq 'done';
    },
    20, 'the import');
step('listProductImports', as => $shop);
step($_, %import) for qw(getProductImport listProductImportErrors);
step('listReviews', as => $boss->{key});
step('review', as => $boss->{key}, use => { product_id => $product->{id} });

my $topup = step('topUp', as => $shop, status => 201);
my $other = $ads->post('/v1/balance/topup', $shop,
    { amount => 5, currency => 'USD', reference => 'order-2032' })->{json};
step('listTopups', as => $boss->{key});
step('settleTopup', as => $boss->{key}, in => { id => $topup->{transaction_id} });
step('rejectTopup', as => $boss->{key}, in => { id => $other->{transaction_id} });
step('getBalance', as => $shop);

# ---- an ad, and what became of it ------------------------------------------------

step('listAccounts', as => $boss->{key});
step('approvePublisher', as => $boss->{key}, in => { id => $site->{account} });
step('getPublisherSettings', as => $site->{key});
step('changePublisherSettings', as => $site->{key});
$ads->wait_until(
    sub { $ads->recommend($site->{key}, 'laser printer under $200',
            context => { location => 'US' })->{json}{decision} eq 'SHOW' },
    10, 'the ad to be served');
step('previewCampaign', %campaign);
my $shown = step('recommend', as => $site->{key}, example => 'search');
my $ad    = $shown->{ads}[0];
my %seen  = (request_id => $shown->{request_id}, ad_id => $ad->{ad_id});
my ($link) = $ad->{click_url} =~ m{/v1/click/(.*)};
my (undef, $click) = step('followClick', in => { token => $link },
    headers => ['User-Agent' => 'Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0']);
my ($click_id) = $click->{headers}{location} =~ /ads_click_id=([0-9a-f-]+)/;
step($_, in => { token => $link }) for qw(seeImpression beaconImpression);
step($_, as => $site->{key}, use => \%seen, status => 202) for qw(reportImpression reportClick);
$ads->wait_until(
    sub { $ads->sql_value('select count(*) from ads.clicks where billed_micros > 0') },
    10, 'the click to be billed');
step('reportConversion', as => $shop, use => { %seen, click_id => $click_id });
step('reverse', as => $boss->{key}, status => 201, use => { click_id => $click_id });
step($_, as => $shop) for qw(listTransactions getStatement listAudit);
$ads->wait_until(
    sub {
        $ads->http('GET', '/v1/analytics/advertiser', ['X-API-Key' => $shop])
            ->{json}{totals}{clicks}
            && $ads->http('GET', '/v1/analytics/publisher', ['X-API-Key' => $site->{key}])
            ->{json}{totals}{clicks};
    },
    20, 'the reports to have the click');
step('advertiserReport', as => $shop, query => '?group_by=campaign');
step('publisherReport', as => $site->{key}, query => '?group_by=placement');

# ---- the end ----------------------------------------------------------------------

step($_, %product) for qw(archiveProduct);
step($_, %campaign) for qw(archiveCampaign);
step('revokeApiKey', as => $token, in => { id => $key->{id} });
my ($session) = grep { !$_->{current} } @{ $ads->http('GET', '/v1/auth/sessions',
        ['Authorization' => "Bearer $token"])->{json}{data} };
step($_, as => $token, in => { id => $session->{id} }) for qw(getSession endSession);
step('endOtherSessions', as => $token);
step('changePassword', as => $token);
step('changeEmail', as => $token);
step('sendLoginCode');
step('resetPassword');
step('confirmReset', use => { code => code('ann@shop.example', 'Set a new password') });
$token = $ads->post('/v1/auth/login', undef, { email => 'ann@shop.example',
        password => 'gentle brook gravel' })->{json}{access_token};
step('logOut', as => $token);

# these need a provider, or a minute after the first code: t/http/people/oauth.t,
# t/http/money/balance.t and t/http/people/auth_mail.t ask them
my %elsewhere = map { $_ => 1 }
    qw(signInWith signInBack beginLink unlink settleByProvider resendCode);
is_deeply [grep { !$done{$_} && !$elsewhere{$_} } sort keys %operation], [],
    'every operation was asked';

if (my $file = $ENV{ADS_EXAMPLES}) {
    $ads->write_file($file, JSON::PP->new->canonical->encode(
            { base_url => $ads->{base_url}, steps => \@written }));
}
$ads->done;
