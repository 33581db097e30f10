#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The report page and the lessons' figures: what they say is what the results say, in words that
# change with the results; and the page in a browser, where one is.
use strict;
use warnings;
use Test::More;
use FindBin;
use Cwd qw(getcwd);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
require "$FindBin::Bin/../lib/lib.pl";

my $root = getcwd();
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)}; # make, when it is tested here, is nobody's child
my $folder = tempdir(CLEANUP => 1);
my @gpu_chapters = map { m{^(.*)/results} } glob '[0-9][0-9]_*/results/nvidia_h200.csv';

# A command's exit code, stdout and stderr.
sub run {
    my ($where, $command) = @_;
    system "cd '$where' && $command >'$folder/out' 2>'$folder/err'";
    return ($? >> 8, slurp("$folder/out"), slurp("$folder/err"));
}

# A tree that holds nothing but the chapters' results, lessons and the tools.
sub tree {
    my ($name) = @_;
    my $tree = "$folder/$name";
    make_path("$tree/$_/results") for @gpu_chapters;
    for my $file (glob '[0-9][0-9]_*/results/{nvidia_h200,cpu_device}.{csv,txt} [0-9][0-9]_*/README.md') {
        spew("$tree/$file", slurp($file));
    }
    make_path("$tree/docs");
    symlink "$root/docs/tools", "$tree/docs/tools";
    return $tree;
}

# ---- Sentences ---------------------------------------------------------------------------------
# Rows read here by other means than the tools have: no field but the last two names has a comma in it.
my @names = qw(schema chapter program variant dtype n block parameter value bytes flops samples median_ms min_ms
    max_ms gb_per_s gflop_per_s flag check);

sub parsed { my $line = shift; $line =~ s/"([^"]*)"/$1 =~ tr{,}{;}r/ge; return split /,/, $line, -1 }

# The field of the one row that has all these values somewhere, or as "name=value" where they belong.
sub field {
    my ($device, $program, $name, @values) = @_;
    my ($at) = grep { $names[$_] eq $name } 0 .. $#names;
    my @found;
    for my $line (map { split /\n/, slurp($_) } glob "[0-9][0-9]_*/results/$device.csv") {
        my @fields = parsed($line);
        next if $fields[2] ne $program;
        my %has = map { $_ => 1 } @fields, map { "$names[$_]=$fields[$_]" } 0 .. $#fields;
        push @found, $fields[$at] if !grep { !$has{$_} } @values;
    }
    die @found . " rows of $program, @values\n" if @found != 1;
    return $found[0];
}

my $sentence_tree = tree('sentences');

# What the figure's sentence is when some rows have been changed: each change is a pattern for rows
# and what it does with a row's fields, by name.
sub sentence {
    my ($figure, @changes) = @_;
    for my $file (glob '[0-9][0-9]_*/results/nvidia_h200.csv') {
        my $csv = '';
        for my $line (split /\n/, slurp($file)) {
            my @fields = parsed($line);
            for my $change (@changes) {
                my ($pattern, $with) = @$change;
                next if join(',', @fields) !~ $pattern;
                my %row;
                @row{@names} = @fields;
                $with->(\%row);
                @fields = @row{@names};
            }
            $csv .= join(',', map { /;/ ? '"' . tr/;/,/r . '"' : $_ } @fields) . "\n";
        }
        spew("$sentence_tree/$file", $csv);
    }
    my ($code, $out, $err) = run($sentence_tree, "docs/tools/figures --block $figure");
    return $code == 0 ? ($out =~ /^\*.*?\.\* (.*)/m)[0] : "exit code $code: $err";
}

sub scaled { my ($column, $factor) = @_; return sub { $_[0]{$column} *= $factor } }

# As the sentences write numbers.
sub three { my ($x) = @_; return sprintf $x >= 99.95 ? '%.0f' : $x >= 9.995 ? '%.1f' : '%.2f', $x }
sub ms { my ($x) = @_; return $x >= 0.9995 ? three($x) . ' ms' : three(1e3 * $x) . ' us' }
sub gb { return three($_[0]) . ' GB/s' }

