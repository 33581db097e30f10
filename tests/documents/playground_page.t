#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The playground's page in a browser: what one writes, clicks and shares, and that it can be used at any time.
use lib 'tests/lib';
use Tests;
use IO::Socket::INET;

my ($browser) = grep { found($_) } qw(chromium chromium-browser google-chrome);
plan skip_all => 'no browser (Debian package: chromium)' if !$browser;
my ($scratch, $root) = scratch_and_root();
my $one = "$scratch/playground.html";
spew($one, scalar `$root/tools/documents/playground`);
my $runs = 0;

# What a script says of the page in a frame, 1280 or 390 pixels wide. It posts its answer to a server here.
sub in_page {
    my ($width, $fragment, $text) = @_;
    my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 5, ReuseAddr => 1) or die "no server: $!\n";
    my $frame = "$scratch/frame" . ++$runs;
    spew("$frame.html", <<"END");
<meta charset=utf-8><iframe id=f src="file://$one$fragment" style="width:${width}px;height:900px"></iframe><script>
const later = ms => new Promise(done => setTimeout(done, ms));
onload = async () => {
    const page = document.getElementById('f').contentWindow, inner = page.document, \$ = id => inner.getElementById(id), field = inner.forms[0].elements;
    const set = (e, value) => { e.value = value; e.dispatchEvent(new page.Event('input', { bubbles: true })); };
    const until = async f => { for (let k = 0; k < 600 && !f(); k++) await later(50); return f(); };
    const ready = () => until(() => \$('rows').tBodies[0].rows.length || \$('refused').textContent || \$('hints').textContent);
    const type = async text => { \$('rows').tBodies[0].innerHTML = \$('hints').textContent = \$('refused').textContent = ''; set(\$('source'), text); await later(300); await ready(); await later(50); };
    const example = async name => { \$('rows').tBodies[0].innerHTML = \$('hints').textContent = \$('refused').textContent = ''; set(field.example, name); await ready(); await later(50); };
    const key = name => inner.body.dispatchEvent(new page.KeyboardEvent('keydown', { key: name, bubbles: true }));
    const cells = name => (inner.querySelector('#memory .' + name).getAttribute('d').match(/M/g) || []).length;
    let answer;
    try { await ready(); answer = await (async () => { $text })(); } catch (e) { answer = ['' + e.stack]; }
    fetch('http://127.0.0.1:@{[ $server->sockport ]}/', { method: 'POST', mode: 'no-cors', body: JSON.stringify(answer) });
};
</script>
END
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        setpgrp;
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        exec("$root/tests/lib/limit", 120, $browser, qw(--headless=new --no-sandbox --disable-gpu --lang=en --allow-file-access-from-files --remote-debugging-port=0), "--user-data-dir=$frame.profile", "file://$frame.html") or exit 127;
    }
    my $said = '';
    eval {
        local $SIG{ALRM} = sub { die "no answer\n" };
        alarm 120;
        my $client = $server->accept;
        my $length = 0;
        while (defined(my $line = <$client>)) {
            $length = $1 if $line =~ /^content-length: (\d+)/i;
            last if $line =~ /^\r?\n$/;
        }
        read $client, $said, $length;
        alarm 0;
    };
    kill 'TERM', -$pid;
    waitpid $pid, 0;
    return eval { decode_json($said) } // ["no answer: $said"];
}

my $hint = in_page(1280, '', <<'END');
return [$('hints').textContent, $('gutter').querySelector('[data-line="6"]').textContent, $('said').textContent, cells('wanted'), cells('moved'), inner.title];
END
is($hint->[0], 'Line 6, out, store: stride 64 in x: 32 sectors where 4 would do; stage a tile in shared memory; an example', 'it opens with a naive transpose and its hint');
like($hint->[1], qr/^625632, 422.2 %$/, 'beside its line stand requests, sectors and the useful share');
is("@$hint[2 .. 4]", 'Request 2 of 2 of this warp, line 6: 32 lanes, store of 4 bytes each, out: 32 sectors, 128 of 1024 bytes wanted. 32 224', 'above, the picture of its worst request');

