#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Does the CPU device count what a GPU counts? The programs of cudacc/tests/trace, traced, against the
# arithmetic in their first lines, and against the counters of a GPU that cudacc/tests/trace/results hold,
# launch by launch; with TEST_ALL=1 those of the chapters, too. Then the tools that read both.
use lib 'tests/lib';
use Tests;
use Access;

my $folder = tempdir(CLEANUP => 1);

sub file { my ($name, $text) = @_; spew("$folder/$name", $text); return "$folder/$name" }

# ---- Arithmetic --------------------------------------------------------------------------------
sub min { return $_[0] < $_[1] ? $_[0] : $_[1] }
sub max { return $_[0] > $_[1] ? $_[0] : $_[1] }

# The expressions of check.h, in Perl.
sub in_perl {
    my ($text) = @_;
    $text =~ m{^[\w\s+*/%()\[\].,:;=<>?-]+$} or die "cannot read '$text'\n";
    1 while $text =~ s{\bsum\(([a-z])=(\w+)\.\.(\w+):((?:[^()]|(\((?:[^()]|(?5))*\)))*)\)}
                      {do{my \$t=0; foreach my \$$1 ($2..$3) {\$t+=($4)} \$t}};
    $text =~ s{(?<![\$\w])([a-z])(?!\w)}{\$$1}g;
    return $text;
}

sub value {
    my ($text, $k) = @_;
    my $value = eval in_perl($text); ## no critic: the text is a comment of this repository
    die "'$text': $@" if $@ || !defined $value;
    return $value;
}
is(value('2*min(32,int(31*4*(k+1)/32)+1)', 2), 24, 'arithmetic: a stride of 3 floats');
is(value('sum(s=1..33:min(32,int(31*2**k*s/32)+1))', 4), 16 + 32 * 32, 'arithmetic: a sum');
is(value('4*(1,2,1)[k]', 1), 8, 'arithmetic: a list');

