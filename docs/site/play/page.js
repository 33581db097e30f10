// SPDX-License-Identifier: MIT
// The page: what one writes goes to a worker, what it answers is shown. The whole state is in the address.
'use strict';
{
const $ = id => document.getElementById(id), form = document.forms[0], field = form.elements, root = document.documentElement;
const escape = text => String(text).replace(/[&<>"]/g, c => `&#${c.charCodeAt()};`);
const MEANS = { requests: 'of all warps', sectors: 'of 32 bytes, for each request to global memory', useful: 'bytes wanted of those moved', waves: 'turns of the banks, for each request to shared memory' };
const LIMIT = 2, STORE = 'cuda-by-measurement';

// ---- Words: English or, with lang=zh in the address or where the browser prefers it, Chinese ----
const address = () => new URLSearchParams(location.hash.slice(1));
const inChinese = /^zh/.test(address().get('lang') || navigator.language), isEmbedded = address().has('embed');
if (inChinese) root.lang = 'zh-CN', field.language.lang = 'en', field.language.textContent = 'English';
root.classList.toggle('embed', isEmbedded);
const singular = text => text.replace(/\b1 (lane|sector|word|bank|wavefront|block|warp|conflict|byte)s\b/g, '1 $1');
const say = (text, ...values) => singular((inChinese && CHINESE[text] || text).replace(/\{(\d)\}/g, (_, i) => values[i]));
const PATTERNS = Object.keys(CHINESE).filter(key => key.includes('{')).map(key => [new RegExp(`^${key.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\d\}/g, '(.+?)')}$`), key]);
// A sentence of the tracer: its parts stand between colons and semicolons.
function sentence(text) {
    if (!inChinese) return singular(text);
    const part = one => {
        if (CHINESE[one]) return CHINESE[one];
        if (one.includes(': ')) return one.split(': ').map(part).join('：');
        for (const [pattern, key] of PATTERNS) { const found = pattern.exec(one); if (found) return say(key, ...found.slice(1).map(value => CHINESE[value] ?? value)); }
        return one;
    };
    return text.split('; ').map(part).join('；');
}
function translate(top) {
    if (!inChinese) return;
    const texts = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) if (!texts.currentNode.parentNode.closest('script, style, .zh, .en, .text')) texts.currentNode.data = texts.currentNode.data.replace(/\S.*\S/s, text => say(text));
    for (const e of top.querySelectorAll('[aria-label], [title]')) for (const name of ['aria-label', 'title']) if (e.hasAttribute(name)) e.setAttribute(name, say(e.getAttribute(name)));
}

// ---- State: what one has said, and the address ----
let given = { values: {} }, answer = null, result = null, before = null, mine = [], at = 0, lane = -1, timer = 0, playing = 0, lines = [], isFlat = null, now = null, byte, picture, stopped = '', wasKernel = null, isOwn = false;
const example = name => EXAMPLES.find(([one]) => one === name);
function state() {
    const all = new URLSearchParams({ code: $('source').value });
    for (const name of ['grid', 'block', 'kernel', 'shared']) if (given[name]) all.set(name, given[name]);
    for (const name in given.values) all.set('p.' + name, given.values[name]);
    if (field.title.value) all.set('title', field.title.value);
    if (before) all.set('before', before.code);
    if (isEmbedded) all.set('embed', '1');
    if (address().has('lang')) all.set('lang', inChinese ? 'zh' : 'en');
    return all;
}
function save(isNew) {
    const all = String(state());
    if ('#' + all !== location.hash) history[isNew ? 'pushState' : 'replaceState'](null, '', '#' + all);
    try { if (!isEmbedded) localStorage.setItem(STORE, all); } catch (problem) { /* a browser that keeps nothing */ }
}
function show(code, more, title = '') {
    given = more;
    $('source').value = code;
    field.title.value = title;
    before = null;
    changed(true);
}
function showExample([name, , grid, block, values, code]) {
    field.example.value = name;
    show(code, { grid, block, values: { ...values } });
}
function fromLink() {
    let all = address();
    if (!all.has('code')) {
        let kept = null;
        try { kept = localStorage.getItem(STORE); } catch (problem) { /* as above */ }
        if (!kept) { showExample(EXAMPLES[0]); return; }
        all = new URLSearchParams(kept);
    }
    field.example.value = '';
    show(all.get('code'), { ...Object.fromEntries(['grid', 'block', 'kernel', 'shared'].map(name => [name, all.get(name)])), values: Object.fromEntries([...all].filter(([k]) => k.startsWith('p.')).map(([k, v]) => [k.slice(2), v])) }, all.get('title') || '');
    if (all.has('before')) before = { code: all.get('before') };
}

// ---- The worker ----
let worker = null, asked = 0, since = 0, watch = 0;
function begin() {
    const parts = CUDA_PARTS.map(String).join(','), text = `'use strict'; onmessage = ((interpreter, worker) => { const run = worker(interpreter([${parts}])); return message => run(message.data); })(${cudaInterpreter}, ${cudaWorker});`;
    const link = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    worker = new Worker(link);
    URL.revokeObjectURL(link);
    worker.onmessage = ({ data }) => answered(data);
    worker.onerror = event => answered({ id: asked, problem: { message: event.message } });
}
function end(why) {
    worker?.terminate();
    worker = null;
    clearInterval(watch);
    since = 0;
    status(why);
}
function ask(limit = LIMIT) {    // one run for each edit; a run that goes on is of an older text
    if (since || !worker) { end(''); begin(); }
    since = performance.now();
    const id = ++asked;
    worker.postMessage({ id, text: $('source').value, ...given, limit: 1000 * limit });
    clearInterval(watch);
    watch = setInterval(() => {
        const seconds = (performance.now() - since) / 1000;
        if (seconds > limit + 4) { end(say('No answer within {0} s: stopped.', limit + 4)); refused(null); }
        else if (seconds > 0.3) status(say('Running: block {0}, {1} s', status.block ?? 0, seconds.toFixed(1)), ['Stop', () => end(say('Stopped.'))]);
    }, 100);
}
function status(text, ...buttons) {
    if ($('status').firstChild?.data === text && buttons.length === $('status').querySelectorAll('button').length) return;
    if (buttons.length && $('status').querySelector('button') && $('status').firstChild) { $('status').firstChild.data = text + ' '; return; }
    $('status').replaceChildren(...text ? [text + ' ', ...buttons.map(([name, f]) => Object.assign(document.createElement('button'), { textContent: say(name), onclick: f }))] : []);
}
function answered(data) {
    if (data.id === 'before') { before = { ...before, ...data }; versions(); return; }
    if (data.id !== asked) return;
    if (data.progress !== undefined) { status.block = data.progress; return; }
    clearInterval(watch);
    since = 0;
    status('');
    answer = data;
    fields();
    if (data.problem) { refused(data.problem); return; }
    arrived(data.result);
    if (result.isLong) { $('status').replaceChildren(); status(say('Still running after {0} s: the counts are of the part that ran.', LIMIT), [say('Continue, up to {0} s', 20), () => ask(20)]); }
    if (before && !before.result) askBefore();
    versions();
}
const askBefore = () => worker.postMessage({ id: 'before', text: before.code, ...given, kernel: undefined, limit: 1000 * LIMIT });

// ---- Fields ----
const fieldOf = (kind, name) => $('parameters').querySelector(`[data-${kind}="${CSS.escape(name)}"]`);
function fields() {
    const all = answer.fields ?? [], wanted = all.map(f => `${f.name} ${f.type} ${f.isPointer}`).join();
    const kernels = answer.kernels ?? [];
    field.kernel.parentNode.hidden = kernels.length < 2;
    field.kernel.replaceChildren(...kernels.map(name => new Option(name, name)));
    if (answer.kernel) field.kernel.value = answer.kernel;
    if ($('parameters').dataset.wanted !== wanted) {
        $('parameters').dataset.wanted = wanted;
        $('parameters').innerHTML = all.map(({ name, type, isPointer }) => `<fieldset><legend>${escape(type)} ${isPointer ? '*' : ''}${escape(name)}</legend>` + (isPointer
            ? `<label>elements <input type="number" min="1" data-length="${escape(name)}"></label><label>contents <select data-fill="${escape(name)}"><option value="index">0, 1, 2, ...<option value="zero">zeroes<option value="random">random<option value="unwritten">never written</select></label></fieldset>`
            : `<label>value <input type="text" size="6" data-value="${escape(name)}"></label></fieldset>`)).join('');
        translate($('parameters'));
    }
    const mark = (e, isGuess) => { e.classList.toggle('guess', isGuess); e.title = isGuess ? say('guessed from the kernel') : ''; };
    for (const f of all) {
        const [length, fill] = f.text.split(':'), of = f.isPointer ? [[fieldOf('length', f.name), length], [fieldOf('fill', f.name), fill || 'index']] : [[fieldOf('value', f.name), f.text]];
        for (const [e, value] of of) { if (e.value !== value && e !== document.activeElement) e.value = value; mark(e, f.isGuess); }
    }
    for (const name of ['grid', 'block']) {
        if (field[name] !== document.activeElement) field[name].value = given[name] || answer[name] || '';
        mark(field[name], Boolean(answer.isGuess && !given[name]));
    }
    $('guessed').hidden = !isGuessed();
}
const isGuessed = () => Boolean(answer?.isGuess || answer?.fields?.some(f => f.isGuess));
function refused(problem) {
    const text = problem ? problem.line ? say('Line {0}, column {1}: {2}.', problem.line, problem.column, sentence(problem.message)) : String(problem.message) : '';
    $('refused').textContent = text + (/not understood here/.test(problem?.message) ? ' ' + say('cudacc --trace runs it.') : '');
    $('source').toggleAttribute('aria-invalid', Boolean(problem));
    if (!problem) return;
    result = null;
    gutter($('gutter'), $('source').value, null, problem.line);
    choose();
    tables();
}

// ---- What has been run ----
function arrived(r) {
    const isOther = wasKernel !== answer.kernel, worstBefore = result && mine[at] ? [mine[at].line, mine[at].op] : null;
    wasKernel = answer.kernel;
    result = r;
    refused(null);
    result.byWarp = new Map();    // the numbers of the requests of each warp
    for (let k = 0; k < r.events.length / 9; k++) { const of = r.events[9 * k] * r.warps + r.events[9 * k + 1], list = result.byWarp.get(of) || result.byWarp.set(of, []).get(of); list.push(k); }
    $('warp').max = Math.max(0, result.byWarp.size - 1);
    gutter($('gutter'), $('source').value, result);
    tables();
    if (result.mistakes.length) goMistake(0);
    else if (isOther || !worstBefore) goWorst();
    else { if (Number($('warp').value) > result.byWarp.size - 1) $('warp').value = 0; choose(); }
}
function request(k) {
    const [block, warp, line, op, bytes, lanes, cost, joined, memory] = result.events.subarray(9 * k, 9 * k + 9);
    return { block, warp, line, op: ['ld', 'st', 'atomic'][op], bytes, lanes, cost, joined, allocation: result.memories[memory], addresses: result.addresses.subarray(32 * k, 32 * k + 32) };
}
// The request that wastes most: where the picture begins.
function goWorst() {
    const rows = result.rows.map(r => [(r.sectors - r.ideal) / r.requests, r]).sort((a, b) => b[0] - a[0]), worst = rows[0]?.[0] > 0 ? rows[0][1] : null;
    $('warp').value = at = 0;
    choose();
    if (worst) goTo(worst.line, worst.op, worst.name);
}
function goMistake(k) {
    const m = result.mistakes[k], which = [...result.byWarp.keys()].indexOf(m.block * result.warps + m.warp);
    if (which >= 0) $('warp').value = which;
    choose();
    byte = m.address;
    const touches = e => e.line === m.line || e.line === m.other, hits = e => LANES.some(i => e.lanes >>> i & 1 && m.address >= e.addresses[i] && m.address < e.addresses[i] + e.bytes);
    const found = mine.findLastIndex(e => touches(e) && byte !== undefined && hits(e)), plain = mine.findIndex(touches);
    at = Math.max(0, found >= 0 ? found : plain);
    draw();
}
function choose() {
    mine = ([...result?.byWarp.values() || []][$('warp').value] || []).map(request);
    at = Math.min(at, Math.max(0, mine.length - 1));
    lane = -1;
    byte = undefined;
    const e = mine[at];
    $('request').max = Math.max(0, mine.length - 1);
    $('warp-name').textContent = e ? say('Warp {0} of block {1}; the launch has {2} blocks of {3} warps', e.warp, cuda.inGrid(e.block, result.grid), result.grid[0] * result.grid[1] * result.grid[2], result.warps) + (result.isCut ? say('; the first 20000 requests can be seen') : '')
        : result ? say('The launch has no request') : '';
    draw();
}
function gutter(to, code, r, wrongLine) {
    const by = new Map(), wrong = new Set(r?.mistakes.flatMap(m => [m.line, m.other]) || [wrongLine]);
    for (const row of r?.rows || []) {
        const sum = by.get(row.line) || by.set(row.line, { requests: 0, each: { global: {}, shared: {} }, moved: 0, useful: 0, poor: false }).get(row.line);
        sum.requests += row.requests;
        const of = sum.each[row.space][row.op] ||= [0, 0];
        of[0] += row.sectors;
        of[1] += row.requests;
        if (row.space === 'global') { sum.moved += 32 * row.sectors; sum.useful += row.useful; }
        sum.poor ||= Boolean(row.hint);
    }
    const per = all => [...new Set(Object.values(all).map(([a, b]) => cuda.average(a, b)))].join(', ');
    to.innerHTML = `<div class="head"><span></span>${Object.keys(MEANS).map(word => `<span>${say(word)}</span>`).join('')}</div>` + code.split('\n').map((_, k) => {
        const s = by.get(k + 1), style = `${wrong.has(k + 1) ? 'wrong' : ''} ${s?.poor ? 'poor' : ''}`;
        return `<div class="${style}" data-line="${k + 1}"><span>${k + 1}</span><span>${s ? s.requests : ''}</span><span>${s ? per(s.each.global) : ''}</span><span>${s?.moved ? cuda.percent(s.useful, s.moved) : ''}</span><span>${s ? per(s.each.shared) : ''}</span></div>`;
    }).join('');
}
const COLORS = /(\/\/.*|\/\*[^]*?(?:\*\/|$))|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\b(__\w+__|__sync\w+|threadIdx|blockIdx|blockDim|gridDim|atomic\w+|__shfl\w+)\b|\b(if|else|for|while|do|return|break|continue|switch|case|default|const|constexpr|struct|template|typename|typedef|using|static|inline|extern|volatile|unsigned|signed|int|long|short|char|bool|float|double|void|auto|size_t|float[234]|int[234])\b|\b(\d[\w.]*)|^([ \t]*#.*)/gm;
const painted = code => { let last = 0, html = ''; for (const m of code.matchAll(COLORS)) { html += escape(code.slice(last, m.index)) + `<span class="${m[1] ? 'note' : m[2] || m[5] ? 'number' : m[3] ? 'cuda' : 'word'}">${escape(m[0])}</span>`; last = m.index + m[0].length; } return html + escape(code.slice(last)) + '\n'; };
function draw() {
    const e = mine[at], row = $('gutter').children[e?.line];
    picture.draw(e, mine.length ? mine : [], lane, byte);
    if (now !== row) { now?.classList.remove('now'); row?.classList.add('now'); now = row; }
    $('request').value = at;
    $('request').setAttribute('aria-valuetext', say('request {0} of {1}', at + 1, mine.length));
    LANES.forEach(i => { const name = (e && e.lanes >>> i & 1 && (lane < 0 || i <= lane) ? 'in' : '') + (i === lane ? ' one' : ''), li = $('lanes').children[i]; if (li.className !== name) li.className = name; });
    for (const part of $('legend').children) part.hidden = !e || (part.className === 'of-shared') !== isShared(e);
    if (!e) { $('said').textContent = ''; table('by-lanes', [], []); return; }
    const all = LANES.filter(i => e.lanes >>> i & 1), shared = isShared(e), banks = shared && banksOf(e), found = !shared && sectorsOf(e, lane);
    $('said').textContent = say('Request {0} of {1} of this warp, line {2}: {3} lanes, {4} of {5} bytes each, {6}: ', at + 1, mine.length, e.line, all.length, say(NAMES[e.op]), e.bytes, nameOf(e.allocation))
        + (shared ? say('{0} words of {1} banks, {2} wavefronts.', banks.reduce((n, b) => n + b.size, 0), banks.filter(b => b.size).length, e.cost)
            : say('{0} sectors, {1} of {2} bytes wanted.', found.length, found.reduce((n, [, bytes]) => n + bytes.filter(l => l >= 0).length, 0), 32 * found.length) + (e.joined ? say(' nvcc makes it one with a request before.') : ''))
        + (lane < 0 ? '' : playing ? say(shared ? ' Lanes 0 to {0} want {1} words.' : ' Lanes 0 to {0} want {1} sectors.', lane, new Set(all.filter(i => i <= lane).map(i => Math.floor(e.addresses[i] / (shared ? 4 : 32)))).size)
            : e.lanes >>> lane & 1 ? say(' Lane {0}: {1}.', lane, elementOf(e.allocation, e.addresses[lane])) : say(' Lane {0} takes no part.', lane));
    if ($('by-lanes').closest('details').open) table('by-lanes', ['lane', 'element', 'byte', shared ? 'bank' : 'sector'],
        all.map(i => { const offset = e.addresses[i] - e.allocation.base; return [i, elementOf(e.allocation, e.addresses[i]), offset, shared ? Math.floor(offset / 4) % 32 : Math.floor(offset / 32)]; }));
}
function table(id, head, rows, left = []) {
    const cells = (row, tag) => `<tr>${row.map((c, k) => `<${tag}${tag === 'th' ? ' scope="col"' : ''}${left.includes(k) ? ' class="left"' : ''}>${escape(c)}</${tag}>`).join('')}</tr>`;
    $(id).tHead.innerHTML = head.length ? cells(head.map(h => say(h)), 'th') : '';
    $(id).tBodies[0].innerHTML = rows.map(row => cells(row, 'td')).join('');
}
const share = r => r.space === 'shared' ? say('{0} conflicts', r.sectors - r.ideal) : r.requests ? cuda.percent(r.useful, 32 * r.sectors) : '';
function tables() {
    $('printed').hidden = !result?.printed.length;
    $('printed').textContent = result?.printed.join('') ?? '';
    if (!result) { table('rows', [], []); table('arrays', [], []); $('mistakes').innerHTML = $('hints').innerHTML = ''; return; }
    table('rows', ['line', 'memory', 'op', 'bytes', 'requests', 'sectors, waves', 'of each', 'useful'], result.rows.map(r => [r.line, nameOf(r), say(NAMES[r.op]), r.bytes, r.requests, r.sectors, cuda.decimals(r.sectors, r.requests), share(r)]), [1, 2]);
    const many = Math.max(0, ...result.arrays.map(a => a.first.length)), text = v => v?.map(x => typeof x === 'number' && !Number.isInteger(x) ? Number(x.toPrecision(7)) : x).join(' ') ?? '';
    table('arrays', ['', ...result.arrays.map(a => a.name)], Array.from({ length: many }, (_, i) => [`[${i}]`, ...result.arrays.map(a => text(a.first[i]))]));
    const guessed = isGuessed() ? ` (${say('with these guessed arguments')}${answer.roomy ? `; ${say('none with {0}', escape(answer.roomy))}` : ''})` : '';
    $('mistakes').innerHTML = result.mistakes.map((m, k) => `<p><a href="#" data-mistake="${k}">${say('Line {0}', m.line)}</a>${guessed}: ${escape(sentence(m.text))}${m.kind === 'out of bounds' && result.arrays.some(a => a.name === m.name) ? '. ' + say('If {0} has more elements, say so above.', escape(m.name)) : ''}</p>`).join('') + (result.ended ? `<p>${say('The launch ended there.')}</p>` : '');
    $('hints').innerHTML = result.rows.filter(r => r.hint).map(r => `<p><a href="#" data-goto="${r.line} ${r.op} ${escape(r.name)}">${say('Line {0}', r.line)}</a>, ${escape(nameOf(r))}, ${say(NAMES[r.op])}: ${escape(sentence(r.hint))}${/a tile/.test(r.hint) ? `; <a href="#" data-example="transpose, through a tile">${say(result.rows.some(one => one.space === 'shared') ? 'read the tile by columns, as here' : 'an example')}</a>` : ''}</p>`).join('')
        || (result.mistakes.length ? '' : `<p>${say(result.rows.length ? 'No mistake and no waste found.' : 'No request to memory: with these arguments nothing is read or stored.')}${result.rows.length ? '' : guessed}</p>`);
}
// Two versions, what each array costs in all.
function versions() {
    $('compare').hidden = !before?.result || !result;
    if ($('compare').hidden) return;
    const sums = r => { const all = new Map(); for (const row of r.rows) { const name = `${nameOf(row)} ${row.op}`, s = all.get(name) || all.set(name, { name: nameOf(row), op: row.op, space: row.space, requests: 0, sectors: 0, useful: 0, ideal: 0 }).get(name); for (const k of ['requests', 'sectors', 'useful', 'ideal']) s[k] += row[k]; } return all; };
    const [old, fresh] = [sums(before.result), sums(result)], cells = s => s ? [s.requests, s.sectors, share(s)] : ['', '', ''];
    table('versions', ['memory', 'op', ...['before', 'after'].flatMap(when => ['requests', 'sectors, waves', 'useful'].map(what => `${say(when)}: ${say(what)}`))],
        [...new Set([...old.keys(), ...fresh.keys()])].map(name => { const s = old.get(name) ?? fresh.get(name); return [s.name, say(NAMES[s.op]), ...cells(old.get(name)), ...cells(fresh.get(name))]; }), [0, 1]);
    gutter($('gutter-before'), before.code, before.result);
    $('paint-before').innerHTML = painted(before.code);
}

// ---- What one does ----
function changed(isShown) {    // the source is another
    const code = $('source').value, all = code.split('\n').map(line => line.trim()), flat = !/threadIdx\s*\.\s*y/.test(code);
    const isOther = !isShown && 2 * all.filter(line => lines.includes(line)).length < all.length;
    if (isOther) { given = { values: {} }; field.title.value = ''; wasKernel = null; }
    else if (!isShown && flat !== isFlat) { delete given.grid; delete given.block; }
    if (isShown) wasKernel = null;
    lines = all;
    isFlat = flat;
    $('paint').innerHTML = painted(code);
    $('title').textContent = document.title = field.title.value || say('What does a warp request of memory?');
    $('sentence').textContent = field.example.value ? say(example(field.example.value)[1]) : '';
    if (!isShown) gutter($('gutter'), code, null);
    ask();
    return isOther;
}
const later = f => { clearTimeout(timer); timer = setTimeout(f, 250); };
function play() {
    clearInterval(playing);
    if (!mine.length) return;
    lane = -1;
    playing = setInterval(() => { lane += 4; draw(); if (lane >= 31) { clearInterval(playing); playing = 0; } }, 500);
}
function step(how) {
    const by = how === 'forward' ? 1 : -1, next = lane + by;
    if (how === 'play') { play(); return; }
    clearInterval(playing);
    playing = 0;
    if (how === 'first') go(0);
    else if (how === 'last') go(mine.length);
    else if (!$('by-lane').checked) go(at + by);
    else {
        if (next >= -1 && next < 32) lane = next;
        else if (mine[at + by]) { at += by; lane = by > 0 ? 0 : 31; }
        draw();
    }
}
function go(to) { at = Math.max(0, Math.min(mine.length - 1, to)); lane = -1; byte = undefined; draw(); }
function moveWarp(to) { $('warp').value = to; choose(); }
function goTo(line, op, name) {
    const is = e => e.line === line && (!op || (e.op === op && e.allocation.name === name)), worst = mine.filter(is).sort((a, b) => b.cost - a.cost)[0];
    if (worst) { go(mine.indexOf(worst)); return; }
    const keys = result ? [...result.byWarp.keys()] : [], other = keys.findIndex(k => result.byWarp.get(k).some(one => is(request(one))));
    if (other >= 0) { moveWarp(other); goTo(line, op, name); }
}
const copy = (text, button, said) => (navigator.clipboard?.writeText(text) || Promise.reject()).then(() => { button.textContent = say(said); }, () => { button.textContent = say('The link is in the address bar'); });
function download(blob, name) { const a = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name }); a.click(); setTimeout(() => URL.revokeObjectURL(a.href), 1000); }
const drawing = () => picture.text($('title').textContent, [$('said').textContent, ...[...$('mistakes').children, ...$('hints').children].map(p => p.textContent)]);
function png() {
    const image = new Image(), url = URL.createObjectURL(new Blob([drawing()], { type: 'image/svg+xml' }));
    image.onload = () => { const canvas = Object.assign(document.createElement('canvas'), { width: 2 * image.width, height: 2 * image.height }); canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height); URL.revokeObjectURL(url); canvas.toBlob(blob => download(blob, 'request.png')); };
    image.src = url;
}
$('source').addEventListener('input', () => { field.example.value = ''; isOwn = true; $('paint').innerHTML = painted($('source').value); later(() => save(changed(false))); });
$('source').addEventListener('keydown', event => {    // a tab is four spaces; after Escape it leaves the field
    if (event.key === 'Escape') $('source').dataset.leave = '1';
    else if (event.key === 'Tab' && !event.shiftKey && !$('source').dataset.leave) { event.preventDefault(); $('source').setRangeText('    ', $('source').selectionStart, $('source').selectionEnd, 'end'); $('source').dispatchEvent(new Event('input', { bubbles: true })); }
});
$('source').addEventListener('blur', () => { delete $('source').dataset.leave; });
function chosen(name) { save(); showExample(example(name)); save(true); scrollTo(0, 0); }
form.addEventListener('input', event => {
    const t = event.target, name = t.dataset.length || t.dataset.fill || t.dataset.value;
    if (t === field.example) { if (t.value) chosen(t.value); return; }
    if (name) given.values[name] = t.dataset.value ? t.value : `${fieldOf('length', name).value}:${fieldOf('fill', name).value}`;
    else given[t.name] = t.value;
    if (t === field.kernel) given = { kernel: t.value, values: {} };
    if (t === field.title) { $('title').textContent = document.title = t.value || say('What does a warp request of memory?'); save(); return; }
    later(() => { ask(); save(); });
});
field.language.addEventListener('click', () => {
    const all = state();
    all.set('lang', inChinese ? 'en' : 'zh');
    location.hash = all;
    location.reload();
});
field.copy.addEventListener('click', () => { save(); copy(location.href, field.copy, 'Link copied'); });
field.embed.addEventListener('click', () => { const all = state(); all.set('embed', '1'); copy(`<iframe src="${escape(location.href.replace(/#.*/, '') + '#' + all)}" width="640" height="480" title="${escape($('title').textContent)}"></iframe>`, field.embed, 'Embed copied'); });
field.keep.addEventListener('click', () => { before = { code: $('source').value }; save(); if (worker && !since) askBefore(); });
$('svg').addEventListener('click', () => download(new Blob([drawing()], { type: 'image/svg+xml' }), 'request.svg'));
$('png').addEventListener('click', png);
document.addEventListener('click', event => {
    const t = event.target.closest('[data-step], [data-line], [data-goto], [data-mistake], [data-example], [data-lane], [data-forget]');
    if (!t || t.closest('#gutter-before')) return;
    if (t.tagName === 'A') event.preventDefault();
    if (t.dataset.step) step(t.dataset.step);
    else if (t.dataset.lane) { lane = Number(t.dataset.lane) === lane ? -1 : Number(t.dataset.lane); draw(); }
    else if (t.dataset.mistake) goMistake(Number(t.dataset.mistake));
    else if (t.dataset.example) chosen(t.dataset.example);
    else if ('forget' in t.dataset) { before = null; save(); versions(); }
    else { const [line, ...of] = (t.dataset.line || t.dataset.goto).split(' '); goTo(Number(line), ...of); }
});
$('open').addEventListener('click', () => { const all = state(); all.delete('embed'); $('open').firstChild.href = location.href.replace(/#.*/, '') + '#' + all; });
$('warp').addEventListener('input', choose);
$('request').addEventListener('input', () => go(Number($('request').value)));
$('by-lane').addEventListener('change', () => { lane = $('by-lane').checked ? 0 : -1; draw(); });
$('by-lanes').closest('details').addEventListener('toggle', draw);
document.addEventListener('keydown', event => {
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== 'checkbox') return;
    const how = { ArrowLeft: 'back', ArrowRight: 'forward', Home: 'first', End: 'last' }[event.key];
    if (how) step(how);
    else if (event.key === 'PageDown') moveWarp(Number($('warp').value) + 1);
    else if (event.key === 'PageUp') moveWarp($('warp').value - 1);
    else return;
    event.preventDefault();
});
addEventListener('popstate', () => { if ('#' + state() !== location.hash) fromLink(); });
addEventListener('resize', draw);

const cuda = cudaInterpreter(CUDA_PARTS);
const [says, then, stop] = inChinese ? '：；。' : [': ', '; ', '.'];
for (const [name] of EXAMPLES) field.example.append(new Option(say(name), name));
$('gallery').innerHTML = EXAMPLES.map(([name, text]) => `<li><a href="#" data-example="${escape(name)}">${escape(say(name))}</a>${says}${escape(say(text))}</li>`).join('');
translate(document.body);
for (const button of document.querySelectorAll('button[title]')) button.ariaLabel = button.title;
$('lanes').innerHTML = LANES.map(i => `<li data-lane="${i}">${i}</li>`).join('');
$('columns').textContent = Object.keys(MEANS).map(word => say(word) + says + say(MEANS[word])).join(then) + stop;
picture = new Picture($('memory'));
fromLink();
}
