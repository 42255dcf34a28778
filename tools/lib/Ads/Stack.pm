package Ads::Stack;

# One private installation in one folder: a PostgreSQL cluster on a Unix
# socket, adsd and nginx, for the demo and for the tests.  Its configuration
# files are made from nginx.conf.example, what that includes of
# packaging/nginx/, and adsd.conf.example by replacing the values that name
# places, so that all of these are known to run.
#
#     DIR/nginx.conf adsd.conf        DIR/click.keys, made by adsctl init
#     DIR/pg/       the cluster               DIR/log/   one file a program
#     DIR/state/    ad tables and journal     DIR/tmp/   nginx's bodies
#     DIR/mail/     mails, as .eml files      DIR/db/    PostgreSQL's socket
#     DIR/ads.pgpass, operator.pgpass         what the two logins sign in with
#     RUN/          sockets and `live`; RUN is DIR/run unless that is too long
#
# The cluster may be elsewhere: pg_path.
# Started by root its parts are three users, as they are where it is installed:
# nginx's workers www-data, PostgreSQL postgres, and adsd, to whom the folder
# belongs, ads or, where there is no such user, daemon.  nginx's master is root.
# Started by anybody else all of it is that user.

use strict;
use warnings;
use Ads::Process;
use Cwd qw(abs_path);
use File::Path qw(make_path);
use IO::Socket::INET;
use IO::Socket::UNIX;
use JSON::PP;
use POSIX ();
use Time::HiRes qw(time sleep);

# Debian keeps each major version apart
my ($pg_bin) = reverse sort glob '/usr/lib/postgresql/*/bin';

# a Unix socket's path has 107 bytes; the longest name in it is PostgreSQL's
my $run_path_max = 80;

# Options: root (the checkout or a copy of what it built), dir, build, port,
# workers, rates (0 lifts them), log_at_once (the access log has no buffer),
# nginx and nginx_http (lines added to the server and http blocks), adsd
# ({key => value}), run_path, pg_path, base_url, locale (of the database: C).
sub new
{
    my ($class, %opt) = @_;
    my $self = bless {
        build   => 'build',
        workers => 2,
        rates   => 1,
        adsd    => {},
        nginx   => '',
        parts   => {},
        %opt,
    }, $class;

    $self->{user}     = service_user();
    $self->{database_user} = database_user();
    $self->{run_path} //= "$self->{dir}/run";
    $self->{pg_path}  //= "$self->{dir}/pg";
    $self->{db_path}  //= "$self->{dir}/db";
    $self->{base_url} //= "http://127.0.0.1:$self->{port}";
    die "$self->{run_path}: too long for sockets\n"
        if length $self->{run_path} > $run_path_max;
    return $self;
}

# [uid, gid] of the first of these users that is there, when we are root; else
# undef: as ourselves.
sub user
{
    my (@names) = @_;
    return undef if $> != 0;
    for my $name (@names) {
        my ($uid, $gid) = (getpwnam $name)[2, 3];
        return [$uid, $gid] if defined $uid;
    }
    die "there is no user @names\n";
}

# adsd's, whose group is what workers share with it.
sub service_user
{
    return user('ads', 'daemon');
}

sub database_user
{
    return user('postgres');
}

# A worker's: as `user` in nginx.conf says.
sub worker_user
{
    my $worker  = user('www-data') or return undef;
    my $service = service_user();
    return [$worker->[0], $service->[1]];
}

sub too_long
{
    my ($path) = @_;
    return length $path > $run_path_max;
}

sub own
{
    my ($self, @paths) = @_;
    give($self->{user}, @paths);
}

sub give
{
    my ($user, @paths) = @_;
    return unless $user;
    chown @$user, @paths or die "chown @paths: $!\n";
}