my $all = in_page(1280, '', <<'END');
const said = [];
for (const option of [...field.example.options].slice(1)) {
    await example(option.value);
    if ($('refused').textContent || !$('rows').tBodies[0].rows.length) said.push(option.value + ': ' + $('refused').textContent);
    if (/mistake/.test(option.value) !== Boolean($('mistakes').textContent)) said.push(option.value + ': ' + $('mistakes').textContent);
    if (/race/.test(option.value) && !cells('wrong')) said.push('no place of the race is drawn');
}
said.push([...inner.querySelectorAll('input, select, textarea, button')].filter(e => !e.labels?.length && !e.textContent && !e.getAttribute('aria-label')).length + ' without a name', inner.querySelectorAll('#gallery li').length);
return said;
END
is(join("\n", @$all), "0 without a name\n12", 'every example runs, and every field has a name');

# Programs without an end, and huge ones: clicks are answered while they run, and each ends with a sentence.
my @endless = ('while (1) { a[threadIdx.x]++; }', 'for (int i = threadIdx.x; i < 1000; ) { a[i] = 1; }', 'for (;;) a[0]++;', 'volatile int *p = a; while (p[0] == 0) { }', 'while (atomicCAS(&a[0], 0, 1) != 7) { }', 'do { } while (true);',
    'unsigned x = 1; for (unsigned i = 0; i < 4000000000u; i++) x = x * 5 + i; a[0] = x;', '__shared__ int s; s = 0; __syncthreads(); while (true) { __syncthreads(); s++; }', 'for (int i = 0; i < 100000; i++) for (int j = 0; j < 100000; j++) a[i & 31] += j;', 'while (a) a[1] = a[2];',
    'float f = 0; while (f < 1) f *= 0.5f; a[0] = f;', 'int i = 0; for (; i >= 0; ) i = (i + 1) & 1023;', 'for (long long i = 0; i < 1LL << 40; i++) a[i & 7] = i;', 'unsigned i = 10; while (i >= 0) a[i-- & 31] = 1;', 'while (__ballot_sync(~0u, 1)) { }', 'int j = 1; while (j) { j = __shfl_sync(~0u, j, 0); }',
    'for (double d = 0; d != 1; d += 0.3) a[1]++;', 'switch (1) { default: while (1) a[3]--; }', 'a[0] = ' . '(' x 5000 . '1' . ')' x 5000 . ';');
my @texts = map { "__global__ void k(int *a) { $_ }" } @endless;
push @texts, "#define A B B B B B B B B\n#define B C C C C C C C C\n#define C D D D D D D D D\n#define D E E E E E E E E\n#define E F F F F F F F F\n#define F 1+ 1+ 1+ 1+ 1+ 1+ 1+ 1+\n__global__ void k(int *a) { a[0] = A A A A A A A A 1; }";
my $usable = in_page(1280, '', 'const said = [], waits = []; for (const text of ' . encode_json(\@texts) . <<'END');
) {
    let answered = 0;
    $('mistakes').textContent = $('refused').textContent = '';
    set($('source'), text);
    for (let k = 0; k < 400; k++) {
        const clicked = performance.now();
        await later(0);
        inner.querySelector('[data-step="first"]').click();
        waits.push(performance.now() - clicked);
        if (/Running/.test($('status').textContent)) answered++;
        await later(20);
        if (k > 20 && !/Running/.test($('status').textContent) && ($('mistakes').textContent + $('refused').textContent)) break;
    }
    const end = $('mistakes').textContent + $('refused').textContent;
    if (!/too long|too deep|too much text/.test(end) || (/too long/.test(end) && answered < 10)) said.push(`${text.slice(0, 90)}: ${answered} clicks; ${$('status').textContent}${end}`);
}
waits.sort((a, b) => a - b);
return [waits[Math.floor(0.99 * waits.length)], ...said];
END
note('of 100 clicks, 99 are answered within ' . sprintf('%.0f', shift @$usable) . ' ms on this machine');
is(join("\n", @$usable), '', '20 programs that never end, or nearly: clicks are answered while they run, and each ends with a sentence');

