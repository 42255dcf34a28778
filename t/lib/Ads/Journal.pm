package Ads::Journal;

# The journal's files, read by a second pair of eyes: only core/ads_event.h's
# description was used, none of its code.  Signatures are left to the code
# under test; everything else about the bytes is checked here.

use strict;
use warnings;

my $header_len = 64;
my $record_len = 40;

sub uuid
{
    my ($bytes) = @_;
    return join '-', unpack 'H8 H4 H4 H4 H12', $bytes;
}

sub slurp
{
    my ($path) = @_;
    open my $in, '<:raw', $path or die "$path: $!\n";
    local $/;
    return scalar <$in>;
}

# One segment: name, class, node, uuid, size, end (of its last whole record)
# and records {off, len, seq, at_us, type, flags, payload}.
sub read_segment
{
    my ($path) = @_;
    my $bytes = slurp($path);
    my ($magic, $format, $class, $kid, $bom, $pid, $node, $uuid) =
        unpack 'a4 C a C x V V q< a16', $bytes;
    die "$path: no segment\n"
        if $magic ne 'ADSJ' || $format != 1 || $bom != 0x01020304;

    my %segment = (
        name    => $path =~ s{.*/}{}r,
        class   => $class,
        node    => $node,
        uuid    => uuid($uuid),
        size    => length $bytes,
        records => []
    );
    my ($off, $seq) = ($header_len, 0);
    while ($off + $record_len <= length $bytes) {
        my ($len, $zero, $mac, $n, $at_us, $type, $flags) =
            unpack 'V V Q< Q< q< v v', substr $bytes, $off, $record_len;
        last
            if $zero != 0
            || $len < $record_len
            || $len % 8 != 0
            || $len > 4096
            || $off + $len > length $bytes
            || $n != $seq + 1;
        push @{ $segment{records} },
            {
            off     => $off,
            len     => $len,
            seq     => $n,
            at_us   => $at_us,
            type    => $type,
            flags   => $flags,
            payload => substr($bytes, $off + $record_len, $len - $record_len)
            };
        $seq = $n;
        $off += $len;
    }
    $segment{end} = $off;
    return \%segment;
}

sub segments
{
    my ($state_path) = @_;
    return map { read_segment($_) } sort glob "$state_path/journal/*.seg";
}

# Click records as "segment off click_id", in order of the files.
sub click_places
{
    my @places;
    for my $segment (@_) {
        push @places,
            map { "$segment->{uuid} $_->{off} " . uuid(substr $_->{payload}, 0, 16) }
            grep { $_->{type} == 1 } @{ $segment->{records} };
    }
    return @places;
}

sub click_ids
{
    return map { (split ' ')[2] } click_places(@_);
}

# Compiles bench/ingest.c, which writes segments as a worker does.
sub maker
{
    my ($ads) = @_;
    my $out = "$ads->{dir}/tmp/ingest";
    my $cc  = $ENV{CC} || 'cc';
    system(
        $cc, qw(-std=gnu11 -O2 -Wall -Wextra -I. -Icore -o), $out,
        split(' ', $ENV{ADS_CFLAGS} // ''),
        'bench/ingest.c', "$ads->{build}/libadscore.a",
        qw(-lsodium -lutf8proc -lstemmer -lm)
    ) == 0 or die "bench/ingest.c does not build\n";
    return $out;
}

# Makes a segment of n events and returns its file name.  Options: mix (see
# bench/ingest.c), state (another node's), keys (another ring).
sub make
{
    my ($ads, $maker, $publisher, $n, %opt) = @_;
    my @ids = map { $_->[0] }
        @{ $ads->sql('select id from ads.ads order by id') };
    my $out = $ads->run($maker, $opt{state} // "$ads->{dir}/state",
        $opt{keys} // "$ads->{dir}/click.keys",
        $publisher, $n, $opt{mix} // 'dic', @ids);
    return (split ' ', $out)[-1];
}

# Waits until every cursor stands at the end of its file.
sub wait_drained
{
    my ($ads, $seconds) = @_;
    $ads->wait_until(
        sub {
            my %cursor = map { @$_ } @{
                $ads->sql('select segment, off from ads.journal_cursor') };
            for my $segment (segments("$ads->{dir}/state")) {
                return 0
                    if ($cursor{ $segment->{uuid} } // -1) != $segment->{end};
            }
            return 1;
        },
        $seconds // 30,
        'the journal to be committed'
    );
}

1;