# For adsd, unless another user is named.
sub write_file
{
    my ($self, $path, $text, $mode, $user) = @_;
    open my $out, '>', "$path.new" or die "$path: $!\n";
    chmod $mode // 0640, $out;
    print {$out} $text or die "$path: $!\n";
    close $out or die "$path: $!\n";
    give($user || $self->{user}, "$path.new");
    rename "$path.new", $path or die "$path: $!\n";
}

sub read_file
{
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    local $/;
    return scalar <$in>;
}

# ---- configuration ---------------------------------------------------------

# Folders and both configuration files.
sub prepare
{
    my ($self) = @_;
    my $dir    = $self->{dir};
    my %shared = ($dir => 0711, "$dir/log" => 0711, "$dir/tmp" => 0711);
    for my $folder ($dir, $self->{run_path}, map { "$dir/$_" } qw(log state tmp)) {
        make_path($folder);
        $self->own($folder);
        chmod $shared{$folder} // 0710, $folder or die "$folder: $!\n";
    }

    # its socket is for who is in adsd's group and has a password
    make_path($self->{db_path});
    chmod 0710, $self->{db_path} or die "$self->{db_path}: $!\n";
    give([$self->{database_user}[0], $self->{user}[1]], $self->{db_path})
        if $self->{user};
    $self->write_configs;
}

sub write_configs
{
    my ($self) = @_;
    $self->write_file("$self->{dir}/nginx.conf", $self->nginx_conf);
    $self->write_file("$self->{dir}/adsd.conf",  $self->adsd_conf);
}

# Replaces the value of a directive that the example has exactly once.
sub replace
{
    my ($text, $directive, $value) = @_;
    my $n = $$text =~ s/^(\h*)\Q$directive\E\h[^;]*;/$1$directive $value;/gm;
    die "nginx.conf.example: $n lines of $directive\n" if $n != 1;
}

# nginx.conf.example of a checkout, with the text of packaging/nginx/ that it
# includes.
sub nginx_example
{
    my ($root) = @_;
    my $text = read_file("$root/nginx.conf.example");
    $text =~ s{^(\h*)include\h+/usr/share/ngx-ads/nginx/(\S+);\n}{
        my ($indent, $part) = ($1, $2);
        read_file("$root/packaging/nginx/$part") =~ s/^(?=.)/$indent/gmr
    }gme;
    return $text;
}

