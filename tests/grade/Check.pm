# SPDX-License-Identifier: MIT
# Checks one exercise: builds a learner's exercise.cu with its check.cu, runs the program under limits
# of time and output, and judges what comes of it. tests/grade/exercises is the command.
#
# An exercise is a folder NN_chapter/exercises/K_name with
#     README.md     what to do; a line of facts (kind, points, minutes, GPU); three hints; exercise.cu;
#                   what it asks to predict, answered
#     exercise.cu   what the learner edits, between two marks; without main
#     check.cu      the check: main, cases, expected results (grade.h); compiled apart from exercise.cu
#     given.h       what both include, where there is such a thing
#     solution.cu, mutants.diff   for whoever maintains or grades: not in the student edition (Mutants.pm)
#
# The program reports on a pipe of its own and signs with a number that it was handed in, so what the
# learner's code prints, or how it ends, proves nothing. The comment at the top of check.cu has lines
# "key: value":
#     build:     plain; else traced, with every access seen, where check.cu does not say so
#     runs:      in-order, late, reversed (CPU_DEVICE_SCHEDULE); facts: its accesses are counted, too
#     unsolved:  how exercise.cu fails as it is handed out: REASON|REASON...: some words of the text
package Check;
use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::MD5 qw(md5_hex);
use Exporter qw(import);
use Fcntl qw(:flock);
use File::Basename qw(dirname);
use File::Find qw(find);
use File::Glob qw(bsd_glob);
use File::Path qw(remove_tree);
use File::Path ();
use File::Temp qw(tempdir);
use List::Util qw(sum);
use POSIX qw(:sys_wait_h :unistd_h dup2 setpgid);
use Time::HiRes qw(time);

our @EXPORT = qw($root $build @stages slurp spew short files make_path all_exercises find_exercise parts wrong check_text fact_text
    first_answers md5_hex);

our $root = abs_path(dirname(__FILE__) . '/../..');
our $build = $ENV{BUILD} || 'build';
$build = "$root/$build" if $build !~ m{^/};

