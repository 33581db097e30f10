#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# docs/site/sectors.html in a browser: it counts what the tracer counts, evaluates nothing as code,
# takes its state from a link, and fits a phone.
use strict;
use warnings;
use Test::More;
use FindBin;
use JSON::PP;
require "$FindBin::Bin/../lib/lib.pl";

my ($browser) = grep { found($_) } qw(chromium chromium-browser google-chrome);
plan skip_all => 'no browser (Debian package: chromium)' if !$browser;
my ($scratch, $root) = scratch_and_root();

# Expressions over k as C has them, from a seed: each run has the same.
srand 5;
sub pick { return $_[rand @_] }

sub expression {
    my ($depth) = @_;
    return pick('k', 'k', int rand 20) if $depth == 0;
    my $part = sub { expression($depth - 1) };
    my @kinds = (
        sub { return $part->() . pick(' + ', ' - ', ' & ', ' ^ ', ' | ', ' < ', ' == ', ' && ') . $part->() },
        sub { return '(' . $part->() . pick(' + ', ' - ') . $part->() . ') * ' . int rand 12 },
        sub { return '(' . $part->() . ')' . pick(' / ', ' % ') . (1 + int rand 40) },
        sub { return '((' . $part->() . ')' . pick(' << ', ' >> ') . int(rand 4) . ')' },
        sub { return pick('-', '~', '!') . '(' . $part->() . ')' },
        sub { return '(' . $part->() . ' > ' . $part->() . ' ? ' . $part->() . ' : ' . $part->() . ')' },
    );
    return pick(@kinds)->();
}

my @cases;
for my $n (1 .. 200) {
    my $index = '(' . expression(1 + $n % 3) . ') & 1023';
    $index = 'k ' . pick('< 16', '% 3', '!= 31') . " ? $index : none" if $n % 4 == 0;
    my $size = $n % 5 ? pick(1, 2, 4, 8, 16) : 0;    # 0: shared memory
    push @cases, { index => $index, size => $size, first => $size * int rand 9, row => pick(16, 32, 7), padding => int rand 3 };
}
my $line = 0;
my $all = join '', map {
    my $c_index = $_->{index} =~ s{none}{NONE}r =~ s{(\d+)}{$1LL}gr;
    sprintf "    for (long long k = 0; k < 32; k++) word[k] = (int)(%s);\n    run<%d>(word, %d, %d, %d);\n", $c_index, @{$_}{qw(size first row padding)}
} @cases;
spew("$scratch/cases.cu", <<"END");
#include "$root/common/common.h"
enum { NONE = -1 };
template <int SIZE> struct alignas(SIZE) element { unsigned char bytes[SIZE]; };
template <int SIZE> __global__ void global(element<SIZE> *out, const element<SIZE> *a, const int *index) {
    int i = index[threadIdx.x];
    if (i >= 0)
        out[threadIdx.x] = a[i];
}
__global__ void shared(float *out, const int *word) {
    __shared__ float tile[4096];
    for (int i = threadIdx.x; i < 4096; i += 32)
        tile[i] = 0;
    __syncthreads();
    int i = word[threadIdx.x];
    if (i >= 0)
        out[threadIdx.x] = tile[i];
}
static int *index_;
static unsigned char *a, *out;
template <int SIZE> static void run(int *word, int first, int, int) {
    CUDA_CHECK(cudaMemcpy(index_, word, 128, cudaMemcpyHostToDevice));
    global<SIZE><<<1, 32>>>((element<SIZE> *)out, (element<SIZE> *)(a + first), index_);
}
template <> void run<0>(int *word, int, int row, int padding) {
    for (int k = 0; k < 32; k++)
        word[k] += word[k] < 0 ? 0 : padding * (word[k] / row);
    CUDA_CHECK(cudaMemcpy(index_, word, 128, cudaMemcpyHostToDevice));
    shared<<<1, 32>>>((float *)out, index_);
}
int main(void) {
    int word[32];
    CUDA_CHECK(cudaMalloc((void **)&index_, 128));
    CUDA_CHECK(cudaMalloc((void **)&a, 1 << 16));
    CUDA_CHECK(cudaMalloc((void **)&out, 512));
    CUDA_CHECK(cudaMemset(a, 0, 1 << 16));
$all    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(index_));
    CUDA_CHECK(cudaFree(a));
    CUDA_CHECK(cudaFree(out));
    return 0;
}
END
my $said = `$root/common/cpu_device/cudacc -O1 --trace $scratch/cases.cu -o $scratch/cases 2>&1 && ACCESS_REPORT=$scratch/cases.csv $scratch/cases 2>&1`;
is($?, 0, 'the tracer runs 200 expressions') or diag(substr $said, 0, 2000);