sub nginx_conf
{
    my ($self) = @_;
    my ($dir, $run) = @{$self}{qw(dir run_path)};
    my $text = nginx_example($self->{root});

    # nginx as an ordinary user cannot change its user
    if ($self->{user}) {
        replace(\$text, 'user', 'www-data ' . getgrgid $self->{user}[1]);
    } else {
        $text =~ s/^user\h.*\n//m;
    }

    # what an upgraded nginx inherits: how its sanitizers report
    $text = join('', map { "env $_;\n" } grep { /SAN_OPTIONS$/ }
            sort keys %{ $self->{env} || {} }) . $text;
    replace(\$text, 'worker_processes', $self->{workers});
    replace(\$text, 'pid', "$run/nginx.pid");
    replace(\$text, 'error_log', "$dir/log/nginx.log notice");
    replace(\$text, 'worker_shutdown_timeout', '5s');
    replace(\$text, 'load_module',
        "$self->{root}/build/ngx_http_ads_module.so");
    $text =~ s/^load_module\h.*\n//m if module_inside();
    replace(\$text, 'ads_state_path', "$dir/state");
    replace(\$text, 'ads_run_path', $run);
    replace(\$text, 'ads_token_key_file', "$dir/click.keys");
    replace(\$text, 'ads_base_url', $self->{base_url});
    replace(\$text, 'listen', "127.0.0.1:$self->{port}");
    replace(\$text, 'server_name', '_');

    $text =~ s{\h\K/var/log/nginx/ads\.log\b}{$dir/log/access.log};
    $text =~ s{\bunix:/run/ads/}{unix:$run/}g;
    $text =~ s/^\h+access_log\h.*\bads\K buffer=[^;]*;/;/m
        if $self->{log_at_once};
    $text =~ s{\h\K/usr/share/ngx-ads/docs/errors\.html}{$self->{root}/build/errors.html}g;
    $text =~ s{\h\K/usr/share/ngx-ads/docs/}{$self->{root}/docs/}g;
    $text =~ s{\h\K/usr/share/ngx-ads/nginx/}{$self->{root}/packaging/nginx/}g;
    $text =~ s{\h\K/usr/share/ngx-ads/dashboard/}{$self->{root}/dashboard/dist/}g;
    $text =~ s{\binclude(\h+)scgi_params;}{include$1/etc/nginx/scgi_params;}g;
    if (!$self->{rates}) {
        $text =~ s/^\h*(?:limit_(?:req|conn)|ads_event_rate)\h.*\n//gm;
        $text =~ s/\h+max_conns=\d+//g;
    }

    my $own = $self->{nginx_http} // '';
    for my $kind (qw(client_body proxy fastcgi scgi uwsgi)) {
        $own .= "    ${kind}_temp_path $dir/tmp/$kind;\n";
    }
    $text =~ s/^http \{\n\K/$own/m or die "nginx.conf.example: no http block\n";
    $text =~ s/^\h+access_log\h.*\bads(?: .*)?;\n\K/$self->{nginx}/m
        or die "nginx.conf.example: no server block\n";
    return $text;
}

# Programs that click from one address, at once and often, are no people.
my %no_limits = (
    person_per_minute => 60_000,
    too_fast_ms       => 0,
    burst_clicks      => 0,
    crowd_clicks      => 0,
    repeat_s          => 0,
);

# The lines of embed/server.conf for a server block, with a publisher's key.
sub embed_conf
{
    my ($self, $key) = @_;
    my $file = "$self->{dir}/publisher.key";
    $self->write_file($file, "$key\n", 0600);
    my $text = read_file("$self->{root}/embed/server.conf");
    $text =~ s{/etc/ngx-ads/publisher\.key}{$file};
    $text =~ s{/usr/share/ngx-ads/embed/}{$self->{root}/embed/};
    return $self->{rates} ? $text : $text =~ s/^\h*limit_req\h.*\n//gmr;
}

# The same, and the demo's shop, whose ads they are.
sub shop_conf
{
    my ($self, $key) = @_;
    my $text = read_file("$self->{root}/examples/shop/server.conf");
    $text =~ s{/usr/share/ngx-ads/shop/}{$self->{root}/examples/shop/};
    return $self->embed_conf($key) . $text;
}

sub adsd_conf
{
    my ($self) = @_;
    my $root   = $self->{root};
    my %value  = (
        database       => $self->conninfo,
        state_path     => "$self->{dir}/state",
        run_path       => $self->{run_path},
        token_key_file => "$self->{dir}/click.keys",
        base_url       => $self->{base_url},
        mail_dir       => "$self->{dir}/mail",
        sql_path       => "$root/sql",
        intent_model   => "$root/data/intent.model",
        guard_path     => "$root/data/guard",
        goods_path     => "$root/data/goods",
        ($self->{rates} ? () : %no_limits),
        %{ $self->{adsd} },
    );

    my $text = read_file("$root/adsd.conf.example");
    for my $key (sort keys %value) {
        my $n = $text =~ s/^(?:#\h)?\Q$key\E = ?.*$/$key = $value{$key}/gm;
        die "adsd.conf.example: $n lines of $key\n" if $n != 1;
    }
    return $text;
}

sub conninfo
{
    my ($self, $user) = @_;
    $user //= 'ads';
    return $self->server . " dbname=ads user=$user"
        . " passfile=$self->{dir}/$user.pgpass";
}

# Where PostgreSQL listens.
sub server
{
    my ($self) = @_;
    return "host=$self->{db_path} port=5432";
}

# ---- parts -----------------------------------------------------------------

my %program = (
    postgres => { signal => 'INT',  stop => 'INT',  seconds => 20 },
    adsd     => { signal => 'TERM', stop => 'TERM', seconds => 20 },
    nginx    => { signal => 'QUIT', stop => 'QUIT', seconds => 15 },
);

sub argv
{
    my ($self, $name) = @_;
    my $dir = $self->{dir};
    return {
        postgres => [
            "$pg_bin/postgres", '-D', $self->{pg_path}, '-k', $self->{db_path}
        ],
        adsd     => [$self->program('adsd'), '-c', "$dir/adsd.conf"],
        nginx    => [
            $self->nginx_program, '-p', $dir, '-c', "$dir/nginx.conf",
            '-e', "$dir/log/nginx.log", '-g', 'daemon off;'
        ],
    }->{$name};
}

sub program
{
    my ($self, $name) = @_;
    return "$self->{root}/$self->{build}/$name";
}

# Debian's, or the one named (make NGINX_SRC=dir).
sub nginx_program
{
    return $ENV{ADS_NGINX} ? abs_path($ENV{ADS_NGINX}) : '/usr/sbin/nginx';
}

# The nginx named was built with the module in it (make NGINX_STATIC=1).
sub module_inside
{
    return 0 unless $ENV{ADS_NGINX};
    my $program = nginx_program();
    return qx('$program' -V 2>&1) =~ /--add-module=/ ? 1 : 0;
}

# Its version, as a number: 1022001 is 1.22.1.
sub nginx_version
{
    my $program = nginx_program();
    my @parts = qx('$program' -v 2>&1) =~ m{nginx/(\d+)\.(\d+)\.(\d+)}
        or die "$program: no version\n";
    return $parts[0] * 1_000_000 + $parts[1] * 1_000 + $parts[2];
}

# The folder a part works in.
sub folder
{
    my ($self, $name) = @_;
    return $name eq 'postgres' ? $self->{pg_path} : $self->{dir};
}

sub user_of
{
    my ($self, $name) = @_;
    return $self->{as}{$name} if exists $self->{as}{$name};
    return $name eq 'postgres' ? $self->{database_user}
        : $name eq 'adsd'      ? $self->{user}
        :                        undef;
}

# Starts one part; does not wait for it.
sub start
{
    my ($self, $name) = @_;
    my $part = Ads::Process->start(
        name   => $name,
        argv   => $self->argv($name),
        user   => $self->user_of($name),
        dir    => $self->folder($name),
        log    => "$self->{dir}/log/$name.out",
        signal => $program{$name}{signal},
        env    => { LC_ALL => 'C.UTF-8', %{ $self->{env} || {} } },
    );
    $self->{parts}{$name} = $part;
    $self->{started}->($part) if $self->{started};
    return $part;
}

sub part
{
    my ($self, $name) = @_;
    return $self->{parts}{$name};
}

# A wait status in words.
sub ending
{
    my ($status) = @_;
    return !defined $status ? 'ended'
        : $status & 127 ? 'was ended by signal ' . ($status & 127)
        :                 'ended with exit code ' . ($status >> 8);
}

# Dies when the part is not there any more, with its last words in `log`.
sub must_live
{
    my ($self, $name, $log) = @_;
    my $part = $self->part($name);
    return if !$part || !$part->ended;
    my $said = $self->tail($log);
    die "$name ", ending($part->{status}),
        $said eq '' ? " and said nothing\n" : ":\n$said";
}

# The processes of a part that runs, by id; dies when there are none.
sub processes
{
    my ($self, $name) = @_;
    my @processes = $self->part($name)->session($self->folder($name));
    die "$name: no processes\n" if !@processes;
    return @processes;
}

# Ends one part and whatever is left of it.  Returns its wait status, undef
# when it had to be killed.
sub stop
{
    my ($self, $name) = @_;
    my $part = delete $self->{parts}{$name} or return 0;
    my $status = $part->stop($program{$name}{stop}, $program{$name}{seconds});
    $self->bury($part);
    return $status;
}

# Kill -9, as a fault would: the part alone, not what it leaves behind.
sub kill_part
{
    my ($self, $name) = @_;
    my $part = $self->{parts}{$name} or return;

    # PostgreSQL's backends hold its shared memory until they notice
    my @rest = $name eq 'postgres'
        ? split ' ', read_file("/proc/$part->{pid}/task/$part->{pid}/children")
        : ();
    $part->signal('KILL');
    $self->wait_until(sub { $part->ended && !grep { -d "/proc/$_" } @rest },
        10, "$name to die");
}

# What a part that died leaves: children without a parent, shared memory.
sub bury
{
    my ($self, $part) = @_;
    $part->sweep($self->folder($part->{name}))
        or die "$part->{name}: cannot be ended\n";
    remove_shared_memory($self->{pg_path}) if $part->{name} eq 'postgres';
}

# A killed PostgreSQL leaves one small System V segment, named in its pid file.
sub remove_shared_memory
{
    my ($cluster) = @_;
    open my $in, '<', "$cluster/postmaster.pid" or return;
    my @lines = <$in>;
    my ($id) = ($lines[6] // '') =~ /^\s*\d+\s+(\d+)/ or return;
    shmctl $id, 0, 0;    # IPC_RMID
}

sub wait_until
{
    my ($self, $test, $seconds, $what) = @_;
    my $deadline = time + $seconds;
    until ($test->()) {
        die "waited $seconds s for $what\n" if time > $deadline;
        sleep 0.01;
    }
}

# ---- PostgreSQL ------------------------------------------------------------

sub postgres_path
{
    return $pg_bin;
}

# Makes the cluster: no network, nothing outside the folder, a password for
# each login, and no syncing, because it lives no longer than the process that
# asked for it.  Its socket's folder is named at each start.  The passwords lie
# in it, so that a copy of it has them, too.
sub init_database
{
    my ($self) = @_;
    my $dir    = $self->{pg_path};
    my $secret = "$self->{dir}/tmp/password";
    my %password = map { $_ => random_hex() } qw(postgres ads operator);

    mkdir $dir, 0700 or die "$dir: $!\n";
    give($self->{database_user}, $dir);
    $self->write_file($secret, "$password{postgres}\n", 0600,
        $self->{database_user});
    my ($status, $out) = $self->try_as($self->{database_user}, "$pg_bin/initdb",
        '-D', $dir, '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', $secret,
        '-E', 'UTF8', '--no-locale', '--no-sync', '--no-instructions');
    die "initdb failed:\n$out" if $status != 0;
    unlink $secret;
    $self->write_file("$dir/passwords",
        join('', map { "$_ $password{$_}\n" } sort keys %password),
        0600, $self->{database_user});
    my $conf = read_file("$dir/postgresql.conf") . <<"END";
listen_addresses = ''
dynamic_shared_memory_type = mmap
max_connections = 60
shared_buffers = 64MB
fsync = off
full_page_writes = off
max_wal_size = 2GB
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
END
    $self->write_file("$dir/postgresql.conf", $conf, 0600,
        $self->{database_user});
}

sub random_hex
{
    open my $in, '<:raw', '/dev/urandom' or die "/dev/urandom: $!\n";
    read $in, my $bytes, 16 or die "/dev/urandom: $!\n";
    return unpack 'H*', $bytes;
}

# An empty database with the roles of sql/roles.sql, and `operator`, a login
# that may migrate and book money.
sub create_database
{
    my ($self) = @_;
    my $script = "$self->{dir}/tmp/logins.sql";

    $self->psql('postgres', 'create database ads template template0 locale '
        . "'" . ($self->{locale} || 'C') . "'");
    $self->run_postgres('psql', '-Xq', '-d', 'postgres', '-f',
        "$self->{root}/sql/roles.sql");
    $self->write_file($script, <<"END", 0600);
create role operator login in role ads_owner, ads_ops, ads_pay;
alter role operator password '@{[ $self->password('operator') ]}';
alter role ads password '@{[ $self->password('ads') ]}';
END
    $self->run_postgres(psql_words('postgres'), '-f', $script);
    unlink $script;
    $self->write_logins;
}

sub password
{
    my ($self, $login) = @_;
    my ($password) =
        read_file("$self->{pg_path}/passwords") =~ /^\Q$login\E (\w+)$/m;
    return $password // die "no login $login\n";
}

# What libpq reads passwords from, a file each.
sub write_logins
{
    my ($self) = @_;
    for my $login (qw(ads operator)) {
        $self->write_file("$self->{dir}/$login.pgpass",
            "*:*:*:$login:" . $self->password($login) . "\n", 0600);
    }
}

sub psql_words
{
    my ($database) = @_;
    return ('psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $database);
}

# A program of PostgreSQL as the superuser: exit code and output.
sub try_postgres
{
    my ($self, $program, @words) = @_;
    local @ENV{qw(PGHOST PGPORT PGUSER PGPASSWORD)} =
        ($self->{db_path}, 5432, 'postgres', $self->password('postgres'));
    return $self->try("$pg_bin/$program", @words);
}

# The same; its output, or dies with it.
sub run_postgres
{
    my ($self, @argv) = @_;
    my ($status, $out) = $self->try_postgres(@argv);
    die "$argv[0] failed:\n$out" if $status != 0;
    return $out;
}

# One statement as the superuser.
sub psql
{
    my ($self, $database, $sql) = @_;
    return $self->run_postgres(psql_words($database), '-c', $sql);
}

# A script likewise: exit code and output.
sub psql_file
{
    my ($self, $database, $file) = @_;
    return $self->try_postgres(psql_words($database), '-f',
        "$self->{root}/$file");
}

sub start_database
{
    my ($self) = @_;
    my $part = $self->start('postgres');
    $self->wait_until(
        sub {
            return $self->database_answers if !$part->ended;

            # the backends of a killed one may live a moment longer
            my $said = $self->tail('postgres.out');
            die "PostgreSQL did not start:\n", $said
                if $said !~ /pre-existing shared memory block/;
            $part = $self->start('postgres');
            return 0;
        },
        60,
        'PostgreSQL'
    );
}

# A killed server's pid file may still be there.
sub database_answers
{
    my ($self) = @_;
    open my $in, '<', "$self->{pg_path}/postmaster.pid" or return 0;
    my @lines = <$in>;
    return @lines >= 8
        && $lines[0] == $self->part('postgres')->{pid}
        && $lines[7] =~ /^ready/;
}

# ---- adsd and nginx --------------------------------------------------------

sub start_adsd
{
    my ($self) = @_;
    $self->start('adsd');
    $self->wait_until(
        sub {
            $self->must_live('adsd', 'adsd.out');
            return defined IO::Socket::UNIX->new(
                Peer => "$self->{run_path}/api.sock");
        },
        30,
        'adsd'
    );
}

sub start_nginx
{
    my ($self) = @_;
    my $part = $self->start('nginx');
    my $file = "$self->{run_path}/nginx.pid";
    $self->wait_until(
        sub {
            $self->must_live('nginx', 'nginx.log');

            # else another program listens there
            my ($pid) = -e $file ? read_file($file) =~ /^(\d+)$/ : ();
            return $pid && $self->is_master($part, $pid)
                && defined $self->connect;
        },
        30,
        'nginx'
    );
}

# Is that process the nginx that was started?
sub is_master
{
    my ($self, $part, $pid) = @_;
    return $pid == $part->{pid};
}

sub connect
{
    my ($self) = @_;
    return IO::Socket::INET->new(
        PeerAddr => "127.0.0.1:$self->{port}",
        Timeout  => 5
    );
}

# Status and body of a plain GET; nothing when there is no answer.
sub get
{
    my ($self, $path) = @_;
    my $socket = $self->connect or return;
    print {$socket} "GET $path HTTP/1.0\r\nHost: localhost\r\n\r\n";
    local $/;
    my $answer = <$socket> // '';
    my ($head, $body) = split /\r\n\r\n/, $answer, 2;
    my ($status) = $head =~ m{^HTTP/\S+ (\d+)} or return;
    return ($status, $body);
}

# Ad tables are loaded and serve.
sub wait_ready
{
    my ($self, $seconds) = @_;
    $self->wait_until(
        sub {
            $self->must_live('adsd',  'adsd.out');
            $self->must_live('nginx', 'nginx.log');
            my ($status) = $self->get('/readyz');
            return $status && $status == 200;
        },
        $seconds,
        '/readyz'
    );
}

# ---- commands --------------------------------------------------------------

# Runs a command as the service user; its output, or dies with it.
sub run
{
    my ($self, @argv) = @_;
    my ($status, $out) = $self->try(@argv);
    die "$argv[0] failed:\n$out" if $status != 0;
    return $out;
}

# The same without checking: exit code and output, both streams together.
sub try
{
    my ($self, @argv) = @_;
    return $self->try_as($self->user_for($argv[0]), @argv);
}

sub try_as
{
    my ($self, $user, @argv) = @_;
    my $pid = open(my $out, '-|') // die "fork: $!\n";
    if ($pid == 0) {
        open STDERR, '>&', \*STDOUT;
        $self->become_as($user, @argv);
    }
    local $/;
    my $text = <$out> // '';
    close $out;
    return ($? & 127 ? 128 + ($? & 127) : $? >> 8, $text);
}

# Replaces this process; for a child only.
sub become
{
    my ($self, @argv) = @_;
    $self->become_as($self->user_for($argv[0]), @argv);
}

# nginx changes its user itself.
sub user_for
{
    my ($self, $program) = @_;
    return $program eq nginx_program() ? undef : $self->{user};
}

sub become_as
{
    my ($self, $user, @argv) = @_;
    chdir $self->{dir};
    my @as = Ads::Process::identity($user);
    @argv = ('setpriv', @as, '--', @argv) if @as;
    exec {$argv[0]} @argv or POSIX::_exit(127);
}

# What adsd's own login may not do.
my %operator_verb = map { $_ => 1 } qw(init migrate balance topup);

sub adsctl_argv
{
    my ($self, @words) = @_;
    my ($verb) = grep { !/^--/ } @words;
    my @login = $operator_verb{ $verb // '' } && -e "$self->{dir}/operator.pgpass"
        ? ('-d', $self->conninfo('operator'))
        : ();
    return ($self->program('adsctl'), '-c', "$self->{dir}/adsd.conf", @login,
        @words);
}

# What `adsctl --json` answers, an object a line; dies when it refuses.  In
# scalar context the first.
sub adsctl
{
    my ($self, @words) = @_;
    my @argv = $self->adsctl_argv('--json', @words);
    my $log  = "$self->{dir}/log/adsctl.out";

    my $pid = open(my $in, '-|') // die "fork: $!\n";
    if ($pid == 0) {
        open STDERR, '>', $log;
        $self->become(@argv);
    }
    my @lines = <$in>;
    close $in
        or die "adsctl @words: exit ", $? >> 8, "\n", $self->tail('adsctl.out');
    my @answers = map { decode_json($_) } grep { /\S/ } @lines;
    return wantarray ? @answers : $answers[0];
}

sub tail
{
    my ($self, $log) = @_;
    open my $in, '<', "$self->{dir}/log/$log" or return '';
    my @lines = <$in>;
    return join '', @lines[ (@lines > 20 ? @lines - 20 : 0) .. $#lines ];
}

1;
