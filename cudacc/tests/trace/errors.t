#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The errors that `cudacc --trace` finds. Each program of cudacc/tests/trace/errors/*.cu commits one: the lines that
# must be named carry `// ERROR kind`, or `// NOTE kind` (exit code 0, if there is no other), the head says with `// EXPECT: text` what else the report must
# contain (`, by gcc` and `// EXPECT BY GCC: text`: clang does not know it; NAME.cu:5 is the fifth line of program NAME); `// LUCK: why` that the
# program itself leaves to luck which block does it; `// ONLY: machine` that no other machine sees it.
# clean_* look suspicious and are right: not a word about them. On every schedule, and the same on
# every run; dies_*, whose kernels end in the middle, also on one processor. errors.t NAME...: these alone.
use lib 'tests/lib';
use Tests;
use File::Basename qw(basename);
use Programs;

my ($scratch, $root, $cudacc) = in_scratch();
$ENV{ACCESS_TABLE} = 0;

my $folder   = "$root/cudacc/tests/trace/errors";
my %wanted   = map { $_ => 1 } @ARGV;
my @programs = sort { $a->{name} cmp $b->{name} } grep { !@ARGV || delete $wanted{ $_->{name} } } map { programs_of($_) } glob "$folder/*.cu";
die "no such program: @{[keys %wanted]}\n" if %wanted;

# Each file as a user compiles it. Without TEST_ALL several as one text, each in a namespace, since most
# of the time goes to the headers.
my $together = $ENV{TEST_ALL} || @ARGV ? 1 : 24;    # programs, at least
my %file;
push @{ $file{ $_->{file} } }, $_ for @programs;

