#!/usr/bin/perl
#
# Mails by SMTP: no request waits for the server, none is lost while it is away,
# refuses for now or adsd is killed, and none goes out without TLS beyond this
# machine.
#
# Runs: tsan

use strict;
use warnings;
use lib 't/lib';

use Ads::Test;
use IO::Socket::INET;
use JSON::PP;
use MIME::Base64 qw(decode_base64);
use POSIX ();
use Test::More;
use Time::HiRes qw(time);

# 127.0.0.2 is this machine too, but not by a name that says so
my $port = Ads::Test::free_port();
my $ads  = Ads::Test->new(
    parts => [qw(postgres nginx)],
    adsd  => { mail_url => "smtp://127.0.0.1:$port" }
);
my $talk   = "$ads->{dir}/tmp/smtp";
my $secret = "$ads->{dir}/tmp/smtp-password";
$ads->write_file($secret, "mail-canary\n", 0600);

sub restart_adsd
{
    my (%conf) = @_;
    $ads->stop('adsd') if $ads->part('adsd');
    $ads->{adsd} = { mail_user => 'ads-login',
        mail_password_file => $secret,
        mail_from          => 'Ads <ads@ads.example>', %conf };
    $ads->write_configs;
    $ads->start_adsd;
    $ads->wait_until(
        sub { $ads->http('GET', '/v1/auth/jwks.json')->{status} == 200 },
        30, 'adsd');
}

# A mail server that writes down what it hears.  `answer` is what it says to
# each address it is to send to.
my $server;

sub server_start
{
    my ($answer) = @_;
    my $listen = IO::Socket::INET->new(
        LocalAddr => "0.0.0.0:$port",
        Listen    => 5,
        ReuseAddr => 1
    ) or die "port $port: $!\n";
    $server = fork // die "fork: $!\n";
    return if $server;
    while (my $client = $listen->accept) {
        talk($client, $answer);
        close $client;
    }
    POSIX::_exit(0);
}

sub server_stop
{
    kill 'KILL', $server;
    waitpid $server, 0;
    undef $server;
}

sub talk
{
    my ($client, $answer) = @_;
    my $say = sub { print {$client} "$_[0]\r\n" };
    open my $out, '>>', $talk or POSIX::_exit(1);
    $out->autoflush(1);
    $say->('220 mail.test');
    while (my $line = <$client>) {
        print {$out} $line;
        if ($line =~ /^EHLO/) {
            $say->('250-mail.test');
            $say->('250 AUTH PLAIN');
        } elsif ($line =~ /^AUTH/) {
            $say->('334 ');
            print {$out} "SECRET ", scalar <$client>;
            $say->('235 ok');
        } elsif ($line =~ /^RCPT/) {
            $say->($answer);
        } elsif ($line =~ /^DATA/) {
            $say->('354 go on');
            while (my $part = <$client>) {
                print {$out} $part;
                last if $part eq ".\r\n";
            }
            $say->('250 taken');
        } elsif ($line =~ /^QUIT/) {
            $say->('221 bye');
            last;
        } else {
            $say->('250 ok');
        }
    }
}

sub heard
{
    return -e $talk ? Ads::Stack::read_file($talk) : '';
}

sub hurry
{
    $ads->sql('update ads.mails set next_at = now() returning 1');
}

sub waiting
{
    return $ads->sql_value('select count(*) from ads.mails');
}

sub tried
{
    my ($n) = @_;
    $ads->wait_until(
        sub { ($ads->sql_value('select max(tries) from ads.mails') // 0) >= $n },
        20, "try $n");
}

sub signup
{
    my ($who) = @_;
    return $ads->post('/v1/auth/signup', undef,
        { email => "$who\@shop.example", password => 'a long enough secret' });
}

# ---- no one is there -------------------------------------------------------

restart_adsd(mail_url => "smtp://127.0.0.1:$port");
my $from = time;
is signup('ada')->{status}, 201, 'somebody signs up while no mail goes out';
cmp_ok time - $from, '<', 2.5 * Ads::Test::patience(),
    'and does not wait for that';
tried(1);
is waiting(), 1, 'the mail waits';

server_start('451 later');
hurry();
$ads->wait_until(sub { heard() =~ /^RCPT.*^QUIT/ms }, 20, 'a talk');
is waiting(), 1, 'so it does when the server takes none for now';
like heard(), qr/^RCPT TO:<ada\@shop\.example>\r$/m, 'which was asked';
unlike heard(), qr/^DATA/m, 'and was not told what is in it';
server_stop();

# ---- killed ----------------------------------------------------------------

kill 'KILL', $ads->part('adsd')->{pid};
$ads->stop('adsd');
is waiting(), 1, 'nor is it lost when adsd dies';

unlink $talk;
server_start('250 ok');
hurry();
restart_adsd(mail_url => "smtp://127.0.0.1:$port");
$ads->wait_until(sub { !waiting() }, 20, 'the mail to go out');
my $heard = heard();
like $heard, qr/^MAIL FROM:<ads\@ads\.example>/m, 'it goes out later';
like $heard, qr/^From: Ads <ads\@ads\.example>\r$/m, 'from who is configured';
like $heard, qr/^To: ada\@shop\.example\r$/m, 'to whom it is for';
my ($code) = $heard =~ m{/dashboard/#verify=([\w-]{43})\r$}m;
my ($login) = $heard =~ /^SECRET (\S+)\r$/m;
is decode_base64($login // ''), "\0ads-login\0mail-canary",
    'with the login of the configuration';
is $ads->post('/v1/auth/email/verify', undef, { code => $code })->{status},
    204, 'and a code that works';
my $copies = () = $heard =~ /^DATA\r$/mg;
is $copies, 1, 'once';
server_stop();

# ---- never -----------------------------------------------------------------

unlink $talk;
server_start('550 nobody here');
signup('eve');
$ads->wait_until(sub { heard() =~ /^RCPT TO:<eve/m && !waiting() }, 20,
    'the mail to be given up');
pass 'what the server never takes is given up';
server_stop();

# ---- TLS -------------------------------------------------------------------

unlink $talk;
server_start('250 ok');
restart_adsd(mail_url => "smtp://127.0.0.2:$port");
signup('bob');
$ads->wait_until(sub { heard() =~ /^EHLO/m }, 20, 'a greeting');
is waiting(), 1, 'beyond this machine nothing goes out without TLS';
unlike heard(), qr/^(?:AUTH|MAIL|RCPT|DATA)/m,
    'neither a password nor an address';
server_stop();

my @said = grep { /mail-canary|\@shop\.example|#verify/ }
    map { Ads::Stack::read_file($_) } glob "$ads->{dir}/log/*";
is scalar(@said), 0, 'no log holds a password, an address or a link';

END { kill 'KILL', $server if $server }

$ads->done;
