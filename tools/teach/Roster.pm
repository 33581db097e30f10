# SPDX-License-Identifier: MIT
# Who is who: a roster (or the gradebook that an LMS exported), and what an instructor has decided, overrides.csv.
# An ID, login or address is the same as another one whole, or not at all.
package Roster;
use strict;
use warnings;
use Encode qw(decode);
use Exporter qw(import);
use Unicode::Normalize qw(NFC);
use Collect ();
use Course;
use Exercises;

our @EXPORT = qw(read_people roster same_person may_be by_handin folded read_overrides csv_line);

# What tells students apart, the surest first.
my @kinds = qw(canvas id login email moodle);
my %column = (
    canvas => qr/^canvas (?:user )?(?:id|number)$/,
    moodle => qr/^identifier$/,
    id     => qr/^(?:(?:student|sis|sis user|user) ?)?(?:id|number|id number)$/,
    login  => qr/^(?:sis )?(?:login|login id|username|user name)$/,
    email  => qr/^e-?mail(?: address)?$/,
    name   => qr/^(?:full |student )?(?:name|student)$/,
    folder => qr/^(?:hand-in|folder)$/,                     # as the hand-in is called
    time   => qr/^last modified \(submission\)$/,    # Moodle
);

sub folded { return NFC(lc $_[0]) =~ s/^\s+|\s+$//gr }
sub squeezed { return folded($_[0]) =~ s/[\W_]+//gr }

# A line of a table, a cell in quotes only where it has to be.
sub csv_line { return join(',', map { my $x = $_ // ''; $x =~ /[",\n]/ ? '"' . $x =~ s/"/""/gr . '"' : $x } @_) . "\n" }

# A table's rows, the head first.
sub table_in {
    my ($file) = @_;
    my $bytes = -f $file ? slurp($file) : undef;
    die "$file: it cannot be read\n" if !defined $bytes;
    my @rows = eval { Course::csv_rows(decode('UTF-8', (repaired($bytes))[0])) } or die "$file: ", $@ || "it is empty\n";
    return @rows;
}

# A table's head, and its rows, each with who it is: { kind => text }. In a gradebook of Canvas the column ID has
# Canvas's own number.
sub read_people {
    my ($file) = @_;
    my ($head, @rows) = table_in($file);
    my $canvas = grep { /^sis /i } @$head;
    my %at;
    for my $n (0 .. $#$head) {
        my $title = folded($head->[$n]);
        $title = 'canvas id' if $canvas && $title eq 'id';
        for my $kind (grep { $title =~ $column{$_} } sort keys %column) {
            die "$file: its columns '$head->[$at{$kind}]' and '$head->[$n]' are both a student's $kind\n" if defined $at{$kind} && $kind ne 'name';
            $at{$kind} //= $n;
        }
    }
    die "$file: it needs a column id, login or email\n" if !grep { defined $at{$_} } @kinds;
    my @people = map { my $row = $_; +{ map { $_ => ($row->[$at{$_}] // '') =~ s/^\s+|\s+$//gr } keys %at } } @rows;
    for my $p (@people) {
        $p->{moodle} =~ s/^\D+(?=\d)// if defined $p->{moodle};
        $p->{email} = delete $p->{login} if ($p->{login} // '') =~ /@/ && !length($p->{email} // '');
    }
    return ($head, \@rows, \@people);
}

# The students of a roster, each with the ID that all is filed under. Two with the same ID are not told apart: no.
sub roster {
    my ($file) = @_;
    my (undef, undef, $people) = read_people($file);
    my (@students, %seen);
    for my $p (@$people) {
        my ($id) = grep { length } map { $_ // '' } @$p{qw(id login email canvas moodle)};
        if (!defined $id) {
            die "$file: $p->{name} has neither ID nor login nor email\n" if length($p->{name} // '') && $p->{name} !~ /^Points Possible/;
            next;
        }
        $p->{is} = Collect::safe_id($id);
        for my $key (map({ length($p->{$_} // '') ? "$_ " . folded($p->{$_}) : () } @kinds), 'ID ' . lc $p->{is}) {
            die "$file: two students have the $key\n" if $seen{$key}++;
        }
        push @students, $p;
    }
    return @students;
}

# Are two the same? The surest that both have decides. Moodle's numbers are another assignment's, or not: the names
# have to be the same, too.
sub same_person {
    my ($p, $q) = @_;
    my ($kind) = grep { length($p->{$_} // '') && length($q->{$_} // '') } @kinds or return 0;
    return folded($p->{$kind}) eq folded($q->{$kind}) && ($kind ne 'moodle' || folded($p->{name} // '') eq folded($q->{name} // ''));
}

# All that "Smith, Anna Maria" may be called: its words in their order, from any of them on.
sub full_names {
    my ($name) = @_;
    my @words = grep { length } split /[\s,_]+/, folded($name // '');
    return map { join ' ', @words[$_ .. $#words], @words[0 .. $_ - 1] } 0 .. $#words;
}

# ---- Whose a hand-in is -----------------------------------------------------------------------------
# Which students of a roster a unit (Collect.pm) may be, and by what. Whole names and numbers alone.
sub may_be {
    my ($unit, $rows) = @_;
    my $with = sub { my ($kind) = @_; return grep { length($_->{$kind} // '') } @$rows };
    my $named = sub { my ($way) = @_; my $is = $way->($unit->{name}); return grep { grep { $way->($_) eq $is } full_names($_->{name}) } @$rows };
    if (defined $unit->{canvas}) {
        return ("Canvas's user number $unit->{canvas}", grep { $_->{canvas} eq $unit->{canvas} } $with->('canvas')) if $with->('canvas');
        return ('whole name', $named->(\&squeezed));
    }
    my $spaced = sub { return join ' ', grep { length } split /[\s,_]+/, folded($_[0]) };
    if (defined $unit->{moodle}) {
        my @rows = $named->($spaced);
        return ('whole name', @rows) if !$with->('moodle');
        return ("Moodle's number $unit->{moodle}, and whole name", grep { $_->{moodle} eq $unit->{moodle} } @rows);
    }
    if (exists $unit->{people}) {
        return ('several people', ()) if $unit->{people} > 1;
        return ("Gradescope's student ID or address", unique(with_key($rows, $unit->{id}, qw(id login)), with_key($rows, $unit->{email}, 'email')));
    }
    my @rows = with_key($rows, $unit->{name}, qw(id login email folder));
    my @by_name = $named->($spaced);
    return (@rows ? 'whole ID' : 'whole name', unique(@rows, @by_name));
}

# Those of a roster one of whose columns is this, whole.
sub with_key {
    my ($rows, $key, @columns) = @_;
    return if !length($key // '');
    return grep { my $row = $_; grep { folded($row->{$_} // '') eq folded($key) } @columns } @$rows;
}

# What its handin files say, beside what its name does. Returns by what, whether to ask, and who it may be.
sub by_handin {
    my ($unit, $rows, $by, @may) = @_;
    my @ids = unique(map { $_->{id} } @{ $unit->{handins} // [] });
    return ($by, @may != 1, @may) if !@ids;
    my @rows = map { with_key($rows, $_, qw(id login email)) } @ids;
    my $said = 'its handin says ' . join ' and ', @ids;
    my $is_one = @ids == 1 && @rows == 1 && (@may ? grep({ $_ == $rows[0] } @may) : $by =~ /^whole/);
    return ("$by; $said", 1, unique(@may, @rows)) if !$is_one;
    return (@may == 1 ? "$by; $said" : $said, 0, @rows);
}

# ---- What an instructor has decided ----------------------------------------------------------------
# Lines of student, what, value, reason:
#     hand-in      a name of make collect's table: it is this student's; the student -: nobody's
#     file 3.1     which of the student's files is the exercise; file -: it is none; its value `unreadable`: all that
#                  cannot be read
#     handed in    when, UTC
#     due          this student's own
#     points 3.1   by hand, instead of the check's
sub read_overrides {
    my ($file) = @_;
    my ($head, @rows) = table_in($file);
    die "$file: its first line has to be student,what,value,reason\n" if lc join(',', @$head) ne 'student,what,value,reason';
    my (@decided, %seen);
    for (@rows) {
        my %o;
        @o{qw(student what value reason)} = map { ($_ // '') =~ s/^\s+|\s+$//gr } @$_[0 .. 3];
        my $said = "$file: $o{student},$o{what},$o{value}";
        my ($kind, $exercise) = $o{what} =~ /^(hand-in|handed in|due|file -|(?:file|points) (?=\d))(\d+\.\d+)?$/ or die "$said: 'what' is one of: hand-in, file 3.1, handed in, due, points 3.1\n";
        die "$said: a reason is missing\n" if $o{reason} eq '';
        die "$said: whose is missing\n" if $o{student} eq '';
        if ($kind =~ /^(?:handed in|due)$/) {
            $o{value} =~ /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?Z?$/ or die "$said: a time is like 2026-11-30T12:00, in UTC\n";
            $o{value} = $1 . ($2 // ':00') . 'Z';
        }
        die "$said: points are a number\n" if $kind =~ /^points/ && $o{value} !~ /^\d+(?:\.\d+)?$/;
        die "$said: this is decided twice\n" if $seen{ $kind eq 'hand-in' ? "hand-in $o{value}" : lc("$o{student} $o{what} ") . ($kind eq 'file -' ? $o{value} : '') }++;
        push @decided, { %o, kind => $kind =~ s/ -?$//r, exercise => $exercise, said => $said };
    }
    return @decided;
}

1;
