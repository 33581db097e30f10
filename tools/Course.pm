# SPDX-License-Identifier: MIT
# What every tool of the course needs: files, CSV, commands, one line when something is wrong.
#
#     use FindBin;
#     use lib "$FindBin::Bin/..";    # from tools/ROOM/TOOL
#     use Course;
#
# Tests have the same through tests/lib/lib.pl.
package Course;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Glob qw(bsd_glob);

our @EXPORT = qw($root slurp spew short files make_path csv_rows csv_table run quoted without found unique plural shown_build report_of in_parallel);

# The root of the repository.
our $root = abs_path(dirname(__FILE__) . '/..');

# A file's text; undef where there is none.
sub slurp {
    my ($name) = @_;
    open my $file, '<', $name or return undef;
    local $/;
    return <$file> // '';
}

# Writes a file; it has its old text until it has the whole new one, and keeps its mode.
sub spew {
    my ($name, $text) = @_;
    my $made = -e $name && !-f _ ? $name : "$name.$$.new";
    open my $file, '>', $made or die "$made: $!\n";
    print $file $text;
    close $file or die "$made: $!\n";
    chmod((stat $name)[2] & 07777, $made) if $made ne $name && -e $name;
    $made eq $name or rename $made, $name or die "$name: $!\n";
    return;
}

# A chapter's own program as it is shown: on the CPU device the build that counts. And what makes it, in the
# environment, say so below what it prints, and write it to FILE.csv and related files.
sub shown_build { my ($path) = @_; return $path =~ s{(^|/)cpu(?=/\d\d_\w+/\w+\z)}{$1counted}r }
sub report_of { my ($file) = @_; return (ACCESS_TABLE => 'brief', ACCESS_REPORT => "$file.csv") }

# "1 program", "2 programs".
sub plural { my ($count, $what) = @_; return "$count $what" . ($count == 1 ? '' : 's') }

# A path as one reads it: from the root.
sub short { my ($path) = @_; $path =~ s{^\Q$root\E/}{}; return $path }

# The files of a folder that fit the patterns, sorted. The folder's own name may hold anything.
sub files {
    my ($folder, @patterns) = @_;
    my $plain = $folder =~ s/([\\\[\]{}*?~])/\\$1/gr;
    return map { bsd_glob("$plain/$_") } @patterns;
}

# Folders, with those above them.
sub make_path {
    my (@folders) = @_;
    require File::Path;
    File::Path::make_path(@folders, { error => \my $errors });
    my ($folder, $why) = map { %$_ } @$errors;
    die "cannot make $folder: $why; BUILD=dir builds in another place\n" if defined $why;
    return;
}

# CSV text as a list of rows, each a list of fields; a quoted field may hold commas, quotes ("") and
# newlines. Empty lines are no rows, nor are lines before the first row that begin with #. Dies where it
# is not CSV.
sub csv_rows {
    my ($text) = @_;
    my (@rows, @fields);
    pos($text) = 0;
    while (pos $text < length $text) {
        my $no_row = @rows ? qr/\r?\n/ : qr/(?:#[^\n]*|\r?)\n/;
        next if !@fields && $text =~ /\G$no_row/gc;
        $text =~ /\G(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\z)/gc
            or die 'not CSV: ' . substr($text, pos $text, 80) =~ s/\n.*//sr . "\n";
        my $end = $3;
        push @fields, defined $1 ? $1 =~ s/""/"/gr : $2;
        next if $end eq ',' && pos $text < length $text;
        push @fields, '' if $end eq ',';
        push @rows, [@fields];
        @fields = ();
    }
    return @rows;
}

# The same, its first row naming the columns: each row a hash.
sub csv_table {
    my ($head, @rows) = csv_rows($_[0] // '');
    return map { my %row; @row{@$head} = @$_; \%row } @rows;
}

# Runs a command (no shell): its exit code (128 + N after signal N), stdout, stderr.
sub run {
    my (@command) = @_;
    my @files = map { open my $file, '+>', undef or die "a temporary file: $!\n"; $file } 1, 2;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        require POSIX;
        open STDIN, '<', '/dev/null' and open STDOUT, '>&', $files[0] and open STDERR, '>&', $files[1] or POSIX::_exit(126);
        { no warnings 'exec'; exec { $command[0] } @command }
        POSIX::_exit(127);
    }
    waitpid $pid, 0;
    my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    my @said = map { seek $_, 0, 0; local $/; readline($_) // '' } @files;
    return ($code, @said);
}

# A text as one word of a shell command.
sub quoted { return "'" . $_[0] =~ s/'/'\\''/gr . "'" }

# The same text, as long, with blanks for what a pattern finds.
sub without {
    my ($string, $regex) = @_;
    return $string =~ s{$regex}{ $& =~ s/[^\n]/ /gr }ger;
}

# Is there such a tool on the PATH?
sub found { return scalar grep { -x "$_/$_[0]" } split /:/, $ENV{PATH} // '' }

# Calls work(item) in separate processes, `jobs` at a time; then, here, done(item, $?), if there is such a thing.
our $when_ended = sub { };    # what else a process does that is ended
sub in_parallel {
    my ($jobs, $items, $work, $done) = @_;
    require POSIX;
    my @waiting = @$items;
    my %child;
    local @SIG{qw(INT TERM HUP)} = (sub { kill 'TERM', keys %child; exit 130 }) x 3;
    while (@waiting || %child) {
        if (@waiting && keys %child < $jobs) {
            my $item = shift @waiting;
            my $pid = fork // die "fork: $!\n";
            if (!$pid) {
                srand;
                local @SIG{qw(INT TERM HUP)} = (sub { $when_ended->(); POSIX::_exit(130) }) x 3;
                my $ok = eval { $work->($item); 1 };
                print STDERR $@ if !$ok;
                POSIX::_exit($ok ? 0 : 1);
            }
            $child{$pid} = $item;
            next;
        }
        my $pid = waitpid -1, 0;
        my $item = delete $child{$pid} or next;
        $done->($item, $?) if $done;
    }
    return;
}

sub unique { my %seen; return grep { !$seen{$_}++ } @_ }

1;