sub text_of {
    my (@files) = @_;
    my %headers = map { $_ => 1 } map { slurp($_) =~ /^(#include <.*>\n)/mg } @files;
    my $text = join '', sort(keys %headers), "#include \"$folder/program.h\"\n#define main(...) main_(__VA_ARGS__)\n";
    for my $file (@files) {
        my $name = basename($file, '.cu');
        $text .= "namespace $name {\n#include \"$file\"\n}\n";
        $text .= "static void run_$name(void) { exit(${name}::main_()); }\nstatic struct program program_$name(\"$name\", run_$name);\n"
            if !$file{$file}[0]{argument};
    }
    return $text;
}

# Two at a time: the compiler takes most of the time.
my @waiting;
for my $file (sort keys %file) {
    push @waiting, [] if !@waiting || $together <= map { @{ $file{$_} } } @{ $waiting[-1] };
    push @{ $waiting[-1] }, $file;
}
for my $group (@waiting) {
    my $name = basename($group->[0], '.cu');
    for my $program (map { @{ $file{$_} } } @$group) {
        $program->{messages} = "$name.messages";
        $program->{run} = "./$name " . (@$group > 1 ? $program->{name} : $program->{argument});
    }
}
in_parallel(2, \@waiting, sub {
    my @group = @{ $_[0] };
    my ($source, $name) = ($group[0], basename($group[0], '.cu'));
    spew($source = "$name.together.cu", text_of(@group)) if @group > 1;
    system "'$cudacc' --trace -Wall -Wextra @{[quoted($source)]} -o $name >$name.messages 2>&1";
});

# One processor that this process may use, so that the device has one worker.
sub one_processor {
    return '' if !grep { -x "$_/taskset" } split /:/, $ENV{PATH};
    my ($first) = `taskset -cp $$` =~ /: (\d+)/;
    return defined $first ? "taskset -c $first" : '';
}

# Runs a program: exit code, report, the errors as "kind LINE" and the rows of the CSV file.
sub run {
    my ($program, $schedule, $how) = @_;
    my $name = $program->{name};
    local $ENV{ACCESS_ERRORS} = "$name.csv";
    local $ENV{CPU_DEVICE_SCHEDULE} = $schedule if $schedule;
    unlink "$name.csv";
    system(($how // '') . " '$root/tests/lib/limit' 60 $program->{run} >$name.out 2>$name.err");
    my $code = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
    my %run = (code => $code, report => slurp("$name.err"), found => {}, rows => []);
    my @lines = split /\n/, slurp("$name.csv");
    $_ = by_program($program, s{\bcourse/cudacc/tests/trace/errors/}{}gr) for $run{report}, @lines; # where they are, seen from here
    $run{header} = shift @lines // '';
    for my $line (@lines) {
        my %row;
        @row{qw(kind kernel block thread file line allocation detail severity)} = fields($line);
        push @{ $run{rows} }, \%row;
        my $what = uc($row{severity}) . " $row{kind}";
        $run{found}{ "$what " . ($row{file} eq "$name.cu" ? $row{line} : "$row{file}:$row{line}") } = 1;
        next if $row{kind} !~ /race|barrier/;
        my $detail = $row{detail} =~ s/(?:allocated|declared) at \S+//gr;
        $run{found}{"$what $_"} = 1 for $detail =~ / at \Q$name\E\.cu:(\d+)/g;
    }
    return \%run;
}

my $one_processor = one_processor();
my $machine = `@{[$ENV{CXX} // 'g++']} -dumpmachine`;
chomp $machine;
my $clang = `@{[$ENV{CXX} // 'g++']} --version` =~ /clang/;
for my $program (@programs) {
    my ($name, $text) = @$program{qw(name text)};
    my (%marked, $number);
    for (split /\n/, $text) {
        $number++;
        while (m{// (ERROR|NOTE) (\w[\w ]*\w)(, by gcc)?}g) {
            $marked{"$1 $2 $number"} = 1 if !($3 && $clang);
        }
    }
    my @expect = $text =~ m{^// EXPECT: (.*)$}mg;
    push @expect, $text =~ m{^// EXPECT BY GCC: (.*)$}mg if !$clang;
    my $clean  = $name =~ /^clean_/;
    if ($text =~ m{^// ONLY: (\w+)}m && $machine !~ /^$1-/) {
        pass("$name: not on $machine");
        next;
    }
    if (slurp($program->{messages}) ne '' || !-x $program->{run} =~ s/ .*//r) {
        fail("$name compiles without a word");
        diag(slurp($program->{messages}));
        next;
    }
    if ($clang && !$clean && !%marked) {
        pass("$name: found by gcc alone");
        next;
    }
    my $first;
    my $dies = $name =~ /^dies_/;
    my $ends = grep({ /^ERROR/ } keys %marked) ? 4 : 0;
    for my $schedule ('', 'reversed', 'shuffled:1', $ENV{TEST_ALL} ? 'shuffled:2' : (), $dies ? 'late' : ()) {
        my $run  = run($program, $schedule);
        my $what = "$name, " . ($schedule || 'in order');
        my $ok   = $clean
            ? $run->{code} eq '0' && $run->{report} eq "CPU device: 0 errors\n"
            : $run->{code} eq $ends && join("\n", sort keys %{ $run->{found} }) eq join("\n", sort keys %marked);
        $ok &&= $run->{header} eq 'kind,kernel,block,thread,file,line,allocation,detail,severity';
        ok($ok, $clean ? "$what: nothing to report" : "$what: found where it is marked, exit code $ends")
            or diag("exit code $run->{code}; marked: @{[sort keys %marked]}; found: @{[sort keys %{$run->{found}}]}\n$run->{report}");
        $first //= $run;
        next if !$dies || !$one_processor;
        is(run($program, $schedule, $one_processor)->{report}, $run->{report}, "$what: the same with one worker");
    }
    next if $clean;
    my @missing = grep { index($first->{report}, $_) < 0 } @expect;
    ok(!@missing, "$name: the report says what and where") or diag("missing: @missing\n$first->{report}");
    my $same = sub { $text =~ m{^// LUCK:}m ? $_[0] =~ s/block \(.*?\)|byte \d+|\[\d+\]//gr : $_[0] };
    my $runs = !$ENV{TEST_ALL} ? 1 : $dies ? 100 : 3;
    my @different = grep { $same->($_) ne $same->($first->{report}) } map { run($program, '')->{report} } 1 .. $runs;
    ok(!@different, "$name: the same report on every run") or diag("$first->{report}---\n$different[0]");
}

# ---- Races with the next turn of a loop ------------------------------------------------------
# One barrier: what stands behind it races with what stands before it, in the next turn. In any loop;
# and not where an access of the same turn is without a barrier, too. A case begins `== NAME: TURN THAT IS NAMED`.
my $loops = <<'END';
== while: next turn of the loop
int k = 0;
while (k < n) {
    sum += tile[255 - i]; // SECOND
    __syncthreads();
    tile[i] = k++; // FIRST
}
== do: next turn of the loop
int k = 0;
do {
    tile[i] = k; // SECOND
    __syncthreads();
    if (k % 2)
        continue;
    sum += tile[255 - i]; // FIRST
} while (++k < n);
== a loop after the barrier: next turn of the loop
for (int k = 0; k < n; k++) {
    tile[i] = k; // SECOND
    __syncthreads();
    for (int j = 0; j < 256; j++)
        sum += tile[j]; // FIRST
}
== a loop in a loop: next turn of the loop
for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) {
        tile[i] = k; // SECOND
        __syncthreads();
        sum += tile[255 - i]; // FIRST
    }
== unrolled by nvcc: next turn of the loop
#pragma unroll
for (int k = 0; k < 2; k++) {
    tile[i] = k; // SECOND
    __syncthreads();
    sum += tile[255 - i]; // FIRST
}
== warps of two kinds: next turn of the loop
for (int k = 0; k < n; k++) {
    if (i >= 128)
        tile[i] = k; // SECOND
    __syncthreads();
    if (i < 128)
        sum += tile[255 - i]; // FIRST
}
== two stores: next turn of the loop
for (int k = 0; k < n; k++) {
    tile[i] = k; // SECOND
    __syncthreads();
    tile[255 - i] = k; // FIRST
}
== in a loop in a function that a kernel calls: next turn of the loop
sum += turns(tile, i, n);
== every other turn alone: later turn of the loop
for (int k = 0; k < n; k++)
    if (k % 2) {
        tile[i] = k; // SECOND
        __syncthreads();
        sum += tile[255 - i]; // FIRST
    }
== a barrier at the end of the turn
for (int k = 0; k < n; k++) {
    tile[i] = k; // FIRST
    sum += tile[255 - i]; // SECOND
    __syncthreads();
}
== a barrier before the loop
__syncthreads();
for (int k = 0; k < n; k++) {
    tile[i] = k; // FIRST
    sum += tile[255 - i]; // SECOND
}
== a barrier in every other turn
for (int k = 0; k < n; k++) {
    tile[i] = k; // FIRST
    if (k % 2)
        __syncthreads();
    sum += tile[255 - i]; // SECOND
}
== out of the loop, past its barriers
for (int k = 0; k < 2; k++) {
    if (i < 32)
        tile[i] = k; // FIRST
    if (k == 1)
        break;
    __syncthreads();
}
if (i >= 32)
    sum += tile[i % 32]; // SECOND
== a function that is called twice
sum += once(tile, i) + once(tile, i);
== no loop
tile[i] = 1;
__syncthreads();
sum += tile[255 - i]; // SECOND
tile[i] = 2; // FIRST
== a function that stands above is called after
tile[i] = 1;
__syncthreads();
sum += tile[255 - i]; // SECOND
set(tile, i);
END
while ($loops =~ /^== ([^:\n]+)(?:: (.*))?\n((?:(?!== ).*\n)+)/mg) {
    my ($name, $when, $body) = ($1, $2 // '', $3);
    next if $name =~ /two kinds/ && $clang;    # it makes two loops of one, with two barriers
    spew('turn.cu', <<"END");
__device__ __noinline__ int turns(int *tile, int i, int n) {
    int sum = 0;
    for (int k = 0; k < n; k++) {
        tile[i] = i; @{[$name =~ /in a function that a/ ? '// SECOND' : '']}
        __syncthreads();
        sum += tile[255 - i]; @{[$name =~ /in a function that a/ ? '// FIRST' : '']}
    }
    return sum;
}
__device__ __noinline__ int once(int *tile, int i) {
    tile[i] = i; @{[$name =~ /twice/ ? '// FIRST' : '']}
    __syncthreads();
    return tile[255 - i]; @{[$name =~ /twice/ ? '// SECOND' : '']}
}
__device__ __noinline__ void set(int *tile, int i) {
    tile[i] = i; @{[$name =~ /above/ ? '// FIRST' : '']}
}
__global__ void kernel_of(int *out, int n) {
    __shared__ int tile[256];
    int i = threadIdx.x, sum = 0;
$body    out[i] = sum + (n < 0 ? turns(tile, i, n) + once(tile, i) : 0);
    if (n < 0)
        set(tile, i);
}
int main() {
    int *p;
    cudaMalloc(&p, 1024);
    kernel_of<<<1, 256>>>(p, 4);
    cudaDeviceSynchronize();
    cudaFree(p);
}
END
    my (%line, $number);
    for (split /\n/, slurp('turn.cu')) {
        $number++;
        $line{$1} = $number if m{// (FIRST|SECOND)};
    }
    my $said = `'$cudacc' --trace turn.cu -o turn 2>&1 && ./turn 2>&1`;
    my $place = sub { "(?:load|store) of 4 bytes at turn\\.cu:$line{$_[0]}" };
    my $between = $when ? ', then' : ' and';
    my $end = $when ? ' in ' . ($when =~ /next/ ? 'the' : 'a') . " $when" : '';
    like($said, qr/^CPU device: data race: ${\$place->('FIRST')}$between ${\$place->('SECOND')}$end\n/m,
        "$name: " . ($when ? "the second access comes in $when" : 'a turn is not named'));
}

# ---- Odd places --------------------------------------------------------------------------------
spew('odd.cu', "__global__ void k(int *p) { __shared__ int s[32]; s[threadIdx.x] = 1; __syncthreads(); p[threadIdx.x + 1] = s[0]; }\n"
    . "int main() {\n    int *p;\n    if (cudaMalloc(&p, 128)) return 9;\n    k<<<1, 32>>>(p);\n    cudaFree(p);\n}\n");
system "'$cudacc' --trace odd.cu -o odd";
for my $where ('>/dev/full', '2>/dev/full', '2>&-', '>&- 2>&-') {
    is((sh("./odd $where"))[0], '4', "./odd $where: exit code 4");
}
for my $mib (2048, 1024, 512) {
    shows("ulimit -v @{[1024 * $mib]}; ./odd", '4', undef, qr/^CPU device: out of bounds: .* at odd\.cu:1$/m, "with $mib MiB of addresses");
}
{
    shows('ulimit -v 100000; ./odd', '3', undef, qr/\ACPU device: no 64 MiB of address space to reserve .*\n\z/, 'with too few of them one line');
}

spew('twice.cu', "__constant__ float w[8];\nint main() {\n    float h[16] = {};\n" . "    cudaMemcpyToSymbol(w, h, 64);\n" x 2 . "}\n");
shows("'$cudacc' --trace twice.cu -o twice && ./twice", '4', undef, qr/ at twice\.cu:4: .*\n.* at twice\.cu:5: /, 'two copies to a symbol: the lines of the program');

spew('unregistered.cu', "static char h[4096];\nint main() {\n    cudaHostRegister(h, 4096, 0);\n" . "    cudaHostUnregister(h);\n" x 2 . "}\n");
shows("'$cudacc' --trace unregistered.cu -o unregistered && ./unregistered", '4', undef, qr/^CPU device: free of a wrong pointer: cudaHostUnregister at unregistered\.cu:5: .* at unregistered\.cu:3, which is no longer registered$/m,
    'memory that is unregistered twice has not been freed');

# ---- Devices whose host may use no managed memory while a kernel runs ---------------------------
spew('managed.cu', <<'END');
__global__ void fill(int *p) { p[threadIdx.x] = 1; }
int main(int argc, char **) {
    int *one, *other;
    cudaStream_t idle;
    cudaStreamCreate(&idle);
    cudaMallocManaged(&one, 128);
    cudaMallocManaged(&other, 128, argc > 2 ? cudaMemAttachHost : cudaMemAttachGlobal);
    cudaMemsetAsync(one, 0, 128, idle);
    other[0] = 1; // no kernel
    fill<<<1, 32>>>(one);
    if (argc < 2)
        cudaStreamSynchronize(0);
    other[1] = 2;
    cudaDeviceSynchronize();
    cudaStreamDestroy(idle);
    cudaFree(one);
    cudaFree(other);
}
END
system "'$cudacc' --trace managed.cu -o managed";
for my $case (['./managed', 1], ['./managed early', 0], ['./managed early attached', 1]) {
    my ($command, $is_right) = @$case;
    for my $only (0, 1) {
        my $said = (sh("CPU_DEVICE_NO_CONCURRENT_MANAGED=$only $command"))[2];
        like($said, $is_right || !$only ? qr/\ACPU device: 0 errors\n\z/ : qr/^CPU device: device pointer on the host: store of 4 bytes at managed\.cu:13: other\[1\], .*; a kernel may still run, /,
            "$command, CPU_DEVICE_NO_CONCURRENT_MANAGED=$only");
    }
}

# ---- What only the compiler sees ---------------------------------------------------------------
spew('unset.cu', <<'END');
__global__ void sum(const int *in, int n, int *out) {
    int total;
    for (int i = 0; i < n; i++)
        total += in[i];
    *out = total;
}
template <int EACH> __global__ void if_set(int *out, const int *in, unsigned n) {
    int x[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (threadIdx.x + k * blockDim.x < n)
            x[k] = in[threadIdx.x + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (threadIdx.x + k * blockDim.x < n)
            out[threadIdx.x + k * blockDim.x] = x[k] + 1;
}
int main() {
    int *p;
    cudaMalloc(&p, 400);
    sum<<<1, 1>>>(p, 100, p);
    sum<<<1, 1>>>(p, 10, p + 10);
#ifdef CPU_DEVICE_TRACE // nothing to warn of; -Wall does
    if_set<1><<<1, 1>>>(p, p + 10, 1);
#endif
    cudaFree(p);
}
END
for my $options ('--trace', '-Wall') {
    my $said = `'$cudacc' $options -c unset.cu 2>&1`;
    my @warnings = grep { /: warning: / } split /\n/, $said;
    ok(@warnings == 1 && $warnings[0] =~ /^unset\.cu:[2-5]:\d+: .*'total'.* uninitialized/, "$options: a variable that nobody sets, once")
        or diag($said);
}
done_testing();
