#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The CPU device's own code under AddressSanitizer and UndefinedBehaviorSanitizer, ThreadSanitizer and
# valgrind, which are told of its fibers (sanitizers.h): they find nothing in it, and they do find what
# a learner's host code does wrong. A sample; with TEST_ALL=1 all programs, on several schedules.
use lib 'tests/lib';
use Tests;
use File::Basename qw(basename);
use Programs;

my ($scratch, $root, $cudacc) = in_scratch(qw(CC CXX CUDACC_RUNTIME_FLAGS));
my $here    = "$root/cudacc/tests/runtime/sanitizers";
$ENV{ACCESS_TABLE}  = 0;
$ENV{CUDACC_PROBING} = 1; # what a compiler does otherwise is no matter here
$ENV{ASAN_OPTIONS}  = 'detect_stack_use_after_return=1';
$ENV{UBSAN_OPTIONS} = 'halt_on_error=1:print_stacktrace=1';
$ENV{TSAN_OPTIONS}  = 'atexit_sleep_ms=0';

# ---- What is here ------------------------------------------------------------------------------
my ($cc) = grep { found($_) } qw(gcc clang cc);
BAIL_OUT('no C compiler on the PATH') if !$cc;
sub works { # a small program, built and run
    my ($flags, $text) = @_;
    spew('small.c', ($text // '') . "int main(void) { return 0; }\n");
    return !system "$cc $flags small.c -o small >small.out 2>&1 && ./small >>small.out 2>&1";
}
my $checked = '-fsanitize=address,undefined';
my %missing;
$missing{address}  = "$cc has no $checked that works here" if !works($checked);
$missing{traced}   = $missing{address} if $missing{address};
$missing{thread}   = "$cc has no -fsanitize=thread that works here" if !works('-fsanitize=thread');
$missing{valgrind} = 'no valgrind' if !found('valgrind');
$missing{valgrind} //= 'no valgrind/valgrind.h, by which the runtime tells of its stacks'
    if !works('', "#include <valgrind/valgrind.h>\n");
delete $missing{valgrind} if !defined $missing{valgrind};

# ---- What runs ---------------------------------------------------------------------------------
my $children = "$root/cudacc/tests/translate/cudacc/children.cu";
my @plain  = ("$root/cudacc/tests/runtime/semantics_threads.cu", "$here/after_error.cu", $children);
my @traced = ("$root/cudacc/tests/trace/errors/race_tile.cu", $children);
my @schedules = ('', 'shuffled:1');
my %errors;    # of a file of cudacc/tests/trace/errors: what it is given to run each of its programs
if ($ENV{TEST_ALL}) {
    push @plain, grep { !/semantics_threads/ } glob("$root/cudacc/tests/runtime/*.cu"), glob("$root/tests/programs/*.cu"), glob("$root/[0-9][0-9]_*/experiments/*.cu");
    my $count = 0;
    for (grep { $count++ % 4 == 0 } sort { $a->{name} cmp $b->{name} } map { programs_of($_) } glob "$root/cudacc/tests/trace/errors/*.cu") {
        push @{ $errors{ basename($_->{file}, '.cu') } }, $_->{argument};
    }
    @traced = ($children, glob("$root/cudacc/tests/trace/*.cu"), "$root/cudacc/tests/runtime/semantics_threads.cu", map { "$root/cudacc/tests/trace/errors/$_.cu" } sort keys %errors);
    push @schedules, 'reversed', 'late';
}

# The lanes go side by side: each builds its runtime once, then links and runs one program after the
# other. AddressSanitizer and valgrind look at memory; what the order of blocks changes, too. Under -O0
# with lines alone for the debugger, the runtime compiles in a third of the time.
my $fast = $ENV{TEST_ALL} ? '' : '-O0 -g1';
my %lane = (
    address  => { flags => "$checked $fast", programs => \@plain },
    thread   => { flags => "-fsanitize=thread $fast", programs => \@plain },
    # It has its own word on kernels that use a null pointer, and knows one rounding mode only.
    valgrind => { flags => '', schedules => [''],
        programs => [grep { !m{/(?:semantics_errors|faulty_kernels|cpu_device_functions)\.cu} } @plain],
        run => 'valgrind -q --error-exitcode=99' },
    traced   => { flags => "$checked -O1 $fast", programs => \@traced, options => '--trace' },
);

sub object { my ($source, $options) = @_; return basename($source, '.cu') . ($options ? '.traced.o' : '.o') }

sub arguments { # of a program, a list for each run
    my ($name, $lane) = @_;
    return @{ $errors{$name} } if $errors{$name} && $lane eq 'traced';
    return $lane eq 'valgrind' ? qw(m a d) : $ENV{TEST_ALL} ? qw(n m a d) : qw(n a) if $name eq 'after_error';
    return -e "$root/cudacc/tests/runtime/$name.cu" || -e "$root/tests/programs/$name.cu" || $lane eq 'traced' ? '' : '--quick';
}

# Runs a lane in a process of its own; its results are lines "ok|not ok|skip TEXT" and what was said.
sub run_lane {
    my ($name) = @_;
    my $lane = $lane{$name};
    open my $results, '>', "$name.results" or die;
    if ($missing{$name}) {
        print $results "skip $name: $missing{$name}\n";
        return;
    }
    for my $source (@{ $lane->{programs} }) {
        my $program = basename($source, '.cu');
        my $link = "CUDACC_RUNTIME_FLAGS='$lane->{flags}' '$cudacc' " . ($lane->{options} // '') . ' -g '
            . object($source, $lane->{options}) . " -o $name.$program";
        if (system "$link >$name.err 2>&1") {
            print $results "not ok $name: $program links\n", slurp("$name.err") =~ s/^/# /gmr;
            next;
        }
        for my $schedule (@{ $lane->{schedules} // \@schedules }) {
            next if $program eq 'semantics_streams' && $schedule eq 'late';    # its gate needs work that starts
            for my $arguments (arguments($program, $name)) {
                local $ENV{CPU_DEVICE_SCHEDULE} = $schedule;
                system "'$root/tests/lib/limit' 120 " . ($lane->{run} // '') . " ./$name.$program $arguments >$name.out 2>$name.err";
                my $code = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
                my $said = slurp("$name.err");
                # What the tracer finds in the program is right; what a sanitizer finds is not.
                my $fine = $code eq '0' || $code eq '4' && $name eq 'traced' && $said =~ /^CPU device: [1-9]\d* errors?$/m;
                $fine &&= $said !~ /runtime error:|Sanitizer/;
                print $results $fine ? 'ok' : 'not ok', " $name: $program $arguments ", $schedule || 'in order', "\n";
                my @lines = split /\n/, $said . slurp("$name.out");
                splice @lines, 40 if @lines > 40;
                print $results "# exit code $code\n", map { "# $_\n" } @lines if !$fine;
            }
        }
        unlink "$name.$program";
    }
    return;
}

# Two processes at a time.
sub in_turn {
    in_parallel(2, \@_, sub { $_[0]->() });
    return;
}

# The programs know nothing of it, but for a kernel's addresses: all lanes link the same objects.
sub compile {
    my ($source, $options, $object) = @_;
    return sub { system "'$cudacc' $options -O2 -g -c '$source' -o $object >$object.said 2>&1" };
}
sub launches { return $_[0] eq $children ? '-rdc=true' : '' }
my @compile = map { compile($_, launches($_), object($_)) } @plain;
push @compile, map { compile($_, '--trace ' . launches($_), object($_, 1)) } @traced;
in_turn(@compile);
in_turn(map { my $name = $_; sub { run_lane($name) } } qw(traced address thread valgrind));

for my $name (qw(address thread valgrind traced)) {
    my $results = slurp("$name.results");
    ok(0, "$name: ran") if $results eq '';
    while ($results =~ /^(ok|not ok|skip) (.*)\n((?:#.*\n)*)/mg) {
        my ($verdict, $what, $said) = ($1, $2, $3);
      SKIP: {
            skip $what, 1 if $verdict eq 'skip';
            ok($verdict eq 'ok', $what) or diag($said);
        }
    }
}

# ---- The tracer under ThreadSanitizer -------------------------------------------------------------
# Both have functions of the same names. Those of the tracer get others here, also in the program that
# calls them, and ThreadSanitizer's look at the runtime alone.
SKIP: {
    skip 'the tracer under ThreadSanitizer: with TEST_ALL=1', 1 if !$ENV{TEST_ALL};
    skip "the tracer under ThreadSanitizer: $missing{thread}", 1 if $missing{thread};
    skip 'the tracer under ThreadSanitizer: no objcopy or nm', 1 if !found('objcopy') || !found('nm');
    my $device = "$root/cudacc";
    my @files = map { glob "'$device/$_'/*.c" } qw(runtime api trace trace/record trace/check trace/report);
    my $compile = "$cc -std=gnu11 -O1 -g -w -I'$device'";
    my $object = sub { $_[0] =~ s{^\Q$device\E/}{}r =~ tr{/}{-}r . '.o' };
    system "$compile -c '$_' -o hooks-" . $object->($_) for grep { m{/record/} } @files;
    my @names = `nm hooks-*.o` =~ /^\S+ T (__tsan_\w+)$/mg;
    spew('rename.h', join '', map { "#define $_ traced$_\n" } @names);
    spew('rename.list', join '', map { "$_ traced$_\n" } @names);
    in_turn(map { my $file = $_; sub { system "$compile -fsanitize=thread -include rename.h -c '$file' -o " . $object->($file) } } @files);
    my $runtime = join ' ', map { $object->($_) } @files;
    for my $source (@traced) {
        my $name = basename($source, '.cu');
        system "objcopy --redefine-syms=rename.list $name.traced.o $name.renamed.o && "
            . ($cc =~ s/gcc/g++/r =~ s/clang$/clang++/r) . " -g -fsanitize=thread $name.renamed.o $runtime -lpthread -lm -o $name.renamed 2>&1";
        for my $schedule (@schedules) {
            local $ENV{CPU_DEVICE_SCHEDULE} = $schedule;
            my $said = `'$root/tests/lib/limit' 120 ./$name.renamed 2>&1`;
            my $code = $? >> 8;
            ok($code =~ /^[04]$/ && $said !~ /ThreadSanitizer/, "tracer, thread: $name " . ($schedule || 'in order'))
                or diag("exit code $code\n$said");
        }
    }
}

# ---- A learner's own program, with the runtime as it always is -----------------------------------
SKIP: {
    skip $missing{address}, 3 if $missing{address};
    my $built = !system "'$cudacc' -g -fsanitize=address '$here/overrun.cu' -o overrun >overrun.said 2>&1";
    ok($built, 'cudacc -fsanitize=address') or diag(slurp('overrun.said'));
    tells('./overrun', undef, "PASS\n", 'nothing to find, and nothing is said');
    my ($before) = slurp("$here/overrun.cu") =~ m{\A(.*?)// OVERRUN}s;
    my $line = 1 + ($before =~ tr{\n}{});
    tells('./overrun 257', undef, qr/heap-buffer-overflow.*?\bin main\b\S* \S*overrun\.cu:$line\b/s, 'one element too far on the host: found');
}

# What cannot go together is refused in one line.
tells("'$cudacc' --trace -fsanitize=address '$here/overrun.cu' -o no", 2, qr/\Acudacc: [^\n]*--trace[^\n]*\n\z/, '--trace and -fsanitize=address: refused');
tells("CUDACC_RUNTIME_FLAGS=-fsanitize=thread '$cudacc' --trace '$here/overrun.cu' -o no", 2, qr/\Acudacc: [^\n]*ThreadSanitizer[^\n]*\n\z/, '--trace and ThreadSanitizer: refused');
done_testing();