# What a program's head expects: [kernel, first k, last k, names of counts, expressions].
sub expected {
    my ($source) = @_;
    my @expected;
    for (split /\n/, slurp($source)) {
        next if !m{^// EXPECT};
        m{^// EXPECT(_SHARED)? (\w+(?:, \w+)*)(?: k=(\d+)\.\.(\d+))?: (.+)$} or die "$source: cannot read '$_'\n";
        my @names = $1 ? @SHARED : @GLOBAL;
        my @expressions = split ' ', $5;
        @expressions == @names or die "$source: '$_' has " . @expressions . " expressions\n";
        my ($kernels, $first, $last) = ($2, $3 // 0, $4 // 0);
        push @expected, map { [$_, $first, $last, \@names, \@expressions] } split /, /, $kernels;
    }
    return @expected;
}

sub counts { my ($launch, @names) = @_; return join ' ', map { "$_ $launch->{$_}" } @names }

# ---- Programs ----------------------------------------------------------------------------------
my %among = map { program_of($_) => 1 } all_runs();
ok(experiments() > 20 && !(grep { !$among{$_} } experiments()), 'every experiment is compared');
my @runs = grep { $ENV{TEST_ALL} || m{^cudacc/tests/} } all_runs();
my $path = build('cpu', unique(map { program_of($_) } @runs));
my $clang   = `\${CXX:-g++} --version` =~ /clang/;
my $arm64   = `\${CXX:-g++} -dumpmachine` =~ /^aarch64/; # where a table begins is left to luck there
my $allowed = read_allowed('cudacc/tests/trace/differences');
push @$allowed, @{ read_allowed('cudacc/tests/trace/differences_clang') } if $clang;
push @$allowed, @{ read_allowed('cudacc/tests/trace/differences_arm64') } if $arm64;
my %counted;
for my $run (@runs) {
    my $program = program_of($run);
    ok($path->{$program}, "$program compiles with --trace") or next;
    $counted{$run} = eval { trace($run, $path->{$program}) };
    ok($counted{$run}, "$run runs, traced") or diag($@), next;
    my %launch = map { ("$_->{kernel} $_->{k}" => $_) } @{ $counted{$run} };
    my @expected = expected("$program.cu");
    ok(@expected > 0, "$program says what to expect") if $program =~ m{^cudacc/tests/};
    for my $line (@expected) {
        my ($kernel, $first, $last, $names, $expressions) = @$line;
        my @wrong;
        for my $k ($first .. $last) {
            # What nvcc merges, clang may, too; and what clang is known to count otherwise.
            next if $clang && allowed_for($allowed, $run, { kernel => $kernel, k => $k });
            my %is = map { ($names->[$_] => value($expressions->[$_], $k)) } 0 .. $#$names;
            my $launch = $launch{"$kernel $k"};
            push @wrong, "launch $k: " . (!$launch ? 'there is none' : counts($launch, @$names)) . ', expected ' . counts(\%is, @$names)
                if !$launch || grep { $launch->{$_} != $is{$_} } @$names;
        }
        ok(!@wrong, "$program: $kernel: $names->[0]...") or diag(join "\n", @wrong);
    }
}

# ---- A GPU's counters --------------------------------------------------------------------------
my @recorded = glob 'cudacc/tests/trace/results/*.csv';
my %measured;
for my $file (@recorded) {
    my ($about, $gpu) = read_results($file);
    $measured{ program_of($_) } = 1 for keys %$gpu;
    ok($about->{device} && $about->{date} && $about->{versions}, "$file names its device, date and versions");
    for my $run (grep { $counted{$_} && @{ $counted{$_} } } @runs) {
        SKIP: { skip "$run: not measured on $about->{device}", 1 if !$gpu->{$run} }
        next if !$gpu->{$run};
        my $pairs = compare($run, $counted{$run}, $gpu->{$run}, $allowed);
        my @wrong;
        # clang may be nearer to nvcc than gcc is.
        for my $pair (grep { is_wrong($_) && !(($clang || $arm64) && $_->{verdict} eq 'equal, though listed') } @$pairs) {
            my @names = ('grid', 'block', @GLOBAL, @SHARED);
            push @wrong, "$pair->{cpu}{kernel} $pair->{cpu}{k}: $pair->{verdict}" . ($pair->{differs} eq '' ? '' :
                "\n    CPU device: " . counts($pair->{cpu}, @names) . "\n    GPU:        " . counts($pair->{gpu}, @names));
        }
        ok(!@wrong, "$run: as $about->{device} counts, but for what `differences` says") or diag(join "\n", @wrong);
    }
}
SKIP: {
    skip 'no GPU has been measured', 1 if !@recorded;
    my @unused = grep { my $rule = $_; !$rule->{used} && $rule->{what} ne 'never' && $measured{ $rule->{program} } && grep { $rule->{program} eq program_of($_) } @runs } @$allowed;
    ok(!@unused, 'every line of cudacc/tests/trace/differences means a launch') or diag(map { "$_->{place}\n" } @unused);
}

# ---- The probe ---------------------------------------------------------------------------------
# `cudacc --trace` asks it once for each compiler.
is(`cudacc/trace/probe cudacc/cudacc 2>&1`, '', 'this compiler makes accesses as wide as nvcc does')
    if !$clang;
mkdir "$folder/bin";
my $made = file('bin/cudacc', <<'END');
#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\ncp "%s" "$ACCESS_REPORT"\n' "$SEEN" >"$2"
chmod +x "$2"
END
chmod 0755, $made;
{
    my @wide = map { my ($kernel, $list) = @$_; map { "0,$kernel,1x1x1,32x1x1,1,x,$_->[0],$_->[1],$_->[2],4,128,128\n" } @$list }
        map { my ($kernel, $list) = m{^// EXPECT (\w+): .*: (.*)$}; [$kernel, [map { [/^(\w+) (\d+) x (\d+)$/] } split /, /, $list]] }
        grep { m{^// EXPECT} } split /\n/, slurp('cudacc/trace/probe.cu');
    cmp_ok(scalar @wide, '>', 20, 'its list of expected accesses');
    my $names = "launch,kernel,grid,block,line,allocation,op,bytes_per_thread,requests,sectors,useful_bytes,moved_bytes\n";
    local $ENV{SEEN} = file('seen', join '', $names, @wide);
    is(`cudacc/trace/probe $made 2>&1`, '', 'all as expected: no word');
    s/,copied,(.*),ld,16,1,/,copied,$1,ld,4,4,/ for @wide;
    file('seen', join '', $names, grep { !/,three,.*,st,/ } @wide);
    is(`cudacc/trace/probe $made 2>&1`, "a float4, copied: ld 4 x 4, st 16 x 1, nvcc makes ld 16 x 1, st 16 x 1\n"
        . "a float3: ld 4 x 3, nvcc makes ld 4 x 3, st 4 x 3\n", 'one split, one missing: both are named');
}

# ---- The readers -------------------------------------------------------------------------------
my @metrics = map { "l1tex__$_.sum" } (map { my $op = $_; map { "t_${_}_pipe_lsu_mem_global_op_$op" } qw(requests sectors) } qw(ld st)),
    map { "data_pipe_lsu_wavefronts_mem_shared_op_$_" } qw(ld st);
my @names = ('ID', 'Process ID', 'Process Name', 'Host Name', 'Kernel Name', 'Context', 'Stream', 'Block Size', 'Grid Size', 'Device', 'CC');

sub fields_of { return join(',', map { qq("$_") } @_) . "\n" }
sub ncu_row { my ($id, $kernel, @values) = @_; return fields_of($id, 42, 'prog', '127.0.0.1', $kernel, 1, 7, '(32, 8, 1)', '(2, 2, 1)', 0, '9.0', @values) }

my $head  = fields_of(@names, @metrics);
my $units = fields_of(('') x @names, qw(request sector request sector), '', '');
my $log   = "==PROF== Connected to process 42 (/tmp/prog)\n==PROF== Profiling \"add\": 0%....50%....100% - 1 pass\n";
my $text  = $log . $head . $units . ncu_row(0, 'add', '1,024', '4,096', 512, 2048, 0, 0) . ncu_row(1, 'sub', 1 .. 6)
    . ncu_row(2, 'add', 7 .. 12) . "==PROF== Disconnected from process 42\n";
is_deeply([map { join ' ', @$_{ qw(kernel k grid block), @GLOBAL, @SHARED } } @{ read_ncu(file('ncu.csv', $text)) }],
    ['add 0 2x2x1 32x8x1 1024 4096 512 2048 0 0', 'sub 0 2x2x1 32x8x1 1 2 3 4 5 6', 'add 1 2x2x1 32x8x1 7 8 9 10 11 12'],
    'ncu: a raw page of three launches');
my %broken = (
    'a value that is no number' => $head . $units . ncu_row(0, 'add', 'n/a', 2 .. 6),
    'half a thousand'           => $head . $units . ncu_row(0, 'add', '1,02', 2 .. 6),
    'a fraction'                => $head . $units . ncu_row(0, 'add', '1.5', 2 .. 6),
    'a field too few'           => $head . $units . ncu_row(0, 'add', 1 .. 5),
    'no metric'                 => fields_of(@names, @metrics[0 .. 4]) . $units,
    'other units'               => $head . fields_of(('') x @names, 'Krequest', qw(sector request sector), '', ''),
    'no units'                  => $head . ncu_row(0, 'add', 1 .. 6),
    'no names'                  => ncu_row(0, 'add', 1 .. 6),
    'a whole signature'         => $head . $units . ncu_row(0, 'add(float *)', 1 .. 6),
    'half a line'               => $head . $units . '"0","42',
);
for my $what (sort keys %broken) {
    ok(!eval { read_ncu(file('broken.csv', $broken{$what})); 1 }, "ncu: $what is an error");
}
like(ncu_forbidden('==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'), qr/run it as root/, 'ncu: forbidden, with the remedy');
is(ncu_forbidden($text), undef, 'ncu: allowed');

# What is measured later replaces its own rows in the stored file.
{
    local @ENV{qw(LOGS RESULTS)} = ("$folder/logs", "$folder/results");
    mkdir $_ for @ENV{qw(LOGS RESULTS)};
    my @head = ('# device: NVIDIA T1', '# date: 2026-01-01', '# versions: 1', '# how: by hand',
                join ',', qw(program kernel launch grid block), @GLOBAL, @SHARED);
    my ($gone, $steps, $wide) = map { "cudacc/tests/trace/$_,add,0,1x1x1,32x1x1,1,2,3,4,5,6" } qw(gone steps wide);
    file('results/nvidia_t1.csv', join '', map { "$_\n" } @head[0 .. 3], '# later: 2026-02-02, cudacc/tests/trace/gone cudacc/tests/trace/wide', $head[4], $gone, $steps, $wide);
    file('logs/device', "device: NVIDIA T1\ndate: 2026-03-03\nversions: 2\n");
    file('logs/cudacc.tests.trace.steps.csv', $text);
    like(`cudacc/tests/trace/compare store cudacc/tests/trace/steps 2>&1`, qr/nvidia_t1\.csv: 1 of 1 runs$/, 'compare store RUN');
    my @rows = map { "cudacc/tests/trace/steps,$_" } 'add,0,2x2x1,32x8x1,1024,4096,512,2048,0,0', 'sub,0,2x2x1,32x8x1,1,2,3,4,5,6',
        'add,1,2x2x1,32x8x1,7,8,9,10,11,12';
    is(slurp("$folder/results/nvidia_t1.csv"), join('', map { "$_\n" } @head[0 .. 3], '# later: 2026-02-02, cudacc/tests/trace/wide',
        '# later: 2026-03-03, cudacc/tests/trace/steps; 2', $head[4], @rows, $wide), 'replaces the rows of RUN, keeps others, drops those of programs that are gone');
}

# Launches side by side.
sub side { my @l = map { my ($kernel, @c) = @$_; my %l; @l{ qw(kernel grid block), @GLOBAL, @SHARED } = ($kernel, '1x1x1', '32x1x1', @c); \%l } @_; return number(@l) }
write_results("$folder/alike.csv", ['device: NVIDIA T1'], ['p'], { p => side(map { [$_, 1 .. 6] } qw(add add sub add)) });
like(slurp("$folder/alike.csv"), qr/^p,add,0\.\.1,.*\np,sub,0,.*\np,add,2,.*\n\z/m, 'launches with the same counts are one row');
is(join(' ', map { "$_->{kernel} $_->{k}" } @{ (read_results("$folder/alike.csv"))[1]{p} }), 'add 0 add 1 sub 0 add 2', 'and each is there again');
my $rules = read_allowed(file('differences', "# none\n\np add 1 global: it is unrolled\np sub * both: why not\n* spin * never: it waits\n"));
my $cpu = side(['add', 1 .. 6], ['add', 1 .. 6], ['sub', 1 .. 6], ['spin', 1 .. 6], ['add', 1 .. 6], ['add', 1 .. 6], ['own', 1 .. 6]);
my $gpu = side(['add', 1 .. 6], ['add', 2 .. 6, 6], ['add', 1 .. 4, 6, 6], ['sub', 1 .. 6], ['spin', 3 .. 8]);
$gpu->[1]{$_} = $cpu->[1]{$_} for @SHARED;
is_deeply([map { "$_->{cpu}{kernel} $_->{cpu}{k} $_->{verdict}" } @{ compare('p', $cpu, $gpu, $rules) }],
    ['add 0 equal', 'add 1 allowed', 'sub 0 equal, though listed', 'add 2 differs', 'own 0 not on the GPU'], 'launches of two devices are matched and judged');
for my $line ('p add 1 global', 'p add x global: reason', 'p add 1 global:', 'add * both: reason') {
    ok(!eval { read_allowed(file('broken', "$line\n")); 1 }, "differences: '$line' is an error");
}

# The table of one program, and the messages.
my $program = '05_coalescing/sums';
is(join(' ', arguments(with_size($program, 99))), '--quick --size 99', 'programs run with --quick and one size on both devices');
is(join(' ', arguments(with_size('03_bandwidth/errors', 99))), '--quick', 'those without a size do not get one');
is(join(' ', arguments('cudacc/tests/trace/steps')), '', 'those of cudacc/tests/trace have no options');
SKIP: {
    skip 'ncu is here', 1 if !ncu_missing();
    my $said = tells('tools/measure/access gpu 05_coalescing sums', 77, 'make access DEVICE=gpu without ncu: exit code 77');
    like($said, qr/\Aaccess: [^\n]*no ncu[^\n]*\n\z/, 'and one line');
}

# With an ncu that writes what it is told to, and a compiler that is always there.
file('bin/ncu', <<'END');
#!/bin/sh
while [ "$1" != --log-file ]; do shift; done
cp "$COUNTERS" "$2"
END
chmod 0755, "$folder/bin/ncu";
{
    local @ENV{qw(PATH NVCC NVCCFLAGS BUILD)} = ("$folder/bin:$ENV{PATH}", 'cudacc/cudacc', '-O1', "$folder/build");
    my $both = sub {
        local $ENV{COUNTERS} = file('counters', $_[0]);
        return output_of('tools/measure/access both 05_coalescing sums');
    };
    my @values = ([32, 1024, 2, 8, 0, 0], [32, 128, 2, 8, 0, 0], [32, 128, 2, 8, 32, 64]);
    my $page = sub {
        my $id = 0;
        my @rows = map { ncu_row($id++, $_, @{ $values[ $id - 1 ] }) } qw(sum_rows sum_columns sum_rows_staged);
        return $head . $units . join '', map { s/\(32, 8, 1\)/(256, 1, 1)/r =~ s/\(2, 2, 1\)/(1, 1, 1)/r } @rows;
    };
    my ($code, $said) = $both->($page->());
    is($code, 0, 'make access DEVICE=both: equal') or diag($said);
    like($said, qr/^sum_rows_staged .* 32 \/ 64  equal$/m, 'and the table says so') or diag($said);
    $values[1][1]++;
    ($code, $said) = $both->($page->());
    is($code, 1, 'a sector more on the GPU: exit code 1');
    like($said, qr/^sum_columns .*  differs: loads 32 \/ 129$/m, 'and the table shows it') or diag($said);
    ($code, $said) = $both->("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU\n");
    is($code, 77, 'no right to the counters: exit code 77');
    like($said, qr/\Aaccess: [^\n]*run it as root[^\n]*\n\z/, 'and one line');
}
my $table = tells('tools/measure/access cpu 05_coalescing sums', 0, 'make access on the CPU device');
like($table, qr/^sum_rows, .*\n.*\n.*total \+=.*\n +a +ld +4 +32 +1024 +32\.00 /m, 'sum_rows: 2 warps of 16 loads, a sector for each number') or diag($table);
done_testing();
