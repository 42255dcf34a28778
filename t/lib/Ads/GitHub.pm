package Ads::GitHub;

# A double of GitHub: the three addresses of its web application flow and its
# API, in the shapes that it publishes.  Its token address answers 200 also
# when it refuses, as JSON only when asked for, and its API wants a User-Agent.
# t/http/people/oauth_github.t holds /user and /user/emails against GitHub's own
# description.
#
# Control as for t/oidc/provider.mjs: account {id, login, name, emails}, deny,
# and faults of `token`, `user` and `emails`: hang, drop, garbage, big, error,
# redirect.

use strict;
use warnings;
use Digest::SHA qw(sha256);
use IO::Select;
use IO::Socket::INET;
use JSON::PP;
use MIME::Base64 qw(encode_base64url);

my (%code, %token, %asked, @held, $config);
my $state = {};
my $n     = 0;

# What GitHub says of a person, by its published schema of "private-user".
sub user
{
    my ($account) = @_;
    my ($id, $login) = @$account{qw(id login)};
    my $api = 'https://api.github.com/users/' . $login;
    my ($primary) = grep { $_->{primary} } @{ $account->{emails} || [] };
    return {
        login      => $login,
        id         => $id + 0,
        node_id    => 'MDQ6VXNlcjE=',
        avatar_url => "https://avatars.githubusercontent.com/u/$id?v=4",
        gravatar_id         => '',
        url                 => $api,
        html_url            => "https://github.com/$login",
        followers_url       => "$api/followers",
        following_url       => "$api/following{/other_user}",
        gists_url           => "$api/gists{/gist_id}",
        starred_url         => "$api/starred{/owner}{/repo}",
        subscriptions_url   => "$api/subscriptions",
        organizations_url   => "$api/orgs",
        repos_url           => "$api/repos",
        events_url          => "$api/events{/privacy}",
        received_events_url => "$api/received_events",
        type                => 'User',
        site_admin          => JSON::PP::false,
        name                => $account->{name},
        company             => undef,
        blog                => '',
        location            => undef,
        email               => $account->{public} ? $primary->{email} : undef,
        hireable            => undef,
        bio                 => undef,
        twitter_username    => undef,
        public_repos        => 2,
        public_gists        => 1,
        followers           => 20,
        following           => 0,
        created_at          => '2008-01-14T04:33:35Z',
        updated_at          => '2024-01-14T04:33:35Z',
        private_gists       => 81,
        total_private_repos => 100,
        owned_private_repos => 100,
        disk_usage          => 10000,
        collaborators       => 8,
        two_factor_authentication => JSON::PP::true,
        plan => {
            name => 'pro', space => 400, private_repos => 20,
            collaborators => 0
        },
    };
}

sub emails
{
    my ($account) = @_;
    return [
        map {
            {
                email      => $_->{email},
                primary    => $_->{primary}  ? JSON::PP::true : JSON::PP::false,
                verified   => $_->{verified} ? JSON::PP::true : JSON::PP::false,
                visibility => $_->{primary} ? 'private' : undef,
            }
        } @{ $account->{emails} || [] }
    ];
}

# ---- HTTP ----------------------------------------------------------------------

sub decode
{
    my ($text) = @_;
    my %fields;
    for (split /&/, $text // '') {
        my ($name, $value) = map { tr/+/ /; s/%(..)/chr hex $1/egr }
            split /=/, $_, 2;
        $fields{$name} = $value;
    }
    return \%fields;
}

sub encode
{
    return join '', map { /[\w.~-]/ ? $_ : sprintf '%%%02X', ord }
        split //, $_[0];
}

sub json
{
    my ($status, $body) = @_;
    return ($status, ['Content-Type' => 'application/json; charset=utf-8'],
        JSON::PP->new->utf8->canonical->encode($body));
}

sub message
{
    my ($status, $text) = @_;
    return json($status, {
        message           => $text,
        documentation_url => 'https://docs.github.com/rest',
        status            => "$status"
    });
}

# The answer to a fault; nothing when there is none.
sub fault
{
    my ($which) = @_;
    my $what = $state->{$which} // return;
    return ('hold') if $what eq 'hang';
    return ('drop') if $what eq 'drop';
    return (200, ['Content-Type' => 'application/json'], '<html>Unicorn!')
        if $what eq 'garbage';
    return json(200, { x => 'y' x 100_000 }) if $what eq 'big';
    return json(200, {})                     if $what eq 'empty';
    return json(200, [])                     if $what eq 'list';
    return message(500, 'Server Error')      if $what eq 'error';
    return (307, [Location => $state->{target}], '') if $what eq 'redirect';
    return;
}

# ---- the addresses -------------------------------------------------------------

