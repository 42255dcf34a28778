#!/usr/bin/perl
#
# An account's name and site are shown to strangers, so neither is an e-mail
# address: not in full width, not with unseen characters, not as "name (at) host
# dot com", on no way of writing it.
#
# Runs: tsan

use strict;
use warnings;
use utf8;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

my $ads  = Ads::Test->new;
my $good = 'a long enough secret';

my %address = (
    'an address'         => 'ada@shop.example',
    'one in a sentence'  => 'Shop of ada@shop.example, Berlin',
    'full width'         => 'ada＠shop.example',
    'a small sign'       => 'ada﹫shop.example',
    'letters of no ASCII' => 'jürgen@büro.example',
    'spaces'             => 'ada @ shop . example',
    'brackets'           => 'ada (at) shop.example',
    'words in brackets'  => 'ada [AT] shop [dot] example',
    'words'              => 'ada at shop dot example',
    'a wide dot'         => 'ada@shop。example',
    'a joined word'      => 'ada@shop-DOT-example',
    'a number for a host' => 'ada@192.0.2.7',
    'one in brackets'    => 'ada@[192.0.2.7]',
);
my @names = ('Rock @ Roll', 'Coffee at Home.de', 'Shop (at home)', 'B@ Berlin',
    'Dot & Company', 'Look at this', 'AT&T', "Müller's 5.0", 'M@dness',
    'Dr. M@d', 'c@ts.', '%@', '!@#$%^&*()`~');

sub ask
{
    my ($token, $method, $path, $body) = @_;
    return $ads->http($method, "/v1/$path",
        ['Content-Type' => 'application/json',
            $token ? ('Authorization' => "Bearer $token") : ()],
        JSON::PP->new->utf8->encode($body));
}

sub refused
{
    my ($answer, $pointer, $name) = @_;
    $ads->is_problem($answer, 400, 'invalid_fields', $name);
    is_deeply [map { [@$_{qw(pointer code)}] } @{ $answer->{json}{errors} }],
        [[$pointer, 'pii_not_allowed']], 'the field is named';
    return;
}

my $n = 0;
sub signup
{
    my (%fields) = @_;
    $n++;
    return ask(undef, POST => 'auth/signup',
        { email => "p$n\@shop.example", password => $good, %fields });
}

my $ada   = signup(company => 'Shop')->{json}{access_token};
my $site  = signup(account_type => 'publisher')->{json}{access_token};
for my $what (sort keys %address) {
    my $text = $address{$what};
    refused(signup(company => $text), '/company', "signing up as $what");
    refused(ask($ada, PATCH => 'account', { name => $text }), '/name',
        "an account named $what");
    my $person = signup(name => $text);
    is $person->{status}, 201, 'a person may have such a name';
    like $person->{json}{account}{name}, qr/^Advertiser [0-9a-f]{8}$/,
        'their account has another';
    my $user = $ads->sql_value('select ads.oauth_signup(?, true, ?)',
        "o$n\@shop.example", $text);
    my $oauth = $ads->sql_value(q{select a.name from ads.accounts a
        join ads.members m on m.account_id = a.id where m.user_id = ?}, $user);
    like $oauth, qr/^Advertiser [0-9a-f]{8}$/,
        'also of who comes from another provider';
    my ($code, $out) = $ads->try_adsctl('tenant', 'create', '--type',
        'advertiser', '--name', $text);
    is $code, 1, 'adsctl refuses it';
    like $out, qr/--name: .*e-mail/, 'and says why';
}
refused(ask($site, PATCH => 'account', { site => 'me@shop.example' }), '/site',
    'a site is none either');
is ask($ada, PATCH => 'account', { name => $_ })->{json}{name}, $_, "named $_"
    for @names;
is signup(company => $_)->{json}{account}{name}, $_, "signed up as $_"
    for @names;
is eval { $ads->sql(q{update ads.accounts set name = 'x@shop.example'}); 1 },
    undef, 'nor by any statement';
like $@, qr/name of an account/, 'which says why';

$ads->done;