# Where exercises are checked: on the CPU device always, with a GPU on that, too.
our @stages = split ' ', $ENV{GRADE_STAGES} || (($ENV{GRADE_DEVICE} // '') eq 'gpu' ? 'cpu gpu' : 'cpu');
our $running;    # the process group to end when the checker is

# GCC, where it is: it keeps float4 in one access as nvcc does, which clang does not.
our $gcc = system('command -v g++ >/dev/null 2>&1 && command -v gcc >/dev/null 2>&1') == 0;
delete @ENV{qw(CC CXX)} if $gcc;

use constant SIGXCPU => 24;
my $seconds = $ENV{GRADE_SECONDS} || 20;    # for one run; a right answer takes less than one
my $output_limit = 64 * 1024;
my ($begin, $end) = ('// ==== yours, from here ====', '// ==== to here ====');

sub slurp { open my $file, '<', $_[0] or return; local $/; return <$file> }

# A file has its old text until it has the whole new one.
sub spew {
    my ($name, $text) = @_;
    my $made = -e $name && !-f _ ? $name : "$name.$$.new";
    open my $file, '>', $made or die "$made: $!\n";
    print $file $text;
    close $file or die "$made: $!\n";
    $made eq $name or rename $made, $name or die "$name: $!\n";
    return;
}

# A folder, with those above it.
sub make_path {
    my ($folder) = @_;
    File::Path::make_path($folder, { error => \my $errors });
    my ($why) = map { values %$_ } @$errors;
    die "cannot make $folder: $why; BUILD=dir builds in another place\n" if defined $why;
    return;
}

# The files of a folder that fit the patterns, sorted. The folder's own name may hold anything.
sub files {
    my ($folder, @patterns) = @_;
    my $plain = $folder =~ s/([\\\[\]{}*?~])/\\$1/gr;
    return map { bsd_glob("$plain/$_") } @patterns;
}

sub short { my ($path) = @_; $path =~ s{^\Q$root\E/}{}; return $path }

# ---- Exercises ---------------------------------------------------------------------------------
sub load {
    my ($folder) = @_;
    my ($chapter, $k) = $folder =~ m{(\d\d)_\w+/exercises/(\d+)_\w+$};
    my %e = (folder => $folder, id => ($chapter + 0) . ".$k", chapter => $chapter + 0, number => $k);
    my $readme = $e{readme} = slurp("$folder/README.md") // '';
    $e{check} = slurp("$folder/check.cu") // '';
    ($e{title}) = $readme =~ /^# \S+ (.*)$/m;
    ($e{ lc s/.* //r }) = $readme =~ /\*\*$_:\*\* (\w+)/ for 'Kind', 'Points', 'Minutes', 'Needs a GPU';
    ($e{start}) = $readme =~ /^```cuda\n(\/\/ \d+\.\d+ .*?)^```$/ms;
    $e{hints} = [$readme =~ m{<details><summary>Hint \d.*?</summary>\s*(.*?)\s*</details>}sg];
    ($e{asked}) = $readme =~ m{^\*\*Predict first\.\*\*\s+(.*?)\n\n}ms;
    ($e{answered}) = $readme =~ m{<details><summary>The prediction, answered</summary>\s*(.*?)\s*</details>}s;
    $e{$_} = $e{check} =~ m{^//\s+$_:\s+(.*?)\s*$}m ? $1 : '' for qw(build runs unsolved);
    return \%e;
}

sub all_exercises {
    return sort { $a->{chapter} <=> $b->{chapter} || $a->{number} <=> $b->{number} }
        map { load($_) } grep { -f "$_/check.cu" } files($root, '[0-9][0-9]_*/exercises/[0-9]*_*');
}

sub find_exercise {
    my ($id) = @_;
    my @all = all_exercises();
    my ($found) = grep { $_->{id} eq ($id =~ s/^0+//r) } @all;
    return $found if $found;
    my ($chapter) = $id =~ /^0*(\d+)/;
    my @here = grep { $_->{chapter} == ($chapter // 0) } @all;
    print STDERR "There is no exercise $id. There ", @here ? "are, in chapter $chapter: " : 'are: ',
        join(' ', map { $_->{id} } @here ? @here : @all), "\n";
    exit 2;
}

# What stands before, between and behind the marks; nothing when a mark is missing.
sub parts {
    my ($text) = @_;
    return $text =~ /\A(.*?^\Q$begin\E\n)(.*?)(^\Q$end\E\n.*)\z/ms;
}

# ---- Running a program under limits ------------------------------------------------------------
# Runs a command in an empty folder, in a process group of its own. Returns a hash: out, err, report
# (what it wrote to descriptor 3), code or signal, and limit when one ended it: 'time' or 'output'.
# $limit is in seconds of processor time, that a busy machine rejects nothing; one that waits for ever
# gets three times as long.
sub run_limited {
    my ($command, $environment, $input, $limit) = @_;
    my $folder = tempdir(CLEANUP => 0);
    my %pipe;
    for my $name (qw(in out err report)) {
        pipe my $read, my $write or die "pipe: $!\n";
        $pipe{$name} = [$read, $write];
    }
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        setpgid(0, 0);
        chdir $folder or POSIX::_exit(126);
        my %keep = map { $_ => $ENV{$_} } grep { defined $ENV{$_} } qw(PATH TMPDIR LD_LIBRARY_PATH CUDA_VISIBLE_DEVICES);
        %ENV = (%keep, LC_ALL => 'C', GRADE_REPORT => 1, %$environment);
        my @ends = (fileno $pipe{in}[0], map { fileno $pipe{$_}[1] } qw(out err report));
        dup2($ends[$_], 60 + $_) for 0 .. 3;    # out of the way first: a pipe may have the number 3
        dup2(60 + $_, $_) for 0 .. 3;
        POSIX::close($_) for 4 .. 63;
        # Each process, also one that leaves the process group; and the size of files.
        my $limits = "ulimit -S -t $limit; ulimit -H -t @{[$limit + 2]}; ulimit -f 400000";
        exec('sh', '-c', "$limits; exec \"\$@\"", 'sh', @$command)
            or POSIX::_exit(127);
    }
    setpgid($pid, $pid);
    $running = $pid;
    close $pipe{in}[0];
    close $pipe{$_}[1] for qw(out err report);
    { local $SIG{PIPE} = 'IGNORE'; syswrite $pipe{in}[1], $input; close $pipe{in}[1]; }

    my %result = (out => '', err => '', report => '');
    my %open = map { fileno $pipe{$_}[0] => $_ } qw(out err report);
    my $deadline = time() + 3 * $limit;
    my ($status, $after);
    while (1) {
        my $bits = '';
        vec($bits, $_, 1) = 1 for keys %open;
        my $ready = select $bits, undef, undef, 0.05;
        for my $number ($ready > 0 ? grep { vec $bits, $_, 1 } keys %open : ()) {
            my $name = $open{$number};
            my $got = sysread $pipe{$name}[0], $result{$name}, 65536, length $result{$name};
            delete $open{$number} if !$got;
            $result{limit} = 'output' if length $result{$name} > $output_limit;
        }
        if (!defined $status && waitpid($pid, WNOHANG) == $pid) {
            $status = $?;
            $after = time() + 0.3;    # for what its children still hold open
        }
        $result{limit} //= 'time' if !defined $status && time() > $deadline;
        last if $result{limit} || (defined $status && (!%open || time() > $after));
    }
    kill 'KILL', -$pid;
    if (!defined $status) { waitpid $pid, 0; $status = $? }
    $running = undef;
    remove_tree($folder);
    $result{limit} //= 'time' if ($status & 127) == SIGXCPU;
    $result{code} = $status >> 8;
    $result{signal} = $status & 127 if $status & 127;
    return \%result;
}

# Runs a compiler or a tool of its; what it printed, and its exit status.
sub output_of {
    my (@command) = @_;
    my $pid = open(my $pipe, '-|') // die "fork: $!\n";
    if ($pid == 0) {
        open STDERR, '>&', \*STDOUT;
        exec('sh', '-c', 'ulimit -t 120; exec "$@"', 'sh', @command) or POSIX::_exit(127);
    }
    local $/;
    my $text = <$pipe> // '';
    close $pipe;
    return ($text, $?);
}

# What a command printed, or nothing when it succeeded.
sub quietly {
    my (@command) = @_;
    my ($text, $status) = output_of(@command);
    return $status ? $text || "@command failed\n" : '';
}

# ---- Building ----------------------------------------------------------------------------------
my $cudacc = $ENV{CUDACC} || "$root/common/cpu_device/cudacc";
my $can_trace;

sub can_trace { return $can_trace //= (output_of($cudacc, '--help'))[0] =~ /--trace/ ? 1 : 0 }

sub compiler {
    my ($e, $stage) = @_;
    return ($ENV{NVCC} || 'nvcc', '-O3', '-lineinfo', $ENV{CUDA_ARCH} ? "-arch=$ENV{CUDA_ARCH}" : ()) if $stage eq 'gpu';
    return ($cudacc, can_trace() && $e->{build} ne 'plain' ? '--trace' : (), '-O2', '-g');
}

# On a GPU the solution runs beside the learner's function, where there is one and check.cu can.
sub is_timed {
    my ($e, $stage) = @_;
    return $stage eq 'gpu' && $e->{check} =~ /\bGRADE_TIME\b/ && -f "$e->{folder}/solution.cu";
}

# What the CPU device is made of.
sub cpu_device_files {
    my @files;
    find({ no_chdir => 1, wanted => sub { push @files, $_ if -f && !/(?:\.md|~)$/ } }, "$root/common/cpu_device");
    return sort @files;
}

# Objects of check.cu, and of the solution if it is to be timed. They are made again when they, a
# header or the compiler have changed.
sub harness {
    my ($e, $stage) = @_;
    my $folder = "$build/exercises/$e->{id}/$stage";
    my @compiler = compiler($e, $stage);
    my $timed = is_timed($e, $stage);
    my @objects = ("$folder/check.o", $timed ? "$folder/solution.o" : ());
    my @sources = (files($root, qw(common/*.h tests/grade/*.h)), files($e->{folder}, '*.h'), cpu_device_files(),
        "$e->{folder}/check.cu", $timed ? "$e->{folder}/solution.cu" : ());
    my $key = md5_hex(join "\0", @compiler, map { slurp($_) // '' } @sources);
    return @objects if (slurp("$folder/key") // '') eq $key && !grep { !-f } @objects;
    make_path($folder);
    unlink "$folder/key";
    my $messages = quietly(@compiler, $timed ? '-DGRADE_TIME' : (), '-c', short("$e->{folder}/check.cu"), '-o', $objects[0]);
    if ($timed && !$messages) {
        spew("$folder/solution.cu", "#include \"$root/common/common.h\"\n"
            . "namespace solution {\n#include \"$e->{folder}/solution.cu\"\n}\n");
        $messages = quietly(@compiler, '-c', "$folder/solution.cu", '-o', $objects[1]);
    }
    die "the check of $e->{id} does not compile:\n$messages" if $messages;
    spew("$folder/key", $key);
    return @objects;
}

# A verdict: reason and text of what is wrong.
sub wrong { my ($reason, $text) = @_; return (reason => $reason, text => $text) }

# Compiles a learner's text and links it with the check. Returns the program, or undef and a verdict.
sub build_program {
    my ($e, $stage, $text, $folder) = @_;
    my $spliced = $text =~ s/\\\r?\n//gr;
    while ($spliced =~ /^[ \t]*(?:#|%:)[ \t]*(?:include|import|embed)\w*[ \t]*(.*)$/mg) {
        my $what = $1;
        return (undef, wrong('include', "only given.h, the headers of common/ and <name.h> may be included, not $what"))
            if $what !~ m{^(?:<\w+(?:\.h)?>|"given\.h"|"\.\./\.\./\.\./common/\w+\.h")\s*(?://.*)?$};
    }
    make_path($folder);
    my ($source, $object, $program) = map { "$folder/$_" } qw(exercise.cu exercise.o check);
    spew($source, "#line 1 \"" . short("$e->{folder}/exercise.cu") . "\"\n$text");
    my @compiler = compiler($e, $stage);
    my @check = harness($e, $stage);
    my $messages = quietly(@compiler, '-I', $e->{folder}, '-c', $source, '-o', $object);
    return (undef, wrong('compile', $messages)) if $messages;
    # A C name of the learner's could take the place of one that the check uses.
    my ($symbols, $status) = output_of('nm', '-g', '--defined-only', $object);
    die "nm: $symbols\n" if $status;
    my ($name) = grep { !/^(?:_Z|DW\.|\.)/ } $symbols =~ /^\S* ?[A-Za-z] (\S+)$/mg;
    return (undef, wrong('defines', "exercise.cu defines $name: that name is not yours")) if defined $name;
    my @watched = $e->{check} =~ m{/calls\.h"} ? slurp("$root/tests/grade/calls.h") =~ /^WATCHED\((\w+)/mg : ();
    $messages = quietly(@compiler, map({ ('-Xlinker', "--wrap=$_") } @watched), @check, $object, '-o', $program);
    return (undef, wrong('compile', $messages)) if $messages;
    die "what is built in $folder may not be run; BUILD=dir builds in another place\n" if !POSIX::access($program, X_OK);
    return ($program);
}

# ---- Facts -------------------------------------------------------------------------------------
sub read_csv {
    my ($file) = @_;
    my ($header, @lines) = split /\n/, slurp($file) // '';
    my @names = split /,/, $header // '';
    my @rows;
    for my $line (@lines) {
        my %row;
        for my $name (@names) {
            $line =~ /\G(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g;
            $row{$name} = defined $1 ? $1 =~ s/""/"/gr : $2 // '';
        }
        push @rows, \%row;
    }
    return @rows;
}

# The value of a query (grade.h) from the access report; a number stands for itself.
sub query {
    my ($report, $text) = @_;
    return $text if $text =~ /^(?:[-+.\d]|nan|inf)/;
    my ($ask, $unit) = split m{ / }, $text;    # "moved all / 1048576"
    return query($report, $ask) / $unit if $unit;
    my ($metric, $op, $kernel) = split ' ', $ask;
    my $rows = $report->{ $metric =~ /^(?:wavefronts|turns|shared)$/ ? 'shared' : 'global' };
    my %sum = map { $_ => 0 } qw(requests sectors useful_bytes moved_bytes wavefronts);
    my (%threads, $block, $width);
    for my $row (grep { ($op eq 'all' || $_->{op} eq $op) && (!defined $kernel || $_->{kernel} eq $kernel) } @$rows) {
        $sum{$_} += $row->{$_} // 0 for keys %sum;
        my ($blocks, $each) = map { my ($x, $y, $z) = split /x/; $x * $y * $z } @$row{qw(grid block)};
        $threads{ $row->{launch} } = $blocks * $each;
        $block = $each if $each > ($block // 0);
        ($width) = sort { $a <=> $b } grep { defined } $width, $row->{block} =~ /^(\d+)/;
    }
    my ($useful, $moved, $requests) = @sum{qw(useful_bytes moved_bytes requests)};
    my %value = (
        %sum,
        useful            => $useful,
        moved             => $moved,
        shared            => $requests,
        turns             => $requests ? $sum{wavefronts} / $requests : 'none',
        launches          => scalar keys %threads,
        threads           => sum(0, values %threads),
        block             => $block // 0,
        width             => $width // 0,
        share             => $moved ? 100 * $useful / $moved : 0,
        'sectors/request' => $requests ? $sum{sectors} / $requests : 0,
        'bytes/request'   => $requests ? $useful / $requests : 0,
    );
    return $value{$metric} // die "no metric $metric\n";
}

# The facts that a program has reported: goals, limits, predictions, times, explanations.
sub facts {
    my ($run, $report) = @_;
    my @facts;
    for my $line (split /\n/, $run->{report}) {
        my ($what, $label, @rest) = split /\t/, $line, -1;
        my %f = (what => $what, label => $label // '');
        if ($what eq 'predict') {
            @f{qw(yours actual tolerance why)} = ($rest[0], query($report, $rest[1]), @rest[2, 3]);
            $f{none} = $f{yours} =~ /nan/;
            $f{ok} = !$f{none} && abs($f{yours} - $f{actual}) <= $f{tolerance};
        } elsif ($what eq 'limit') {
            @f{qw(yours least most)} = (query($report, $rest[0]), @rest[1, 2]);
            # Ragged edges cost a little; a number that has to be met has no such room.
            my $room = $f{least} == $f{most} ? 0 : 0.03;
            $f{ok} = $f{yours} >= $f{least} * (1 - $room) && $f{yours} <= $f{most} * (1 + $room);
        } elsif ($what eq 'explain') {
            my ($query, $least, $most, $text) = ($label, @rest);
            my $value = query($report, $query);
            next if $value eq 'none';
            push @facts, { what => $what, label => '', yours => 0, ok => 1, text => $text } if $value >= $least && $value <= $most;
            next;
        } elsif ($what eq 'goal') {
            @f{qw(yours start ideal)} = (query($report, $rest[0]), @rest[1, 2]);
            next if $f{yours} eq 'none';
            $f{way} = ($f{start} - $f{yours}) / ($f{start} - $f{ideal});
        } elsif ($what eq 'time') {
            @f{qw(yours solution spread rate peak)} = @rest;
            $f{noisy} = $f{spread} > 5;
            # All points at 95 % of the solution's speed, none at half of it.
            $f{way} = $f{noisy} ? 1 : ($f{solution} / $f{yours} - 0.5) / 0.45;
        } else {
            next;
        }
        if (defined $f{way}) {
            $f{way} = $f{way} < 0 ? 0 : $f{way} > 1 ? 1 : $f{way};
            $f{ok} = $f{way} >= 0.9;
        }
        push @facts, \%f;
    }
    return @facts;
}

sub figure {
    my ($x) = @_;
    return 'nan' if $x =~ /nan/;
    return abs($x) < 10 ? sprintf '%.3g', $x : sprintf('%.1f', $x) =~ s/\.0\z//r;
}

# A label says what the figure counts, "sectors per load"; a # in it, where the figure stands.
sub counted {
    my ($label, $figure) = @_;
    my $text = $label =~ /#/ ? $label =~ s/#/$figure/r : "$figure $label";
    return $text =~ s/\b1 (\w+[^s])s\b/1 $1/r;
}

sub fact_text {
    my ($f) = @_;
    my $yours = figure($f->{yours});
    my $is = sub { $_[0] eq '1' ? '1 is' : "$_[0] are" };
    if ($f->{what} eq 'predict') {
        return "$f->{label}: " . ($f->{none} ? 'no answer yet' : $f->{ok} ? $yours : "you said $yours, it is " . figure($f->{actual}));
    } elsif ($f->{what} eq 'explain') {
        return $f->{text};
    } elsif ($f->{what} eq 'limit') {
        my ($least, $most) = map { figure($_) } @$f{qw(least most)};
        return counted($f->{label}, $yours) . ($f->{ok} ? '' : $least eq $most ? "; it should be $least"
            : $f->{yours} < $f->{least} ? '; at least ' . $is->($least) . ' needed' : '; at most ' . $is->($most) . ' needed');
    } elsif ($f->{what} eq 'goal') {
        my $ideal = figure($f->{ideal});
        return counted($f->{label}, $yours) . ($yours eq $ideal ? '' : '; ' . $is->($ideal) . ' possible');
    }
    my $text = sprintf '%s: %.4f ms, the solution %.4f, which varies by %.1f %%', @$f{qw(label yours solution spread)};
    return $text . ($f->{noisy} ? ': noisy, not scored' : sprintf '; %.1f GB/s', $f->{rate});
}

# ---- Checking ----------------------------------------------------------------------------------
my %signal_names = (4 => 'illegal instruction', 6 => 'abort', 7 => 'bus error', 8 => 'division by zero',
    9 => 'killed', 11 => 'segmentation fault', 25 => 'too large a file');

# What one run of the program proves: nothing wrong, or reason and text.
sub examine_run {
    my ($run, $nonce, $errors, $limit) = @_;
    my @lines = map { [split /\t/, $_, -1] } split /\n/, $run->{report};
    my $signed = @lines && $lines[-1][0] eq 'end' && $lines[-1][1] eq $nonce;
    my ($failed) = grep { $_->[0] eq 'fail' } @lines;
    my ($last) = grep { $_->[0] =~ /^(?:calling|case)$/ } reverse @lines;
    my $case = $last && $last->[0] eq 'calling' ? "$last->[1]: " : '';
    my $code = $run->{code};
    return wrong('time', "${case}it did not end within $limit seconds") if ($run->{limit} // '') eq 'time';
    return wrong('output', "${case}it printed more than " . $output_limit / 1024 . ' KiB') if $run->{limit};
    # Memory that is never freed is the learner's only if he has allocated it, and all went to the end.
    my ($first) = grep { $_->{kind} ne 'leak' || ($signed && !$failed && $_->{file} eq 'exercise.cu') } @$errors;
    if ($first) {
        my $detail = $first->{detail} =~ s{, allocated at \w+\.h:\d+}{}r;
        return wrong('memory', $case . $first->{kind} . (length $first->{kernel} ? " in $first->{kernel}" : '') . ": $detail");
    }
    return wrong($failed->[1], $failed->[2]) if $signed && $failed;
    return wrong('crash', "${case}it was ended by a signal: " . ($signal_names{ $run->{signal} } // $run->{signal})) if $run->{signal};
    return if $signed;
    return wrong('device', 'no usable device') if $code == 77;
    my ($check) = $run->{err} =~ /^(\S+:\d+: .* failed: \w+ \(\d+\).*)$/m;    # the line of a CUDA_CHECK
    return wrong('error', $case . $check) if $code == 3 && defined $check;
    return wrong('early', "${case}the program ended (exit code $code) before the check did");
}

# One run: adds to the verdict %$v; returns reason and text where something is wrong.
sub run_once {
    my ($program, $mode, $schedule, $folder, $limit, $v) = @_;
    my $nonce = int rand 1e15;
    my $seed = $ENV{GRADE_SEED} // int rand 1e15;
    my ($access, $shared, $errors) = map { "$folder/$_.csv" } qw(access access.shared errors);
    unlink $access, $shared, $errors;
    my %environment = (ACCESS_ERRORS => $errors, ACCESS_TABLE => 0);
    $environment{ACCESS_REPORT} = $access if $mode eq 'facts';
    $environment{CPU_DEVICE_SCHEDULE} = $schedule if defined $schedule;
    my $run = run_limited([$program, $mode], \%environment, "$nonce $seed\n", $limit);
    $v->{cases} += () = $run->{report} =~ /^case\t/mg;
    @$v{qw(output errors)} = @$run{qw(out err)};
    # What the tracer could not write would not count.
    return wrong('disk', "$1; is the disk full?") if $run->{err} =~ /^(?:access report|CPU device): (cannot write .*)$/m;
    my @wrong = examine_run($run, $nonce, [read_csv($errors)], $limit);
    return @wrong if @wrong;
    my %seen = map { fact_text($_) => 1 } @{ $v->{facts} };    # two runs may report the same
    my @new = facts($run, { global => [read_csv($access)], shared => [read_csv($shared)] });
    push @{ $v->{facts} }, grep { !$seen{ fact_text($_) } } @new;
    return;
}

# Until what it returns is let go, other checks of the exercise wait: they build in the same folder.
sub locked {
    my ($e) = @_;
    my $folder = "$build/exercises/$e->{id}";
    make_path($folder);
    open my $lock, '>', "$folder/lock" or die "$folder/lock: $!\n";
    if (!flock $lock, LOCK_EX | LOCK_NB) {
        print STDERR "another check of $e->{id} is at work: waiting for it\n";
        flock $lock, LOCK_EX;
    }
    return $lock;
}

# ---- Predictions -------------------------------------------------------------------------------
# The first answers to an exercise of predictions count: they are kept beside exercise.cu, in $folder.
# A verdict that says more than which answers are missing becomes one on them: a wrong one costs a point.
sub first_answers {
    my ($e, $v, $folder, $keep) = @_;
    my @asked = grep { $_->{what} eq 'predict' } @{ $v->{facts} };
    my $file = "$folder/first_answers.txt";
    my %first = (slurp($file) // '') =~ /^(.*)\t(.*)$/mg;
    return if !@asked || ($v->{reason} // 'prediction') ne 'prediction' || grep { $_->{none} && !defined $first{ $_->{label} } } @asked;
    spew($file, join '', map { "$_->{label}\t$_->{yours}\n" } @asked) if $keep && !%first;
    for my $f (@asked) {
        $f->{yours} = $first{ $f->{label} } // $f->{yours};
        $f->{ok} = abs($f->{yours} - $f->{actual}) <= $f->{tolerance};
        $f->{none} = 0;
    }
    my $wrong = grep { !$_->{ok} } @asked;
    delete @$v{qw(reason text)};
    $v->{points} = $wrong > $e->{points} ? 0 : $e->{points} - $wrong;
    $v->{answers} = { right => @asked - $wrong, of => scalar @asked, file => $file };
    return;
}

# Checks a learner's text, for $limit seconds a run. Returns a hash: points, cases, facts, output and
# errors of the last run; reason and text where something is wrong.
sub check_text {
    my ($e, $text, $folder, $limit) = @_;
    $text =~ s/\r\n/\n/g;    # from an editor on Windows
    my %v = (cases => 0, facts => [], points => 0, output => '', errors => '');
    return { %v, wrong('marks', "exercise.cu has lost one of its two marks, $begin and $end") } if !parts($text);
    my $lock = locked($e);
    for my $stage (@stages) {
        my ($program, @wrong) = build_program($e, $stage, $text, "$folder/$stage");
        return { %v, @wrong } if @wrong;
        # [mode, schedule]. A GPU has one schedule, and no tracer.
        my @runs = map { $_ eq 'facts' ? ['facts', undef] : ['cases', $_ eq 'in-order' ? undef : $_] } split ' ', $e->{runs};
        @runs = (['cases', undef], is_timed($e, $stage) ? ['time', undef] : ()) if $stage eq 'gpu';
        for my $run (@runs) {
            return { %v, wrong('facts', 'this cudacc has no --trace: accesses cannot be counted') } if $run->[0] eq 'facts' && !can_trace();
            my $most = ($limit // $seconds) * ($run->[0] eq 'time' ? 5 : 1);
            @wrong = run_once($program, @$run, "$folder/$stage", $most, \%v);
            $wrong[-1] = "on the GPU: $wrong[-1]" if @wrong && $stage eq 'gpu';
            return { %v, @wrong } if @wrong;
        }
        # What the counts forbid is not timed: a host that computes might take minutes over it.
        my ($bad) = sort { !$a->{none} <=> !$b->{none} } grep { !$_->{ok} && !defined $_->{way} } @{ $v{facts} };
        return { %v, wrong($bad->{what} eq 'predict' ? 'prediction' : 'facts', fact_text($bad)) } if $bad;
    }
    my @facts = @{ $v{facts} };
    my ($fast) = grep { $_->{what} eq 'time' && $_->{peak} && $_->{rate} > 1.05 * $_->{peak} } @facts;
    return { %v, wrong('impossible', fact_text($fast) . ", and the memory's peak is " . figure($fast->{peak})) } if $fast;
    # The least of all counts. What is named is rather a count, the same in every run, than a time.
    my ($least) = sort { $a->{way} <=> $b->{way} } grep { defined $_->{way} } @facts;
    my ($far) = sort { ($a->{what} eq 'time') <=> ($b->{what} eq 'time') || $a->{way} <=> $b->{way} } grep { defined $_->{way} && !$_->{ok} } @facts;
    $v{points} = int $e->{points} * (!$least || $least->{ok} ? 1 : $least->{way}) + 1e-9;
    return { %v, $far ? wrong('goal', fact_text($far)) : () };
}

1;
