package Ads::Schema;

# Does an answer fit docs/openapi.json?  Every answer that a test gets through
# Ads::Test->http is asked; what does not fit is reported at the test's end.  Clients
# have to ignore members that they do not know; here one that the file does
# not name is a fault.

use strict;
use warnings;
use File::Basename qw(dirname);
use File::Spec;
use JSON::PP;

# One for each process that asks; undef where the validator is not installed,
# which CI does not put up with.
sub new
{
    my ($class) = @_;
    if (!eval { require JSON::Validator; 1 }) {
        die "JSON::Validator is not installed\n" if $ENV{ADS_CI};
        return undef;
    }

    my $path = File::Spec->rel2abs(dirname(__FILE__))
        . '/../../../docs/openapi.json';
    open my $file, '<:raw', $path or die "$path: $!\n";
    local $/ = undef;
    my $doc = decode_json(<$file>);
    close_objects($doc->{components}{schemas}, $doc->{paths});

    my @paths;
    for my $path (sort keys %{ $doc->{paths} }) {
        my $pattern = quotemeta $path;
        $pattern =~ s/\\\{\w+\\\}/[^\/]+/g;
        push @paths, [qr/^$pattern$/, $path];
    }
    return bless { doc => $doc, paths => \@paths, validators => {} }, $class;
}

# Objects whose members are listed have no others.
sub close_objects
{
    for my $node (@_) {
        my @inner = ref $node eq 'HASH' ? values %$node
            : ref $node eq 'ARRAY' ? @$node : next;
        close_objects(@inner);
        $node->{additionalProperties} //= JSON::PP::false
            if ref $node eq 'HASH' && ref $node->{properties} eq 'HASH'
            && !ref $node->{properties}{type};
    }
}

sub operation
{
    my ($self, $method, $path) = @_;
    $path =~ s/\?.*//s;
    for my $known (@{ $self->{paths} }) {
        next unless $path =~ $known->[0];
        my $operation = $self->{doc}{paths}{ $known->[1] }{ lc $method };
        return ($operation, "$method $known->[1]") if $operation;
    }
    return;
}

sub follow
{
    my ($self, $object) = @_;
    return $object unless ref $object eq 'HASH' && $object->{'$ref'};
    my $found = $self->{doc};
    $found = $found->{$_} for grep { $_ ne '#' } split m{/}, $object->{'$ref'};
    return $found;
}

sub validator
{
    my ($self, $name, $schema) = @_;
    return $self->{validators}{$name} //= do {
        my $validator = JSON::Validator->new;
        $validator->formats->{password} = sub { return };    # for who shows a form
        $validator->schema({
            '$schema'  => 'https://json-schema.org/draft/2019-09/schema',
            allOf      => [$schema],
            components => $self->{doc}{components}
        });
    };
}

# What is wrong with the answer; empty: it fits, or no operation is meant.
sub faults
{
    my ($self, $method, $path, $answer) = @_;
    my ($operation, $name) = $self->operation($method, $path);
    my $status = $answer->{status} or return;
    if (!$operation) {
        return $path =~ m{^/v1/} && $status < 300
            && $method !~ m{^(?:HEAD|OPTIONS)$}
            ? ("$method $path: $status, and no such operation")
            : ();
    }

    # nginx's own, before the module is asked
    return if $status == 414 || $status == 431 || $status == 408;
    my $response = $self->follow($operation->{responses}{$status})
        or return $status >= 500 || $status == 405 || $status == 403
        ? ()
        : ("$name: $status is not declared");

    my ($type) = ($answer->{headers}{'content-type'} // '') =~ m{^([^;\s]+)};
    return if !defined $type || $type eq 'text/html';
    my $content = $response->{content}{$type} // $response->{'x-by-accept'}{$type}
        or return "$name: $status as $type is not declared";
    if ($type eq 'text/csv' && defined $content->{example}) {
        return index($answer->{body}, $content->{example}) == 0 ? ()
            : "$name: other columns than its example's";
    }
    return unless $type =~ m{[/+]json$};

    # read already, and not touched since: numbers are numbers still
    my $json = $answer->{json};
    return "$name: $status is no JSON" unless defined $json;
    my @errors = $self->validator("$name $status $type", $content->{schema})
        ->validate($json);
    return @errors ? "$name: $status: $errors[0]" : ();
}

1;
