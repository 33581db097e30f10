// SPDX-License-Identifier: MIT
// What a launch needs besides the kernel: read from main() where its constants say it, else guessed from how
// the kernel uses its parameters. What is guessed is marked, and the page says so.
'use strict';
function cudaHost(cuda) {
const { Refusal, LONG } = cuda;
// What a parameter of a template is, where nothing gives it.
const usual = name => /per|items|unroll/i.test(name) ? 4 : /tile|dim/i.test(name) ? 16 : /block|thread|size|^B|^N$/i.test(name) ? 256 : /warp/i.test(name) ? 32 : 4;
// The value of an expression that begins at a token, and where it ends.
function constantAt(program, at) {
    const back = program.at;
    program.at = at;
    try {
        const e = program.assignment(), list = e.kind === 'construct' || e.kind === 'call' ? e.list : null, end = program.at;
        const of = one => cuda.constantOf(one)?.value;
        return { end, tree: e, value: list && e.type?.name === 'dim3' ? list.map(one => Number(of(one))) : of(e) };
    } catch (problem) { if (!(problem instanceof Refusal)) throw problem; return { end: at + 1 }; } finally { program.at = back; }
}
// The numbers in brackets, or braces, that open there.
function listAt(program, at, end) {
    const list = [];
    while (!/^[)}]$/.test(program.tokens[at].text) && at < end) {
        const one = constantAt(program, at + 1);
        list.push(Number(one.value));
        at = one.end;
    }
    return list;
}
// The launches in functions of the host: Map(kernel -> {grid, block, shared, values, templates}).
function launches(program) {
    const { tokens } = program, found = new Map(), hidden = program.hidden;
    program.hidden = null;
    for (const [start, end] of program.hosts) {
        const names = new Map(), bytes = new Map(), dims = new Map();
        program.constants.push(names);
        let ofDims = false;    // dim3 block(16, 16), grid(4, 4);
        for (let i = start; i < end; i++) {
            const { kind, text } = tokens[i], next = tokens[i + 1]?.text, before = tokens[i - 1]?.text;
            ofDims = text === 'dim3' || ofDims && text !== ';';
            if (kind === 'name' && next === '=' && !names.has(text)) {
                const { value } = constantAt(program, i + 2);
                if (Array.isArray(value)) dims.set(text, value);
                else if (value !== undefined) names.set(text, { value, type: Number.isInteger(Number(value)) ? LONG : cuda.DOUBLE });
            } else if ((before === 'dim3' || ofDims && before === ',' && kind === 'name') && (next === '(' || next === '{')) {
                const list = listAt(program, i + 1, end);
                dims.set(text, list);
                [...'xyz'].forEach((axis, k) => names.set(`${text}.${axis}`, { value: list[k] ?? 1, type: LONG }));
            } else if (/^cudaMalloc(Managed|Async)?$/.test(text)) {
                let k = i + 2;
                while (k < end && !(tokens[k].text === '&' && tokens[k + 2].text === ',')) k++;
                bytes.set(tokens[k + 1]?.text, constantAt(program, k + 3).value);
            } else if (text === '<<<') {
                const launch = launchAt(program, i, names, dims, bytes);
                if (launch && !found.has(launch.name)) found.set(launch.name, launch);
            }
        }
        program.constants.pop();
    }
    program.hidden = hidden;
    return found;
}
function launchAt(program, i, names, dims, bytes) {
    const { tokens } = program, triple = v => Array.isArray(v) ? v : v === undefined ? undefined : [Number(v)], isFull = v => v?.length && v.every(n => n > 0) ? v : undefined;
    let k = i, at = i - 1, templates;
    if (tokens[at].text === '>') { while (at > 1 && tokens[at].text !== '<') at--; at--; }
    const name = tokens[at].text, f = program.functions.get(name), list = [];
    if (!f?.isKernel) return null;
    if (f.template && at < i - 1) {
        const back = program.at;
        program.at = at + 1;
        try { templates = program.given(f); } catch (problem) { if (!(problem instanceof Refusal)) throw problem; } finally { program.at = back; }
    }
    const all = stop => {
        const values = [];
        while (tokens[k].text !== stop && tokens[k].kind !== 'end' && values.length < 64) {
            const one = constantAt(program, k + 1), word = tokens[k + 1].text;
            values.push(dims.get(word) ?? (one.tree?.kind === 'name' || one.value === undefined ? { word, value: one.value } : one.value));
            for (k = one.end; ![',', stop].includes(tokens[k].text) && tokens[k].kind !== 'end';) k++;
        }
        return values;
    };
    list.push(...all('>>>'));
    k++;
    const plain = v => v?.word ? v.value : v, args = tokens[k + 1].text === ')' ? [] : all(')');
    return { name, templates, grid: isFull(triple(plain(list[0]))), block: isFull(triple(plain(list[1]))), shared: list[2] === undefined ? undefined : Number(plain(list[2])) || undefined,
        values: args.map(v => v?.word ? bytes.has(v.word) ? { bytes: bytes.get(v.word) } : { value: v.value } : Array.isArray(v) ? {} : { value: v }) };
}
const launchOf = (program, f) => (program.launches ??= launches(program)).get(f.name) ?? {};

