# SPDX-License-Identifier: MIT
# The programs of cudacc/tests/trace/errors: several to a file. A section that begins with `// ---- NAME: ` is one,
# which `./file NAME` runs; a file without such a section is one as a whole.
package Programs;
use strict;
use warnings;
use Exporter qw(import);
use Course;

our @EXPORT = qw(programs_of by_program);

# Name, file, what is given to it when it is run, the first line, and text.
sub programs_of {
    my ($file) = @_;
    my $text = slurp($file) // die "no $file\n";
    my ($whole) = $file =~ m{([^/]+)\.cu$};
    my ($first, @programs) = (1);
    for my $part (split m{^(?=// ---- \w+: )}m, $text) {
        my ($name) = $part =~ m{\A// ---- (\w+): };
        push @programs, { name => $name, file => $file, argument => $name, first => $first, text => $part } if defined $name;
        $first += $part =~ tr/\n//;
    }
    return @programs ? @programs : { name => $whole, file => $file, argument => '', first => 1, text => $text };
}

# A report or a list of errors, with the places in its program as if that had a file of its own: so they
# stay as they are when another program of the file grows.
sub by_program {
    my ($program, $text) = @_;
    my ($base) = $program->{file} =~ m{([^/]+)\.cu$};
    my $last = $program->{first} - 1 + ($program->{text} =~ tr/\n//);
    my $place = sub { my ($line, $between) = @_; return $line < $program->{first} || $line > $last ? "$base.cu$between$line" : "$program->{name}.cu$between" . ($line - $program->{first} + 1) };
    return $text =~ s{\b\Q$base\E\.cu([:,])(\d+)}{$place->($2, $1)}ger;
}

1;
