#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Random kernels: does the tracer count what lock-step execution asks for? Each program is written
# twice from one tree: as CUDA C, and by an interpreter that runs the lanes of a warp together. The
# counts must be equal in every order of the threads, and with any size of the tracer's buffers
# (TRACE_ROWS in trace.h: threads whose buffer is full wait for others).
#
#     prove cudacc/tests/trace/random.t :: FIRST LAST     other random numbers than the usual ones
use lib 'tests/lib';
use Tests;

my ($scratch, $root, $cudacc) = in_scratch();
$ENV{CUDACC_PROBING} = 1; # what a compiler does otherwise is no matter here

my ($first, $last) = @ARGV ? @ARGV : $ENV{TEST_ALL} ? (1, 15) : (1, 3);
my ($FUNCTIONS, $KERNELS, $WARP, $MOST_STEPS) = (3, 5, 32, 40000);
my $sites;    # statements so far

sub one_of { return $_[rand @_] }

# What t, x and the number of a statement come to; the same text serves the kernels.
sub h {
    my ($t, $x, $s) = @_;
    my $v = ($t * 2654435761 + $x * 65599 + $s * 97531) & 0xffffffff;
    $v ^= $v >> 15;
    $v = ($v * 2246822519) & 0xffffffff;
    return $v ^ ($v >> 13);
}
my $head = <<'END';
__device__ static unsigned h(unsigned t, unsigned x, unsigned s) {
    unsigned v = t * 2654435761u + x * 65599u + s * 97531u;
    v ^= v >> 15;
    v *= 2246822519u;
    return v ^ v >> 13;
}
END
my $parameters = 'volatile unsigned *out, const volatile unsigned *in, unsigned *sum, unsigned n';

# ---- A tree of statements ----------------------------------------------------------------------
# Each thread has its number t, and x, which counts its accesses.
my %ADDRESS = (    # in C; in Perl with a $ before each name
    load   => ['t', 'h(t, x, s) % 512', 't * 3 + 1', 'h(x, 0, s) % 64 + t'],
    store  => ['t + x % 8 * n', 't * 8 + h(t, x, s) % 8', 't * 2', 't * 4 + x % 4'],
    atomic => ['h(t, x, s) % 100'],
    poll   => ['h(t, x, s) % 100', 't / 32 + x % 2'],
    copy   => ['t * 4', 't * 2', 'h(t, x, s) % 512'],
);
my %COMPILED;      # the same as functions of t, x, s, n
for my $text (map { @$_ } values %ADDRESS) {
    my $perl = $text =~ s/\b([txsn])\b/\$$1/gr;
    $COMPILED{$text} = eval "sub { my (\$t, \$x, \$s, \$n) = \@_; return $perl }" or die $@;  ## no critic
}

sub list { my ($count, @where) = @_; return [map { statement(@where) } 1 .. $count] }

# Functions call those before them only; `returns`: may a thread end early here?
sub statement {
    my ($depth, $in_loop, $callable, $returns) = @_;
    my %new   = (s => ++$sites, modulus => 2 + int rand 4, same_for_all => rand() < 0.15);
    my @inner = ($depth - 1, $in_loop, $callable, $returns);
    my $what  = rand 100;
    return { %new, what => 'if', then => list(1 + rand 3, @inner), else => list(rand 3, @inner) } if $depth > 0 && $what < 20;
    return { %new, what => 'loop', as => one_of(qw(for while do)), most => 1 + int rand one_of(6, 6, 14),
             body => list(1 + rand 3, $depth - 1, 1, $callable, $returns) } if $depth > 0 && $what < 40;
    return { %new, what => one_of(qw(break continue)) } if $in_loop && $what < 48;
    return { %new, what => 'return' } if $returns && $what < 51;
    return { %new, what => 'call', function => int rand $callable } if $callable && $what < 62;
    return { %new, what => 'recurse', deep => 1 + int rand 5 } if $callable && $what < 65;
    return { what => 'wait', text => '__threadfence();' } if $what < 68;
    my $access = one_of(qw(load load load store store atomic poll copy));
    return { %new, what => $access, address => one_of(@{ $ADDRESS{$access} }) };
}

