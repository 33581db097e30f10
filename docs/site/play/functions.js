// SPDX-License-Identifier: MIT
// The functions that a kernel can call: of numbers, of a warp, of a block, atomics.
'use strict';
function cudaFunctions(cuda) {
const { refuse, lacks, INT, UNSIGNED, FLOAT, DOUBLE, BOOL, SIZE, types, vectors, isNumber, promoted, common, operation, VOID } = cuda;
const math = name => (...of) => `Math.${name}(${of})`;
const REAL = { fma: (a, b, c) => `L.fused(${a}, ${b}, ${c})`, rsqrt: a => `(1 / Math.sqrt(${a}))`, fmod: (a, b) => `(${a} % ${b})`, fmin: (a, b) => `L.fmin(${a}, ${b})`, fmax: (a, b) => `L.fmax(${a}, ${b})`,
    exp2: a => `(2 ** ${a})`, exp10: a => `(10 ** ${a})`, rint: a => `L.even(${a})`, nearbyint: a => `L.even(${a})`, erf: a => `L.erf(${a})`, round: a => `(Math.sign(${a}) * Math.floor(Math.abs(${a}) + 0.5))`, lround: a => `(Math.sign(${a}) * Math.floor(Math.abs(${a}) + 0.5))`,
    copysign: (a, b) => `(Math.abs(${a}) * (${b} < 0 || Object.is(${b}, -0) ? -1 : 1))`, fdim: (a, b) => `(${a} > ${b} ? ${a} - ${b} : 0)`, sinpi: a => `Math.sin(Math.PI * ${a})`, cospi: a => `Math.cos(Math.PI * ${a})` };
for (const name of 'sqrt cbrt floor ceil trunc exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh'.split(' ')) REAL[name] = Object.assign(math(name), { many: 1 });
REAL.fabs = Object.assign(math('abs'), { many: 1 });
for (const name of ['atan2', 'pow', 'hypot']) REAL[name] = Object.assign(math(name), { many: 2 });
const FAST = { __expf: 'expf', __exp10f: 'exp10f', __logf: 'logf', __log2f: 'log2f', __log10f: 'log10f', __sinf: 'sinf', __cosf: 'cosf', __tanf: 'tanf', __powf: 'powf', __frsqrt_rn: 'rsqrtf', __fsqrt_rn: 'sqrtf', __fmaf_rn: 'fmaf' };
// Name, types of the parameters, type of the value, text.
const WHOLE = { __popc: [[UNSIGNED], INT, a => `L.count(${a})`], __clz: [[UNSIGNED], INT, a => `Math.clz32(${a})`], __ffs: [[INT], INT, a => `(${a} === 0 ? 0 : 32 - Math.clz32(${a} & -${a}))`], __brev: [[UNSIGNED], UNSIGNED, a => `L.reverse(${a})`],
    __popcll: [[SIZE], INT, a => `(L.count(Number(BigInt(${a}) >> 32n)) + L.count(L.low(${a})))`], __mul24: [[INT, INT], INT, (a, b) => `L.imul(${a} << 8 >> 8, ${b} << 8 >> 8)`],
    __mulhi: [[INT, INT], INT, (a, b) => `L.high(${a}, ${b}, true)`], __umulhi: [[UNSIGNED, UNSIGNED], UNSIGNED, (a, b) => `L.high(${a}, ${b}, false)`],
    __float_as_int: [[FLOAT], INT, a => `L.bitsOf(${a})`], __float_as_uint: [[FLOAT], UNSIGNED, a => `(L.bitsOf(${a}) >>> 0)`], __int_as_float: [[INT], FLOAT, a => `L.floatOf(${a})`], __uint_as_float: [[UNSIGNED], FLOAT, a => `L.floatOf(${a})`],
    __float2int_rn: [[FLOAT], INT, a => `L.int(L.even(${a}))`], __float2int_rz: [[FLOAT], INT, a => `L.int(${a})`], __float2int_rd: [[FLOAT], INT, a => `L.int(Math.floor(${a}))`], __float2int_ru: [[FLOAT], INT, a => `L.int(Math.ceil(${a}))`],
    __int2float_rn: [[INT], FLOAT, a => `fr(${a})`], __fdividef: [[FLOAT, FLOAT], FLOAT, (a, b) => `fr(${a} / ${b})`], __fdiv_rn: [[FLOAT, FLOAT], FLOAT, (a, b) => `fr(${a} / ${b})`], __saturatef: [[FLOAT], FLOAT, a => `L.fmin(1, L.fmax(0, ${a}))`],
    __fadd_rn: [[FLOAT, FLOAT], FLOAT, (a, b) => `fr(${a} + ${b})`], __fsub_rn: [[FLOAT, FLOAT], FLOAT, (a, b) => `fr(${a} - ${b})`], __fmul_rn: [[FLOAT, FLOAT], FLOAT, (a, b) => `fr(${a} * ${b})`],
    isnan: [[DOUBLE], BOOL, a => `+(${a} !== ${a})`], isinf: [[DOUBLE], BOOL, a => `+(Math.abs(${a}) === Infinity)`], isfinite: [[DOUBLE], BOOL, a => `+Number.isFinite(${a})`] };
// Of half: [rounded to half, parameters, text]; with a 2 behind it (h2...) of each number of a half2.
const HALF = { hadd: [1, (a, b) => `${a} + ${b}`], hsub: [1, (a, b) => `${a} - ${b}`], hmul: [1, (a, b) => `${a} * ${b}`], hdiv: [1, (a, b) => `${a} / ${b}`], hfma: [1, (a, b, c) => `${a} * ${b} + ${c}`], hneg: [1, a => `-${a}`], habs: [1, a => `Math.abs(${a})`],
    hmax: [1, (a, b) => `L.fmax(${a}, ${b})`], hmin: [1, (a, b) => `L.fmin(${a}, ${b})`], hsqrt: [1, a => `Math.sqrt(${a})`], hrsqrt: [1, a => `1 / Math.sqrt(${a})`], hrcp: [1, a => `1 / ${a}`], hexp: [1, a => `Math.exp(${a})`], hlog: [1, a => `Math.log(${a})`],
    hgt: [0, (a, b) => `${a} > ${b}`], hlt: [0, (a, b) => `${a} < ${b}`], hge: [0, (a, b) => `${a} >= ${b}`], hle: [0, (a, b) => `${a} <= ${b}`], heq: [0, (a, b) => `${a} === ${b}`], hne: [0, (a, b) => `${a} !== ${b}`], hisnan: [0, a => `${a} !== ${a}`] };
const TO_HALF = /^__(float2half|double2half|(int|uint|short|ushort)2half)(_r[nz])?$/, FROM_HALF = { half2float: FLOAT, half2int: INT, half2uint: UNSIGNED };
const ofHalves = (c, f, list) => ({ type: vectors.half2, parts: [0, 1].map(k => c.keep({ type: types.half, js: f(...list.map(a => c.keep(a).parts[k])) }).js) });
function ofHalf(c, e, args) {
    const { half } = types, base = e.name.replace(/^__(?=h)|_rn$|_rz$/g, ''), two = /2$/.test(base) || /^h2/.test(base), one = HALF[base.replace(/2$/, '').replace(/^h2/, 'h')];
    const halves = (...of) => ({ type: vectors.half2, parts: of.map(a => c.keep(c.convert(a, half, e)).js) }), number = (type, js) => c.keep({ type, js }), in_pair = /^__(low|high)(2float|2half|2half2)$/.exec(e.name);
    if (TO_HALF.test(e.name)) return c.keep(c.convert(args(1)[0], half, e, true));
    if (Object.hasOwn(FROM_HALF, base.replace(/^__/, ''))) return c.convert(c.convert(args(1)[0], half, e), FROM_HALF[base.replace(/^__/, '')], e, true);
    if (e.name === '__float2half2_rn' || e.name === '__half2half2') { const [a] = args(1); return halves(a, a); }
    if (e.name === '__floats2half2_rn' || e.name === '__halves2half2') return halves(...args(2));
    if (e.name === '__float22half2_rn' || e.name === '__half22float2') {
        const [from, to] = e.name[2] === 'f' ? [vectors.float2, vectors.half2] : [vectors.half2, vectors.float2], a = c.convert(args(1)[0], from, e);
        return { type: to, parts: a.parts.map(js => number(to.fields[0].type, to.align === 4 ? `L.half(${js})` : js).js) };
    }
    if (in_pair) { const a = c.convert(args(1)[0], vectors.half2, e).parts[+(in_pair[1] === 'high')]; return in_pair[2] === '2half2' ? { type: vectors.half2, parts: [a, a] } : number(in_pair[2] === '2half' ? half : FLOAT, a); }
    if (!one || !Object.hasOwn(HALF, base.replace(/2$/, '').replace(/^h2/, 'h')) || (two && !one[0])) return null;
    const [rounds, f] = one, list = args(f.length).map(a => c.convert(a, two ? vectors.half2 : half, e));
    return two ? ofHalves(c, (...of) => `L.half(${f(...of)})`, list) : number(rounds ? half : BOOL, rounds ? `L.half(${f(...list.map(a => c.keep(a).js))})` : `+(${f(...list.map(a => c.keep(a).js))})`);
}
// What is stored, of the old value and up to two others.
const ATOMIC = { Add: (a, b, t) => operation('+', t, a, b), Sub: (a, b, t) => operation('-', t, a, b), And: (a, b, t) => operation('&', t, a, b), Or: (a, b, t) => operation('|', t, a, b), Xor: (a, b, t) => operation('^', t, a, b),
    Min: (a, b) => `L.min(${a}, ${b})`, Max: (a, b) => `L.max(${a}, ${b})`, Exch: (a, b) => b, CAS: (a, b, t, c) => `(${a} === ${b} ? ${c} : ${a})`,
    Inc: (a, b) => `(${a} >= ${b} ? 0 : ${a} + 1)`, Dec: (a, b) => `(${a} === 0 || ${a} > ${b} ? ${b} : ${a} - 1)` };
const needs = (e, n) => { if (e.list.length !== n) refuse(e, `${e.name} has ${n} parameters, not ${e.list.length}`); };
const INSTEAD = { clock: 'no clock: there are no times here', clock64: 'no clock: there are no times here', __shfl: '__shfl_sync()', __shfl_down: '__shfl_down_sync()', __shfl_up: '__shfl_up_sync()', __shfl_xor: '__shfl_xor_sync()', __ballot: '__ballot_sync()', __any: '__any_sync()', __all: '__all_sync()',
    malloc: 'an array with a length', free: 'an array with a length', tex1Dfetch: 'an array', tex2D: 'an array', curand_uniform: 'numbers from an array', curand_init: 'numbers from an array', fma: 'fmaf()' };

function builtin(c, e) {
    const name = Object.hasOwn(FAST, e.name) ? FAST[e.name] : e.name, args = n => { needs(e, n); return e.list.map(a => c.decayed(c.value(a))); };
    const of = (wanted, n, f) => { const list = args(n).map((a, k) => c.convert(a, Array.isArray(wanted) ? wanted[k] : wanted, e)); return f(...list.map(a => c.keep(a).js)); };
    if (Object.hasOwn(INSTEAD, name)) lacks(e, `${name}() is`, INSTEAD[name]);
    if (/^make_/.test(name) && Object.hasOwn(vectors, name.slice(5))) return c.construct({ ...e, type: vectors[name.slice(5)] });
    if (/^u?(min|max)$/.test(name)) {
        const [a, b] = args(2), type = common(a.type, b.type);
        return { type, js: `L.${(type.kind === 'real' ? 'f' : '') + name.replace('u', '')}(${c.keep(c.convert(a, type, e)).js}, ${c.keep(c.convert(b, type, e)).js})` };
    }
    if (name === 'abs' || name === 'labs' || name === 'llabs') {
        const [a] = args(1), x = c.keep(c.convert(a, promoted(a.type), e));
        return { type: x.type, js: x.type.kind === 'real' ? `Math.abs(${x.js})` : `(${x.js} < 0 ? ${operation('-', x.type, '0', x.js)} : ${x.js})` };
    }
    if (Object.hasOwn(WHOLE, name)) return { type: WHOLE[name][1], js: of(WHOLE[name][0], WHOLE[name][0].length, WHOLE[name][2]) };
    const real = Object.hasOwn(REAL, name) ? name : name.endsWith('f') && Object.hasOwn(REAL, name.slice(0, -1)) ? name.slice(0, -1) : null;
    if (real) {
        const list = args(REAL[real].many ?? REAL[real].length), type = name === real && list.some(a => a.type.name !== 'float') ? DOUBLE : FLOAT;
        const js = REAL[real](...list.map(a => c.keep(c.convert(a, type, e)).js));
        return { type, js: type === FLOAT ? `fr(${js})` : js };
    }
    return ofHalf(c, e, args) ?? ofMemory(c, e, args) ?? ofWarp(c, e, args) ?? ofBlock(c, e, args);
}
function ofMemory(c, e, args) {
    const atomic = /^atomic(\w+?)(?:_block|_system)?$/.exec(e.name);
    if (/^__ld(g|cg|cs|ca|lu|cv)$/.test(e.name)) return c.load(c.pointed(args(1)[0], e), e);
    if (/^__st(wb|cg|cs|wt)$/.test(e.name)) { const [p, v] = args(2), to = c.pointed(p, e); c.store(to, c.keep(c.convert(v, to.type, e)), e); return VOID; }
    if (!atomic || !Object.hasOwn(ATOMIC, atomic[1])) return null;
    const [p, ...rest] = args(atomic[1] === 'CAS' ? 3 : 2), to = p.type.kind === 'pointer' ? p.type.to : null, out = to && c.array(to);
    if (!to || !isNumber(to) || to.size < 4 || (to.kind === 'real' && !/^(Add|Exch)$/.test(atomic[1])) || (/^(Inc|Dec)$/.test(atomic[1]) && to.name !== 'unsigned')) refuse(e, `${e.name} of ${p.type.name}`);
    const [x, y] = rest.map(a => c.keep(c.convert(a, to, e)).js), wide = to.view.startsWith('Big');
    const next = ATOMIC[atomic[1]]('o', x, to, y);
    const type = to.isVolatile ? { ...to, isVolatile: false } : to;
    c.memory({ type }, 2, c.site(e, to, p.words), c.addresses({ address: p.js }), ([slot]) => `const o = ${wide ? `L.exact(${slot})` : slot}; ${slot} = ${wide ? `BigInt(${next})` : next}; ${out}[i] = o;`);
    c.emit('W.known.length = 0;');
    return { type: to, js: `${out}[i]` };
}
// The lanes that the first parameter names must be here.
function together(c, e, who) {
    c.emit(`M.together(W, ${c.site(e)}, ${c.m}, i => ${c.keep(c.convert(who, UNSIGNED, e)).js});`);
}
function ofWarp(c, e, args) {
    const vote = /^__(ballot|any|all)_sync$/.exec(e.name), shuffle = /^__shfl(|_up|_down|_xor)_sync$/.exec(e.name), reduce = /^__reduce_(add|min|max|and|or|xor)_sync$/.exec(e.name);
    if (e.name === '__activemask') { needs(e, 0); const q = c.mask(); c.emit(`${q} = ${c.m};`); return { type: UNSIGNED, js: `(${q} >>> 0)` }; }
    if (e.name === '__syncwarp') {
        together(c, e, e.list.length ? args(1)[0] : c.fix(UNSIGNED, 0xffffffff));
        c.emit('M.orderWarp(W);');
        return VOID;
    }
    if (vote) {
        const [who, p] = args(2), q = c.test(p, e);
        together(c, e, who);
        return vote[1] === 'ballot' ? { type: UNSIGNED, js: c.keep({ type: UNSIGNED, js: `(${q} >>> 0)` }).js } : c.keep({ type: INT, js: `+(${q} ${vote[1] === 'any' ? '!== 0' : `=== ${c.m}`})` });
    }
    if (reduce) {
        const [who, v] = args(2), x = c.keep(v), type = x.type, out = c.array(type), total = `s${++c.count}`, both = { add: '+', and: '&', or: '|', xor: '^' }[reduce[1]];
        together(c, e, who);
        c.emit(`{ let ${total} = null;`);
        c.lanes(`${total} = ${total} === null ? ${x.js} : ${both ? operation(both, type, total, x.js) : `L.${reduce[1]}(${total}, ${x.js})`};`, c.m);
        c.emit(`${out}.fill(${total}); }`);
        return { type, js: `${out}[i]` };
    }
    if (!shuffle) return null;
    if (e.list.length < 3 || e.list.length > 4) refuse(e, `${e.name} has 3 or 4 parameters, not ${e.list.length}`);
    const [who, v, d, w] = args(e.list.length), how = shuffle[1], out = c.array(v.type);
    if (!isNumber(v.type) || v.type.size < 4) refuse(e, `${e.name} of ${v.type.name}`);
    const held = c.array(v.type), [by, width] = [d, w ?? c.fix(INT, 32)].map(one => c.keep(c.convert(one, INT, e)).js);
    c.lanes(`${held}[i] = ${v.js};`);
    together(c, e, who);
    const from = how === '' ? `(i & -${width}) + (${by} & ${width} - 1)` : how === '_up' ? `i - ${by}` : how === '_down' ? `i + ${by}` : `i ^ ${by}`;
    c.lanes(`let k = ${from}; ${how === '' ? '' : `if (${how === '_up' ? `k < (i & -${width})` : `k >= (i & -${width}) + ${width}`}) k = i; `}${out}[i] = ${held}[${c.m} >>> k & 1 ? k & 31 : i];`, c.m);
    return { type: v.type, js: `${out}[i]` };
}
function ofBlock(c, e, args) {
    const barrier = /^__syncthreads(|_count|_and|_or)$/.exec(e.name);
    if (barrier) {
        const q = barrier[1] ? c.test(args(1)[0], e) : (needs(e, 0), '0');
        c.waits = true;
        c.emit(`W.at = ${c.site(e)}; W.mask = ${c.m}; W.votes = ${q}; yield;`);
        return barrier[1] ? c.keep({ type: INT, js: barrier[1] === '_count' ? 'M.votes' : `+(M.votes ${barrier[1] === '_or' ? '> 0' : '=== M.voters'})` }) : VOID;
    }
    if (/^__threadfence(_block|_system)?$/.test(e.name)) { needs(e, 0); c.emit('W.known.length = 0;'); return VOID; }
    if (e.name === '__nanosleep') { args(1); return VOID; }
    if (e.name === 'assert') {
        const q = c.test(args(1)[0], e);
        c.emit(`if (${c.m} & ~${q}) M.failed(W, ${c.site(e)}, ${c.m} & ~${q});`);
        return VOID;
    }
    if (e.name !== 'printf') return null;
    if (e.list[0]?.kind !== 'string') refuse(e, 'printf() needs its text in quotes');
    const list = e.list.slice(1).map(a => a.kind === 'string' ? { text: a.text } : c.keep(c.decayed(c.value(a))));
    c.emit(`M.printf(W, ${c.site(e, null, '', { format: e.list[0].text, texts: list.map(a => a.text) })}, ${c.m}, i => [${list.map(a => a.js ?? '0')}]);`);
    return VOID;
}
Object.assign(cuda, { builtin, ofHalves });
}
if (typeof module !== 'undefined') module.exports = cudaFunctions;
