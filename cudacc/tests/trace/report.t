#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# What `cudacc --trace` reports: names of memory, lines, advice, the table and the CSV files. That the
# counts are right is tested elsewhere; here it is how they are told.
use lib 'tests/lib';
use Tests;

$ENV{CUDACC_PROBING} = 1; # what a compiler does otherwise is said once, not in these tests
use Programs;

my ($scratch, $root, $cudacc) = in_scratch(qw(CC CXX MAKEFLAGS));
my $tests   = "$root/cudacc/tests/trace/report";

sub compiles {
    my ($name, $more, $output) = @_;
    unlink $output;
    my ($code, undef, $err) = sh("'$cudacc' --trace -Wall -Wextra $more '$tests/$name.cu' -o $output");
    return ok($code eq '0' && $err eq '', "$name.cu compiles $more") || (diag($err), 0)[1];
}

# The lines of a file that a pattern finds, by their numbers: what it finds there.
sub marked {
    my ($file, $pattern) = @_;
    my @lines = split /\n/, slurp("$tests/$file");
    return map { $lines[$_ - 1] =~ $pattern ? ($_ => $1) : () } 1 .. @lines;
}

my $no_errors = "CPU device: 0 errors\n"; # the tracer's last line
my $number = qr/(?:0|[1-9][0-9]*)/;
my %columns = (
    ''          => [qw(launch kernel grid block line allocation op bytes_per_thread requests sectors useful_bytes moved_bytes)],
    '.shared'   => [qw(launch kernel grid block line variable op bytes_per_thread requests wavefronts conflicts)],
    '.launches' => [qw(launch kernel grid block blocks_traced)],
);
my %form = (
    grid => qr/${number}x${number}x$number/, block => qr/${number}x${number}x$number/,
    kernel => qr/[A-Za-z_]\w*/, line => qr/$number|[\w.-]+:$number/, allocation => qr/.+/, variable => qr/.+/,
    op => qr/ld|st|atomic/, bytes_per_thread => qr/1|2|4|8|16/,
);