sub program {
    my %p;
    $sites = 0;
    $p{functions} = [map { list(2 + rand 4, 2, 0, $_, 1) } 0 .. $FUNCTIONS - 1];
    $p{recursive} = [{ what => 'load', s => ++$sites, address => 'h(t, x, s) % 512' }, { what => 'deeper', s => ++$sites, modulus => 2 },
                     { what => 'store', s => ++$sites, address => 't' }];
    for (1 .. $KERNELS) {
        my $wait    = one_of('', '__syncthreads();', '__syncwarp();');
        my $returns = $wait ne '__syncwarp();' && rand() < 0.5;
        my @body;
        for (1 .. 2 + rand 3) {
            push @body, @{ list(1 + rand 3, one_of(0, 3, 3, 3), 0, one_of(0, $FUNCTIONS, $FUNCTIONS), $returns) };
            next if !$wait;
            push @body, { what => 'wait', text => $wait };
            push @body, { what => 'some', s => ++$sites, modulus => 2 + int rand 3,
                          parts => [map { list(1 + rand 2, 2, 0, $FUNCTIONS, 0) } 1 .. 4] } if $wait eq '__syncwarp();' && rand() < 0.5;
            push @body, { what => 'repeat', s => ++$sites, times => 2 + int rand 20,
                          body => [@{ list(1 + rand 2, 2, 0, $FUNCTIONS, 0) }, { what => 'wait', text => $wait }] } if rand() < 0.5;
        }
        push @{ $p{kernels} }, { body => \@body, blocks => 1 + int rand 2, block => one_of([32], [64], [20], [45], [96], [16, 5], [7, 9], [33]) };
    }
    return \%p;
}

# ---- As CUDA C ---------------------------------------------------------------------------------
my @lines;
sub put { push @lines, @_; return scalar @lines }
sub write_all { my ($end, @parts) = @_; for my $part (@parts) { ref $part ? text_of($part, $end) : put($part) } return }    # lines, and trees

sub condition { my ($s) = @_; return $s->{same_for_all} ? "h(0, $s->{modulus}, $s->{s}) % $s->{modulus} == 0" : "h(t, x, $s->{s}) % $s->{modulus} == 0" }