# What the tracer counted of each launch: sectors and wanted bytes, or turns.
my @traced = map { $_->{size} ? [0, 0] : [0] } @cases;
for (slurp("$scratch/cases.csv") =~ /^(\d.*)$/mg) {
    my ($launch, $kernel, undef, undef, undef, $name, $op, undef, undef, $sectors, $useful) = split /,/;
    $traced[$launch] = [$sectors + 0, $useful + 0] if $kernel =~ /global/ && $name eq 'a' && $op eq 'ld';
}
for (slurp("$scratch/cases.shared.csv") =~ /^(\d.*)$/mg) {
    my ($launch, undef, undef, undef, undef, undef, $op, undef, undef, $turns) = split /,/;
    $traced[$launch] = [$turns + 0] if $op eq 'ld';
}

# A page with a script that leaves its answer as JSON in the title.
sub answer {
    my ($page, $script, $fragment) = @_;
    spew("$scratch/page.html", "$page<script>try { $script } catch (e) { document.title = JSON.stringify(['' + e]); }</script>");
    my $dom = `tests/lib/limit 120 $browser --headless=new --no-sandbox --disable-gpu --allow-file-access-from-files --user-data-dir='$scratch/profile' --virtual-time-budget=20000 --dump-dom 'file://$scratch/page.html@{[ $fragment // '' ]}' 2>/dev/null`;
    my ($title) = $dom =~ m{<title>(.*?)</title>}s;
    $title //= '[]';
    $title =~ s/&amp;/&/g, $title =~ s/&lt;/</g, $title =~ s/&gt;/>/g;
    return eval { decode_json($title) } // $title;
}
my $html = slurp("$root/docs/site/sectors.html");
my $asked = encode_json(\@cases);
my $drawn = answer($html, <<"END");
document.title = JSON.stringify($asked.map(c => {
    if (!c.size) return [Math.max(...Warp.banks(c.index, c.row, c.padding).map(bank => bank.size))];
    const found = Warp.sectors(c.index, c.size, c.first);
    return [found.length, found.reduce((sum, s) => sum + s.lanes.filter(lane => lane !== null).length, 0)];
}));
END
ref $drawn->[0] or BAIL_OUT("no answer from the browser: @$drawn");
my @other = map { "$_->[0]{index}, @{ $_->[0] }{qw(size first row padding)}: page @{ $_->[1] }, tracer @{ $_->[2] }" }
    grep { "@{ $_->[1] }" ne "@{ $_->[2] }" } map { [$cases[$_], $drawn->[$_], $traced[$_]] } 0 .. $#cases;
is(join("\n", @other), '', 'the page counts 200 expressions as the tracer does');
cmp_ok(scalar(keys %{ { map { ("@$_" => 1) } @traced } }), '>', 20, '(and they differ)');

# What is no expression is named, and nothing of it runs.
my $wrong = answer($html, <<'END');
document.title = JSON.stringify(['', 'k +', '(k', 'k k', 'alert(1)', 'document.title = 1', 'k / 0', 'k % (k - k)', '1 << 41', 'x', 'k = 1', 'k; k', "'k'",
    '('.repeat(150) + 'k', '99999999999999999999', 'k ? 1', '1.5'].filter(text => { try { Warp.indices(text); return true; } catch (e) { return !e.message; } }));
