#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Where the course may lie and who may be about: a folder with a name of which a shell or a pattern makes
# something else, a clone with core.autocrlf=true, a folder that one may only read, a disk from which nothing
# may be run, a second check of the same exercise, no room for another thread.
use lib 'tests/lib';
use Tests;

plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS BUILD EX GRADE_DEVICE)};
my $scratch = tempdir(CLEANUP => 1);
chmod 0755, $scratch;
my $root = getcwd();
$ENV{CUDACC_CACHE} //= "$root/build/cudacc";

# The course without what was built, in another place.
sub copy_to {
    my ($folder) = @_;
    mkdir $folder or die "$folder: $!";
    my @parts = grep { !m{^(?:\.git|build|\.\.?)$} } do { opendir my $here, $root or die; readdir $here };
    copy_into($folder, map { "$root/$_" } @parts) or die "cp: $?";
    return quoted($folder);
}

my $exercise = '03_bandwidth/exercises/1_units';
my $unsolved = slurp("$exercise/README.md") =~ /^```cuda\n(\/\/ \d+\.\d+ .*?)^```$/ms ? $1 : die;
my ($before, $after) = $unsolved =~ m{\A(.*?^// ==== yours, from here ====\n).*(^// ==== to here ====\n.*)\z}ms;
my ($right) = slurp("$exercise/solution.cu") =~ m{^// ==== yours, from here ====\n(.*)^// ==== to here}ms;

# ---- A hostile name ----------------------------------------------------------------------------
{
    my $folder = "$scratch/my course [1] {2,3} \\ o'b \$HOME;x \303\274";
    my $there = copy_to($folder);
    my $make = "make -s -C $there DEVICE=cpu CUDACCFLAGS=-O0";
    tells("$make build/cpu/01_sync_timing/sync_timing && cd $there && build/cpu/01_sync_timing/sync_timing 1003", 0, qr/^PASS$/m, 'a folder with a hostile name: a program is built, and passes');
    my ($code, $text) = output_of("$make check");
    my $all = () = glob '[0-9][0-9]_*/exercises/*/check.cu';
    like($text, qr/^the course +\[-*\] 0 of $all /m, "make check finds all $all exercises") or diag($text);

    my $check = sub {
        my ($what, $region, $pattern) = @_;
        spew("$folder/$exercise/exercise.cu", $region);
        my (undef, $verdict) = output_of("$make check EX=3.1");
        like($verdict, $pattern, "make check EX=3.1: $what");
    };
    $check->('not yet', $unsolved, qr/^NOT YET: 0 of 5/m);
  SKIP: {
        skip 'no solutions here: this is the student edition', 2 if !defined $right;
        $check->('done', "$before$right$after", qr/^DONE: 5 of 5/m);
        my $memcmp = "extern \"C\" int memcmp(const void *, const void *, size_t) { return 0; }\n";
        $check->("a name of the library is the learner's own affair", "$before$right$memcmp$after", qr/^DONE: 5 of 5/m);
    }
    ($code, $text) = output_of("cd $there && cp cudacc/tests/trace/errors/past_end.cu \"it's {one}.cu\" && cudacc/cudacc --trace "
        . "\"it's {one}.cu\" -o \"it's one\" && \"./it's one\"");
    ok($code eq '4' && $text =~ /out of bounds/ && $text =~ /it's \{one\}\.cu:\d+/, 'cudacc --trace, of a file with such a name') or diag("$code\n$text");
    for my $both (grep { found(/CXX=(.*)/) } 'CC=gcc CXX=g++', 'CC=clang CXX=clang++') {
        tells("cd $there && $both cudacc/cudacc cudacc/tests/trace/blocks.cu -o blocks && ./blocks", 0, "cudacc there, with $both");
    }
  SKIP: {
        skip 'no gnuplot and pandoc (Debian packages: gnuplot-nox pandoc)', 1 if !found('gnuplot') || !found('pandoc');
        tells("$make report FROM=h200", 0, qr/\A[^\n]*figures[^\n]*\n\z/, 'make report there');
    }
    for my $test ($ENV{TEST_ALL} ? qw(programs/headers ../cudacc/tests/trace/pages documents/snippets ../cudacc/tests/translate/cudacc ../cudacc/tests/translate/refused learn/exercises ../cudacc/tests/trace/report)
        : '../cudacc/tests/trace/pages') {
        tells("cd $there && DEVICES=cpu prove tests/$test.t", 0, "tests/$test.t passes there");
    }
}

# Which gcc and clang do not escape in what they write for their assembler.
{
    my $there = copy_to("$scratch/a \"course\"");
    tells("$there/cudacc/cudacc $there/cudacc/tests/trace/blocks.cu -o $scratch/blocks", 2, qr/\Acudacc: [^\n]*double quote[^\n]*\n\z/, 'a folder with a double quote: one line, exit code 2');
}

# ---- A clone on Windows ------------------------------------------------------------------------
SKIP: {
    skip 'no git', 2 if system('command -v git >/dev/null 2>&1');
    my @names = ('.gitattributes', 'Makefile', 'tools/measure/run', "$exercise/README.md", 'common/experiment/program.h');
    my $git = 'git -c user.name=a -c user.email=a@example.org -c init.defaultBranch=main';
    my ($code, $text) = output_of("$git init -q $scratch/from && tar cf - @names | tar xf - -C $scratch/from && cd $scratch/from && $git add -A && "
        . "$git commit -qm x && $git -c core.autocrlf=true clone -q $scratch/from $scratch/clone");
    is($code, '0', 'a clone with core.autocrlf=true') or diag($text);
    is(join(' ', grep { slurp("$scratch/clone/$_") ne slurp($_) } @names), '', 'its files are as they were');
}

# ---- Read-only, and not to be run from ---------------------------------------------------------
# What root may do anyway, somebody else is asked to.
my $somebody = $> != 0 ? 'env' : system('command -v setpriv >/dev/null 2>&1') ? '' : 'setpriv --reuid=65534 --regid=65534 --clear-groups';
SKIP: {
    skip 'no setpriv to become somebody else with', 6 if !$somebody;
    my $there = copy_to("$scratch/read only");
    system("chmod -R a+rX,a-w $there && mkdir -m 777 $scratch/elsewhere");
    local $ENV{CUDACC_CACHE} = "$scratch/elsewhere/cudacc";
    my $make = "$somebody make -s -C $there DEVICE=cpu CUDACCFLAGS=-O0";
    my ($code, $text);
    for my $goal ('01_sync_timing', 'check EX=3.1') {
        tells("$make $goal", 'not 0', qr/BUILD=/, "make $goal in a folder that one may only read names BUILD=");
    }
    tells("$make BUILD=$scratch/elsewhere/build check EX=3.1", undef, qr/^NOT YET: 0 of 5/m, 'and with BUILD=elsewhere it checks');
    ($code, $text) = output_of("cd $scratch/elsewhere && env -u CUDACC_CACHE CUDACC_RUNTIME_FLAGS=-O0 TMPDIR=$scratch/elsewhere $somebody $there/cudacc/cudacc "
        . "$there/cudacc/tests/trace/blocks.cu -o blocks && ./blocks");
    ok($code eq '0', 'cudacc keeps its runtime elsewhere, too') or diag("$code\n$text");
    my $program = "$scratch/elsewhere/build/cpu/01_sync_timing/sync_timing";
    tells("$make BUILD=$scratch/elsewhere/build $program && $program 1003", 0, qr/^PASS$/m, 'a program, too');
    tells("cd $scratch/elsewhere && $somebody prlimit --nproc=1 --core=0 $program 1003", 3, qr/^CPU device: cannot start a thread for a stream: [^\n]+$/m, 'without a thread for a stream: exit code 3, and why');
}
SKIP: {
    my ($namespace) = grep { system("$_ true >/dev/null 2>&1") == 0 } 'unshare -m', 'unshare -rm';
    skip 'no disk can be mounted here', 3 if !$namespace;
    mkdir "$scratch/mounted";
    my $on = sub {
        my ($command) = @_;
        return output_of("$namespace sh -c " . quoted("mount -t tmpfs -o noexec none $scratch/mounted || exit 99; cd " . quoted($root) . "; $command"));
    };
    my ($code, $text) = $on->("CUDACC_CACHE=$scratch/mounted/cudacc cudacc/cudacc 01_sync_timing/sync_timing.cu -o $scratch/stride");
    skip 'no tmpfs can be mounted here', 3 if $code eq '99';
    ok($code eq '0' && $text eq '', 'a cache from which nothing may be run: another one is taken') or diag("$code\n$text");
    tells([$on->("cp $scratch/stride $scratch/mounted; tools/measure/run $scratch/mounted/stride")], 'not 0', qr/may not be run there: BUILD=/, 'run_programs names BUILD=');
    ($code, $text) = $on->("BUILD=$scratch/mounted tools/learn/exercises check 3.1");
    ok($code ne '0' && $text =~ /may not be run; BUILD=/, 'and so does a check') or diag("$code\n$text");
}

# ---- Neighbors ---------------------------------------------------------------------------------
# Three checks of one exercise at a time. Their compiler notes whom it works for, and takes its time:
# what it notes must not be mixed.
{
    local $ENV{CUDACC} = "$scratch/slow";
    local $ENV{BUILD} = "$scratch/build";
    spew($ENV{CUDACC}, "#!/bin/sh\ncase \$* in *--help*) ;; *) echo begins >>$scratch/log; sleep 0.3 ;; esac\n"
        . quoted("$root/cudacc/cudacc") . " \"\$\@\"\ncode=\$?\ncase \$* in *--help*) ;; *) echo ends >>$scratch/log ;; esac\nexit \$code\n");
    chmod 0755, $ENV{CUDACC};
    my @said = map { open(my $pipe, '-|', 'tools/learn/exercises check 3.1 2>&1') or die; $pipe } 1 .. 3;
    my @verdicts = map { my $pipe = $_; local $/; <$pipe> // '' } @said;
    is(scalar(grep { /^(?:NOT YET|DONE): /m && !/cannot|No such file/ } @verdicts), 3, 'three checks of one exercise come to a verdict') or diag(@verdicts);
    my @log = split /\n/, slurp("$scratch/log");
    ok(@log > 6 && !(grep { $log[$_] ne ($_ % 2 ? 'ends' : 'begins') } 0 .. $#log), 'one after the other') or diag("@log");
}
done_testing();