my $stopped = in_page(1280, '', <<'END');
set($('source'), '__global__ void k(int *a) { while (1) a[threadIdx.x]++; }');
const runs = await until(() => /Running/.test($('status').textContent)), stop = $('status').querySelector('button');
stop.click();
const said = [runs, $('status').textContent.trim()];
await type('__global__ void k(int *a) { while (1) a[threadIdx.x]++; }');
await until(() => /Still/.test($('status').textContent));
said.push($('status').textContent);
return said;
END
is(join("\n", @$stopped), "1\nStopped.\nStill running after 2 s: the counts are of the part that ran. Continue, up to 20 s", 'one can stop it, or go on');

# What is written runs, a link has it all, and Back undoes.
my $steps = in_page(1280, '#code=__global__+void+k%28float+*a%29+%7B%0Aa%5B8+*+threadIdx.x%5D+%3D+1%3B%0A%7D&grid=1&block=64&p.a=512:zero', <<'END');
const said = [$('said').textContent];
key('PageDown');
said.push($('warp-name').textContent);
$('by-lane').click();
key('ArrowRight'); key('ArrowRight');
said.push($('said').textContent.replace(/.*wanted\. /, ''), inner.querySelectorAll('#lanes .in').length, `${cells('wanted')} and ${cells('one')}`);
$('by-lane').click();
await type($('source').value.replace('8 *', '2 *'));
said.push(`${cells('wanted')} and ${cells('moved')}`, new URLSearchParams(page.location.hash.slice(1)).get('code').includes('2 *'));
inner.querySelectorAll('details').forEach(one => { one.open = true; });
await later(100);
said.push($('by-lanes').tBodies[0].rows.length, $('arrays').tBodies[0].rows[2].textContent);
field.keep.click();
await until(() => !$('compare').hidden);
await type($('source').value.replace('2 *', '4 *'));
said.push($('versions').tBodies[0].rows[0].textContent, new URLSearchParams(page.location.hash.slice(1)).has('before'));
await example('histogram');
page.history.back();
await until(() => /4 \*/.test($('source').value));
said.push($('source').value.includes('4 *'));
await type('__global__ void other(');
said.push($('refused').textContent + $('rows').tBodies[0].textContent + $('parameters').textContent);
return said;
END
is(join("\n", @$steps), join("\n", 'Request 1 of 1 of this warp, line 2: 32 lanes, store of 4 bytes each, a: 32 sectors, 128 of 1024 bytes wanted.',
    'Warp 1 of block (0,0,0); the launch has 1 block of 2 warps', 'Lane 2: a[272].', 3, '2 and 1', '32 and 32', 1, 32, '[2]1', 'astore21650 %23225 %', 1, 1, 'Line 1, column 23: the end is not known here.'),
    'a link sets it all; keys step; what is typed runs, and is in the address; two versions stand side by side; Back undoes; of what is refused nothing stays');