my $h200 = 'nvidia_h200';
my @saxpy = ('saxpy_512', 20971520);
my ($launch, $wait) = map { field($h200, 'sync_timing', 'median_ms', @saxpy, $_) } 'launch only', 'launch + synchronize';
my ($nothing, $empty) = (field($h200, 'events', 'median_ms', 'two events; nothing between'),
    field($h200, 'events', 'median_ms', 'empty kernel', 'by events'));
my @stream = map { field($h200, 'streams', 'median_ms', $_) } 'pinned; 1 stream', 'pinned; 2 streams', 'pageable; 1 stream', 'pageable; 2 streams';
my %gb = map { $_ => field($h200, 'transfers', 'gb_per_s', $_, 1073741824) } 'pinned to device', 'pageable to device';
my $managed = sub { field($h200, 'unified_memory', 'median_ms', @_) };
my $width = sub { field($h200, 'sizes', 'gb_per_s', "variant=$_[0]", 268435456) };
my $stride = sub { field($h200, 'stride', 'gb_per_s', "stride $_[0]") };

# Figure; what its sentence must hold; and (change, what it must hold then) as often as one likes.
my @sentences = (
    ['01_timers', [ms($launch), ms($wait), sprintf('%.1f %% of', 100 * $launch / $wait), 'not of the kernel', 'less than the clock'],
        [[qr/sync_timing,saxpy_512,.*launch only/, scaled('median_ms', 0.8 * $wait / $launch)], 'most of what both read is the launch'],
        [[qr/sync_timing,saxpy_512,.*launch only/, scaled('median_ms', 1.1 * $wait / $launch)], 'cannot tell them apart'],
        [[qr/events,saxpy_512,.*by events/, scaled('median_ms', 3)], 'more than the clock']],
    ['02_floor', [ms($nothing), ms($empty), ms(20 * $empty)],
        [[qr/events,empty kernel,.*by events/, scaled('median_ms', 0.001)], ' 0 of 6 kernels'],
        [[qr/events,empty kernel,.*by events/, scaled('median_ms', 1000)], ' 6 of 6 kernels'],
        [[qr/events,saxpy_512,.*by CPU/, scaled('median_ms', 0.1)], ' less for 1024 elements']],
    ['02_overlap', [sprintf('%.2f of', $stream[1] / $stream[0]), sprintf('%.2f with pageable', $stream[3] / $stream[2]), 'only from pinned'],
        [[qr/pageable; 2 streams/, scaled('median_ms', 0.5)], 'overlap from both'],
        [[qr/pinned; 2 streams/, scaled('median_ms', 2)], 'nothing overlaps']],
    ['03_sizes', ['the cache did that', 'Beyond four times the L2 cache'],
        [[qr/size_sweep/, scaled('gb_per_s', 0.5)], 'No size is above'],
        [[qr/size_sweep,.*hot; MiB touched,960/, scaled('gb_per_s', 3)], 'the largest size here']],
    ['03_transfers', [map({ gb($_) } values %gb), three($gb{'pinned to device'} / $gb{'pageable to device'}) . ' times as fast'],
        [[qr/transfers,pageable to device,.*1073741824/, sub { $_[0]{gb_per_s} = $gb{'pinned to device'} }], ' with pinned, as fast;']],
    ['04_variants', [ms($managed->('initialised on the host', 'add')), ms($managed->('100 runs', 'fastest')), 'prefetching pays'],
        [[qr/unified_memory,initialised on the host/, scaled('median_ms', 0.001)], 'costs little'],
        [[qr/unified_memory,prefetched/, scaled('median_ms', 100)], 'does not pay'],
        [[qr/page_traffic,100 runs,.*moves to the device/, scaled('bytes', 0)], 'times as long. After']],
    ['04_traffic', ['8.00 MiB move to the device and 4.00 back; initialised on the device, 0.00 and 4.00', 'as in one'],
        [[qr/page_traffic,100 runs,.*moves to the device/, scaled('bytes', 3)], '24.00 MiB move to the device, in one 8.00'],
        [[qr/page_traffic,initialised on the device,.*moves to the host/, scaled('bytes', 2)], '0.00 and 8.00']],
    ['05_offset', ['next to no difference'],
        [[qr/offset,offset \d+,float/, sub { $_[0]{gb_per_s} *= 0.5 if ($_[0]{variant} =~ /(\d+)/)[0] % 8 }], 'a real cost'],
        [[qr/offset,offset \d+,float/, sub { $_[0]{gb_per_s} *= 2 if ($_[0]{variant} =~ /(\d+)/)[0] % 8 }], 'no cost at all']],
    ['05_stride', [map({ gb($stride->($_)) } 1, 8, 32), three($stride->(1) / $stride->(8)) . ' times less', 'the sectors do not explain',
        join ' ', 'off by', slurp('05_coalescing/results/nvidia_h200.txt') =~ /prediction is ([\d.]+ %) off/],
        [[qr/stride,stride 32,/, scaled('gb_per_s', 10)], 'times more again'],
        [[qr/stride,stride 32,/, scaled('gb_per_s', 3)], 'from stride 8 on. ']],
    ['06_widths', [map({ gb($width->($_)) } 'float', 'float4', '4 floats'), three($width->('float4') / $width->('float')) . ' times as fast',
        'the width of the access is not what matters'],
        [[qr/sizes,4 floats/, scaled('gb_per_s', 0.5)], '50 % of the rate of float4'],
        [[qr/sizes,float,/, scaled('gb_per_s', 2)], 'gains less than 5 %']],
);
for (@sentences) {
    my ($figure, $words, @cases) = @$_;
    my $true = sentence($figure);
    my @lacks = grep { index($true, $_) < 0 } @$words;
    ok(!@lacks, "$figure: its sentence has what the rows have") or diag("'$true' lacks '" . join("', '", @lacks), "'");
    for (@cases) {
        my ($change, $then) = @$_;
        my $now = sentence($figure, $change);
        ok(index($now, $then) >= 0 && index($true, $then) < 0, "$figure: with other rows it says '$then'") or diag("'$now'");
    }
}
like(sentence('01_timers', [qr/sync_timing/, sub { $_[0]{program} = 'gone' }]), qr/^exit code 1: .*01_timers: no row/,
    'rows that are missing are named');
