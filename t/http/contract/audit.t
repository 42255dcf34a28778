#!/usr/bin/perl
#
# Who changed what: each route that writes leaves the rows it has to in the
# audit log, with who asked and the id of the request, and no secret.  The list
# of routes is the program's own (`adsctl routes`): a new one needs a line here.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use MIME::QuotedPrint qw(decode_qp);
use Test::More;

my $ads  = Ads::Test->new;
my $good = 'a long enough secret';
my $next = 'another secret that is long';

sub ask
{
    my ($who, $method, $path, $body, @headers) = @_;
    $body = encode_json($body) if ref $body;
    return $ads->http($method, "/v1/$path",
        [$who ? ('Authorization' => "Bearer $who->{token}") : (),
            defined $body ? ('Content-Type' => 'application/json') : (),
            @headers],
        $body);
}

sub signup
{
    my ($email, %fields) = @_;
    my $made = ask(undef, POST => 'auth/signup',
        { email => $email, password => $good, %fields });
    return { token => $made->{json}{access_token}, answer => $made,
        email => $email, actor => "user:$made->{json}{user}{id}",
        account => $made->{json}{account}{id} };
}

# The code of the newest mail to an address.
my %read;

sub code
{
    my ($email) = @_;
    my $code;
    $ads->wait_until(
        sub {
            for my $file (grep { !$read{$_} } sort glob "$ads->{dir}/mail/*.eml")
            {
                my $mail = Ads::Stack::read_file($file);
                next if $mail !~ /^To: \Q$email\E\r$/m;
                $mail = decode_qp($mail) if $mail =~ /quoted-printable/;
                my ($found) = $mail =~ /#\w+=([\w-]{43})\r?$/m
                    or next;
                $code = $found;
                $read{$file} = 1;
            }
            return $code;
        },
        10,
        "a code for $email"
    );
    return $code;
}

my $ada  = signup('ada@shop.example', company => 'Shop');
my $eve  = signup('eve@shop.example');
my $site = signup('pub@site.example', account_type => 'publisher');
my $boss = $ads->seed_platform;
$boss->{token} = $boss->{key};
$boss->{actor} = 'key:' . $ads->sql_value(
    'select id from ads.api_keys where account_id = ?', $boss->{account});