END
is_deeply($wrong, [], 'what is no expression is refused, with a reason');
unlike($html, qr/\beval\b|new Function|\bimport\b|(?:src|href)=|\burl\(|fetch\(/, 'the page evaluates and loads nothing');

# A link holds the state; all fields have names; every example and a phone's width.
my $state = answer($html, <<'END', '#memory=shared&index=32+*+k&row=32&padding=1');
const field = document.forms[0].elements, output = document.querySelector('output');
const said = [output.textContent, field.example.selectedOptions[0].textContent];
const seen = [...field.example.options].slice(1).map(option => {
    field.example.value = option.value;
    field.example.dispatchEvent(new Event('input', { bubbles: true }));
    return option.textContent + ': ' + output.textContent.match(/(\d+) (?:sector|turn)/)[1];
});
document.title = JSON.stringify([...said, seen, [...field].filter(f => !f.labels?.length && !f.textContent).length, location.hash]);
END
like($state->[0], qr/32 banks of 32: 1 turn\./, 'a link sets index, memory and padding');
is($state->[1], 'a column of tile[32][33]', 'and names the example');
is(join(', ', @{ $state->[2] // [] }), join(', ', 'neighbors, a[k]: 4', 'one further on, a[k + 1]: 5', 'stride 2: 8', 'stride 4: 16', 'stride 8: 32',
    'stride 100: 32', 'char c[k]: 1', 'float4 for each lane: 16', 'x of a structure of 8 floats: 32', 'a column of tile[32][32]: 32',
    'a column of tile[32][33]: 1', 'as handed out, rows of 1024: 32', 'a block 4 wide: 8', 'a block 8 wide: 4', 'a block 16 wide: 4',
    'backwards: 4', 'every tenth: 32', 'all the same: 1', 'two by two: 2', 'doubles: 8', 'one field of three: 12', 'the lower half: 2',
    'two columns of 16, rows of 32: 16', 'two columns of 16, rows of 33: 2', 'two columns of 16, rows of 34: 1'), 'every example counts what the course says');
is($state->[3], 0, 'every field has a label');
like($state->[4] // '', qr/index=k\+%25\+16.*padding=2$/, 'what is chosen stands in the address');

# In a Chinese document every word of it is Chinese, its refusals and what a screen reader says, too.
my $english = answer($html =~ s/lang="en"/lang="zh-CN"/r, <<'END');
const section = document.getElementById('sectors'), field = section.querySelector('form').elements, all = new Set();
const look = () => {
    const said = [section.innerHTML.replace(/<[^>]*>|&\w+;/g, ' '), section.getAttribute('aria-label'), ...[...section.querySelectorAll('optgroup')].map(group => group.label),
        ...[...section.querySelectorAll('li')].map(item => item.title)].join(' ');
    for (const word of said.match(/[A-Za-z]{2,}/g)) all.add(word);
};
const type = (name, value) => { field[name].value = value; field[name].dispatchEvent(new Event('input', { bubbles: true })); look(); };
for (const option of [...field.example.options].slice(1)) type('example', option.value);
for (const index of ['none', '0 - 1', 'k +', '(k', '(k k', 'k k', '$', 'k / 0', '1 << 41', '('.repeat(150) + 'k', 'k'.repeat(201), '99999999999999999999', '@']) type('index', index);
type('row', '0');
document.title = JSON.stringify([...all].filter(word => !['none', 'float', 'double', 'tile', 'char'].includes(word)));
END
is_deeply($english, [], 'in a Chinese document it speaks Chinese');

spew("$scratch/inner.html", $html);
my $wide = answer("<title></title><iframe id=f src='inner.html#index=100*k' style='width:390px;height:900px'></iframe>",
    "onload = () => { const inner = document.getElementById('f').contentDocument; document.title = JSON.stringify([inner.documentElement.scrollWidth <= 390, inner.querySelectorAll('li').length]); };");
is("@$wide", '1 32', 'at 390 pixels nothing sticks out');
done_testing();