like(sentence('02_overlap', [qr/pinned; 2 streams/, sub { $_[0]{check} = 'FAIL' }]), qr/^exit code 1: .*02_overlap: no row/,
    'a row that is wrong is not drawn');

# ---- The lessons' figures ----------------------------------------------------------------------
is(join("\n", (run('.', 'docs/tools/figures --check'))[1, 2]), "\n", 'the figures are those of the recorded results');
my @figures = split /\n/, (run('.', 'docs/tools/figures --list'))[1];
is_deeply([sort map { $_->[0] } @sentences], [sort @figures], 'each figure\'s sentence is tested');
{
    my $tree = tree('figures');
    make_path("$tree/docs/figures");
    spew("$tree/$_", slurp($_)) for glob 'docs/figures/*.svg';
    is((run($tree, 'docs/tools/figures --check'))[0], 0, 'in a copy as well');
    my $file = '05_coalescing/results/nvidia_h200.csv';
    my $was = slurp("$tree/$file");
    my $csv = $was;
    my @lines = split /\n/, $csv;
    my ($line) = grep { $lines[$_] =~ /,stride 5,float,67108864/ } 0 .. $#lines;
    $csv =~ s/(,stride 5,float,67108864,.*?),(\d)([\d.]*),(,,ok)/"$1," . ($2 + 1) % 10 . "$3,$4"/e;
    spew("$tree/$file", $csv);
    my ($code, $out, $err) = run($tree, 'docs/tools/figures --check');
    my $number = $line + 1;
    ok($code == 1 && $err =~ m{^\Q$file\E:$number: docs/figures/05_stride\.svg }m, 'one digit of a row: the check names the row and the figure')
        or diag($code, $err);
    unlike($err, qr/05_offset|06_/, 'and no other figure');
    spew("$tree/$file", $was);
    my $svg = slurp("$tree/docs/figures/01_timers-dark.svg");
    spew("$tree/docs/figures/01_timers-dark.svg", $svg =~ s{>(\d+\.\d+ us)<}{>9$1<}r);
    like((run($tree, 'docs/tools/figures --check'))[2], qr{\Adocs/figures/01_timers-dark\.svg: was changed by hand[^\n]*\n\z}, 'so is a figure that was edited');
    unlink "$tree/docs/figures/01_timers-dark.svg";
    like((run($tree, 'docs/tools/figures --check'))[2], qr{\Adocs/figures/01_timers-dark\.svg: is not there[^\n]*\n\z}, 'and one that is not there');
    spew("$tree/docs/figures/stray.svg", $svg);
    like((run($tree, 'docs/tools/figures --check'))[2], qr{^docs/figures/stray\.svg: nobody draws}m, 'and one that nobody draws');
}
is((run('.', "docs/tools/figures $_"))[0], 2, "figures $_: exit code 2") for '--nonsense', '--block', '--block nonsense';