// ---- Guesses -----------------------------------------------------------------------------------------
// How a kernel uses names: compared, multiplied, as bits; and its arrays in shared memory.
function uses(body) {
    const of = { lengths: new Set(), factors: new Set(), bits: new Map(), shared: [], isFlat: true, hasBlocks: false };
    const name = e => e?.kind === 'name' ? e.name : e?.kind === 'member' && e.of.kind === 'name' && !e.isArrow ? `${e.of.name}.${e.name}` : null;
    const plain = e => name(e) ?? (e?.kind === 'binary' && '+-/'.includes(e.sign) ? plain(e.left) ?? plain(e.right) : e?.kind === 'cast' ? plain(e.of) : null);
    (function walk(e) {
        if (!e || typeof e !== 'object') return;
        if (Array.isArray(e)) { e.forEach(walk); return; }
        if (e.kind === 'binary' && /^[<>]=?$/.test(e.sign)) for (const side of [e.left, e.right]) of.lengths.add(plain(side));
        if (e.kind === 'binary' && /^[*%/]$/.test(e.sign)) for (const side of [e.left, e.right]) of.factors.add(name(side));
        if (e.kind === 'binary' && /^[&^]$/.test(e.sign)) for (const side of [e.left, e.right]) of.bits.set(name(side), e.sign === '^' ? 1 : 2);
        if (e.kind === 'member' && e.name === 'y' && e.of.name === 'threadIdx') of.isFlat = false;
        if (e.kind === 'name' && e.name === 'blockIdx') of.hasBlocks = true;
        if (e.kind === 'declare') for (const d of e.list) if (d.isShared) of.shared.push(d);
        for (const key in e) if (typeof e[key] === 'object' && key !== 'type') walk(e[key]);
    })(body);
    return of;
}
// {fields: [{name, text, isGuess, roomy: a text with more room}], launches: the first to try, then others: [grid, block], isGuess}
function guess(program, f) {
    const known = launchOf(program, f), u = uses(f.body), bodies = [...program.functions.values()].filter(g => !g.isKernel).map(g => uses(g.body));
    u.isFlat &&= bodies.every(b => b.isFlat);
    u.hasBlocks ||= bodies.some(b => b.hasBlocks);
    const fields = cuda.fieldsOf(f), isSmall = name => /stride|step|shift|offset|mode|flag|seed|start|begin|radius/i.test(name);
    const isLength = p => !p.isPointer && !/float|double|bool/.test(p.type) && !isSmall(p.name) && !u.bits.has(p.name) && (u.lengths.has(p.name) || u.factors.has(p.name) || /^(n|m|k|w|h|c|.*(len|size|count|width|height|rows|cols|num).*)$/i.test(p.name));
    const many = fields.filter(isLength).filter(p => !/iter/i.test(p.name)).length, isMatrix = !u.isFlat || many > 1, array = isMatrix ? 16384 : many && u.hasBlocks ? 1000 : 4096;
    const all = fields.map((p, k) => {
        const given = fields.length === known.values?.length ? known.values[k] : undefined;
        if (p.isPointer && given?.bytes > 0) return { ...p, text: `${Math.floor(Number(given.bytes) / p.size)}:index` };
        if (!p.isPointer && given?.value !== undefined) return { ...p, text: String(given.value) };
        const number = /iter/i.test(p.name) ? 50 : isLength(p) ? isMatrix ? 64 : u.hasBlocks ? 1000 : 256 : u.bits.get(p.name) ?? (/float|double/.test(p.type) ? 2 : isSmall(p.name) && /start|begin|shift|offset|mode|flag/i.test(p.name) ? 0 : 1);
        return { ...p, isGuess: true, text: p.isPointer ? `${array}:index` : String(number), roomy: p.isPointer ? '16384:index' : number === 1000 ? '1024' : String(number) };
    });
    return { fields: all, ...geometry(program, f, u, known, isMatrix), shared: known.shared };
}
function geometry(program, f, u, known, isMatrix) {
    const named = [...program.constants[0]].filter(([name, c]) => /tile|block|thread|^bs$/i.test(name) && c).map(([, c]) => Number(c.value)), macros = program.tokens.defined ?? [];
    const templates = f.template?.parameters.filter(p => p.type && /tile|block|thread/i.test(p.name)).map(p => Number(known.templates?.[f.template.parameters.indexOf(p)]?.value ?? p.of?.value ?? usual(p.name))) ?? [];
    const sizes = u.shared.map(d => d.type).filter(t => t.kind === 'array' && t.count).map(t => t.of.kind === 'array' ? { square: t.count } : { flat: t.count });
    const squares = [...sizes.map(s => s.square), ...named, ...macros, ...templates].filter(n => n > 1 && n <= 32), rows = [...sizes.map(s => s.flat), ...templates, ...named, ...macros].filter(n => n >= 32 && n <= 1024);
    const total = isMatrix ? 4096 : 1024, flat = n => [`${u.hasBlocks ? Math.max(1, Math.ceil(total / n)) : 1}`, `${n}`], square = n => [`${Math.max(1, Math.ceil(64 / n))},${Math.max(1, Math.ceil(64 / n))}`, `${n},${n}`];
    const list = u.isFlat ? [...rows.map(flat), flat(256), flat(128), flat(512), ['1', '1024'], ['16', '64']] : [...squares.map(square), square(32), square(16), ['2,2', '32,8']];
    const launches = [...new Map(list.map(one => [one.join(' '), one])).values()].slice(0, 6);
    return known.grid && known.block ? { launches: [[known.grid.join(), known.block.join()]], isGuess: false } : { launches: known.block ? [[launches[0][0], known.block.join()]] : launches, isGuess: true };
}
Object.assign(cuda, { usual, launchOf, guess });
}
if (typeof module !== 'undefined') module.exports = cudaHost;
