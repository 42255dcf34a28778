#!/usr/bin/perl
#
# What goes by mail: proof of an address, new passwords, another address.  And
# what goes nowhere else: no code, password or token is found in a log, a table
# or a file where it does not belong.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use File::Find ();
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep);

my $ads  = Ads::Test->new;
my $good = 'canary password one';
my $next = 'canary password two';

sub auth
{
    my ($what, $body, $token, @headers) = @_;
    return $ads->post("/v1/auth/$what", $token, $body, @headers);
}

sub me
{
    my ($token) = @_;
    return $ads->http('GET', '/v1/auth/me',
        ['Authorization' => "Bearer $token"]);
}

sub mails
{
    return map { Ads::Stack::read_file($_) } sort glob "$ads->{dir}/mail/*.eml";
}

# Waits for the next mail to that address since the last one asked for.
my %seen;
sub mail_to
{
    my ($to) = @_;
    my $mail;
    $ads->wait_until(
        sub {
            my @new = grep { /^To: \Q$to\E\r$/m } mails();
            $mail = $new[ $seen{$to} // 0 ];
        },
        10,
        "a mail to $to"
    );
    $seen{$to}++;
    return $mail;
}

sub no_more_mail
{
    $ads->wait_until(
        sub { !$ads->sql_value('select count(*) from ads.mails') },
        10, 'the queue to be empty');
    return scalar mails();
}

sub code_of
{
    my ($mail) = @_;
    my ($code) = $mail =~ m{^    \Q$ads->{base_url}\E/dashboard/#\w+=([\w-]{43})\r$}m;
    return $code;
}

# ---- proof -----------------------------------------------------------------

my $in = auth('signup', { email => 'ada@shop.example', password => $good,
        company => "Caf\x{e9}\r\n" })->{json};
ok !$in->{access_token}, 'a name with a line break is refused';
$in = auth('signup', { email => 'ada@shop.example', password => $good,
        company => "Caf\x{e9} \x{2603}" })->{json};
my $mail = mail_to('ada@shop.example');
like $mail, qr/^Subject: Confirm your e-mail address\r$/m,
    'who signs up gets a mail';
like $mail, qr/^From: no-reply\@127\.0\.0\.1\r$/m, 'from this host';
like $mail, qr/^Date: \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000\r$/m, 'of today';
unlike $mail, qr/[^\r]\n/, 'in lines of the network';
my $code = code_of($mail);
ok $code, 'with a code in the fragment of a link';

my $flipped = substr($code, 0, 42) . (substr($code, 42) eq 'A' ? 'E' : 'A');
for my $bad ($flipped, 'x' x 43, '', '0') {
    is auth('email/verify', { code => $bad })->{status}, 400,
        'a code nobody sent is refused';
}
my @other = map { decode_json(qq({"code":"$_"})) } $flipped;
$ads->is_problem(auth('email/verify', $other[0]), 400, 'code_invalid',
    'and told apart by nothing');
ok !me($in->{access_token})->{json}{user}{email_verified}, 'not proven yet';
is auth('email/verify', { code => $code })->{status}, 204, 'the code proves it';
ok me($in->{access_token})->{json}{user}{email_verified}, 'and that shows';
$ads->is_problem(auth('email/verify', { code => $code }), 400, 'code_invalid',
    'a code is good once');
$ads->is_problem(
    auth('email/verify/resend', undef, $in->{access_token}),
    409, 'conflict', 'what is proven needs no other mail');

my $eve = auth('signup', { email => 'eve@shop.example', password => $good })
    ->{json};
my $first = code_of(mail_to('eve@shop.example'));
$ads->is_problem(auth('email/verify/resend', undef, $eve->{access_token}),
    429, 'rate_limited', 'one mail a minute');
$ads->sql(q{update ads.mail_codes set created_at = created_at
    - interval '2 minutes' returning 1});
is auth('email/verify/resend', undef, $eve->{access_token})->{status}, 202,
    'then there is another';
my $second = code_of(mail_to('eve@shop.example'));
isnt $second, $first, 'with another code';
is auth('email/verify', { code => $first })->{status}, 400,
    'the earlier one is void';
$ads->sql(q{update ads.mail_codes set created_at = now() - interval '4 days',
    expires_at = now() - interval '1 second' where used_at is null
    returning 1});
is auth('email/verify', { code => $second })->{status}, 400,
    'and so is one that is over';

# ---- a new password --------------------------------------------------------

my $asked = auth('password/reset', { email => 'ADA@shop.example' });
is $asked->{status}, 202, 'somebody forgot a password';
my $nobody = auth('password/reset', { email => 'nobody@shop.example' },
    undef, Host => 'evil.example');
is_deeply [@$nobody{qw(status body)}], [@$asked{qw(status body)}],
    'the answer is the same when there is nobody';
my $reset = mail_to('ada@shop.example');
like $reset, qr/^Subject: Set a new password\r$/m, 'there is a mail';
my $before = no_more_mail();
is scalar(grep { /^To: nobody/m } mails()), 0, 'nobody gets none';
auth('password/reset', { email => 'eve@shop.example' }, undef,
    Host => 'evil.example', 'X-Forwarded-Host' => 'evil.example');
my $poisoned = mail_to('eve@shop.example');
unlike $poisoned, qr/evil/, 'links lead to us, whatever host was named';

my $reset_code = code_of($reset);
$ads->is_problem(
    auth('password/reset/confirm',
        { code => $reset_code, password => 'short' }),
    400, 'invalid_fields', 'a weak password is refused');
is auth('password/reset/confirm',
    { code => $reset_code, password => $next })->{status}, 204,
    'and another one set with the same code';
$ads->is_problem(
    auth('password/reset/confirm',
        { code => $reset_code, password => $good }),
    400, 'code_invalid', 'which is good once');
is auth('email/verify', { code => code_of($poisoned) })->{status}, 400,
    'a code is for one purpose';
is me($in->{access_token})->{status}, 401, 'every session has ended';
is auth('login', { email => 'ada@shop.example', password => $good })
    ->{status}, 401, 'the old password is';
my $again = auth('login', { email => 'ada@shop.example', password => $next });
is $again->{status}, 200, 'the new one signs in';
like mail_to('ada@shop.example'), qr/^Subject: Your password was changed\r$/m,
    'a mail tells';

my $token = $again->{json}{access_token};
$ads->is_problem(
    auth('password', { current_password => 'x', password => $good }, $token),
    403, 'password_wrong', 'changing it takes the old one');
my $elsewhere = auth('login', { email => 'ada@shop.example',
    password => $next })->{json}{access_token};
is auth('password', { current_password => $next, password => $good }, $token)
    ->{status}, 204, 'with which it is changed';
is me($token)->{status}, 200, 'this session goes on';
is me($elsewhere)->{status}, 401, 'others end';
mail_to('ada@shop.example');

# who signed up with an address that was not theirs loses everything
my $key = $ads->key($eve->{account}{id});
$ads->sql(q{update ads.mail_codes set created_at = created_at
    - interval '2 hours', expires_at = expires_at + interval '2 hours'
    returning 1});
is auth('password/reset/confirm',
    { code => code_of($poisoned), password => $next })->{status}, 204,
    'who reads the mailbox sets the password of an address never proven';
ok auth('login', { email => 'eve@shop.example', password => $next })
    ->{json}{user}{email_verified}, 'which proves it';
is me($eve->{access_token})->{status}, 401, 'sessions made before have ended';
is me($key)->{status}, 401, 'and keys are revoked';
mail_to('eve@shop.example');

my $had = grep { /^Subject: Set a new/m && /^To: eve/m } mails();
for my $n (1 .. 8) {
    auth('password/reset', { email => 'eve@shop.example' });
}
no_more_mail();
is scalar(grep { /^Subject: Set a new/m && /^To: eve/m } mails()) - $had, 5,
    'nobody is sent more than a few an hour';

# ---- another address -------------------------------------------------------

$ads->is_problem(
    auth('email', { email => 'lovelace@shop.example', password => 'x' }, $token),
    403, 'password_wrong', 'another address takes the password');
is auth('email', { email => 'lovelace@shop.example', password => $good }, $token)
    ->{status}, 202, 'and a mail';
is me($token)->{json}{user}{email}, 'ada@shop.example', 'until then nothing';
is auth('email/verify',
    { code => code_of(mail_to('lovelace@shop.example')) })->{status}, 204,
    'the code comes to the new address';
is me($token)->{json}{user}{email}, 'lovelace@shop.example',
    'which is the person\'s then';
like mail_to('ada@shop.example'),
    qr/^Subject: Your e-mail address was changed\r$/m, 'the old one is told';
$ads->sql(q{update ads.mail_codes set created_at = created_at
    - interval '2 minutes' returning 1});
is auth('email', { email => 'eve@shop.example', password => $good }, $token)
    ->{status}, 202, 'asking for somebody\'s address tells nothing';
my $taken = $ads->sql_value(q{select count(*) from ads.mail_codes
    where purpose = 'email_change' and used_at is null});
is $taken, 1, 'a code goes there';
my ($hers) = map { code_of($_) } grep { /^Subject: Confirm your new/m }
    map { mail_to('eve@shop.example') } 1 .. 6;
$ads->is_problem(auth('email/verify', { code => $hers }), 409, 'email_taken',
    'only who reads that mailbox learns that it is taken');

# ---- nothing leaks ---------------------------------------------------------

my ($refresh) = $again->{headers}{'set-cookie'} =~ /ads_refresh=([\w-]+)/;
my @canaries = ($good, $next, $code, $reset_code, $refresh, $token,
    (split /\./, $token)[2]);
my $tables = '';
for my $table (map { $_->[0] } @{ $ads->sql(
        q{select tablename from pg_tables where schemaname = 'ads'}) }) {
    $tables .= join "\n", map { $_->[0] // '' }
        @{ $ads->sql("select t::text from ads.$table t") };
}
$ads->stop($_) for qw(nginx adsd postgres);
my %found;
File::Find::find({ no_chdir => 1, wanted => sub {
    return if !-f $_ || m{/mail/};
    my $text = Ads::Stack::read_file($_);
    $found{$_}++ for grep { index($text, $_) >= 0 } @canaries;
} }, $ads->{dir});
is_deeply \%found, {}, 'no secret is in a file of the service';
is scalar(grep { index($tables, $_) >= 0 } @canaries), 0, 'or in a table';
my ($mode) = (stat((glob "$ads->{dir}/mail/*.eml")[0]))[2] & 0777;
is $mode, 0600, 'mails are for nobody else to read';
my @addresses = grep { /\@shop\.example/ }
    map { Ads::Stack::read_file($_) } glob "$ads->{dir}/log/*";
is scalar(@addresses), 0, 'no log holds an address';

$ads->done;
