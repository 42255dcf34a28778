#!/usr/bin/perl
#
# Personal data is refused in every field that is kept, however it is written:
# in full width, with digits of other scripts, with characters that do not show
# between, with signs spelt out.
#
# Runs: tsan

use strict;
use warnings;
use utf8;
use lib 't/lib';

use Ads::Test;
use JSON::PP;
use Test::More;

binmode Test::More->builder->$_, ':encoding(UTF-8)'
    for qw(output failure_output);
my $ads  = Ads::Test->new;
my $pub  = $ads->seed_publisher->{key};
my $shop = $ads->seed_shop->{key};

my @ascii = (
    '203.0.113.7',         '0171-1234567',
    '4111.1111.1111.1111', '4111_1111_1111_1111',
    'name.at.host.dot.com', 'name_at_host_dot_com',
);
my @others = (
    'name@host.example',         'name (at) host dot com',
    'name[at]host.com',          'name at host dot com',
    'ｎａｍｅ＠ｈｏｓｔ．ｃｏｍ', "na\x{200b}me\@ho\x{200d}st.com",
    'ｎａｍｅ (ａｔ) ｈｏｓｔ dot com', '4111 1111 1111 1111',
    '４１１１１１１１１１１１１１１１', '٤١١١١١١١١١١١١١١١',
    "4111\x{200b}1111\x{2060}1111\x{feff}1111", '+४४ २० ७९४६ ०९५८',
    '＋４４ ２０ ７９４６ ０９５８', 'GB82 WEST 1234 5698 7654 32',
    '２０３．０．１１３．７',
);
my $id = '018f0000-0000-8000-8000-000000000000';
my %event = (request_id => $id, ad_id => $id);
my %order = (click_id => $id, value => 1, currency => 'USD');

my @fields = (
    ['/v1/ads/recommend', $pub, '/context/session_id',
        sub { +{ query => 'a laser printer', context => { session_id => $_[0] } } }],
    ['/v1/ads/recommend', $pub, '/placement',
        sub { +{ query => 'a laser printer', placement => $_[0] } }],
    ['/v1/events/impression', $pub, '/session_id',
        sub { +{ %event, session_id => $_[0] } }],
    ['/v1/events/click', $pub, '/session_id',
        sub { +{ %event, session_id => $_[0] } }],
    ['/v1/events/conversion', $shop, '/session_id',
        sub { +{ %order, session_id => $_[0] } }],
    ['/v1/events/conversion', $shop, '/order_id',
        sub { +{ %order, order_id => $_[0] } }],
);
for my $field (@fields) {
    my ($path, $key, $pointer, $body) = @$field;
    my @passed;
    for my $text (@ascii, @others) {
        my $answer = $ads->post($path, $key,
            JSON::PP->new->utf8->encode($body->($text)));
        my @errors = map { join ' ', @$_{qw(pointer code)} }
            @{ $answer->{json}{errors} || [] };
        push @passed, "$text: $answer->{status} @errors"
            unless grep { $_ eq "$pointer pii_not_allowed" } @errors;
    }
    is_deeply \@passed, [], "$path: none in $pointer";
}

# a query is neither kept nor logged, so people may write what they like
is $ads->recommend($pub, "a laser printer for name\@host.example")->{status},
    200, 'a query may hold some';
is $ads->recommend($pub, 'a laser printer', placement => $_)->{status}, 200,
    "a placement may be $_"
    for qw(inline box-300x250 v1.2.3 article_2024-05-06 look.at.dot);

$ads->done;
