# SPDX-License-Identifier: MIT
# Expressions of measured numbers, as the lists of numbers in documents and NN_x/questions hold them:
# numbers, + - * / ( ), abs( ), and these terms:
#
#   PROGRAM[VALUE; COLUMN=VALUE].COLUMN  a field of the one row of PROGRAM in which some column is VALUE,
#                                        and COLUMN is VALUE (or <=, or >=)
#   min PROGRAM[...].COLUMN, max ...     of all rows that fit
#   PROGRAM{REGEX}                       what the first group of REGEX finds in what PROGRAM printed
#   PROGRAM.NAME                         the value of its finding NAME
#   NAME                                 what the caller knows by this name
#
# PROGRAM may have options, as its results do: l2_edge --quick. A term alone may be a text.
package Values;
use strict;
use warnings;
use Exporter qw(import);

our @EXPORT = qw(section text_rows fitting programs_in values_of);

# What a file of results (.txt) holds for a program, and at which offset; nothing if it is not there.
# Where counters were read, it ran with --quick and a size.
sub section {
    my ($results, $program) = @_;
    return $results =~ m{^(?:\$ (?:experiments/\d+_)?|# \S*/)\Q$program\E(?: --quick[^\n]*)?(?:, [\d-]+)?\n(.*?)(?=\n(?:\$|#) |\z)}ms
        ? ($1, $-[1]) : ();
}

# The rows of the tables in a text, each a hash by column; two blanks or more part the columns.
sub text_rows {
    my ($text) = @_;
    my (@names, @rows);
    for my $line (grep { !/^#+$/ } split /\n/, $text) {
        my @fields = split /\s{2,}/, $line =~ s/^\s+//r;
        if ($line =~ /^variant /) {
            @names = @fields;
        } elsif (@names && @fields >= @names) {
            my %row;
            @row{@names} = @fields;
            push @rows, \%row;
        }
    }
    return @rows;
}

# The rows that fit all conditions: "VALUE", "COLUMN=VALUE".
sub fitting {
    my ($conditions, @rows) = @_;
    for my $condition (@$conditions) {
        my ($key, $order, $wanted) = $condition =~ /^(?:(\w+)([<>]?=))?(.*)$/;
        @rows = grep {
            my $row = $_;
            my $is = defined $key ? $row->{$key} // '' : '';
            !defined $key ? grep { defined && $_ eq $wanted } values %$row
                : $order eq '=' ? $is eq $wanted
                : $is =~ /^[\d.]+$/ && ($order eq '<=' ? $is <= $wanted : $is >= $wanted);
        } @rows;
    }
    return @rows;
}

my $term = qr~(?<![\w.])(?!abs\()(?:(?:(?<pick>min|max)\ )?(?<program>(?:\./)?[A-Za-z]\w*(?:\ --\w+(?:\ \d\w*)?)*)
    (?:\[(?<row>[^\]]*)\]\.(?<column>\w+)|\{(?<regex>[^}]*)\}|\.(?<finding>[A-Za-z]\w*))|(?<name>[A-Za-z_]\w*))~x;

# The programs whose results an expression takes.
sub programs_in {
    my ($expression) = @_;
    my @programs;
    while ($expression =~ /$term/g) { push @programs, $+{program} // () }
    return @programs;
}

# A term's value. What it is taken from is {name, rows => sub of a program, said => sub of a program, known}.
sub value {
    my ($from, %term) = @_;
    return $from->{known}{ $term{name} } // die "what is $term{name}?\n" if defined $term{name};
    if (defined $term{regex}) {
        return ($from->{said}->($term{program}) // '') =~ /$term{regex}/m ? $1 : die "$from->{name} has no /$term{regex}/\n";
    }
    my $row = $term{row} // "variant=finding; parameter=$term{finding}";
    my $column = $term{column} // 'value';
    my @fields = grep { defined && /^[-+]?\d/ } map { $_->{$column} } fitting([split /\s*;\s*/, $row], $from->{rows}->($term{program}));
    die "$from->{name} has " . @fields . " numbers for $term{program}\[$row].$column\n" if $term{pick} ? !@fields : @fields != 1;
    @fields = sort { $a <=> $b } map { s/%$//r } @fields;
    return $fields[($term{pick} // '') eq 'max' ? -1 : 0];
}

# The value of an expression, or of those in "A < B < C".
sub values_of {
    my ($expression, $from) = @_;
    return value($from, %+) if $expression =~ /^$term$/;
    my $numbers = $expression =~ s{$term}{ '(' . (0 + value($from, %+)) . ')' }ger;
    return map {
        m{^(?:abs(?=\()|[\d.eE+\-*/() ])+$} or die "cannot read '$expression'\n";
        eval $_ // die $@ =~ /division by zero/ ? "divided by zero\n" : "cannot read '$expression'\n";
    } split /</, $numbers, -1;
}

1;
