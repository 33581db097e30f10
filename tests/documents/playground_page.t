#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The playground's page in a browser: what one writes, clicks and shares, and that it can be used at any time.
use strict;
use warnings;
use Test::More;
use FindBin;
use JSON::PP;
use IO::Socket::INET;
require "$FindBin::Bin/../lib/lib.pl";

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
like($hint->[1], qr/^625632, 422 %$/, 'beside its line stand requests, sectors and the useful share');
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
done_testing();