code($_->{email}) for $ada, $eve, $site;
$ads->sql('update ads.users set email_verified_at = now()
    where email = ? returning 1', 'ada@shop.example');
my @boss_as = ('X-Ads-Account' => $ada->{account});

my (%made, $announced);

sub announce
{
    return $announced = ask($ada, POST => 'balance/topup', { amount => 5,
            currency => 'USD', reference => 'r' . ++$made{n_topups} })
        ->{json}{transaction_id};
}

# Route, who asks, and the rows; the request, made with what came before.
my @cases = (
    ['POST /v1/auth/signup', undef, 'create accounts, create members, create users',
        sub { signup('new@shop.example')->{answer} }],
    ['PATCH /v1/account', $ada, 'update accounts',
        sub { ask($ada, PATCH => 'account', { name => 'Shop two' }) }],
    ['POST /v1/account/members', $ada, 'create invitations', sub {
        my $answer = ask($ada, POST => 'account/members',
            { email => 'eve@shop.example', role => 'viewer' });
        $made{code} = code('eve@shop.example');
        return $answer;
    }],
    ['POST /v1/auth/invitations/accept', $eve,
        'create members, delete invitations, update users', sub {
            ask($eve, POST => 'auth/invitations/accept',
                { code => $made{code} });
        }],
    ['PATCH /v1/account/members/{}', $ada, 'update members', sub {
        ($made{member}) = map { $_->{id} } grep { $_->{email} =~ /^eve/ }
            @{ ask($ada, GET => 'account/members')->{json}{data} };
        ask($ada, PATCH => "account/members/$made{member}",
            { role => 'editor' });
    }],
    ['DELETE /v1/account/members/{}', $ada, 'delete members',
        sub { ask($ada, DELETE => "account/members/$made{member}") }],
    ['DELETE /v1/account/members/{}', $ada, 'delete invitations', sub {
        my $id = ask($ada, POST => 'account/members',
            { email => 'x@x.example', role => 'viewer' })->{json}{id};
        mark();
        ask($ada, DELETE => "account/members/$id");
    }],
    ['POST /v1/auth/api-key', $ada, 'create api_keys', sub {
        my $answer = ask($ada, POST => 'auth/api-key', { name => 'k' });
        ($made{key}) = @{ $answer->{json} }{qw(id)};
        return $answer;
    }],
    ['DELETE /v1/auth/api-key/{}', $ada, 'update api_keys',
        sub { ask($ada, DELETE => "auth/api-key/$made{key}") }],
    ['POST /v1/auth/password', $ada, 'update users', sub {
        ask($ada, POST => 'auth/password',
            { current_password => $good, password => $next });
    }],
    ['POST /v1/auth/password/reset/confirm', $ada, 'update users', sub {
        ask(undef, POST => 'auth/password/reset', { email => $ada->{email} });
        my $code = code($ada->{email});
        mark();
        my $answer = ask(undef, POST => 'auth/password/reset/confirm',
            { code => $code, password => $good });
        $made{after} = sub {
            $ada->{token} = ask(undef, POST => 'auth/login',
                { email => $ada->{email}, password => $good })
                ->{json}{access_token};
        };
        return $answer;
    }],
    ['POST /v1/auth/email/verify', $ada, 'update users', sub {
        ask($ada, POST => 'auth/email',
            { email => 'ada@new.example', password => $good });
        my $code = code('ada@new.example');
        mark();
        ask(undef, POST => 'auth/email/verify', { code => $code });
    }],
    ['POST /v1/campaigns', $ada, 'create campaigns', sub {
        my $answer = ask($ada, POST => 'campaigns', { name => 'C',
            pricing => 'cpc', bid => 1, budget => { daily => 5 } });
        $made{campaign} = $answer->{json}{id};
        return $answer;
    }],
    ['PATCH /v1/campaigns/{}', $ada, 'update campaigns',
        sub { ask($ada, PATCH => "campaigns/$made{campaign}", { bid => 2 }) }],
    ['POST /v1/products', $ada, 'create products', sub {
        my $answer = ask($ada, POST => 'products', { sku => 's', title => 't',
            campaign_id => $made{campaign}, url => 'https://shop.example/p',
            price => 9, currency => 'USD' });
        $made{product} = $answer->{json}{id};
        return $answer;
    }],
    ['PATCH /v1/products/{}', $ada, 'update products',
        sub { ask($ada, PATCH => "products/$made{product}", { price => 8 }) }],
    ['POST /v1/platform/reviews', $boss, 'update products', sub {
        ask($boss, POST => 'platform/reviews', {
                product_id => $made{product}, decision => 'reject',
                reason => 'odd' });
    }],
    ['POST /v1/platform/accounts/{}/approve', $boss, 'update accounts', sub {
        ask($boss, POST => "platform/accounts/$site->{account}/approve",
            { site => 'Pages' });
    }],
    ['DELETE /v1/products/{}', $ada, 'update products',
        sub { ask($ada, DELETE => "products/$made{product}") }],
    ['DELETE /v1/campaigns/{}', $ada, 'update campaigns',
        sub { ask($ada, DELETE => "campaigns/$made{campaign}") }],
    ['PATCH /v1/publisher/settings', $site, 'create publisher_settings',
        sub { ask($site, PATCH => 'publisher/settings', { floor => 0.1 }) }],
    ['POST /v1/balance/topup', $ada, 'create topups', sub {
        ask($ada, POST => 'balance/topup',
            { amount => 5, currency => 'USD', reference => 'first' });
    }],
    ['POST /v1/platform/topups/{}/settle', $boss, 'update topups', sub {
        $made{paid} = announce();
        mark();
        ask($boss, POST => "platform/topups/$made{paid}/settle", '{}');
    }],
    ['POST /v1/platform/topups/{}/reject', $boss, 'update topups', sub {
        my $id = announce();
        mark();
        ask($boss, POST => "platform/topups/$id/reject", { reason => 'no' });
    }],
    ['POST /v1/platform/reversals', $boss,
        'create reversals, update topups', sub {
        ask($boss, POST => 'platform/reversals', { transaction_id => $made{paid},
            amount => 1, reference => 'back', reason => 'because' });
    }],
);

# What writes nothing that the log is about, or elsewhere.
my %silent = map { $_ => 1 } (
    'POST /v1/events/conversion',        # an event
    'POST /v1/campaigns/{}/preview',     # reads
    'POST /v1/auth/password/reset',      # a mail; the code in it is tested here
    'POST /v1/auth/email',               # the same
    'POST /v1/auth/email/verify/resend', # the same
    'POST /v1/auth/login',               # sessions
    'POST /v1/auth/login/code',          # a mail
    'POST /v1/auth/refresh',
    'POST /v1/auth/logout',
    'DELETE /v1/auth/sessions',
    'DELETE /v1/auth/sessions/{}',
    'POST /v1/auth/links/{}',            # with providers: people/oauth.t
    'DELETE /v1/auth/links/{}',
    'POST /v1/products/import',          # one row a batch: desk/import_http.t
    'POST /v1/platform/topups/webhook',  # signed by the provider: money/balance.t
);

my $from;

sub mark
{
    $from = $ads->sql_value('select coalesce(max(id), 0) from ads.audit_log');
}

my %has;
for my $case (@cases) {
    my ($route, $who, $rows, $do) = @$case;
    $has{$route} = 1;
    mark();
    my $answer = $do->();
    my $id     = $answer->{headers}{'x-request-id'} // '';
    my @rows   = @{ $ads->sql(q{
        select l.action || ' ' || l.object, l.actor, l.request_id, l.account_id,
            concat(l.before::text, l.after::text)
        from ads.audit_log l
        where l.id > ? and l.object <> 'sessions' order by 1}, $from) };
    is join(', ', map { $_->[0] } @rows), $rows, "$route: $rows"
        or diag $answer->{body};
    my %odd = map { ("@$_[1 .. 2]" => 1) }
        grep { $_->[1] ne ($who // { actor => $_->[1] })->{actor}
            || ($_->[2] // '') ne $id } @rows;
    is_deeply [sort keys %odd], [], 'by who asked, with the id of the answer';
    is scalar(grep { !defined $_->[3] } @rows), 0, 'in an account\'s log';
    is scalar(grep { $_->[4] =~ /\$argon2|\Q$good\E|\Q$next\E/
            || defined $made{code} && $_->[4] =~ /\Q$made{code}\E/ } @rows), 0,
        'without a secret';
    (delete $made{after} // sub { })->();
}
is_deeply [grep { !$has{$_} && !$silent{$_} } map { "$_->{method} $_->{path}" }
        grep { $_->{method} !~ /^(?:GET|HEAD)$/ } $ads->adsctl('routes')], [],
    'every route that writes is asked here, or known to leave no row';

# ---- by command ------------------------------------------------------------

mark();
my $input = "$ads->{dir}/tmp/password";
$ads->write_file($input, "$next\n", 0600);
my ($code, $said) = $ads->try('sh', '-c', '"$@" < ' . $input, 'sh',
    $ads->adsctl_argv('user', 'password', substr($ada->{actor}, 5)));
is $code, 0, 'adsctl sets a password' or diag $said;
is_deeply $ads->sql(q{select action, object, after::text, account_id,
        actor like 'ctl:%' from ads.audit_log
        where id > ? and object <> 'sessions'}, $from),
    [['update', 'users', '{"password": "changed"}', $ada->{account}, 1]],
    'with a row of who ran it';

$ads->done;
