package Ads::Idp;

# Identity providers for tests: oidc-provider from npm as Google and as
# Microsoft (t/oidc/provider.mjs), and a double of GitHub in Perl.
#
#     my $why = Ads::Idp::missing();          # undef, or why there are none
#     my $idp = Ads::Idp->start($dir, kind => 'google', base_url => ...);
#     $idp->account(sub => '1', email => 'ada@shop.example', ...);
#     $idp->control(token => 'garbage');      # until the next control
#     $idp->stop;

use strict;
use warnings;
use lib 'tools/lib';
use Ads::Http;
use Ads::Npm;
use Ads::Process;
use Ads::Test;
use Cwd qw(getcwd);
use JSON::PP;
use Time::HiRes qw(time sleep);

our $tenant = '0f3c9c5e-2f8a-4c39-9a64-7d3f6f5b8e11';

sub slurp
{
    my ($path) = @_;
    open my $in, '<', $path or return '';
    local $/;
    return scalar <$in>;
}

# Where the packages are.
sub packages
{
    return getcwd() . '/build/npm/oidc';
}

# Why there is no provider; undef when there is one.
sub missing
{
    return (Ads::Npm::install('t/oidc'))[1];
}

# Options: kind, base_url (of the service), port, id, secret.
sub start
{
    my ($class, $dir, %opt) = @_;
    my $self = bless {
        port   => Ads::Test::free_port(),
        id     => "client-$opt{kind}",
        secret => "secret-of-$opt{kind}-" . int(rand(1e9)),
        %opt,
    }, $class;
    $self->{origin} = "http://127.0.0.1:$self->{port}";
    $self->{redirect_uri} =
        "$opt{base_url}/v1/auth/oauth/$opt{kind}/callback";
    $self->{process} = Ads::Process->start(
        name   => "idp-$opt{kind}",
        dir    => packages(),
        log    => "$dir/log/idp-$opt{kind}.out",
        signal => 'KILL',
        argv   => [$self->argv],
    );

    my $deadline = time + 30;
    while (time < $deadline) {
        return $self if eval { $self->asked; 1 };
        die "$opt{kind} ended: ", slurp("$dir/log/idp-$opt{kind}.out"), "\n"
            if $self->{process}->ended;
        sleep 0.05;
    }
    die "$opt{kind} does not answer\n";
}

sub argv
{
    my ($self) = @_;
    return ($^X, '-I' . getcwd() . '/t/lib', '-I' . getcwd() . '/tools/lib',
        '-MAds::GitHub', '-e', 'Ads::GitHub::serve(@ARGV)', $self->config)
        if $self->{kind} eq 'github';
    return ('node', 'provider.mjs', $self->config);
}

sub config
{
    my ($self) = @_;
    return encode_json({
        port   => $self->{port} + 0,
        kind   => $self->{kind},
        tenant => $tenant,
        client => {
            id           => $self->{id},
            secret       => $self->{secret},
            redirect_uri => $self->{redirect_uri}
        },
    });
}

# What adsd.conf says of it; the secret's file is `$dir/<kind>.secret`.
sub conf
{
    my ($self, $dir) = @_;
    my ($kind, $origin) = @{$self}{qw(kind origin)};
    my %own = (
        google    => { issuer => $origin, hosts => '' },
        microsoft => { issuer => "$origin/{tenantid}/v2.0" },
        github    => {
            issuer        => "$origin/login/oauth",
            authorize_url => "$origin/login/oauth/authorize",
            token_url     => "$origin/login/oauth/access_token",
            api_url       => "$origin/api",
        },
    );
    my %conf = (
        client_id => $self->{id}, client_secret_file => "$dir/$kind.secret",
        %{ $own{$kind} }
    );
    return map { ("oauth_${kind}_$_" => $conf{$_}) } keys %conf;
}

# ---- what it does ------------------------------------------------------------

sub tell
{
    my ($self, $state) = @_;
    my $answer = Ads::Http::request($self->{port}, 'POST', '/control',
        ['Content-Type' => 'application/json'], encode_json($state));
    die "control: $answer->{status}\n" if $answer->{status} != 200;
    return $answer->{json};
}

# Who signs in from now on, with nothing wrong.
sub account
{
    my ($self, %claims) = @_;
    $self->{account} = \%claims;
    return $self->tell({ account => \%claims });
}

# What goes wrong from now on, for the same person.
sub control
{
    my ($self, %state) = @_;
    return $self->tell({ account => $self->{account}, %state });
}

# How often each of its addresses was asked.
sub asked
{
    my ($self) = @_;
    return Ads::Http::request($self->{port}, 'GET', '/control')->{json}
        // die "no answer\n";
}

sub stop
{
    my ($self) = @_;
    $self->{process}->stop('KILL', 5);
}

1;