sub authorize
{
    my ($query) = @_;
    my $to = $config->{client}{redirect_uri};
    return (404, [], 'Not Found')
        if $query->{client_id} ne $config->{client}{id}
        || ($query->{redirect_uri} // $to) ne $to;
    my %answer = (
        state => $query->{state},
        iss   => "http://127.0.0.1:$config->{port}/login/oauth"
    );
    if ($state->{deny}) {
        @answer{qw(error error_description)} =
            ('access_denied', 'The user has denied your application access.');
    } else {
        $answer{code} = 'code' . ++$n;
        $code{ $answer{code} } = { %$query, account => $state->{account} };
    }
    return (302, [
        Location => "$to?" . join '&',
        map { "$_=" . encode($answer{$_}) } sort keys %answer
    ], '');
}

sub refused
{
    my ($json, $error) = @_;
    return $json
        ? json(200, {
            error             => $error,
            error_description => "No: $error.",
            error_uri         => 'https://docs.github.com/'
        })
        : (200, [], "error=$error");
}

sub access_token
{
    my ($form, $headers) = @_;
    my $json   = ($headers->{accept} // '') =~ /json/;
    my $client = $config->{client};
    return refused($json, 'incorrect_client_credentials')
        if ($form->{client_id} // '') ne $client->{id}
        || ($form->{client_secret} // '') ne $client->{secret};
    my $given = delete $code{ $form->{code} // '' };
    return refused($json, 'bad_verification_code')
        if !$given
        || encode_base64url(sha256($form->{code_verifier} // ''))
        ne ($given->{code_challenge} // '')
        || ($given->{code_challenge_method} // '') ne 'S256';
    return refused($json, 'redirect_uri_mismatch')
        if ($form->{redirect_uri} // '') ne $client->{redirect_uri};
    my $token = 'gho_' . ++$n . 'x' x 32;
    $token{$token} = $given;
    return $json
        ? json(200, {
            access_token => $token,
            scope        => join(',', split / /, $given->{scope}),
            token_type   => 'bearer'
        })
        : (200, [], "access_token=$token&token_type=bearer");
}

sub api
{
    my ($path, $headers) = @_;
    return (403, [], 'Request forbidden by administrative rules.')
        if !$headers->{'user-agent'};
    my ($token) = ($headers->{authorization} // '') =~ /^(?:Bearer|token) (.+)$/;
    my $given = $token{ $token // '' }
        or return message(401, 'Requires authentication');
    return json(200, user($given->{account})) if $path eq '/api/user';
    return message(404, 'Not Found')
        if $given->{scope} !~ /\buser(?::email)?(?: |$)/;
    return json(200, emails($given->{account}));
}

sub answer
{
    my ($method, $url, $headers, $body) = @_;
    my ($path, $query) = split /\?/, $url, 2;
    if ($path eq '/control') {
        $state = decode_json($body) if $method eq 'POST';
        return json(200, \%asked);
    }
    return authorize(decode($query)) if $path eq '/login/oauth/authorize';
    my ($which) = $path =~ m{/(access_token|user|emails)$} or return (404, [], '');
    $which = 'token' if $which eq 'access_token';
    $asked{$which}++;
    my @fault = fault($which);
    return @fault if @fault;
    return $which eq 'token' ? access_token(decode($body), $headers)
        : api($path, $headers);
}

sub handle
{
    my ($peer) = @_;
    my $head = '';
    while ($head !~ /\r\n\r\n/) {
        sysread($peer, $head, 8192, length $head) or return;
    }
    ($head, my $body) = split /\r\n\r\n/, $head, 2;
    my ($first, @lines) = split /\r\n/, $head;
    my ($method, $url) = split / /, $first;
    my %headers = map { my ($name, $value) = split /:\s*/, $_, 2;
        (lc $name => $value) } @lines;
    while (length $body < ($headers{'content-length'} // 0)) {
        sysread($peer, $body, 8192, length $body) or return;
    }

    my ($status, $more, $text) = answer($method, $url, \%headers, $body);
    return if $status eq 'drop';
    if ($status eq 'hold') {
        push @held, $peer;
        return;
    }
    my @more = @$more;
    print {$peer} "HTTP/1.1 $status OK\r\nConnection: close\r\n"
        . 'Content-Length: ' . length($text) . "\r\n";
    while (my ($name, $value) = splice @more, 0, 2) {
        print {$peer} "$name: $value\r\n";
    }
    print {$peer} "\r\n$text";
}

sub serve
{
    ($config) = map { decode_json($_) } @_;
    $SIG{PIPE} = 'IGNORE';
    my $listener = IO::Socket::INET->new(
        LocalAddr => "127.0.0.1:$config->{port}",
        Listen    => 64,
        ReuseAddr => 1
    ) or die "listen: $!\n";
    while (my $peer = $listener->accept) {
        handle($peer);
    }
}

1;