# What a person pastes gets a launch that fits; what is guessed looks guessed.
my $pasted = in_page(1280, '', 'const said = []; for (const text of ' . encode_json([map { my $file = $_; grep { !/^Kernels as/ } map { s/^[^\n]*\n//r } grep { /^$file/ } split /^==== /m, slurp("tests/documents/playground_pasted.txt") } 'matrix product, tiled', 'mandelbrot', 'whole', 'bitonic', 'printf', 'transpose without']) . <<'END');
) {
    await type(text);
    said.push([field.grid.value, field.block.value, inner.querySelectorAll('.guess').length > 0, $('guessed').hidden, $('mistakes').textContent, $('printed').textContent.slice(0, 8)].join(' | '));
}
await type('__global__ void add(float *a, float *b, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    a[i] += b[i];\n}');
said.push($('mistakes').textContent.replace(/: out of.*just/, ' just').replace(/; it would.*\./, '.'));
await type('__global__ void one(int *a) {\n    a[0] = threadIdx.x;\n}');
said.push($('mistakes').textContent.match(/one of the two is lost|the same warp/)[0]);
await type('__global__ void none(float *a, int n) {\n    if (n < 0)\n        a[0] = 1;\n}');
said.push($('hints').textContent);
await type('#define N 100\n__global__ void two(float *a) {\n    a[threadIdx.y * N + threadIdx.x] = 1;\n}\nint main() {\n    dim3 block(16, 4), grid((N + block.x - 1) / block.x, 2);\n    float *a;\n    cudaMalloc(&a, N * N * sizeof(float));\n    two<<<grid, block>>>(a);\n}');
said.push(`${field.grid.value} | ${field.block.value} | ${inner.querySelectorAll('.guess').length}`);
await type('__global__ void none(float *a) {\n    goto end;\n}');
said.push($('refused').textContent);
return said;
END
is(join("\n", @$pasted), join("\n", '4,4 | 16,16 | true | false |  | ', '2,2 | 32,32 | true | false |  | ', '4 | 256 | false | true |  | ', '4 | 256 | true | false |  | ', '4 | 256 | true | false |  | Hello fr', '2,2 | 32,8 | true | false |  | ',
    'Line 3 (with these guessed arguments; none with a[16384], b[16384], n = 1024) just past the end of a, 4000 bytes.', 'one of the two is lost',
    'No request to memory: with these arguments nothing is read or stored. (with these guessed arguments)', '7,2 | 16,4 | 0', 'Line 2, column 5: goto is not understood here: write a loop with break. cudacc --trace runs it.'),
    'a pasted kernel gets a launch and data that fit it, marked as guessed; a mistake says so; no request is no praise; a refusal says what to do');

my $phone = in_page(390, '#lang=en', "return [inner.documentElement.scrollWidth, \$('memory').getBoundingClientRect().bottom < 844 ? 'picture' : 'no picture', [...inner.querySelectorAll('body *')].filter(e => e.textContent && parseFloat(page.getComputedStyle(e).fontSize) < 11).length];");
cmp_ok($phone->[0], '<=', 390, 'at 390 pixels nothing sticks out');
is("@$phone[1, 2]", 'picture 0', 'its first screen has the picture, and no text is smaller than 11 pixels');

# A step changes a few things and moves nothing: so it can follow a key that is held.
my $work = in_page(1280, '#code=__global__+void+k%28float+*a%29+%7B%0A__shared__+float+s[1024];%0Aint+t+=+threadIdx.x;%0Afor+%28int+k+=+0;+k+<+100;+k%2B%2B%29+{%0As[t]+=+a[k+*+1024+%2B+t];%0Aa[t+*+32+%2B+k]+=+s[32+*+t+%25+1024];%0A}%0A%7D&grid=1&block=1024&p.a=200000:zero', <<'END');
const tall = inner.documentElement.scrollHeight, heights = new Set(), said = new Set(), observer = new page.MutationObserver(() => {}), begun = performance.now();
let added = 0;
key('Home');
observer.observe(inner.body, { subtree: true, childList: true });
for (let k = 0; k < 300; k++) {
    key('ArrowRight');
    added = Math.max(added, observer.takeRecords().length);
    heights.add(inner.documentElement.scrollHeight - tall);
    said.add($('said').textContent);
}
return [(performance.now() - begun) / 300, [...heights].join(), said.size, added <= 80 ? 'few' : added];
END
note(sprintf 'a step takes %.1f ms on this machine', shift @$work);
is("@$work", '0 300 few', 'a step of 1024 threads changes only a few things, and no height');

my $chinese = in_page(1280, '#lang=zh', <<'END');
const all = new Set(), look = () => {
    const seen = inner.body.cloneNode(true);
    for (const e of seen.querySelectorAll('script, [name=kernel], [lang=en], style, textarea, code, .en, legend, #lanes, .text, #memory, #rows, #arrays')) e.remove();
    const said = [seen.innerHTML.replace(/<[^>]*>|&\w+;/g, ' '), ...[...inner.querySelectorAll('[aria-label], [title]')].filter(e => !e.closest('.en, #lanes')).flatMap(e => [e.getAttribute('aria-label') || '', e.title])].join(' ');
    for (const word of said.match(/[A-Za-z]{3,}/g)) all.add(word);
};
look();
for (const option of [...field.example.options].slice(1)) { await example(option.value); look(); }
await type('__global__ void add(float *a) {\n    goto end;\n}');
look();
return [...all].sort();
END
my %stays = map { $_ => 1 } qw(CUDA SAXPY saxpy nvcc Home End Page Down Tab Escape float double out tile stride bins mine shared lambda printf half main math SVG PNG syncthreads goto cudacc trace break atomicAdd);
is(join(' ', grep { !$stays{$_} } @$chinese), '', 'with lang=zh it speaks Chinese, its hints, mistakes and refusals, too');
done_testing();
