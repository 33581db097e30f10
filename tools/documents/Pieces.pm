# SPDX-License-Identifier: MIT
# What a page quotes: the text of each piece that tools/documents/quote fills in, made of sources, of results and of
# programs that are run. quote's head says how a page names a piece. A maker returns the text, and where its source
# is a file the line where it begins there, or dies with a reason.
package Pieces;
use strict;
use warnings;
use Cwd qw(getcwd);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use lib dirname(__FILE__), dirname(__FILE__) . '/..', dirname(__FILE__) . '/../measure';
use Course;
use Programs;
use Sanitizer;
use Values;

our @EXPORT = qw($document $folder $text line_at beside recording finding %piece);
our ($document, $folder, $text);    # the page at work: its name, its folder with a slash, what it holds
our %piece = (                      # what makes a piece, and whether it stands in a fenced block
    results  => [1, sub { results(split ' ', $_[0], 2) }],
    snippet  => [1, sub { snippet(split ' ', $_[0]) }],
    access   => [1, sub { access($_[0]) }],
    counts   => [1, sub { counts($_[0]) }],
    report   => [1, sub { report($_[0]) }],
    terminal => [1, sub { terminal($_[0]) }],
    kinds    => [1, sub { kinds(beside($_[0])) }],
    verdicts => [0, sub { verdicts(beside($_[0])) }],
    unseen   => [0, sub { unseen(beside($_[0])) }],
    table    => [0, sub { table(split ' ', $_[0], 2) }],
);
my $here = getcwd();