# ---- The report, without its tools and with mistakes -------------------------------------------
make_path("$folder/bare");
for my $tool (qw(perl make sh sed test nproc find tr)) {
    my ($path) = grep { -x } map { "$_/$tool" } split /:/, $ENV{PATH};
    symlink $path, "$folder/bare/$tool" if $path;
}
{
    local $ENV{PATH} = "$folder/bare";
    my ($code, $out, $err) = run('.', 'docs/tools/report --from h200');
    ok($code == 77 && $out eq '' && $err =~ /\A[^\n]*apt-get install gnuplot-nox pandoc[^\n]*\n\z/, 'without its tools: exit code 77, one line says what to install')
        or diag($code, $out, $err);
    ($code, $out, $err) = run('.', "make --no-print-directory BUILD='$folder/build' report");
    ok($code == 2 && $err =~ /\A[^\n]*apt-get install gnuplot-nox pandoc[^\n]*\n\z/ && $out !~ /cudacc/, 'make report builds nothing then')
        or diag($code, $out, $err);
    is((run($sentence_tree, 'docs/tools/figures'))[0], 77, 'figures without gnuplot: exit code 77');
}
for ('', '--from', '--nonsense', '--from nobody', '--from h200 --device cpu', '--from h200 --compare nobody') {
    my ($code, $out, $err) = run('.', "docs/tools/report $_");
    ok($code == 2 && $out eq '' && $err =~ /\A[^\n]+\n\z/, "report $_: exit code 2 and one line") or diag($code, $out, $err);
}

sub missing_tools { return grep { system("command -v $_ >/dev/null 2>&1") } qw(gnuplot pandoc) }

