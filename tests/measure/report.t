#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The lessons' figures and the report page: what they show is what the rows say; and the page in a
# browser, where one is.
use lib 'tests/lib';
use Tests;
use List::Util qw(sum);

my $root = getcwd();
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)}; # make, when it is tested here, is nobody's child
my $folder = tempdir(CLEANUP => 1);
my @gpu_chapters = map { m{^(.*)/results} } glob '[0-9][0-9]_*/results/nvidia_h200.csv';

sub run { my ($where, $command) = @_; return sh("cd '$where' && $command") }

# A tree that holds nothing but the chapters' results, lessons and figures, and the tools.
sub tree {
    my ($name) = @_;
    my $tree = "$folder/$name";
    make_path("$tree/$_/results") for @gpu_chapters;
    for my $file (glob '[0-9][0-9]_*/results/{nvidia_h200,nvidia_h100_80gb_hbm3,cpu_device}.{csv,txt} [0-9][0-9]_*/README.md [0-9][0-9]_*/figures/*') {
        spew("$tree/$file", slurp($file));
    }
    make_path("$tree/docs");
    copy_into($tree, "$root/tools");
    return $tree;
}

# ---- The lessons' figures ----------------------------------------------------------------------
my @scripts = glob '[0-9][0-9]_*/figures/*.gp';
sub figures { my ($tree, $words) = @_; return run($tree, "tools/measure/figures $words") }
sub figures_say { my ($words, @wanted) = @_; return shows("cd '$folder/figures' && tools/measure/figures $words", @wanted) }
is(join("\n", (figures('.', '--check'))[1, 2]), "\n", 'the figures are those of the recorded results');
is((figures('.', $_))[0], 2, "figures $_: exit code 2") for '--nonsense', '--check a', "%s/results/x nowhere", '%s a b';
is_deeply([map { tr/\n// } map { slurp($_) =~ /\A(# .*\n# SPDX)/ ? $1 : 'none' } @scripts], [map { 1 } @scripts], 'each script begins with its title');

my $tree = tree('figures');
is((figures($tree, '--check'))[0], 0, 'they are in a copy as well');

# Changes a file's text, expects of the check just these lines, and puts it back.
sub caught {
    my ($what, $file, $change, @lines) = @_;
    my $was = slurp("$tree/$file");
    my $now = $change->($was);
    $now eq $was and return fail("$what: nothing changed in $file");
    spew("$tree/$file", $now);
    my ($code, $out, $err) = figures($tree, '--check');
    is("$code $out$err", (@lines ? '1 ' : '0 ') . join('', map { "$_\n" } @lines), $what);
    spew("$tree/$file", $was);
}
sub outdated { return map { "$_: is not what its script and its rows give; make docs draws it" } @_ }
my $stride = '05_coalescing/figures/4_stride';
my $rows = '05_coalescing/results/nvidia_h200.csv';
caught('one digit of a row: its figure and no other', $rows, sub { $_[0] =~ s/,stride 5,float,.*,21,(?:[\d.]+,){3}\K(\d)/($1 + 1) % 10/mer }, outdated("$stride.svg"));
caught('a row that is wrong now', $rows, sub { $_[0] =~ s/,stride 5,float,.*,\Kok$/FAIL/mr }, outdated("$stride.svg"));
caught('a row of a program that no figure draws', $rows, sub { $_[0] =~ s/,sums,rows,.*,\K(\d)(?=[\d.]*,)/($1 + 1) % 10/mer });
caught('a finding', $rows, sub { $_[0] . "1,05_coalescing,stride,finding,,,,bend,8,,,,,,,,,It bends.,\n" });
caught('a row of chapter 02 that a figure of chapter 01 draws', '02_events/results/nvidia_h200.csv',
    sub { $_[0] =~ s/,events,saxpy_512,float,20971520,512,by events,.*,21,0\.0\K(\d)/($1 + 1) % 10/er }, outdated('01_sync_timing/figures/1_timers.svg', '02_events/figures/1_floor.svg'));
caught('a script', "$stride.gp", sub { $_[0] =~ s/stride in floats/stride/r }, outdated("$stride.svg"));
caught('the theoretical peak', '03_bandwidth/results/nvidia_h200.txt', sub { $_[0] =~ s/^(Theoretical peak: .* = )4/${1}5/mr },
    outdated('03_bandwidth/figures/2_roofline.svg', '03_bandwidth/figures/3_size_sweep.svg', '06_vectorized/figures/2_sizes.svg'));
caught('a figure that was edited', "$stride.svg", sub { $_[0] =~ s/useful GB/useless GB/r }, "$stride.svg: was changed by hand; make docs draws it");
caught('no rows', $rows, sub { $_[0] =~ s/^1,05_coalescing,stride,.*\n//mgr }, "$stride.gp: no rows for it in the results");
rename "$tree/$stride.svg", "$tree/05_coalescing/figures/stray.svg" or die;
is((figures($tree, '--check'))[2], "$stride.svg: is not there; make docs draws it\n05_coalescing/figures/stray.svg: no script draws it\n", 'one that is not there, one that no script draws');
rename "$tree/05_coalescing/figures/stray.svg", "$tree/$stride.svg" or die;

# What an SVG shows: its words, and how many points each series has.
sub shown {
    my ($file) = @_;
    my $svg = slurp($file) =~ s/<title>gnuplot_plot_\d+//gr;
    my %points;
    for (split /(?=<title>)/, $svg) {
        my ($name) = /^<title>([^<]+)/ or next;
        $points{$name} = () = /<use [^>]*href='#gpPt\d+' transform='translate/g;
    }
    return (join('|', map { s/<[^>]*>//gr =~ s/^\s+|\s+$//gr } $svg =~ /<text>(.*?)<\/text>/gs), \%points);
}
# Units and powers as they are written in print.
is(join(' ', grep { my ($title) = slurp($_) =~ /\A# (.*)/; slurp(s{gp$}{svg}r) !~ m{<g [^>]*><text [^>]*>\Q$title\E</text><text [^>]*>NVIDIA H200(?:, NVIDIA H100 80GB HBM3)?</text></g>} } @scripts), '',
    'each says its title and its device, for who has the picture alone');
like(join("\n", map { (shown(s{gp$}{svg}r))[0] } @scripts), qr{\A(?!.*\b(?:us|10\^|2\^)\b).*2²⁰.*µs}s, 'microseconds are µs, powers have raised digits');

# How many lines from a least to a greatest sample it has.
sub spreads {
    my ($file) = @_;
    return scalar(() = map { /M[\d.]+,[\d.]+ L/g } slurp($file) =~ /<path stroke='#1f2328'[^>]* d='([^']*)'/g);
}
# The rows of a program in the recorded results; a comma within a field is a semicolon here.
sub rows_of {
    my ($program, $pattern, $device) = @_;
    $device //= 'nvidia_h200';
    my @lines = map { s/"([^"]*)"/$1 =~ tr{,}{;}r/ger } map { split /\n/, slurp($_) } glob "[0-9][0-9]_*/results/$device.csv";
    return map { [split /,/, $_, -1] } grep { /^1,\w+,$program,$pattern/ } @lines;
}
# How many points the lines of both devices have.
sub both { return { H200 => scalar rows_of(@_), H100 => scalar rows_of(@_, 'nvidia_h100_80gb_hbm3') } }
sub three { my ($x) = @_; return sprintf $x >= 1 ? '%.3g ms' : '%.3g µs', $x >= 1 ? $x : 1e3 * $x }
my %bars = ('01_sync_timing/figures/1_timers' => [map({ $_->[12] } rows_of('sync_timing', 'saxpy_512,float,20971520')), map { $_->[12] } rows_of('events', 'saxpy_512,float,20971520,512,by events')],
    '02_events/figures/3_overlap' => [map { $_->[12] } rows_of('streams', 'p\w+; \d')],
    '04_unified_memory/figures/2_first_touch' => [map { $_->[12] } rows_of('unified_memory', '(?:host reads|preferred|set on the host|prefetched,float,\d+,\d+,(?:prefetch x and y|add),)')]);
for my $figure (sort keys %bars) {
    my ($words) = shown("$figure.svg");
    my @lacks = grep { index($words, $_) < 0 } map { three($_) } @{ $bars{$figure} };
    ok(@{ $bars{$figure} } >= 4 && !@lacks, "$figure has the times of its rows") or diag("'$words' lacks '@lacks'");
    cmp_ok(spreads("$figure.svg"), '>=', 2 * @{ $bars{$figure} }, 'and their samples from the least to the greatest');    # with its ends
}
my ($traffic) = shown('04_unified_memory/figures/3_page_traffic.svg');
is(join('|', $traffic =~ /([\d.]+ to the \w+)/g), join('|', map { sprintf '%.2f to the %s', ($_->[9] || 0) / 2**20, $_->[7] =~ /(\w+)$/ }
    rows_of('page_traffic', '[^,]*,float,\d+,,moves to ')), 'the pages that moved, and those that did not');
my %points = (
    '01_sync_timing/figures/5_launch_cost' => { map { $_ => scalar rows_of('launch_cost', $_) } 'in a stream', 'after a gate', 'in a graph' },
    '02_events/figures/1_floor' => { events => scalar rows_of('events', 'saxpy_512,.*,by events'), 'CPU clock' => scalar rows_of('events', 'saxpy_512,.*,by CPU') },
    '03_bandwidth/figures/2_roofline' => { map { $_ => scalar rows_of('roofline', "$_; \\d+ FMA") } 'float', 'double' },
    '03_bandwidth/figures/3_size_sweep' => { map { $_ => scalar rows_of('size_sweep', ".*,$_; MiB") } 'hot', 'cold' },
    '03_bandwidth/figures/5_transfers' => { map { $_ => scalar rows_of('transfers', $_) } map { ("$_ to device", "$_ to host") } 'pinned', 'pageable' },
    '05_coalescing/figures/2_offset' => both('offset', 'offset \d+,float'),
    '05_coalescing/figures/4_stride' => both('stride', 'stride \d+,float'),
    '06_vectorized/figures/2_sizes' => { map { $_ => scalar rows_of('sizes', "$_,(?!.*article)") } 'float', 'float4', '4 floats' },
    '06_vectorized/figures/4_latency' => { H100 => both('latency', 'next to each other')->{H100}, map { $_ => scalar rows_of('latency', $_) } 'next to each other', 'spread' });
for my $figure (sort keys %points) {
    my ($words, $is) = shown("$figure.svg");
    delete $is->{$_} for grep { !exists $points{$figure}{$_} } keys %$is;
    is_deeply($is, $points{$figure}, "$figure has a point for each of its rows");
    my $lines = spreads("$figure.svg"); # none where all samples are equal: those of a latency often are
    my $most = sum(values %{ $points{$figure} });
    ok($lines <= $most && $lines >= ($figure =~ /latency/ ? 1 : $most / 2), 'and lines from the least to the greatest sample') or diag("$lines of $most");
}
is(join(' ', sort keys %bars, keys %points, '04_unified_memory/figures/3_page_traffic'), join(' ', map { s/\.gp$//r } @scripts), 'each figure is looked at');

# What sectors predict: from stride 8 on, with 32 sectors for each 4 of stride 1, an eighth of the rate there.
my ($predicted) = slurp("$stride.svg") =~ /<title>by sectors.*? d='([^']*)/s;
my @y = ($predicted // '') =~ /[ML]([\d.]+),([\d.]+)/g;
@y = @y[grep { $_ % 2 } 0 .. $#y];
ok(@y == 32 && $y[0] < $y[1] && $y[6] < $y[7] && !(grep { $_ != $y[7] } @y[8 .. 31]), 'predicted rates fall to stride 8, and no further') or diag("@y");

# All colors are the style's, each has one for a dark page, and what is read has a contrast of 4.5.
my @style = slurp('tools/measure/figure_style.gp') =~ /^(\w+) *= "(#\w+)" *# dark (#\w+)/mg;
my (%light, %dark);
while (my ($name, $light, $dark) = splice @style, 0, 3) { $light{$name} = $light; $dark{$name} = $dark }
for my $script (@scripts) {
    my $svg = slurp($script =~ s/gp$/svg/r);
    my ($css) = $svg =~ m{<style>(.*?)</style>}s;
    my %used = map { $_ => 1 } $svg =~ s/<style>.*?<\/style>|<defs>.*?<\/defs>//gsr =~ /\b(?:fill|stroke) ?= ?['"](#\w+)/g;
    my @no_dark = grep { my $color = $_; !grep { $light{$_} eq $color && index($css, qq([fill="$color"]{fill:$dark{$_}})) > 0 } keys %light } keys %used;
    is(join(' ', @no_dark), '', "$script: each color has one for a dark page");
}
# The brightness of a color, as WCAG has it.
sub bright {
    my @part = map { my $c = hex($_) / 255; $c <= 0.03928 ? $c / 12.92 : (($c + 0.055) / 1.055)**2.4 } $_[0] =~ /([0-9a-f]{2})/g;
    return 0.2126 * $part[0] + 0.7152 * $part[1] + 0.0722 * $part[2];
}
for my $scheme (\%light, \%dark) {
    my @faint = grep { my ($more, $less) = sort { $b <=> $a } map { bright($scheme->{$_}) + 0.05 } $_, 'page'; $more / $less < 4.5 } qw(text axis blue red green pink);
    is(join(' ', @faint), '', "on $scheme->{page} all that is read has a contrast of 4.5");
}

# Drawing.
SKIP: {
    skip 'no gnuplot (Debian package: gnuplot-nox)', 1 if system('command -v gnuplot >/dev/null 2>&1');
    my $was = slurp("$tree/$rows");
    spew("$tree/$rows", $was =~ s/,stride 5,float,.*,\Kok$/FAIL/mr);
    figures_say('', '0', "$stride.svg\n", '', 'only what is not as it should be is drawn');
    is((shown("$tree/$stride.svg"))[1]{H200}, $points{$stride}{H200} - 1, 'a row that is wrong is not drawn');
    is((figures($tree, '--check'))[0], 0, 'then it is as it should be');
    spew("$tree/$rows", $was =~ s/,stride 32,float,.*,21,(?:[\d.]+,){3}\K\d+/1640/mr);
    figures($tree, '');
    my ($line, $recorded) = map { slurp($_) =~ /<title>H200.*? d='([^']*)/s } "$tree/$stride.svg", "$stride.svg";
    isnt($line, $recorded, 'another rate, another line');
    spew("$tree/$rows", $was);
    spew("$tree/$stride.gp", slurp("$tree/$stride.gp") . "plot nonsense\n");
    figures_say('', '1', undef, qr/^\Q$stride\E\.gp: .*undefined variable/s, 'a script that fails is named');
    my $pages = '04_unified_memory';
    spew("$tree/$pages/results/nvidia_h200.csv", slurp("$pages/results/nvidia_h200.csv") =~ s/,unified_memory,100 runs,/,unified_memory,99 runs,/gr);
    like((figures($tree, ''))[2], qr{^$pages/figures/2_first_touch\.gp: .*no valid points}m, 'so is one whose rows have another name now');
    spew("$tree/$_", slurp($_)) for "$pages/results/nvidia_h200.csv", "$stride.gp", "$stride.svg";
}

# ---- The report, without its tools and with mistakes -------------------------------------------
make_path("$folder/bare");
for my $tool (qw(perl make sh sed test nproc find tr)) {
    my ($path) = grep { -x } map { "$_/$tool" } split /:/, $ENV{PATH};
    symlink $path, "$folder/bare/$tool" if $path;
}
{
    local $ENV{PATH} = "$folder/bare";
    my $both = qr/\A[^\n]*apt-get install gnuplot-nox pandoc[^\n]*\n\z/;
    shows('tools/measure/report --from h200', '77', '', $both, 'without its tools: exit code 77, one line says what to install');
    shows("make --no-print-directory BUILD='$folder/build' report", '2', qr/\A(?!.*cudacc)/s, $both, 'make report builds nothing then');
    is((figures('.', ''))[0], 0, 'figures without gnuplot: nothing to draw');
    unlink "$tree/$stride.svg";
    figures_say('', '77', '', qr/\A[^\n]*apt-get install gnuplot-nox[^\n]*\n\z/, 'something to draw: exit code 77 and one line');
}
for ('', '--from', '--nonsense', '--from nobody', '--from h200 --device cpu', '--from h200 --compare nobody') {
    shows("tools/measure/report $_", '2', '', qr/\A[^\n]+\n\z/, "report $_: exit code 2 and one line");
}

sub missing_tools { return grep { system("command -v $_ >/dev/null 2>&1") } qw(gnuplot pandoc) }

SKIP: {
    my @missing = missing_tools();
    skip 'no ' . join(' and no ', @missing) . ' (Debian packages: gnuplot-nox, pandoc)', 1 if @missing;

    # ---- The page ----
    my %page;
    my $tree = tree('page');
    # A finding that tools/measure/headlines names, and one that it does not.
    spew("$tree/tools/measure/headlines", "05_coalescing/stride.bend\n" . slurp('tools/measure/headlines'));
    spew("$tree/$rows", slurp("$tree/$rows") . "1,05_coalescing,stride,finding,,,,bend,8,,,,,,,,,\"From a < b on, a row \"\"bends\"\".\",\n");
    # A count that both the CPU device and the GPU have.
    my ($count) = slurp('05_coalescing/results/cpu_device.csv') =~ /^(.*,stride,finding,,,,sectors,.*\n)/m;
    spew("$tree/$rows", slurp("$tree/$rows") . $count);
    # A second GPU, to compare with: as the first, by another name, and a little slower.
    for my $file (glob "$tree/[0-9][0-9]_*/results/nvidia_h200.*") {
        my $text = slurp($file) =~ s/NVIDIA H200/NVIDIA Other 1/gr;
        $text =~ s/(\d+\.\d{3,})/$1 * 0.7/ge;
        spew($file =~ s/h200/other_1/r, $text);
    }
    # Another device, whose name has 40 characters, with the L2 cache and nearly the peak of the first.
    my $long = 'NVIDIA RTX PRO 6000 Blackwell Server XYZ';
    for my $file (glob "$tree/[0-9][0-9]_*/results/nvidia_h200.*") {
        my $text = slurp($file) =~ s/NVIDIA H200/$long/gr;
        $text =~ s{= 4814\.3 GB/s}{= 4800.1 GB/s}g;
        $text =~ s/60\.0 MiB L2/72.0 MiB L2/g;
        spew($file =~ s{[^/]+(?=\.\w+$)}{lc $long =~ s/ /_/gr}er, $text);
    }
    for (['h200', '--from h200'], ['cpu', '--from cpu'], ['cpu_h200', '--from cpu_device --compare nvidia_h200'], ['other_h200', '--from other --compare h200'],
        ['h200_long', '--from h200 --compare xyz']) {
        my ($name, $words) = @$_;
        shows("cd '$tree' && tools/measure/report $words --output '$folder/$name.html'", '0', qr/\A[^\n]+\n\z/, '', "report $words: one line");
        my $page = $page{$name} = slurp("$folder/$name.html");
        cmp_ok(length $page, '<', 1_000_000, 'below 1 MB');
        my @fetched = grep { defined && !/^#/ } $page =~ /(?:\bsrc|\bhref|\bsrcset|\baction)\s*=\s*["']?([^"'\s>]*)|url\(([^)]*)\)|\@import\s+(\S+)/g;
        is(join(' ', @fetched), '', 'fetches nothing');
        unlike($page =~ s{xmlns(?::xlink)?="http://www.w3.org/\d+/(?:svg|xlink)"}{}gr, qr{https?://}, 'names no address');
        unlike($page, qr/<script|\bon\w+=|<iframe|<link/i, 'runs nothing');
        my @svgs = $page =~ /(<svg\b[^>]*>)/g;
        my $devices = 1 + ($words =~ /compare/);
        my $shared = $words =~ /compare/ && $words !~ /cpu/ ? grep { slurp($_) =~ /\bof_device\b/ } @scripts : 0;
        is(scalar @svgs, $devices * @scripts - $shared, 'each figure, for each device; a comparison, for both');
        is(scalar(grep { !/ role="img" / || !/ aria-label="[^"]{30,}"/ } @svgs), 0, 'and each says what it is');
        is(join('|', map { /aria-label="([^"]*)"/ } @svgs), join('|', $page =~ m{<figcaption>(.*?)</figcaption>}gs), 'as its caption does');
        my %ids;
        my @ids = $page =~ / id=["']([^"']*)["']/g;
        is(join(' ', grep { $ids{$_}++ == 1 } @ids), '', 'no id is there twice');
        my %of = map { $_ => 1 } @ids;
        is(join(' ', grep { !$of{$_} } $page =~ /(?:href='#|url\(#)([^')]*)/g), '', 'no reference leads nowhere');
        ok(() = $page =~ /<details>/g, 'the rows are folded away');
        unlike($page, qr/\bnan\b|\binf\b|HASH\(|ARRAY\(/i, 'no number that is none');
        my @order = map { index $page, $_ } '<div class="headline">', '<figure>', '>Findings</h2>', '>Programs</h2>';
        is("@order", join(' ', sort { $a <=> $b } @order), 'headline figures and charts come first, the runs last');
        unlike($page, qr/\d us\b/, 'microseconds are written as such');
        my ($headline) = $page =~ m{<div class="headline">(.*?)</div>}s;
        is(scalar(() = $headline =~ /<p>/g), 3, 'there are three of them');
    }
    like($page{h200}, qr{05_coalescing/<wbr>stride</td>\s*<td[^>]*>From a &lt; b on, a row (?:"|&quot;)bends(?:"|&quot;)\.</td>}, 'a finding is quoted');
    unlike($page{h200}, qr{05_coalescing/<wbr>offset</td>}, 'one that tools/measure/headlines does not name is not');
    # Of two devices: the sentences in one line, and the first number over the second.
    my $line_of = sub {
        my ($page, $finding) = @_;
        my ($line) = grep { /\Q$finding\E/ } $page =~ m{<tr[^>]*>(.*?)</tr>}gs;
        return [map { s/<[^>]*>|^\s+|\s+$//gr } ($line // '') =~ m{<td[^>]*>(.*?)</td>}gs];
    };
    my ($saxpy, $percent) = slurp('03_bandwidth/results/nvidia_h200.csv') =~ /,bandwidth,finding,,,,saxpy_percent_of_best,([\d.]+),.*?"([^"]*)"/;
    my $cells = $line_of->($page{other_h200}, $percent);
    is_deeply([scalar @$cells, $cells->[2], $cells->[3]], [4, $percent, '0.7'], 'findings of two devices stand side by side, with their ratio');
    my ($sectors) = slurp('05_coalescing/results/cpu_device.csv') =~ /,stride,finding,,,,sectors,.*?"([^"]*)"/;
    is_deeply($line_of->($page{cpu_h200}, $sectors), ['05_coalescing/stride', $sectors, $sectors, '1'], 'counts of the CPU device beside a GPU\'s');
    is_deeply([@{ $line_of->($page{cpu_h200}, $percent) }[1, 3]], ['–', '–'], 'and no ratio where it takes no times');
    my ($findings) = $page{other_h200} =~ m{>Findings</h2>(.*?)<h2}s;
    is(scalar(() = $findings =~ /<table/g), 1, 'in one table');
    like($page{cpu}, qr{05_coalescing/<wbr>stride</td>\s*<td[^>]*>}, 'the CPU device has its own');
    my @runs = map { m{^\$ (?:experiments/\d+_)?(.*)$}mg } map { slurp($_) } glob '[0-9][0-9]_*/results/nvidia_h200.txt';
    my $text = $page{h200} =~ s/<[^>]*>//gr;
    is(join(', ', grep { $text !~ /(?<!\w)\Q$_\E PASS/ } @runs), '', 'each of ' . @runs . ' runs is there, with PASS');
    # Chapter 00, which has no experiments: what its program printed.
    my @printed = slurp('00_first_kernel/results/nvidia_h200.txt') =~ /^ +(\d+) +(\d+) +(\d+) +([\d.]+ ms)$/mg;
    my ($first) = $page{h200} =~ m{>00 First kernel[^<]*</h2>(.*?)<h2}s;
    is(join(' ', ($first // '') =~ m{<td[^>]*>(.*?)</td>}g), "@printed", 'the rows of chapter 00');
    is(scalar(() = ($page{other_h200} =~ m{>00 First kernel[^<]*</h2>(.*?)<h2}s)[0] =~ /<table/g), 2, 'of both devices');

    # In Chinese: no English sentence is left, but names of series; numbers and figures are the same.
    for (['--from h200 --compare cpu_device', 'COURSE_LANG=zh_CN'], ['--from cpu_device', 'LC_ALL=zh_CN.UTF-8']) {
        my ($words, $set) = @$_;
        shows("env -u COURSE_LANG $set tools/measure/report $words --output '$folder/zh.html'", '0', undef, qr/\A(?!.*^(?!perl:|\s).)/ms, "$set report $words");
        my $zh = slurp("$folder/zh.html");
        like($zh, qr/<html lang="zh-CN">/, 'says that it is in Chinese');
        my $prose = $zh =~ s{<style>.*?</style>|<svg.*?</svg>|<tbody>(?:(?!</tbody>).)*PASS.*?</tbody>|<details>\K<summary>(.*?)</summary>.*?(?=</details>)}{$1 // ''}gser =~ s/<[^>]*>|(?<=这里以计数代替：).*//gr;    # a column's name
        is(join("\n", grep { /(?:\b[a-z]{2,} ){2}[a-z]{2,}/ } split /\n/, $prose), '', 'without a sentence in English');
        run('.', "COURSE_LANG=en tools/measure/report $words --output '$folder/en.html'");
        my @tables = map { join '|', m{<td>([\d.,e+-]+)</td>}g } $zh, slurp("$folder/en.html");
        is($tables[0], $tables[1], 'its numbers are those of the English page');
    }

    unlike($page{h200}, qr/takes no times/, 'a GPU\'s page does not say that it takes no times');
    is(scalar(() = $page{cpu} =~ /<figcaption>[^<]*counted: it takes no times/g), scalar @scripts, 'each figure of the CPU device does');
    unlike(join('', $page{cpu} =~ m{<figure>(.*?)</figure>}gs), qr{\d (?:ms|us)\b|GB/s}, 'and shows none');
    like($page{h200}, qr/>peak \d/, 'a GPU has its theoretical peak drawn');
    unlike($page{cpu}, qr/>peak \d/, 'the CPU device has none');

    # ---- Two devices: each figure has its own device's peak ----
    # What a page says of each device: "DEVICE: peak ..." of each figure that has one, "DEVICE: L2 ..." of its card.
    my $said_of = sub {
        my ($page) = @_;
        my %said;
        while ($page =~ m{<figcaption>[^<]*?, ([^,<(]+?)(?: \([^<]*)?</figcaption>(.*?)</figure>}gs) {
            my ($name, $svg) = ($1, $2);
            $said{"$name: peak $_"} = 1 for $svg =~ />peak (\d+)/g;
        }
        while ($page =~ m{<th[^>]*>([^<]+)</th>\s*</tr>\s*</thead>\s*<tbody>\s*<tr[^>]*>\s*<td[^>]*>hardware and driver</td>\s*<td[^>]*>[^<]*?([\d.]+\sMiB\sL2)}gs) {
            my ($name, $l2) = ($1, $2);
            $said{"$name: " . $l2 =~ s/\s/ /gr} = 1;
        }
        return [sort keys %said];
    };
    is_deeply($said_of->($page{h200_long}),
        [sort 'NVIDIA H200: peak 4814', 'NVIDIA H200: 60.0 MiB L2', "$long: peak 4800", "$long: 72.0 MiB L2"],
        'peaks that lie close, a long name: each device has its own peak and L2');
    # All ordered pairs of what is recorded take a minute. Two of a device are another device than one.
    my %of_device;
    m{([^/]+)\.csv$} && ($of_device{$1} .= slurp(s/csv$/txt/r)) for glob '[0-9][0-9]_*/results/*.csv';
    for my $from (sort keys %of_device) {
        for my $with (grep { $_ ne $from } sort keys %of_device) {
            next if !$ENV{TEST_ALL} && "$from $with" ne 'nvidia_h200_x2 nvidia_h200';
            shows("tools/measure/report --from $from --compare $with --output '$folder/pair.html'", '0', undef, '', "--from $from --compare $with");
            is_deeply($said_of->(slurp("$folder/pair.html")), [sort map {
                my ($name) = $of_device{$_} =~ /^Device \d+: ([^,]+),/m;
                $name .= ' x2' if /_x2$/;
                my ($l2) = $of_device{$_} =~ /([\d.]+ MiB L2)/;
                my ($peak) = $of_device{$_} =~ /^Theoretical peak: .* = ([\d.]+) GB/m;
                ($l2 ? "$name: $l2" : (), $peak ? sprintf('%s: peak %.0f', $name, $peak) : ())
            } $from, $with], 'each has its own peak and L2');
        }
    }

    # ---- What the access report counted, where there is one ----
    my $facts = sub {
        my ($words) = @_;
        run($tree, "tools/measure/report $words --output '$folder/access.html'");
        return slurp("$folder/access.html") =~ s{<td>}{ }gr =~ s{<[^>]*>}{}gr;
    };
    unlike($facts->('--from h200'), qr/ask the memory for/, 'without an access report there is no word of it');
    make_path("$tree/build/access/05_coalescing", "$tree/cudacc/tests/trace/results");
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
    my $counts = "# device: any\nprogram,kernel,launch,grid,block,ld_requests,ld_sectors,st_requests,st_sectors,shared_ld_wavefronts,shared_st_wavefronts\n"
        . "05_coalescing/stride,walk,0,4x1x1,256x1x1,32,128,32,128,0,0\n05_coalescing/stride,walk,1,4x1x1,256x1x1,32,1024,32,1024,0,0\n"
        . "loops,loop,0,4x1x1,256x1x1,32,999,32,128,0,0\n";
    spew("$tree/cudacc/tests/trace/results/nvidia_h200.csv", $counts =~ s{32,1024,0,0\n}{32,1023,0,0\n}r);
    $access = $facts->('--from h200');
    like($access, qr{NVIDIA H200, by its own counters: 2 launches of 1 kernel; the loads of a launch touch up to 32 sectors}, 'a GPU\'s own counters');
    like($access, qr{05_coalescing/stride walk 2 4 to 32 4 to 32}, 'kernel by kernel');

    # A page of failed runs says so.
    my $txt = '03_bandwidth/results/nvidia_h200.txt';
    spew("$tree/$txt", slurp($txt) =~ s{(^\$ experiments/\d_transfers\n.*?^)PASS$}{$1FAIL: 2 of 40 rows are wrong}msr);
    shows("cd '$tree' && tools/measure/report --from h200 --output '$folder/failed.html'", '1', qr/FAIL: 1 of \d+ runs/, undef, 'a program that failed: exit code 1');
    like(slurp("$folder/failed.html"), qr/class="fail">FAIL: 1 of .*transfers FAIL: 2 of 40 rows are wrong/s, 'and the page says which');

    # ---- Running what is missing: programs of nothing but a shell ----
    my $runs = tree('runs');
    make_path("$runs/build/cpu/$_/experiments") for @gpu_chapters;
    my $head = 'echo "Device 0: CPU device, 2 cores, 1.0 GiB memory, 0.0 MiB L2, driver 13.0, runtime 13.0" >&2; date >>ran; ';
    my %body = (good => 'echo PASS >&2', wrong => 'echo "FAIL: 1 of 1 rows are wrong" >&2; exit 1', killed => 'kill -9 $$');
    for (keys %body) {
        spew("$runs/01_sync_timing/experiments/1_$_.cu", '');
        spew("$runs/build/cpu/01_sync_timing/experiments/1_$_", "#!/bin/sh\n[ \"\$1\" = --help ] && exit\n$head$body{$_}\n", 0755);
    }
    spew("$runs/00_first_kernel/first_kernel.cu", '');
    spew("$runs/build/cpu/00_first_kernel/first_kernel", "#!/bin/sh\nprintf 'CPU device, 7 elements\\nblocks  threads in each  elements per thread\\n     2  4  1  - ms\\nPASS\\n'\n", 0755);
    my (undef, $out) = shows("cd '$runs' && tools/measure/report --device cpu", '1', undef, '', 'runs say nothing on stderr');
    like($out, qr{^\[2/4\] +01_sync_timing/good +ok .*^Again: build/cpu/01_sync_timing/experiments/1_killed --csv$}ms, 'each is a line; what failed is shown, and how to repeat it');
    my $page = slurp("$runs/build/report.html") =~ s/<[^>]*>//gr;
    like($page, qr/good PASS; killed FAIL: it ended with signal 9; wrong FAIL: 1 of 1 rows are wrong/, 'each verdict is on the page');
    like($page, qr/CPU device, 7 elements\.\s+blocks\s+threads in each\s+elements per thread\s+2\s+4\s+1\s+(?!-)/, 'chapter 00 has its launches, on the CPU device without times');
    like($page, qr/No figure of CPU device: Reading and writing with a stride/, 'and what could not be drawn');
    run($runs, 'tools/measure/report --device cpu');
    is((() = slurp("$runs/ran") =~ /\n/g), 5, 'what has passed is not run again; what has not, is');
    utime 1e9, 1e9, "$runs/build/report/cpu/01_sync_timing/good.txt";
    run($runs, 'tools/measure/report --device cpu');
    is((() = slurp("$runs/ran") =~ /\n/g), 8, 'nor what was built anew left out');

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
    least = Math.min(least, box.width / svg.viewBox.baseVal.width * parseFloat(svg.querySelector('g[font-size]').getAttribute('font-size')));
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
  const sheet = getComputedStyle(document.querySelector('svg rect'));
  parent.postMessage([location.search, innerWidth, document.documentElement.scrollWidth, drawn.length,
    least.toFixed(1), outside.join(', '), touching.join(', '), style.backgroundColor + ' ' + sheet.fill].join('|'), '*');
});
</script>
END
    my @shown = ('h200', 'cpu_h200', 'other_h200', 'h200_long');
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
                is($drawn, scalar(() = $page{$name} =~ /<svg/g), 'all figures');
                cmp_ok($least // 0, '>=', 11, 'their text is 11 pixels high or more');
                is($outside, '', 'all of it inside the drawing');
                is($touching, '', 'none of it on other text');
                $colours{$name}{$scheme} = $colours // '';
            }
        }
    }
    for my $name (@shown) {
        my $rgb = sub { return sprintf 'rgb(%d, %d, %d)', map { hex } $_[0] =~ /([0-9a-f]{2})/g };
        is($colours{$name}{light}, join(' ', map { $rgb->($light{page}) } 1, 2), "$name: page and figures are light");
        is($colours{$name}{dark}, join(' ', map { $rgb->($dark{page}) } 1, 2), 'and dark');
    }
    run('.', "$quiet --no-pdf-header-footer --print-to-pdf='$folder/page.pdf' 'file://$folder/h200.html'");
    my $pages = () = slurp("$folder/page.pdf") =~ m{/Type\s*/Page\b(?!s)}g;
    ok($pages >= 2 && $pages <= 12, "it prints on $pages A4 pages");
}
done_testing();