sub text_of {
    my ($list, $end) = @_;
    for my $s (@$list) {
        my ($what, $v) = ($s->{what}, 'i' . ($s->{s} // ''));
        my $address = ($s->{address} // '') =~ s/\bs\b/$s->{s}/r;
        my %access = (
            load   => "x += in[$address];",
            store  => "out[$address] = x;",
            atomic => "atomicAdd(&sum[$address], 1);",
            poll   => ($s->{s} // 0) % 2 ? "atomicCAS(&sum[$address], ~0u, 0);" : "atomicAdd(&sum[$address], 0);",
            copy   => "memcpy((void *)&out[$address + 4], (void *)&out[$address], 4 * (h(t, x, " . ($s->{s} // 0) . ') % 4));',
        );
        if ($access{$what}) {
            $s->{line} = put($access{$what});
            put('x++;');
        } elsif ($what eq 'if') {
            write_all($end, 'if (' . condition($s) . ') {', $s->{then}, '} else {', $s->{else}, '}');
        } elsif ($what eq 'some') { # each side waits for its own lanes
            my @parts = @{ $s->{parts} };
            put("{ bool c$s->{s} = " . condition($s) . "; unsigned lanes = __ballot_sync(~0u, c$s->{s});");
            write_all($end, "if (c$s->{s}) {", $parts[0], '__syncwarp(lanes);', $parts[1], '} else {', $parts[2], '__syncwarp(~lanes);', $parts[3], '} }');
        } elsif ($what eq 'loop') {
            my $times = $s->{same_for_all} ? $s->{most} : "h(t, x, $s->{s}) % " . ($s->{most} + 1);
            my $begin = { for => "for (; $v > 0; $v--) {", while => "while ($v-- > 0) {", do => 'do {' }->{ $s->{as} };
            write_all($end, "unsigned $v = $times;", $begin, $s->{body}, $s->{as} eq 'do' ? "} while ($v-- > 0);" : '}');
        } elsif ($what eq 'repeat') {
            write_all($end, "for (unsigned $v = 0; $v < $s->{times}; $v++) {", $s->{body}, '}');
        } elsif ($what eq 'call') {
            put("x = f$s->{function}(out, in, sum, n, t, x + $s->{s});");
        } elsif ($what eq 'recurse') {
            put("x = recursive(out, in, sum, n, t, x + $s->{s}, $s->{deep});");
        } elsif ($what eq 'deeper') {
            put('if (deep > 0 && ' . condition($s) . ')', 'x = recursive(out, in, sum, n, t, x, deep - 1);');
        } elsif ($what eq 'wait') {
            put($s->{text});
        } else {
            put('if (' . condition($s) . ')', $what eq 'return' ? $end : "$what;");
        }
    }
    return;
}

sub cuda_c {
    my ($p) = @_;
    @lines = split /\n/, $head;
    my $function = '__device__ __noinline__ static unsigned';
    write_all('return x;', "$function recursive($parameters, unsigned t, unsigned x, unsigned deep) {", $p->{recursive}, 'return x;', '}');
    write_all('return x;', "$function f$_($parameters, unsigned t, unsigned x) {", $p->{functions}[$_], 'return x;', '}') for 0 .. $FUNCTIONS - 1;
    write_all('return;', "__global__ void k$_($parameters) {", 'unsigned t = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x, x = 0;',
        $p->{kernels}[$_]{body}, '}') for 0 .. $KERNELS - 1;
    put('int main(void) {', 'unsigned *out, *in, *sum;', 'cudaMalloc(&out, 1 << 16), cudaMalloc(&in, 1 << 16), cudaMalloc(&sum, 4096);',
        'cudaMemset(in, 0, 1 << 16), cudaMemset(sum, 0, 4096);');
    for my $i (0 .. $KERNELS - 1) {
        my ($blocks, $block) = @{ $p->{kernels}[$i] }{qw(blocks block)};
        put("k$i<<<$blocks, dim3(" . join(', ', @$block) . ")>>>(out, in, sum, $blocks * " . join(' * ', @$block) . ');');
    }
    put('return cudaDeviceSynchronize() != cudaSuccess;', '}');
    return join '', map { "$_\n" } @lines;
}

# ---- In lock step ------------------------------------------------------------------------------
my ($p, $kernel, $n, @t, @x, %count, $steps);

sub holds {
    my ($s, $lane) = @_;
    return ($s->{same_for_all} ? h(0, $s->{modulus}, $s->{s}) : h($t[$lane], $x[$lane], $s->{s})) % $s->{modulus} == 0;
}

sub request {
    my ($s, $op, $further, @lanes) = @_;
    my %sectors = map { int(($COMPILED{ $s->{address} }->($t[$_], $x[$_], $s->{s}, $n) + $further) * 4 / 32) => 1 } @lanes;
    my $row = $count{"$kernel line $s->{line} $op"} //= [0, 0];
    $row->[0]++;
    $row->[1] += keys %sectors;
    die "too long\n" if ++$steps > $MOST_STEPS;
    return;
}

# Runs the statements for these lanes; those that come to the end. Others are in $loop, or have returned.
sub run {
    my ($list, $lanes, $loop, $deep) = @_;
    my @lanes = @$lanes;
    for my $s (@$list) {
        last if !@lanes;
        my $what = $s->{what};
        my @yes  = $s->{modulus} ? grep { holds($s, $_) } @lanes : ();
        my %is   = map { $_ => 1 } @yes;
        if ($what eq 'copy') { # byte by byte, all loads first
            my %words = map { $_ => h($t[$_], $x[$_], $s->{s}) % 4 } @lanes;
            for my $op ('ld', 'st') {
                for my $word (0 .. 2) {
                    my @still = grep { $words{$_} > $word } @lanes or last;
                    request($s, $op, $word + ($op eq 'st' ? 4 : 0), @still) for 1 .. 4;
                }
            }
            $x[$_]++ for @lanes;
        } elsif ($s->{address}) {
            request($s, { load => 'ld', store => 'st', atomic => 'atomic', poll => 'atomic' }->{$what}, 0, @lanes);
            $x[$_]++ for @lanes;
        } elsif ($what eq 'if') {
            my @no = grep { !$is{$_} } @lanes;
            @lanes = (run($s->{then}, \@yes, $loop, $deep), run($s->{else}, \@no, $loop, $deep));
        } elsif ($what eq 'some') {
            my @sides = (\@yes, [grep { !$is{$_} } @lanes]);
            @lanes = map { run($s->{parts}[2 * $_ + 1], [run($s->{parts}[2 * $_], $sides[$_], $loop, $deep)], $loop, $deep) } 0, 1;
        } elsif ($what eq 'loop') {
            my %left = map { $_ => $s->{same_for_all} ? $s->{most} : h($t[$_], $x[$_], $s->{s}) % ($s->{most} + 1) } @lanes;
            $left{$_} += $s->{as} eq 'do' for @lanes;
            my @done;
            while (@lanes) {
                push @done, grep { $left{$_} == 0 } @lanes;
                @lanes = grep { $left{$_}-- > 0 } @lanes;
                my %ended = (break => [], continue => []);
                @lanes = (run($s->{body}, \@lanes, \%ended, $deep), @{ $ended{continue} });
                push @done, @{ $ended{break} };
            }
            @lanes = @done;
        } elsif ($what eq 'repeat') {
            @lanes = run($s->{body}, \@lanes, $loop, $deep) for 1 .. $s->{times};
        } elsif ($what eq 'call' || $what eq 'recurse') {
            $x[$_] += $s->{s} for @lanes;
            run($what eq 'call' ? $p->{functions}[ $s->{function} ] : $p->{recursive}, \@lanes, {}, $s->{deep});
        } elsif ($what eq 'deeper') {
            run($p->{recursive}, \@yes, {}, $deep - 1) if $deep > 0;
        } elsif ($what ne 'wait') {
            @lanes = grep { !$is{$_} } @lanes;
            push @{ $loop->{$what} }, @yes if $what ne 'return';
        }
    }
    return @lanes;
}

sub in_lock_step {
    %count = ();
    for my $i (0 .. $KERNELS - 1) {
        my $k = $p->{kernels}[$i];
        my $threads = $k->{block}[0] * ($k->{block}[1] // 1);
        ($kernel, $n, $steps) = ("k$i", $threads * $k->{blocks}, 0);
        for my $block (0 .. $k->{blocks} - 1) {
            for (my $from = 0; $from < $threads; $from += $WARP) {
                my $lanes = $threads - $from < $WARP ? $threads - $from : $WARP;
                @t = map { $block * $threads + $from + $_ } 0 .. $lanes - 1;
                @x = (0) x $lanes;
                run($k->{body}, [0 .. $lanes - 1], {}, 0);
            }
        }
    }
    return join '', map { "$_: $count{$_}[0] requests, $count{$_}[1] sectors\n" } sort keys %count;
}

# ---- Both --------------------------------------------------------------------------------------

sub traced {
    my ($program, $schedule) = @_;
    my %sum;
    local @ENV{qw(CPU_DEVICE_SCHEDULE ACCESS_REPORT)} = ($schedule, 'run.csv');
    unlink 'run.csv';
    system "'$root/tests/lib/limit' 60 ./$program >out 2>err";    # it may have data races: exit code 4
    for (split /\n/, slurp('run.csv')) {
        my ($kernel, $line, $op, $requests, $sectors) = (split /,/)[1, 4, 6, 8, 9];
        next if $kernel eq 'kernel';
        $sum{"$kernel line $line $op"}[0] += $requests;
        $sum{"$kernel line $line $op"}[1] += $sectors;
    }
    return join '', map { "$_: $sum{$_}[0] requests, $sum{$_}[1] sectors\n" } sort keys %sum;
}

sub differences {
    my ($is, $expected) = @_;
    my %is = map { $_ => 1 } split /\n/, $is;
    my %expected = map { $_ => 1 } split /\n/, $expected;
    return join "\n", (map { "counted: $_" } sort grep { !$expected{$_} } keys %is), map { "expected: $_" } sort grep { !$is{$_} } keys %expected;
}

# clang: two loads, one in each branch, may become one, of the address that is chosen; or a loop whose
# body comes to nothing stands behind its end.
my $clang = `\${CXX:-g++} --version` =~ /clang/;
my %otherwise = map { $_ => 1 } $clang ? (11, 16, 17, 21, 31) : ();
for my $seed ($first .. $last) {
    srand $seed;
    $p = program();
    spew('random.cu', cuda_c($p));
    my $expected = eval { in_lock_step() };
    next if !$expected && $@ eq "too long\n";
    ok($expected, "$seed: runs in lock step") or diag($@), next;
    ok(system("'$cudacc' --trace -c random.cu -o random.o") == 0, "$seed: compiles") or next;
    for my $rows (8, 256) {
        local $ENV{CUDACC_RUNTIME_FLAGS} = $rows == 256 ? '' : "-DTRACE_ROWS=$rows -Og -g1";
        system("'$cudacc' --trace random.o -o random") == 0 or die;
        for my $schedule ('', 'reversed', "shuffled:$seed") {
            my $is = traced('random', $schedule);
            ok($? >> 8 == 0 || $? >> 8 == 4, "$seed, $rows rows, $schedule: runs") or diag("exit code " . ($? >> 8));
            Test::More->builder->todo_start('clang counts otherwise') if $otherwise{$seed};
            is(differences($is, $expected), '', "$seed, $rows rows, $schedule: requests and sectors");
            Test::More->builder->todo_end if $otherwise{$seed};
        }
    }
}
# Kernels that a random one is rarely like. What their threads do at run time stands behind each.
spew('known.cu', $head . <<'END');
// Half a warp waits in a loop for what the other half does later than its buffer has room for.
__global__ void spin(float *out, const float *in, int *ready) {
    unsigned i = threadIdx.x;
    float sum = 0;
    if (i >= 16) {
        while (atomicAdd(ready, 0) < 16)
            sum += 1;
    } else {
        for (int k = 0; k < 1000; k++)
            sum += in[i + k]; // ld: 1000 requests, 2875 sectors
        atomicAdd(ready, 1);
    }
    out[i] = sum;
}
// Two lanes have a long way to go, while those after the loop have no room in their buffers.
__global__ void serial(float *out, const volatile float *in) {
    unsigned i = threadIdx.x;
    float sum = 0;
    for (unsigned k = 0; i < 2 && k < 100000; k++)
        sum += in[i + k % 8 * 8]; // ld: 100000 requests, 100000 sectors
    for (int k = 0; k < 200; k++)
        sum += in[i + k]; // ld: 200 requests, 975 sectors
    out[i] = sum;
}
// Nothing is left of the loop but its rounds, of which some lanes have none: gcc 13 unrolled it.
__global__ void idle_rounds(volatile unsigned *out, const volatile unsigned *in) {
    unsigned t = threadIdx.x, x = in[t]; // ld: 1 requests, 4 sectors
    unsigned rounds = h(t, x, 115) % 10;
    for (; rounds > 0; rounds--) {
        if (h(t, x, 116) % 2 == 0)
            return;
    }
    out[t] = x; // st: 1 requests, 4 sectors
}
// A lane returns early, and the next one takes its address.
__global__ void close_up(float *out, const float *in) {
    unsigned i = threadIdx.x;
    if (i == 5)
        return;
    out[i] = in[1 + i - (i > 5)]; // ld: 1 requests, 4 sectors
}
// Lane 3 goes around three times, then apart at the fence; lane 5 twice, right after lane 3's address.
__global__ void rounds(volatile float *out, const volatile float *in) {
    unsigned i = threadIdx.x;
    for (unsigned k = 0; k < (i == 3 ? 3 : i == 5 ? 2 : 1); k++)
        out[i] = in[64 * k + (i == 3 ? 6 : i == 5 ? 7 : 0)]; // ld: 3 requests, 3 sectors
    __threadfence();
    out[i] = 0;
}
// Buffers get full right before the fence in odd lanes, elsewhere in even ones.
__global__ void fences(float *out, const volatile float *in) {
    unsigned i = threadIdx.x;
    float sum = 0;
    if (i % 2)
        sum = in[i] + in[i + 32] + in[i + 64];
    for (int k = 0; k < 200; k++) {
        sum += in[i + k]; // ld: 200 requests, 975 sectors
        __threadfence();
    }
    out[i] = sum;
}
// Lane 1 loads its second word from where lane 0 stored; the loads of all come first.
__global__ void copies(float *out) {
    unsigned i = threadIdx.x;
    memcpy(&out[4 * i + 4], &out[4 * i], i ? 8 : 4); // ld: 8 requests, 128 sectors, st: 8 requests, 132 sectors
}
// Every other lane copies nothing in the first round, the others in the second.
__global__ void copies_of_nothing(float *out, const float *in) {
    unsigned i = threadIdx.x;
    for (unsigned k = 0; k < 4; k++)
        memcpy(&out[i], &in[8 * i], (i + k) % 2 * 4); // ld: 16 requests, 256 sectors, st: 16 requests, 64 sectors
}
__device__ void ways(volatile float *out, const volatile float *in, unsigned i);
// Three ways lead to a loop, which gcc unrolls early; in it the lanes are together (and race).
__global__ void three_ways(float *out, const float *in) { ways(out, in, threadIdx.x); }
__device__ void ways(volatile float *out, const volatile float *in, unsigned i) {
    float x = 0;
    if (i % 4 == 0)
        x = in[i + 35];
    else if (i % 4 == 2)
        out[i + 128] = x;
    for (int k = 0; k < 3; k++) {
        out[k * 5 + 32] = x; // st: 3 requests, 3 sectors
        x = in[i + 30]; // ld: 3 requests, 15 sectors
    }
}
int main(void) {
    float *out, *in;
    int *ready;
    cudaMalloc(&out, 1024), cudaMalloc(&in, 4096 + 128), cudaMalloc(&ready, 4);
    cudaMemset(in, 0, 4096 + 128), cudaMemset(out, 0, 1024), cudaMemset(ready, 0, 4);
    spin<<<1, 32>>>(out, in, ready);
    serial<<<1, 32>>>(out, in);
    idle_rounds<<<1, 32>>>((unsigned *)out, (unsigned *)in);
    close_up<<<1, 32>>>(out, in);
    rounds<<<1, 32>>>(out, in);
    fences<<<1, 32>>>(out, in);
    copies<<<1, 32>>>(out);
    copies_of_nothing<<<1, 32>>>(out, in);
    three_ways<<<1, 32>>>(out, in);
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
ok(system("'$cudacc' --trace known.cu -o known") == 0, 'known kernels: they compile');
for my $schedule ('', 'reversed') {
    my ($line, $kernel, $is) = (0, '', traced('known', $schedule));
    for (split /\n/, slurp('known.cu')) {
        $line++;
        $kernel = $1 if /^__global__ void (\w+)/;
        while (m{(\w+): (\d+ requests, \d+ sectors)}g) {
            like($is, qr{^$kernel line $line $1: $2$}m, "$kernel, $schedule: $1");
        }
    }
}
done_testing();