SKIP: {
    my @missing = missing_tools();
    skip 'no ' . join(' and no ', @missing) . ' (Debian packages: gnuplot-nox, pandoc)', 1 if @missing;

    # ---- The page ----
    my %page;
    my $tree = tree('page');
    # A second GPU, for the overlay: as the first, by another name, and a little slower.
    for my $file (glob "$tree/[0-9][0-9]_*/results/nvidia_h200.*") {
        my $text = slurp($file) =~ s/NVIDIA H200/NVIDIA Other 1/gr;
        $text =~ s/(\d+\.\d{3,})/$1 * 0.7/ge;
        spew($file =~ s/h200/other_1/r, $text);
    }
    for (['h200', '--from h200'], ['cpu', '--from cpu'], ['cpu_h200', '--from cpu_device --compare nvidia_h200'], ['other_h200', '--from other --compare h200']) {
        my ($name, $words) = @$_;
        my ($code, $out, $err) = run($tree, "docs/tools/report $words --output '$folder/$name.html'");
        ok($code == 0 && $err eq '' && $out =~ /\A[^\n]+\n\z/, "report $words: one line") or diag($code, $out, $err);
        my $page = $page{$name} = slurp("$folder/$name.html");
        cmp_ok(length $page, '<', 500_000, 'below 500 KB');
        my @fetched = grep { defined && !/^#/ } $page =~ /(?:\bsrc|\bhref|\bsrcset|\baction)\s*=\s*["']?([^"'\s>]*)|url\(([^)]*)\)|\@import\s+(\S+)/g;
        is(join(' ', @fetched), '', 'fetches nothing');
        unlike($page =~ s{xmlns="http://www.w3.org/2000/svg"}{}gr, qr{https?://}, 'names no address');
        unlike($page, qr/<script|\bon\w+=|<iframe|<link/i, 'runs nothing');
        my @svgs = $page =~ /(<svg\b[^>]*>)/g;
        ok(@svgs >= 20 && !(grep { !/ role="img" / || !/ aria-label="[^"]{60,}"/ } @svgs), scalar(@svgs) . ' drawings, each with its finding in words');
        my @captions = $page =~ m{<figcaption>(.*?)</figcaption>}gs;
        is(2 * @captions, scalar @svgs, 'two for each figure, wide and narrow');
        ok(!(grep { my $alt = $_; !grep { index($alt, (/<p>(.*?)(?: <small>|<\/p>)/)[0]) >= 0 } @captions } map { /aria-label="([^"]*)"/ } @svgs), 'the words are the caption\'s');
        my %ids;
        my @ids = $page =~ / id=["']([^"']*)["']/g;
        is(join(' ', grep { $ids{$_}++ == 1 } @ids), '', 'no id is there twice');
        my %of = map { $_ => 1 } @ids;
        is(join(' ', grep { !$of{$_} } $page =~ /(?:href='#|url\(#)([^')]*)/g), '', 'no reference leads nowhere');
        ok(() = $page =~ /<details>/g, 'the rows are folded away');
        unlike($page, qr/\bnan\b|\binf\b|HASH\(|ARRAY\(/i, 'no number that is none');
        my ($first) = $page =~ m{<h2[^>]*>(.*?)</h2>};
        is($first, 'Findings', 'the findings come first');
    }
    for my $chart (@sentences) {
        my $html = sentence($chart->[0]) =~ s/&/&amp;/gr =~ s/</&lt;/gr;
        ok(index($page{h200}, "<p>$html</p>") >= 0, "the page has the sentence of $chart->[0]");
    }
    my @runs = map { /^\$ (.*)$/mg } map { slurp($_) } glob '[0-9][0-9]_*/results/nvidia_h200.txt';
    my $text = $page{h200} =~ s/<[^>]*>//gr;
    is(join(', ', grep { $text !~ /\b\Q$_\E PASS/ } @runs), '', 'each of ' . @runs . ' runs is there, with PASS');
    unlike($page{h200}, qr/CPU times/, 'a GPU\'s page says nothing of CPU times');
    like($page{cpu}, qr/CPU times: they say nothing about a GPU/, 'the CPU device\'s page does');
    unlike($page{cpu}, qr/theoretical peak \d/, 'and draws no theoretical peak');
    my @mixed = grep { /GB\/s|\bms\b|\bus\b/ && /CPU device:.*NVIDIA/ } $page{cpu_h200} =~ /<svg [^>]*aria-label="([^"]*)"/g;
    is(join("\n", @mixed), '', 'a CPU\'s times and a GPU\'s share no figure');
    like($page{other_h200}, qr/>H200: float4</, 'two GPUs do');

    # ---- What the access report counted, where there is one ----
    my $facts = sub {
        my ($words) = @_;
        run($tree, "docs/tools/report $words --output '$folder/access.html'");
        return slurp("$folder/access.html") =~ s{<td>}{ }gr =~ s{<[^>]*>}{}gr;
    };
    unlike($facts->('--from h200'), qr/ask the memory for/, 'without an access report there is no word of it');
    make_path("$tree/build/access/05_coalescing", "$tree/tests/trace/results");
    spew("$tree/build/access/05_coalescing/stride.csv", <<'CSV');
launch,kernel,grid,block,line,allocation,op,bytes_per_thread,requests,sectors,useful_bytes,moved_bytes
0,walk,4x1x1,256x1x1,20,a,ld,4,32,128,4096,4096
1,walk,4x1x1,256x1x1,20,a,ld,4,32,128,4096,4096
1,walk,4x1x1,256x1x1,21,b<c>,st,4,32,1024,4096,32768
CSV
    my $access = $facts->('--from h200');
    like($access, qr{1 of 2 use all that they move\. The least useful is line 21 of 05_coalescing/stride, kernel walk: 32 sectors per request, 12\.5 % useful\.},
        'the finding of an access report made here');
    like($access, qr{05_coalescing/stride walk 20 a ld 4 64 4 100 %\n\s*05_coalescing/stride walk 21 b&lt;c&gt; st 4 32 32 12\.5 %}, 'its rows, launches added up');
    my $counts = "# device: any\nprogram,kernel,launch,grid,block,ld_requests,ld_sectors,st_requests,st_sectors\n"
        . "05_coalescing/stride,walk,0,4x1x1,256x1x1,32,128,32,128\n05_coalescing/stride,walk,1,4x1x1,256x1x1,32,1024,32,1024\n"
        . "loops,loop,0,4x1x1,256x1x1,32,999,32,128\n";
    spew("$tree/tests/trace/results/cpu_device.csv", $counts);
    spew("$tree/tests/trace/results/nvidia_h200.csv", $counts =~ s{32,1024\n}{32,1023\n}r);
    $access = $facts->('--from h200');
    like($access, qr{NVIDIA H200, by its own counters: 2 launches of 1 kernel; the loads of a launch touch up to 32 sectors}, 'a GPU\'s own counters');
    like($access, qr{05_coalescing/stride walk 2 4 to 32 4 to 32}, 'kernel by kernel');
    like($access, qr{Of 2 launches counted on both, 1 have the same requests}, 'and whether the trace agrees with them');

    # A page of failed runs says so.
    my $txt = '03_bandwidth/results/nvidia_h200.txt';
    spew("$tree/$txt", slurp($txt) =~ s/(^\$ transfers\n.*?^)PASS$/$1FAIL: 2 of 40 rows are wrong/msr);
    my ($code, $out, $err) = run($tree, "docs/tools/report --from h200 --output '$folder/failed.html'");
    my $failed = slurp("$folder/failed.html");
    ok($code == 1 && $out =~ /FAIL: 1 of \d+ runs/, 'a program that failed: exit code 1');
    like($failed, qr/class="fail">FAIL: 1 of .*transfers FAIL: 2 of 40 rows are wrong/s, 'and the page says which');

    # ---- Running what is missing: programs of nothing but a shell ----
    my $runs = tree('runs');
    make_path("$runs/build/cpu/$_") for @gpu_chapters;
    spew("$runs/01_sync_timing/$_.cu", '') for 'good', 'wrong', 'killed';
    my $head = 'echo "Device 0: CPU device, 2 cores, 1.0 GiB memory, 0.0 MiB L2, driver 13.0, runtime 13.0" >&2; date >>ran; ';
    my %body = (good => 'echo PASS >&2', wrong => 'echo "FAIL: 1 of 1 rows are wrong" >&2; exit 1', killed => 'kill -9 $$');
    for (keys %body) {
        spew("$runs/build/cpu/01_sync_timing/$_", "#!/bin/sh\n[ \"\$1\" = --help ] && exit\n$head$body{$_}\n");
        chmod 0755, "$runs/build/cpu/01_sync_timing/$_";
    }
    ($code, $out, $err) = run($runs, 'docs/tools/report --device cpu');
    ok($code == 1 && $err eq '', 'runs in a pipe are quiet') or diag($code, $err);
    my $page = slurp("$runs/build/report.html") =~ s/<[^>]*>//gr;
    like($page, qr/good PASS; killed FAIL: it ended with signal 9; wrong FAIL: 1 of 1 rows are wrong/, 'each verdict is on the page');
    like($page, qr/No figure 05_stride for CPU device: no row of stride/, 'and what could not be drawn');
    run($runs, 'docs/tools/report --device cpu');
    is((() = slurp("$runs/ran") =~ /\n/g), 5, 'what has passed is not run again; what has not, is');
    utime 1e9, 1e9, "$runs/build/report/cpu/01_sync_timing/good.txt";
    run($runs, 'docs/tools/report --device cpu');
    is((() = slurp("$runs/ran") =~ /\n/g), 8, 'nor what was built anew left out');
  SKIP: {
        skip 'no script (Debian package: bsdutils)', 1 if system('command -v script >/dev/null 2>&1');
        my ($code, $out) = run($runs, 'script -qec "docs/tools/report --device cpu" /dev/null </dev/null');
        like($out, qr{\rprogram 1 of 2: 01_sync_timing/killed, 0:00 elapsed}, 'on a terminal they show how far they are');
    }

    # ---- Colours ----
    # The contrast of two colours, as WCAG has it.
    my $light = sub {
        my @part = map { my $c = hex($_) / 255; $c <= 0.03928 ? $c / 12.92 : (($c + 0.055) / 1.055)**2.4 } $_[0] =~ /([0-9a-f]{2})/g;
        return 0.2126 * $part[0] + 0.7152 * $part[1] + 0.0722 * $part[2];
    };
    my @schemes = $page{h200} =~ /:root \{ ([^}]*--page[^}]*)\}/g;
    is(@schemes, 2, 'a light and a dark scheme');
    for my $scheme (@schemes) {
        my %colour = $scheme =~ /--(\w+): (#\w+)/g;
        my @faint = grep { my ($bright, $dark) = sort { $b <=> $a } map { $light->($colour{$_}) + 0.05 } $_, 'page'; $bright / $dark < 4.5 } qw(text axis s1 s2 s3 s4);
        is(join(' ', @faint), '', "on $colour{page} all that is read has a contrast of 4.5");
    }

    # ---- In a browser ----
    my ($browser) = grep { !system("command -v $_ >/dev/null 2>&1") } qw(chromium chromium-browser google-chrome);
    skip 'no browser (Debian package: chromium)', 1 if !$browser;
    my $quiet = "tests/lib/limit 60 $browser --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir='$folder/profile'";
    # A page measures itself, in a frame as wide as the window shall be: copies of the pages have a
    # script that tells the page around them what it found.
    my $probe = <<'END';
<script>
addEventListener('load', () => {
  const drawn = [...document.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().width > 0);
  const outside = [], touching = [];
  let least = 99;
  for (const svg of drawn) {
    const box = svg.getBoundingClientRect();
    least = Math.min(least, box.width / svg.viewBox.baseVal.width * parseFloat(svg.getAttribute('font-size')));
    const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    texts.forEach(([text, a], i) => {
      if (a.left < box.left - 1 || a.right > box.right + 1 || a.top < box.top - 1 || a.bottom > box.bottom + 1)
        outside.push(text);
      for (const [other, b] of texts.slice(i + 1)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 1 && down > 0.4 * Math.min(a.height, b.height))
          touching.push(text + ' / ' + other);
      }
    });
  }
  const style = getComputedStyle(document.body);
  parent.postMessage([location.search, innerWidth, document.documentElement.scrollWidth, drawn.length,
    least.toFixed(1), outside.join(', '), touching.join(', '), style.backgroundColor + ' ' + style.color].join('|'), '*');
});
</script>
END
    my @shown = ('h200', 'cpu_h200', 'other_h200');
    my $frames = '';
    for my $name (@shown) {
        spew("$folder/$name-probe.html", $page{$name} =~ s{</body>}{$probe</body>}r);
        $frames .= "<iframe width=\"$_\" height=\"900\" style=\"border: 0\" src=\"$name-probe.html?$name.$_\"></iframe>\n" for 1280, 390;
    }
    spew("$folder/frames.html", "<!DOCTYPE html>\n<meta name=\"color-scheme\" content=\"light dark\">\n<pre></pre>\n<script>\n"
        . "addEventListener('message', e => document.querySelector('pre').append(e.data + '\\n'))</script>\n$frames");
    my %colours;
    for my $scheme ('dark', 'light') {
        my ($code, $dom) = run('.', "$quiet --blink-settings=preferredColorScheme=" . ($scheme eq 'dark' ? 0 : 1)
            . " --window-size=1400,900 --virtual-time-budget=20000 --dump-dom 'file://$folder/frames.html'");
        my ($said) = $dom =~ m{<pre>(.*?)</pre>}s;
        my %found = map { /^\?(\w+\.\d+)\|(.*)/ ? ($1 => [split /\|/, $2, -1]) : () } split /\n/, $said // '';
        for my $name (@shown) {
            for my $width (1280, 390) {
                my ($is, $wide, $drawn, $least, $outside, $touching, $colours) = @{ $found{"$name.$width"} // [] };
                is($is, $width, "$name, $width pixels, $scheme: the browser shows it");
                is($wide, $width, 'nothing to scroll sideways to');
                is($drawn, (() = $page{$name} =~ /<svg/g) / 2, 'one drawing of each figure');
                cmp_ok($least // 0, '>=', 11, 'their text is 11 pixels high or more');
                is($outside, '', 'all of it inside the drawing');
                is($touching, '', 'none of it on other text');
                $colours{$name}{$scheme} = $colours // '';
            }
        }
    }
    ok($colours{$_}{dark} ne $colours{$_}{light}, "$_: dark and light differ") for @shown;
    my ($code_print)
 = run('.', "$quiet --no-pdf-header-footer --print-to-pdf='$folder/page.pdf' 'file://$folder/h200.html'");
    my $pages = () = slurp("$folder/page.pdf") =~ m{/Type\s*/Page\b(?!s)}g;
    ok($pages >= 2 && $pages <= 6, "it prints on $pages A4 pages");
}
done_testing();