sub line_at { my ($string, $offset) = @_; return 1 + (substr($string, 0, $offset) =~ tr/\n//) }

# The text of a file beside the document, which may be the document itself.
sub beside {
    my ($file) = @_;
    return "$folder$file" eq $document ? $text : slurp("$folder$file") // die "no $file\n";
}

# Device and date of a file of results; runtime, multiprocessors, l2_mib. Empty where it has none.
sub recording {
    my ($results) = @_;
    my %recording;
    ($recording{date}) = $results =~ /\A# .*, (\d{4}-\d\d-\d\d)$/m or return {};
    @recording{qw(device multiprocessors l2_mib runtime)} =
        $results =~ /^Device \d+: (.*?), (\d+) \w+, .* memory, (?:([\d.]+) MiB L2,\s)?(?:.|(?<=,)\n)*?runtime ([\d.]+)$/m
        or ($recording{device}) = $results =~ /^\$ .*\n([^,\n]*),/m    # without experiments: as its program says
        or return {};
    return \%recording;
}

# ---- Sources and results -----------------------------------------------------------------------
sub results {
    my ($file, $program) = @_;
    my ($section, $offset) = section(beside($file), $program) or die "$file has no $program\n";
    my $recording = recording(beside($file));
    $recording->{device} // die "$file has no line of its device\n";
    my ($name, $options) = $program =~ m{^([./\w]+)(.*)$};
    my ($source) = glob "${folder}experiments/[0-9]*_$name.cu";
    my $command = $source ? './' . $source =~ s{^\Q$folder\E|\.cu$}{}gr . $options : $program;
    return ("\$ $command    # $recording->{device}, $recording->{date}\n$section", line_at(beside($file), $offset) - 1);
}

# From the line at the left margin that names the function to the brace that closes it.
sub snippet {
    my ($file, @names) = @_;
    my $source = beside($file);
    return ($source, 1) if !@names;
    return ($source =~ s{^//\n// SPDX-License-Identifier.*\n}{}mr, 1) if "@names" eq 'whole';
    my ($line, @found);
    for my $name (@names) {
        $source =~ /^((?:[a-z_][^\n;]*\n)?[a-z_][^\n;=]*\b\Q$name\E\([^;]*?\{(?:[^\n]*\}\n|.*?\n\}\n))/ms
            or die "$file has no function $name\n";
        $line //= line_at($source, $-[1]);
        push @found, $1;
    }
    return (join("\n", @found), $line);
}

# ---- Programs that are run ---------------------------------------------------------------------
my $scratch = tempdir(CLEANUP => 1);
my (%traced, %compiled);    # what a program printed on stderr, and its exit code; programs by their sources

sub traced {
    my ($table, $source, @arguments) = @_;
    return @{ $traced{"$source @arguments"} //= do {
        -f $source or die "no $source\n";
        delete @ENV{ grep { /^(?:ACCESS|CPU_DEVICE)_/ } keys %ENV };
        local $ENV{ACCESS_TABLE} = $table;
        my ($code, undef, $said);
        my $program = $compiled{"$table $source"} //= do {
            my $to = "$scratch/traced" . keys %compiled;
            ($code, undef, $said) = run('cudacc/cudacc', $table ? '-O2' : (), '--trace', $source, '-o', $to);
            die "$source does not compile\n$said" if $code;
            $to;
        };
        chdir $scratch or die "$scratch: $!\n" if !$table;    # a report names sources as one sees them from here
        ($code, undef, $said) = run($program, @arguments);
        chdir $here or die "$here: $!\n";
        [$said, $code];
    } };
}

# What a program of cudacc/tests/trace/errors reports, and with which exit code it ends; or what it finds, alone.
sub report {
    my ($name, $alone) = $_[0] =~ /^(\w+)(, findings)?$/ or die "no $_[0]\n";
    my ($program) = grep { $_->{name} eq $name } map { programs_of($_) } glob 'cudacc/tests/trace/errors/*.cu' or die "no program $name\n";
    my ($said, $code) = traced(0, $program->{file}, $program->{argument} || ());
    my ($base) = $program->{file} =~ m{(\w+)\.cu$};
    $said = $alone ? $said =~ s/^CPU device: \d+ errors?.*\n\z//mr : "${said}(exit code $code)\n";
    return "\$ cudacc --trace $base.cu -o $base && ./$base" . ($program->{argument} && " $name") . "\n$said";
}

# What somebody sees who types the commands at the root; cudacc and the program print on stderr alone.
sub terminal {
    my ($source) = @_;
    -f $source or die "no $source\n";
    my ($name) = $source =~ m{(\w+)\.cu$};
    delete local @ENV{ grep { /^(?:ACCESS|CPU_DEVICE)_/ } keys %ENV };
    my @compile = ('cudacc/cudacc', '--trace', $source);
    my ($code, $out, $said) = run(@compile, '-o', "$scratch/$name");
    die "$source does not compile\n$said" if $code;
    (undef, $out, my $report) = run("$scratch/$name");
    return "\$ @compile -o $name\n$said\$ ./$name\n$out$report";
}

sub access {
    my ($command, $kth) = $_[0] =~ /^(.*?)(?:, (\d+))?$/;
    my ($file, @arguments) = split ' ', $command;
    my ($said) = traced(1, "$folder$file", @arguments);
    $said =~ s/^\n//;
    return $said if !defined $kth;
    return ((split /\n\n/, $said)[$kth] // die "$file has no launch $kth\n") . "\n";
}

sub counts {
    my ($program) = @_;
    my ($code, $table, $why) = run('tools/measure/access', 'recorded', split m{/}, $program);
    return $code ? die $why : $table;
}

# ---- Tables ------------------------------------------------------------------------------------
sub all_rows {
    my ($file, $program) = @_;
    return text_rows(section(beside($file), $program)) if $file =~ /\.txt$/;
    return grep { $_->{program} eq $program && $_->{variant} ne 'finding' } csv_table(beside($file));
}

# The rows that a table asks for, in its order.
sub table_rows {
    my ($file, $program, $with, $wanted, @where) = @_;
    my %more = map { $_->{variant} => $_ } $with ? all_rows($with, $program) : ();
    my @rows = map { { %{ $more{ $_->{variant} } // {} }, %$_ } } all_rows($file, $program);
    @rows = fitting(\@where, @rows);
    return @rows if !defined $wanted;
    return map {
        my ($row, $name) = ($_);
        ($row, $name) = ($1, $2) if !(grep { $_->{variant} eq $row } @rows) && /^(.*) as (.*)$/;
        my ($variant, @conditions) = split /\s*;\s*(?=\w+=)/, $row;
        my @found = fitting(["variant=$variant", @conditions], @rows);
        @found == 1 or die "$file has " . @found . " rows '$row' of $program\n";
        +{ %{ $found[0] }, defined $name ? (variant => $name) : () };
    } split /\s*\|\s*/, $wanted;
}

# A cell: a field, or with = before it what an expression of fields comes to.
sub cell {
    my ($row, $first, $term, $format) = @_;
    if ($term =~ /^=(.+)$/) {
        my ($value) = values_of($1, { known => $row });
        return sprintf $format, $value;
    }
    my ($field, $factor, $regex) = $term =~ m{^(\w+)(?:\*([\d.e-]+)|/first|\{(.*)\})?$} or die "cannot read '$term'\n";
    my $value = $row->{$field} // die "no column $field\n";
    ($value) = $value =~ /$regex/ or die "no /$regex/ in the column $field\n" if defined $regex;
    return $value if $format eq '%s' || $value eq '';
    return sprintf $format, $term =~ m{/first$} ? $value / $first->{$field} : $value * ($factor // 1);
}

# The samples' range in percent, of a row that has one worth reporting. (A program's spread is another.)
sub range_of {
    my ($row) = @_;
    my ($median, $least, $greatest) = map { $row->{$_} || 0 } qw(median_ms min_ms max_ms);
    my $range = $median > 0 ? 100 * ($greatest - $least) / $median : 0;
    return $range > 10 ? sprintf ' (range %.0f %%)', $range : '';
}

sub table {
    my ($file, $what) = @_;
    my ($program, @lines) = split /\n/, $what;
    my (@columns, @where, $with, $wanted);
    for (@lines) {
        if (/^column (=\S+|\w+(?:\{.*?\}|\S*)) (.*?) \| (.*)$/) { push @columns, [$1, $2, $3] }
        elsif (/^rows (.*)$/)               { $wanted = $1 }
        elsif (/^where (\w+=.*)$/)          { push @where, $1 }
        elsif (/^with (\S+)$/)              { $with = $1 }
        else                                { die "cannot read '$_'\n" }
    }
    my @rows = table_rows($file, $program, $with, $wanted, @where) or die "$file has no such rows of $program\n";
    my @table = ([map { $_->[2] } @columns], [map { $_->[1] eq '%s' ? '---' : '---:' } @columns]);
    my $says_spread = grep { $_->[0] =~ /^(?:min_ms|max_ms|spread)/ } @columns;
    my ($measured) = $says_spread ? () : grep { $columns[$_][0] =~ /^(?:median_ms|gb_per_s)/ } 0 .. $#columns;
    for my $row (@rows) {
        my @cells = map { cell($row, $rows[0], $_->[0], $_->[1]) } @columns;
        $cells[$measured] .= range_of($row) if defined $measured;
        push @table, \@cells;
    }
    return join '', map { '| ' . join(' | ', map { s,__,\\_\\_,gr } @$_) . " |\n" } @table;
}

# ---- Findings ----------------------------------------------------------------------------------
my %findings;    # the rows of a file

# The finding that "CHAPTER/PROGRAM.NAME" names, as a sentence, or its value in a FORMAT. Results that
# lack it leave what stands there, or, `strictly`, are an error.
sub finding {
    my ($wanted, $was, $strictly) = @_;
    my ($chapter, $program, $name, $device, $format) =
        $wanted =~ m{^(\w+)/(\w+)\.(.*?)(?:@(\w+))?(?: (%\S+))?$} or die "cannot read '$wanted'\n";
    my $file = "$chapter/results/" . ($device // 'nvidia_h200') . '.csv';
    $findings{$file} //= [grep { $_->{variant} eq 'finding' } csv_table(slurp($file))];
    my ($row) = grep { $_->{program} eq $program && $_->{parameter} eq $name } @{ $findings{$file} };
    die "$file has no finding $program.$name\n" if !$row && $strictly;
    return !$row ? $was : defined $format ? sprintf $format, $row->{value} : $row->{flag} =~ s/(?<=\d) us\b/ \xc2\xb5s/gr;
}

1;