# The rows of a file, each a hash; every field must have its form.
sub csv {
    my ($name, $kind, $what) = @_;
    my @lines = split /\n/, slurp($name =~ s/\.csv$/$kind.csv/r), -1;
    my @wrong;
    push @wrong, 'no newline at the end' if !@lines || pop @lines ne '';
    my $header = shift @lines // '';
    push @wrong, "header: $header" if $header ne join ',', @{ $columns{$kind} };
    my %whole = map { my $form = $form{$_} // $number; $_ => qr/\A(?:$form)\z/ } @{ $columns{$kind} };
    my @rows;
    for my $line (@lines) {
        my %row;
        my @values = fields($line);
        push @wrong, "fields: $line" if @values != @{ $columns{$kind} };
        @row{ @{ $columns{$kind} } } = @values;
        push @wrong, map { "$_: $line" } grep { ($row{$_} // '') !~ $whole{$_} } keys %row;
        push @wrong, "moved: $line" if exists $row{moved_bytes} && $row{moved_bytes} != 32 * $row{sectors};
        push @wrong, "useful: $line" if exists $row{moved_bytes} && $row{useful_bytes} > $row{moved_bytes};
        push @rows, \%row;
    }
    my %seen;
    push @wrong, map { "twice: $_" } grep { $seen{$_}++ }
        map { my $row = $_; join ',', map { $row->{$_} // '' } qw(launch line allocation variable op bytes_per_thread) } @rows;
    ok(!@wrong, "$what: $name$kind is well formed (" . @rows . ' rows)') or diag(join "\n", @wrong[0 .. ($#wrong > 9 ? 9 : $#wrong)]);
    return @rows;
}

# ---- With each compiler; without TEST_ALL with one ----------------------------------------------
my @compilers = compilers();
my $lines_known = found('addr2line');

for my $compiler (@compilers[0 .. ($ENV{TEST_ALL} ? $#compilers : 0)]) {
    local @ENV{qw(CXX CC)} = @$compiler;
    my $name = $compiler->[0];
    next if !compiles('names', '', 'names') || !compiles('lines', "-I '$tests'", 'lines');

    # Names: `-> a + b; c` says what the next launch touches, and the one after it.
    shows('ACCESS_REPORT=names.csv ./names', '0', "no error\n", $no_errors, "$name: names runs, and says nothing with ACCESS_REPORT");
    my (%touched, %kernels);
    for (csv('names.csv', '', $name)) {
        $touched{ $_->{launch} }{ $_->{allocation} } = 1;
        $kernels{ $_->{kernel} } = 1;
    }
  SKIP: {
        skip 'no addr2line (Debian package: binutils)', 1 if !$lines_known;
        is(join(' ', sort keys %kernels), 'touch touch_any touch_both touch_first touch_managed touch_variable',
            "$name: kernels by their plain names, also those launched through pointers");
    }
    my ($launch, @wrong) = (0);
    for my $expected (map { split /; /, $_ } slurp("$tests/names.cu") =~ m{// -> (.*)}g) {
        my $wanted = join ' ', sort split / \+ /, $expected;
        my $got = join ' ', sort keys %{ $touched{$launch} // {} };
        push @wrong, "launch $launch: $got, not $wanted" if $got ne $wanted;
        $launch++;
    }
    is(scalar(keys %touched), $launch, "$name: $launch launches in names");
    ok(!@wrong, "$name: every allocation has its name") or diag(join "\n", @wrong);

    # Lines.
    shows('ACCESS_REPORT=lines.csv ./lines', '0', "no error\n", $no_errors, "$name: lines runs");
  SKIP: {
        skip 'no addr2line (Debian package: binutils)', 2 if !$lines_known;
        my (%got, %wanted);
        for (csv('lines.csv', '', $name)) {
            $got{"$_->{line} $_->{op} $_->{bytes_per_thread}"} = 1;
        }
        my $all = $name =~ /clang/ ? qr{// -> (.*)} : qr{// (?:gcc )?-> (.*)};
        for my $file ('lines.cu', 'lines.h') {
            my %text = marked($file, $all);
            for my $at (keys %text) {
                $wanted{ ($file eq 'lines.h' ? "$file:$at" : $at) . " $1 $2" } = 1 while $text{$at} =~ /(\w+) (\d+)/g;
            }
        }
        $wanted{'source.y:1000 st 4'} = 1;
        is(join("\n", sort keys %got), join("\n", sort keys %wanted), "$name: every access at its line");
    }

    # Shared memory: the variable's name; one past the end of a variable is in no other one.
    next if !compiles('shared', '', 'shared');
    shows('ACCESS_REPORT=shared.csv ./shared', '0', "no error\n", $no_errors, "$name: shared runs");
    my @rows = csv('shared.csv', '.shared', $name);
    my (%got, %named);
    %named = marked('shared.cu', qr{// -> (\w+)});
    my %wanted = map { ("$_ $named{$_}" => 1) } keys %named;
  SKIP: {
        skip 'no addr2line (Debian package: binutils)', 1 if !$lines_known;
        $got{"$_->{line} $_->{variable}"} = 1 for @rows;
        is(join("\n", sort keys %got), join("\n", sort keys %wanted), "$name: shared variables by name");
    }
    my @overrun = qw(of_file array rows pairs dependent dependent of_function words other_words of_any);
    my @missed = grep { (sh("ACCESS_TABLE=0 ./shared " . ($_ + 1)))[2] !~ /past the end of shared $overrun[$_],/ } 0 .. $#overrun;
    ok(!@missed, "$name: overruns of shared variables land in gaps") or diag("not seen: @overrun[@missed]");
}

# ---- Several files; which kernels have loops -----------------------------------------------------
{
    shows("'$cudacc' --trace '$tests/two_main.cu' '$tests/two_other.cu' -o two && ACCESS_REPORT=two.csv ./two", '0', "no error\n", $no_errors, 'a program of two files');
  SKIP: {
        skip 'no addr2line (Debian package: binutils)', 1 if !$lines_known;
        my %got = map { +"$_->{launch} $_->{line} $_->{allocation} $_->{op}" => 1 } csv('two.csv', '', 'two');
        is(join(', ', sort keys %got),
            '0 two_main.cu:6 d_x ld, 0 two_main.cu:6 d_x st, 1 two_other.cu:5 d_x ld, 1 two_other.cu:5 d_x st, 1 two_other.cu:5 offset ld',
            'lines with the names of their files');
    }
}
{
    my %launches;
    shows("'$cudacc' --trace -O1 -rdc=true '$root/cudacc/tests/translate/cudacc/children.cu' -o children && ACCESS_REPORT=children.csv ./children",
        '0', qr/\A(?!.*WRONG)/s, $no_errors, 'kernels that launch kernels');
    $launches{ $_->{kernel} }++ for csv('children.csv', '.launches', 'children');
    is_deeply([@launches{qw(sum add divide fill deeper too_large count)}], [1023, 1023, 21, 64, 25, 1, 129], 'their launches count');
}
SKIP: {
    shows("'$cudacc' --trace --keep -Wall -Wextra -c '$tests/straight.cu'", '0', undef, '', 'straight.cu compiles');
    my $marks = qr{no_sanitize_coverage|no_sanitize\("coverage"\)};
    my $text = slurp('straight.translated.ii') =~ s/^# .*\n//mgr; # marks stand on lines of their own
    my @marked = $text =~ m{$marks\)\)\s*void ((?:yes|no)_\w+)}g;
    my @straight = slurp("$tests/straight.cu") =~ m{void (yes_\w+)}g;
    skip 'this compiler cannot leave out what follows jumps', 1 if $text !~ $marks;
    # gcc's copies of objects follow the jumps, and so must what they shall become a part of.
    @straight = grep { !/_(?:template|vector)$/ } @straight if $text =~ /no_sanitize_coverage/;
    is(join(' ', sort @marked), join(' ', sort @straight), 'kernels without loops are marked, no others');
    ok($text =~ /always_inline\)\)\s+float operator\(\)/, 'what they may call without its name is inlined into them');
}

# ---- What a table says ---------------------------------------------------------------------------
# The report's groups: the head line, and the rows with the line number that stands before them.
sub table {
    my ($err) = @_;
    my (@groups, $line);
    for (split /\n/, $err) {
        if (/^(\w+), grid (\S+), block (\S+?)(?:, (.*))?$/) {
            push @groups, { kernel => $1, grid => $2, block => $3, more => $4 // '', rows => [], text => {} };
        } elsif (!@groups || /^\s+line  (?:allocation|shared) /) {
            next;
        } elsif (/^\s+->\s(.*)/) {
            $groups[-1]{rows}[-1]{advice} = $1;
        } elsif (/^\s+(?:all)?\s+(ld|st|atomic)\s+(\d+)\s+(\d+)\s+[\d.]+\s+(\S+) %$/) {
            push @{ $groups[-1]{all} }, "$1 $2 $3 $4";
        } elsif (/^\s+(.*?)\s+(ld|st|atomic)\s+(\d+)\s+(\d+)\s+(\d+)\s+([\d.]+)\s+(\S+(?: %)?)$/) {
            push @{ $groups[-1]{rows} }, { line => $line, name => $1, op => $2, bytes => $3, requests => $4,
                sectors => $5, per_request => $6, last => $7, advice => '' };
        } elsif (/^\s+([\w.]+:)?(\d+)  (.*)/) {
            $line = ($1 // '') . $2;
            $groups[-1]{text}{$line} = $3;
        }
    }
    return @groups;
}

SKIP: {
    skip 'no addr2line (Debian package: binutils)', 1 if !$lines_known;
    spew('joined.cu', "__global__ void sum(const float4 *in, float *out) {\n    float s = in[threadIdx.x].x;\n" .
        "    s += in[threadIdx.x].y;\n    out[threadIdx.x] = s;\n}\nint main() {\n    float4 *in;\n    float *out;\n" .
        "    cudaMalloc(&in, 512);\n    cudaMalloc(&out, 128);\n    cudaMemset(in, 0, 512);\n    sum<<<1, 32>>>(in, out);\n" .
        "    cudaDeviceSynchronize();\n    cudaFree(in);\n    cudaFree(out);\n}\n");
    my ($code, $out, $err) = sh("'$cudacc' --trace joined.cu -o joined && ./joined");
    my ($group) = table($err);
    is(join(', ', map { "$_->{line} $_->{requests} $_->{last}" } @{ $group->{rows} }), '2 1 50 %, 3 0 joined, 4 1 100 %',
        "two fields of a float4 are one load, on the first one's line") or diag($err);
}
SKIP: {
    skip 'no addr2line (Debian package: binutils)', 1 if !$lines_known;
    compiles('advice', '', 'advice') or last SKIP;
    my ($code, $out, $err) = shows('./advice', '0', "no error\n", undef, 'advice runs');
    is((grep { length > 100 } split /\n/, $err), 0, 'no line of the table is longer than 100 columns');
    SKIP: {
        skip 'no script (Debian package: bsdutils), or no terminal', 1
            if !found('script') || (output_of('script -qec true /dev/null </dev/null'))[0];
        my $narrow = (output_of("script -qec 'stty cols 80; ./advice' /dev/null </dev/null"))[1] =~ s/\r//gr =~ s/^no error\n//r;
        ok(!(grep { length > 80 } split /\n/, $narrow) && $narrow =~ /\n {11}\w/
                && join(' ', split ' ', $narrow) eq join(' ', split ' ', $err), 'on a terminal long lines are broken between words') or diag($narrow);
    }
    my %source = marked('advice.cu', qr/^\s*(.*?)\s*$/);
    my %wanted = marked('advice.cu', qr{// -> (.*)});
    my ($advised, %got, @wrong) = (0);
    for my $group (table($err)) {
        for my $line (keys %{ $group->{text} }) {
            my $shown = $group->{text}{$line} =~ s/\.\.$//r;
            push @wrong, "line $line is not: $shown" if index($source{$line} // '', $shown) != 0;
        }
        for my $row (@{ $group->{rows} }) {
            push @{ $got{ $row->{line} } }, $row->{advice} if $row->{advice};
            $got{ $row->{line} } //= [];
        }
    }
    for my $line (sort { $a <=> $b } keys %got) {
        my @advice = @{ $got{$line} };
        my $wanted = $wanted{$line};
        $advised += @advice;
        push @wrong, "line $line: '@advice' where none is due" if @advice && !defined $wanted;
        push @wrong, "line $line: '@advice', not '$wanted'"
            if defined $wanted && !grep { index($_, $wanted) == 0 } @advice;
    }
    push @wrong, map { "line $_: not in the table" } grep { !$got{$_} } sort { $a <=> $b } keys %wanted;
    ok(!@wrong, "advice where something can be better ($advised), none elsewhere") or diag(join "\n", @wrong, $err);
}

# ---- Advice, applied -----------------------------------------------------------------------------
SKIP: {
    skip 'no addr2line (Debian package: binutils)', 1 if !$lines_known;
    compiles('applied', '', 'applied') or last SKIP;
    my ($code, $out, $err) = sh('./applied');
    my %group = map { $_->{kernel} => $_ } table($err);
    my $cost = sub { my $sum = 0; $sum += $_->{requests} + $_->{sectors} for @{ $_[0]{rows} }; $sum };
    my @pairs = slurp("$tests/applied.cu") =~ /^\/\/ .*?-> (.*)\n(?:__global__ void |TILED\(|EVERY\()(\w+)[(,]/mg;
    cmp_ok(@pairs / 2, '==', grep({ !/_applied$/ } keys %group), 'each kernel has its advice');
    while (my ($advice, $name) = splice @pairs, 0, 2) {
        my ($before, $after) = @group{ $name, "${name}_applied" };
        my ($some) = grep { index($_->{advice}, $advice) == 0 } @{ $before->{rows} };
        my @left = grep { $_ } map { $_->{advice} } @{ $after->{rows} };
        my ($was, $is) = map { $cost->($_) } $before, $after;
        ok($some && !@left && $is < $was, "$name: $was requests and sectors, and $is when the advice is applied")
            or diag("advice: '$advice'; left: @left\n", map { "$_->{name}: $_->{advice}\n" } @{ $before->{rows} });
    }
}

# ---- What is said first, and how often -----------------------------------------------------------
SKIP: {
    skip 'no addr2line (Debian package: binutils)', 1 if !$lines_known;
    compiles('order', '', 'order') or last SKIP;
    for my $program (programs_of("$tests/order.cu")) {
        my ($name, $text, $at, %line) = (@$program{qw(name text)}, $program->{first} - 1);
        for (split /\n/, $text) {
            $at++;
            next if m{^//};
            $line{$_} = $at for /\{(\w)\}/g;
        }
        my ($code, $out, $err) = sh("ACCESS_TABLE=0 ./order $name");
        $err =~ s{course/cudacc/tests/trace/report/}{}g; # where it is, seen from here
        my ($from, @missing) = 0;
        for ($text =~ m{^// SAYS: (.*)$}mg) {
            my $wanted = s/\{(\w)\}/$line{$1}/gr;
            my $found = index $err, $wanted, $from;
            $found < 0 ? push(@missing, $wanted) : ($from = $found + length $wanted);
        }
        push @missing, map { "not $_" } grep { index($err, $_) >= 0 } $text =~ m{^// NOT: (.*)$}mg;
        ok($code eq '4' && !@missing, "order: $name") or diag(join "\n", @missing, $err);
    }
}

# ---- In Chinese ----------------------------------------------------------------------------------
SKIP: {
    skip 'cudacc by itself speaks English', 1 if !-f "$root/tools/Chinese.pm";
    my @all;
    for my $run ('applied', 'advice', map { "order $_->{name}" } programs_of("$tests/order.cu")) {
        my ($program) = split / /, $run;
        my ($english, $chinese) = map { (sh("COURSE_LANG=$_ ./$run"))[2] } 'en', 'zh_CN';
        utf8::decode($chinese);
        push @all, $chinese;
        my @rows = grep { /^ +\S*\d  |^ {8}\w|^ +all/ } split /\n/, $english;
        my @left = grep { / / && !/^ +(?:\S*\d  |all |line )|^ {8}[^-]/ && /\b[a-z]{3,} [a-z]{3,}\b/ } split /\n/, $chinese;
        push @left, map { "lost: $_" } grep { index($chinese, "$_\n") < 0 } @rows;
        ok(!@left && $chinese =~ /\p{Han}{4}/ && ($english =~ tr/\n//) == ($chinese =~ tr/\n//), "$run in Chinese: each line, but for the table's rows")
            or diag(map { utf8::encode($_); "$_\n" } @left);
    }
    is((sh('LC_ALL=C COURSE_LANG=zh_CN ./order same_store'))[2], (sh('./order same_store'))[2], 'LC_ALL=C: English');
    is((sh('PATH= COURSE_LANG=zh_CN ./order same_store'))[2] =~ /CPU device: \d+ errors?$/m, 1, 'English, too, where there is no perl');
}

# The example of the CPU device's page is what one gets.
SKIP: {
    skip 'no addr2line (Debian package: binutils)', 1 if !$lines_known;
    my ($shown) = slurp("$root/cudacc/README.md") =~ /^<!-- access: \S+\/example\.cu -->\n```text\n(.*?)^```$/ms;
    shows("'$cudacc' --trace '$tests/example.cu' -o example && ./example", undef, undef, "\n$shown", 'README.md shows what its example reports');
}

# ---- Launches, the environment, the program's end ------------------------------------------------
SKIP: {
    compiles('launches', '', 'launches') or last SKIP;
    my ($code, $out, $err) = sh('./launches 2>&1');
    like($out, qr/\Abefore\nno error\n\nAccess report/, 'the report follows all that the program prints');
    my @groups = table($out);
    my ($twenty) = grep { $_->{kernel} eq 'add_one' && $_->{more} =~ /launches/ } @groups;
    is($twenty && $twenty->{more}, 'x 21 launches', 'equal launches are one: 20, and one of the other 60');
    is_deeply($twenty && $twenty->{all}, ['ld 32 128 100', 'st 32 128 100'],
        'the sums of one launch');
    my ($fill) = grep { $_->{kernel} eq 'fill' } @groups;
    is_deeply($fill && [map { @$_{qw(name op bytes requests sectors per_request last advice)} } @{ $fill->{rows} }],
        [qw(d_x st 4 512 2048 4.00), '100 %', ''], 'a row');
    like($out, qr/^nothing, grid 2x3x4, block 5x6x1\n  no access to global or shared memory\n/m, 'a kernel that touches nothing');
    like($out, qr/^add_one, 56 more launches, of 56 kinds, together\n +all +ld +\d+ /m, 'many kinds of launches are folded');
    cmp_ok(scalar(split /\n/, $out), '<', 80, 'so that the report stays short');
    like($out, qr/^ACCESS_REPORT=FILE.csv gives every launch by itself/m, 'and says how to get all');

    shows('ACCESS_REPORT=launches.csv ./launches', '0', undef, $no_errors, 'no table with ACCESS_REPORT');
    my @rows = csv('launches.csv', '', 'launches');
    my @launches = csv('launches.csv', '.launches', 'launches');
    is_deeply([map { $_->{launch} } @launches], [0 .. 81], 'launches are numbered from 0 in their order');
    is_deeply([@{ $launches[21] }{qw(kernel grid block blocks_traced)}], [qw(nothing 2x3x4 5x6x1 24)],
        'a launch without an access is among them');
    is(scalar(@rows), 1 + 2 * 80, 'a row for each launch and access');
    is_deeply([@{ $rows[0] }{qw(kernel grid block allocation op bytes_per_thread requests sectors useful_bytes moved_bytes)}],
        [qw(fill 64x1x1 256x1x1 d_x st 4 512 2048 65536 65536)], 'its fields');
    is(slurp('launches.shared.csv'), join(',', @{ $columns{'.shared'} }) . "\n", 'no shared memory: only the header');

    shows('ACCESS_TABLE=1 ACCESS_REPORT=launches.csv ./launches', undef, undef, qr/^Access report/m, 'ACCESS_TABLE=1: the table too');
    shows('ACCESS_TABLE=0 ./launches', undef, undef, $no_errors, 'ACCESS_TABLE=0: no table');
    shows('ACCESS_REPORT=plain ./launches && cat plain.shared.csv plain.launches.csv | wc -l', '0', qr/^84$/m, undef, 'a file name without .csv');

    shows('ACCESS_REPORT=nowhere/x.csv ./launches', '0', "before\nno error\n",
        "access report: cannot write nowhere/x.csv: No such file or directory\n$no_errors", 'a file that cannot be written: one line, and the program is none the worse for it');
  SKIP: {
        skip 'no /dev/full', 1 if !-c '/dev/full';
        symlink '/dev/full', 'full.csv';
        shows('ACCESS_REPORT=full.csv ./launches', undef, undef, "access report: cannot write full.csv: No space left on device\n$no_errors", 'a full disk: one line');
    }

    shows('./launches none', '0', "before\n", qr/No kernel ran/, 'no launches at all');
    ($code, $out, $err) = sh('ACCESS_REPORT=none.csv ./launches none');
    is(join('', map { slurp("none$_.csv") } sort keys %columns), join('', map { join(',', @{ $columns{$_} }) . "\n" } sort keys %columns),
        'and in the files only headers');

    shows('./launches 2>&-', '0', "before\nno error\n", undef, 'stderr closed: the program runs as ever');
    mkdir 'other.shared.csv';
    ($code, $out, $err) = sh('ACCESS_REPORT=other.csv ./launches 2>&-');
    unlike(slurp('other.csv'), qr/cannot write/, 'what goes to a closed stderr does not end up in a file');
    ($code, $out, $err) = sh('ACCESS_TABLE=1 ACCESS_REPORT=closed.csv ./launches 0<&- 1>&- 2>&-');
    my @differ = grep { slurp("closed$_.csv") ne slurp("launches$_.csv") } keys %columns;
    is("@differ", '', 'all of stdin, stdout, stderr closed: the files are the same');

    ($code, $out, $err) = sh("'$cudacc' --trace=blocks:8 '$tests\/launches.cu' -o sampled && ACCESS_TABLE=1 ACCESS_REPORT=sampled.csv .\/sampled");
    like($err, qr{^fill, grid 64x1x1, block 256x1x1, sampled: 8 of 64 blocks$}m, '--trace=blocks:8 says so');
    my @sampled = csv('sampled.csv', '.launches', 'sampled');
    is("$sampled[0]{blocks_traced} $sampled[1]{blocks_traced}", '8 4', 'and how many of each launch');

    mkdir 'empty';
    tells([(sh('PATH=$PWD/empty ./launches'))[0, 2]], 0, qr/addr2line is missing \(Debian package: binutils\)/, qr/^\s+pc 0x[0-9a-f]+  d_x/m,
        'without addr2line: addresses, and what to install');
}

# ---- Kernels that end in the middle --------------------------------------------------------------
# Most are in cudacc/tests/trace/errors; here those that nvcc or a GPU would not let come so far.
SKIP: {
    skip 'no addr2line (Debian package: binutils)', 1 if !$lines_known;
    compiles('dies', '', 'dies') && compiles('dies', '--trace=blocks:3', 'dies_sampled') or last SKIP;
    my %line = reverse marked('dies.cu', qr{// -> (\w+)});
    my $past = '3968 bytes past the end of d_a, 128 bytes, allocated at course/cudacc/tests/trace/report/dies.cu';
    for my $case (
        ['dies exit', "exit() in a kernel near course/cudacc/tests/trace/report/dies.cu:$line{exit}", 'thread (0,0,0): error 719', 4],
        ['dies "exit 3"', "exit() in a kernel near course/cudacc/tests/trace/report/dies.cu:$line{exit}", 'thread (0,0,0): error 719', 3],
        ['dies unseen', "illegal address at course/cudacc/tests/trace/report/dies.cu:$line{unseen}", "thread (9,0,0): $past", 4],
        ['dies library', "illegal address (a null pointer) near course/cudacc/tests/trace/report/dies.cu:$line{library}", 'thread (9,0,0): error 700', 4],
        ['dies_sampled sampled', "illegal address at course/cudacc/tests/trace/report/dies.cu:$line{sampled}", "block (7,0,0), thread (0,0,0): $past", 4],
    ) {
        my ($what, $first, $rest, $expected) = @$case;
        shows("ACCESS_TABLE=0 timeout 60 ./$what", $expected, undef, qr/\ACPU device: kernel died: \Q$first\E\n.*\Q$rest\E.*\nCPU device: 1 error\n\z/,
            "$what: exit code $expected, and where it ended");
    }
    shows('ACCESS_TABLE=0 PATH=$PWD/empty ./dies unseen', '4', undef, qr/kernel died: illegal address at pc 0x[0-9a-f]+ \(addr2line of binutils would name the line\)\n/,
        'without addr2line: the address');
}
# ---- Launches refused for what their kernels have --------------------------------------------------
# The others are in cudacc/tests/trace/errors; the second kernel is one that nvcc does not compile.
if (compiles('full', '', 'full')) {
    my $first = 'a block asks for 20000 bytes of dynamic shared memory, and may have 8192 beside the 40960 of its __shared__ variables';
    my $second = "the kernel's __shared__ variables take 57344 bytes, and a block has 49152";
    my (undef, undef, $err) = shows('ACCESS_TABLE=0 ./full', '4', undef, qr/kernel tile .* did not run: \Q$first;\E.*\n.*kernel more .* did not run: \Q$second;\E/,
        'full: how much shared memory was left');
    ok($err =~ /kernel wide, .*thread \(16,0,0\): just past the end of shared room, 200000 bytes/, 'full: and of much, its end');
}
# ---- Graphs --------------------------------------------------------------------------------------
if (compiles('graph', '', 'graph')) {
    shows('ACCESS_REPORT=graph.csv ./graph', '0', "0 8\n", $no_errors, 'graph: exit code 0');
    my @launches = csv('graph.csv', '.launches', 'launches of a graph');
    is(join(' ', map { $_->{kernel} } @launches), join(' ', ('fill', ('twice') x 3) x 5), 'graph: each kernel, each time');
    my ($stores, $loads) = (0, 0);
    ($_->{op} eq 'st' ? $stores : $loads) += $_->{requests} for csv('graph.csv', '', 'accesses of a graph');
    is("$stores $loads", '25 15', 'graph: and what it asks of memory');
    my ($line) = marked('graph.cu', qr/-> (hasty)/);
    shows('CPU_DEVICE_SCHEDULE=late ACCESS_TABLE=0 ./graph hasty', '4', undef, qr/data race: .*graph\.cu:$line/, 'graph: a host that does not wait for its copy');
}
# ---- Launches after that -------------------------------------------------------------------------
if (compiles('after_error', '', 'after_error')) {
    for my $schedule ('', 'late') {
        my $beyond = qr/it would be d_bins\[4\], the last one is d_bins\[3\]/;
        shows("ACCESS_TABLE=0 CPU_DEVICE_SCHEDULE=$schedule ./after_error", '4', undef,
            qr/$beyond.*^CPU device: stopped at the error; 2 launches were refused \(700\): scale, histogram\nCPU device: 1 error\n\z/ms, 'what did not run is named: ' . ($schedule || 'in order'));
    }
}

# ---- Many launches -------------------------------------------------------------------------------
if (compiles('many', '', 'many')) {
    my ($code, $out, $err) = sh('ACCESS_REPORT=many.csv ./many');
    is("$code $err", "0 $no_errors", 'many: exit code 0');
    cmp_ok($out, '<', 1500, 'many: 20,000 launches more take less than 1500 KiB more');
    my @launches = csv('many.csv', '.launches', 'many launches');
    my @rows = csv('many.csv', '', 'many launches');
    my @wrong = grep { $launches[$_]{launch} != $_ || $launches[$_]{kernel} ne ('even', 'odd')[$_ % 2] } 0 .. $#launches;
    ok(@launches == 22000 && !@wrong, 'many: each launch has its row') or diag(scalar @launches, ": @wrong[0 .. 3]");
    is(scalar @rows, 11000 * (2 + 3), 'many: and its accesses');
}
done_testing();
