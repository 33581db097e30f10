# What tests repeat: Tests.pm says how a test begins.
#
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use lib dirname(__FILE__) . '/../../tools';
use Course qw(csv_table found in_parallel make_path quoted report_of shown_build unique);

$ENV{COURSE_LANG}   = 'en';    # whatever the locale is
$ENV{CUDACC_STRICT} = 1;       # what cudacc makes of a kernel compiles

# The root of the repository.
sub root { return $Course::root }

# A folder for what a test makes, gone when it ends, and in it `course`, a link to the root of the
# repository: a name that needs no quotes, whatever the folder of the course is called.
sub scratch_and_root {
    my $scratch = tempdir(CLEANUP => 1);
    symlink root(), "$scratch/course" or die "$scratch/course: $!\n";
    return ($scratch, "$scratch/course");
}

# What a test of cudacc begins with: in a folder of its own; that, the root and the command. Nothing in the
# environment changes what it traces or runs, nor do variables that are named here.
sub in_scratch {
    my (@more) = @_;
    Test::More::plan(skip_all => 'no build for the CPU device') if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
    delete @ENV{ @more, grep { /^(?:ACCESS|CPU_DEVICE)_/ } keys %ENV };
    my ($scratch, $root) = scratch_and_root();
    chdir $scratch or die "$scratch: $!\n";
    return ($scratch, $root, $ENV{CUDACC} // "$root/cudacc/cudacc");
}

# The compilers that are here, for C++ and for C.
sub compilers {
    my @here = grep { found($_->[0]) && found($_->[1]) } ['g++', 'gcc'], ['clang++', 'clang'];
    Test::More::BAIL_OUT('neither g++ and gcc nor clang++ and clang on the PATH') if !@here;
    return @here;
}

# A file's text; '' where there is none.
sub slurp { return Course::slurp($_[0]) // '' }

# The command lines of all processes; a small system has no ps.
sub processes { return map { slurp($_) =~ s/\0$//r =~ s/\0/ /gr } glob '/proc/[0-9]*/cmdline' }

# Writes a file, in a folder that is made if need be.
sub spew {
    my ($name, $text, $mode) = @_;
    make_path(dirname($name));
    Course::spew($name, $text);
    chmod $mode, $name if defined $mode;
    return;
}

# Copies files and folders into a folder. What one may only read here may be written there.
sub copy_into {
    my ($folder, @from) = @_;
    return system('cp', '-R', @from, $folder) == 0 && system('chmod', '-R', 'u+w', $folder) == 0;
}

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

# Runs a shell command; passes when code, stdout and stderr are these texts, match these patterns, or are undef: any.
sub shows {
    my ($command, @wanted) = @_;
    my $name = pop @wanted;
    my @is = sh($command);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $right = !grep { defined $wanted[$_] && (ref $wanted[$_] ? $is[$_] !~ $wanted[$_] : $is[$_] ne $wanted[$_]) } 0 .. 2;
    Test::More::ok($right, $name) or Test::More::diag("exit code $is[0]\n$is[1]$is[2]");
    return @is;
}

# Runs a shell command, or takes [code, text]; passes when the code is this ('not 0': any other; undef: any) and what was said, both
# outputs in one text, is each of these texts, has these patterns, and after `not =>` has it not. Returns that text.
sub tells {
    my ($command, $wanted, @texts) = @_;
    my $name = pop @texts;
    my ($code, $said) = ref $command ? @$command : output_of($command);
    my $right = !defined $wanted || ($wanted eq 'not 0' ? $code ne '0' : $code eq $wanted);
    while (@texts) {
        my $text = shift @texts;
        my $no = $text eq 'not' and $text = shift @texts;
        my $has = ref $text ? $said =~ $text : $said eq $text;
        $right &&= $no ? !$has : $has;
    }
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    Test::More::ok($right, $name) or Test::More::diag("exit code $code\n$said");
    return $said;
}

# Replaces the first match in a file (a digit by another one, if nothing else is said), expects a command to fail with
# a message, and puts the file back.
sub mistake_caught {
    my ($what, $file, $regex, $wrong, $command, $message) = @_;
    my $right = slurp($file);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    (my $text = $right) =~ s/$regex/$wrong \/\/ ($& + 1) % 10/e or return Test::More::fail("$what: $file has no $regex");
    spew($file, $text);
    my ($code, $output) = output_of($command);
    Test::More::ok($code ne '0' && $output =~ $message, $what) or Test::More::diag("$command:\n$output");
    spew($file, $right);
    return;
}

# Passes when the list is empty, and shows it when it is not.
sub none {
    my ($name, @list) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    Test::More::ok(!@list, $name) or Test::More::diag(join "\n", sort @list);
    return;
}

# The fields of a line of CSV, without their quotes; nothing where it is not well formed.
sub fields {
    my ($row) = eval { Course::csv_rows($_[0]) };
    return @{ $row // [] };
}

1;
