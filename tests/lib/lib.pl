# What tests repeat. A test begins with
#
#     use FindBin;
#     require "$FindBin::Bin/../lib/lib.pl";
#
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);

# The root of the repository.
sub root { return abs_path(dirname(__FILE__) . '/../..') }

# A folder for what a test makes, gone when it ends, and in it `course`, a link to the root of the
# repository: a name that needs no quotes, whatever the folder of the course is called.
sub scratch_and_root {
    my $scratch = tempdir(CLEANUP => 1);
    symlink root(), "$scratch/course" or die "$scratch/course: $!\n";
    return ($scratch, "$scratch/course");
}

# A file's text; '' where there is none.
sub slurp {
    my ($name) = @_;
    open my $file, '<', $name or return '';
    local $/;
    return <$file> // '';
}

# Writes a file, in a folder that is made if need be.
sub spew {
    my ($name, $text, $mode) = @_;
    make_path(dirname($name));
    open my $file, '>', $name or die "$name: $!\n";
    print $file $text;
    close $file or die "$name: $!\n";
    chmod $mode, $name if defined $mode;
    return;
}

# Copies files and folders into a folder. What one may only read here may be written there.
sub copy_into {
    my ($folder, @from) = @_;
    return system('cp', '-R', @from, $folder) == 0 && system('chmod', '-R', 'u+w', $folder) == 0;
}

# Is there such a tool on the PATH?
sub found { return scalar grep { -x "$_/$_[0]" } split /:/, $ENV{PATH} }

# A text as one word of a shell command.
sub quoted { return "'" . $_[0] =~ s/'/'\\''/gr . "'" }

# Of $?, as the tests name it: an exit code, or "signal N".
sub code { my ($status) = @_; return $status & 127 ? 'signal ' . ($status & 127) : $status >> 8 }

my $output_folder = tempdir(CLEANUP => 1);    # now: a test may change TMPDIR

# Runs a shell command: code, stdout, stderr.
sub sh {
    my ($command) = @_;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDOUT, '>', "$output_folder/stdout";
        open STDERR, '>', "$output_folder/stderr";
        exec('sh', '-c', $command) or exit 127;
    }
    waitpid $pid, 0;
    return (code($?), slurp("$output_folder/stdout"), slurp("$output_folder/stderr"));
}

# The same: code, and both outputs in one text.
sub output_of {
    my ($command) = @_;
    my $text = `$command 2>&1`;
    return (code($?), $text);
}

# The fields of a line of CSV, without their quotes; nothing where it is not well formed.
sub fields {
    my ($line) = @_;
    my @fields;
    while ($line =~ /\G(?:"((?:[^"]|"")*)"|([^",]*))(,|\z)/gc) {
        push @fields, defined $1 ? $1 =~ s/""/"/gr : $2;
        return @fields if $3 eq '';
    }
    return;
}

1;
