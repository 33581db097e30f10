// SPDX-License-Identifier: MIT
// Types, and arithmetic as text of JavaScript: what an operator does with two numbers, and a conversion
// with one. A number of 64 bits is a JavaScript number while that is exact, else a BigInt.
'use strict';
function cudaTypes(cuda) {
const LANES = 32;
const scalar = (name, size, kind, signed, array, view) => ({ name, size, align: size, kind, signed, array, view });
const types = {};
for (const t of [scalar('bool', 1, 'int', false, 'Uint8Array', 'Uint8'), scalar('char', 1, 'int', true, 'Int8Array', 'Int8'),
    scalar('unsigned char', 1, 'int', false, 'Uint8Array', 'Uint8'), scalar('short', 2, 'int', true, 'Int16Array', 'Int16'),
    scalar('unsigned short', 2, 'int', false, 'Uint16Array', 'Uint16'), scalar('int', 4, 'int', true, 'Int32Array', 'Int32'),
    scalar('unsigned', 4, 'int', false, 'Uint32Array', 'Uint32'), scalar('long long', 8, 'int', true, 'Array', 'BigInt64'),
    scalar('unsigned long long', 8, 'int', false, 'Array', 'BigUint64'), scalar('half', 2, 'real', true, 'Float32Array', 'Uint16'), scalar('float', 4, 'real', true, 'Float32Array', 'Float32'),
    scalar('double', 8, 'real', true, 'Float64Array', 'Float64')]) types[t.name] = t;
types.void = { name: 'void', size: 1, align: 1, kind: 'void' };
const { int: INT, unsigned: UNSIGNED, float: FLOAT, double: DOUBLE, bool: BOOL } = types;
const LONG = types['long long'], SIZE = types['unsigned long long'], AUTO = { name: 'auto', kind: 'auto', size: 0, align: 1 };
const pointer = to => ({ kind: 'pointer', to, size: 8, align: 8, array: 'Array', view: 'BigUint64', name: `${to.name} *` });
const arrayOf = (of, count) => ({ kind: 'array', of, count, size: of.size * count, align: of.align, name: `${of.name}[${count}]` });
const volatileOf = t => ({ ...t, isVolatile: true });
function struct(name, fields, align = 0) {
    let at = 0;
    for (const field of fields) {
        at = Math.ceil(at / field.type.align) * field.type.align;
        field.at = at;
        at += field.type.size;
        align = Math.max(align, field.type.align);
    }
    return { kind: 'struct', name, fields, align, size: Math.ceil(at / align) * align || align };
}
const vectors = {};
for (const [name, of] of [['char', types.char], ['uchar', types['unsigned char']], ['short', types.short], ['ushort', types['unsigned short']],
    ['int', INT], ['uint', UNSIGNED], ['longlong', LONG], ['ulonglong', SIZE], ['float', FLOAT], ['double', DOUBLE]])
    for (let n = 1; n <= 4; n++)
        vectors[name + n] = struct(name + n, [...'xyzw'].slice(0, n).map(field => ({ name: field, type: of })),
            n === 3 ? of.align : Math.min(16, n * of.size));
vectors.half2 = struct('half2', [...'xy'].map(name => ({ name, type: types.half })), 4);
vectors.dim3 = struct('dim3', [...'xyz'].map(name => ({ name, type: UNSIGNED })));
const isNumber = t => t.kind === 'int' || t.kind === 'real', isScalar = t => isNumber(t) || t.kind === 'pointer';
// The numbers that a value consists of.
function leaves(t, at = 0, path = '') {
    if (t.kind === 'struct') return t.fields.flatMap(f => leaves(f.type, at + f.at, `${path}.${f.name}`));
    if (t.kind === 'array') return Array.from({ length: t.count }, (_, i) => leaves(t.of, at + i * t.of.size, `${path}[${i}]`)).flat();
    return [{ type: t, at, path }];
}
const promoted = t => t.kind === 'int' && t.size < 4 ? INT : t;
function common(a, b) {
    a = promoted(a); b = promoted(b);
    if (a.kind === 'real' || b.kind === 'real')
        return [DOUBLE, FLOAT].find(t => a.name === t.name || b.name === t.name) ?? types.half;
    if (a.size !== b.size) return a.size > b.size ? a : b;
    return a.signed ? b : a;
}

// ---- What the text calls ---------------------------------------------------------------------------
const exact = v => { const n = Number(v); return Number.isSafeInteger(n) ? n : v; };
const wrap64 = (v, signed) => exact(signed ? BigInt.asIntN(64, v) : BigInt.asUintN(64, v));
const fits = (v, signed) => Number.isSafeInteger(v) && (signed || v >= 0);
const view = new DataView(new ArrayBuffer(16));
// The float nearest to sum + rest, where sum is the double nearest to that: round to odd, then to float.
function toFloat(sum, rest) {
    if (rest !== 0 && Number.isFinite(sum)) {
        view.setFloat64(0, sum);
        const bits = view.getBigInt64(0);
        if (!(bits & 1n)) {
            const away = (rest > 0) === (sum > 0);
            view.setBigInt64(0, sum === 0 ? bits : bits + (away ? 1n : -1n));
            sum = view.getFloat64(0);
        }
    }
    return Math.fround(sum);
}
function fused(a, b, c) {    // the product of two floats is exact in a double
    const p = a * b, sum = p + c, back = sum - p, rest = (p - (sum - back)) + (c - back);
    return rest === 0 || rest !== rest ? Math.fround(sum) : toFloat(sum, rest);
}
const isPlain = (a, b) => typeof a === 'number' && typeof b === 'number';
const wide = (f, a, b, s) => wrap64(f(BigInt(a), BigInt(b)), s);
const most = (size, signed) => signed ? 2 ** (8 * size - 1) : 2 ** (8 * size);
const countBits = m => { let n = 0; for (; m; m &= m - 1) n++; return n; };
const L = {
    fused, exact, fr: Math.fround, imul: Math.imul, count: countBits,
    add: (a, b, s) => { if (isPlain(a, b)) { const r = a + b; if (fits(r, s)) return r; } return wide((x, y) => x + y, a, b, s); },
    sub: (a, b, s) => { if (isPlain(a, b)) { const r = a - b; if (fits(r, s)) return r; } return wide((x, y) => x - y, a, b, s); },
    mul: (a, b, s) => { if (isPlain(a, b)) { const r = a * b; if (fits(r, s)) return r + 0; } return wide((x, y) => x * y, a, b, s); },
    div: (a, b, s) => b === 0 ? 0 : isPlain(a, b) ? (a - a % b) / b + 0 : wide((x, y) => x / y, a, b, s),
    rem: (a, b, s) => b === 0 ? 0 : isPlain(a, b) ? a % b + 0 : wide((x, y) => x % y, a, b, s),
    and: (a, b, s) => a >= 0 && b >= 0 && a < 2 ** 31 && b < 2 ** 31 ? Number(a) & Number(b) : wide((x, y) => x & y, a, b, s),
    or: (a, b, s) => a >= 0 && b >= 0 && a < 2 ** 31 && b < 2 ** 31 ? Number(a) | Number(b) : wide((x, y) => x | y, a, b, s),
    xor: (a, b, s) => a >= 0 && b >= 0 && a < 2 ** 31 && b < 2 ** 31 ? Number(a) ^ Number(b) : wide((x, y) => x ^ y, a, b, s),
    shl: (a, b, s) => wrap64(BigInt(a) << BigInt(b & 63), s),
    shr: (a, b) => exact(BigInt(a) >> BigInt(b & 63)),
    wrap: (v, s) => fits(v, s) ? v : wrap64(BigInt(v), s),
    low: v => typeof v === 'number' ? v | 0 : Number(BigInt.asIntN(32, v)),
    far: v => typeof v === 'number' ? v : Number(BigInt.asIntN(64, v)),
    toDouble: Number,
    toFloat: v => typeof v === 'number' ? Math.fround(v) : toFloat(Number(v), Number(v - BigInt(Number(v)))),
    // A half in a register is a number that it can be, in memory its 16 bits.
    half: v => {
        view.setFloat64(0, v);
        const step = 2 ** (Math.max((view.getUint16(0) >> 4 & 2047) - 1023, -14) - 10), r = Number.isFinite(v) ? L.even(v / step) * step : v;
        return Math.abs(r) > 65504 ? Math.sign(r) * Infinity : r;
    },
    bits: v => {
        view.setFloat32(0, v);
        const bits = view.getUint32(0), e = (bits >>> 23 & 255) - 112;
        return bits >>> 16 & 32768 | (v !== v ? 32767 : e > 30 ? 31744 : e > 0 ? e << 10 | bits >>> 13 & 1023 : Math.abs(v) * 2 ** 24);
    },
    ofBits: h => (h & 32768 ? -1 : 1) * (h >> 10 & 31 ? (h & 31744) === 31744 ? h & 1023 ? NaN : Infinity : (1 + (h & 1023) / 1024) * 2 ** ((h >> 10 & 31) - 15) : (h & 1023) * 2 ** -24),
    // As a GPU: to the nearest that there is.
    int: v => v !== v ? 0 : v >= 2147483647 ? 2147483647 : v <= -2147483648 ? -2147483648 : v | 0,
    uint: v => v !== v ? 0 : v >= 4294967295 ? 4294967295 : v <= 0 ? 0 : Math.trunc(v),
    long: (v, s) => { v = Math.trunc(v); return v !== v ? 0 : v >= most(8, s) ? exact(s ? 2n ** 63n - 1n : 2n ** 64n - 1n) : v < (s ? -most(8, s) : 0) ? exact(s ? -(2n ** 63n) : 0n) : exact(BigInt(v)); },
    min: (a, b) => b < a ? b : a, max: (a, b) => b > a ? b : a, fmin: (a, b) => a !== a ? b : b !== b ? a : Math.min(a, b), fmax: (a, b) => a !== a ? b : b !== b ? a : Math.max(a, b),
    even: v => { const r = Math.round(v); return Math.abs(v % 1) === 0.5 && r % 2 !== 0 ? r - 1 : r; },
    reverse: v => { let r = 0; for (let i = 0; i < 32; i++) r |= (v >>> i & 1) << 31 - i; return r >>> 0; },
    bitsOf: v => { view.setFloat32(0, v); return view.getInt32(0); }, floatOf: v => { view.setInt32(0, v); return view.getFloat32(0); },
    high: (a, b, s) => { const r = Number(BigInt.asIntN(64, BigInt(a) * BigInt(b)) >> 32n); return s ? r | 0 : r >>> 0; },
    erf: x => { let term = x, sum = x; if (Math.abs(x) > 5) return Math.sign(x); for (let n = 1; n < 200; n++) { term *= -x * x / n; sum += term / (2 * n + 1); } return sum * 2 / Math.sqrt(Math.PI); },
};

// ---- Conversions: which there are --------------------------------------------------------------------
const isDim = t => t.kind === 'struct' && /^(dim3|uint3)$/.test(t.name);
// The same bits, called another type?
const isSame = (from, to, isCast) => isDim(from) && isDim(to) || from.kind === 'pointer' && to.kind === 'pointer' && (isCast || from.to.kind === 'void' || to.to.kind === 'void' || from.to.name === to.to.name);
function isConvertible({ type: from, value }, to, isCast) {
    const pointers = (from.kind === 'pointer') + (to.kind === 'pointer'), number = from.kind === 'pointer' ? to : from;
    if (pointers !== 1 || to.name === 'bool') return pointers < 2 && isScalar(from) && isScalar(to);
    return value === 0 || (isCast && isNumber(number) && number.size === 8);
}
// Of functions with one name, the one whose parameters are nearest.
function nearest(f, args) {
    const all = [], off = (p, { type }) => !p ? 99 : p.type.name === type.name || p.type.kind === 'pointer' && type.kind === 'array' ? 0 : isNumber(p.type) && isNumber(type) ? 1 + (p.type.kind !== type.kind) : 9;
    for (let one = f; one; one = one.before) all.push([args.reduce((sum, a, k) => sum + off(one.parameters[k], a), one.parameters.slice(args.length).some(p => !p.otherwise) ? 99 : 0), one]);
    return all.reduce((best, one) => one[0] < best[0] ? one : best)[1];
}

// ---- Text of JavaScript ----------------------------------------------------------------------------
const literal = v => typeof v === 'bigint' ? `(${v}n)` : Object.is(v, -0) || v < 0 ? `(${Object.is(v, -0) ? '-0' : v})` : String(v);
const evaluate = js => Function('L', `const i = 0, { fr } = L; return ${js};`)(L);
const NARROW = { int: js => `(${js} | 0)`, unsigned: js => `(${js} >>> 0)`, char: js => `(${js} << 24 >> 24)`, 'unsigned char': js => `(${js} & 255)`, short: js => `(${js} << 16 >> 16)`, 'unsigned short': js => `(${js} & 65535)` };
// One number of type `from` as one of type `to`.
function converted(from, to, js) {
    if (to.name === 'bool') return `+(${js} !== 0)`;
    if (to.name === 'half') return from.name === 'half' ? js : `L.half(Number(${js}))`;
    if (to.kind === 'real') {
        if (from.kind === 'int' && from.size === 8) return to.name === 'double' ? `L.toDouble(${js})` : `L.toFloat(${js})`;
        return to.name === 'double' || /float|half/.test(from.name) ? js : `fr(${js})`;
    }
    if (from.kind === 'real') {
        if (to.size === 8) return `L.long(${js}, ${to.signed})`;
        return to.name === 'unsigned' ? `L.uint(${js})` : to.size < 4 ? NARROW[to.name](`L.int(${js})`) : `L.int(${js})`;
    }
    if (to.size === 8) return from.size === 8 ? from.signed === to.signed ? js : `L.wrap(${js}, ${to.signed})` : from.signed && !to.signed ? `L.wrap(${js}, false)` : js;
    if (from.size === 8) return NARROW[to.name](`L.low(${js})`);
    return from.size < to.size && (to.signed || !from.signed) ? js : NARROW[to.name](js);
}
// What lies in memory, as a number of a register, and back.
const read = (t, slot) => t.name === 'bool' ? `+(${slot} !== 0)` : t.name === 'half' ? `L.ofBits(${slot})` : t.view.startsWith('Big') ? `L.exact(${slot})` : slot;
const written = (t, js) => t.name === 'half' ? `L.bits(${js})` : t.view.startsWith('Big') ? `BigInt(${js})` : js;
const WIDE = { '+': 'add', '-': 'sub', '*': 'mul', '/': 'div', '%': 'rem', '&': 'and', '|': 'or', '^': 'xor', '<<': 'shl', '>>': 'shr' };
// What an operator does with two numbers of one type (of a shift: the right one is an int).
function operation(sign, t, a, b) {
    if (t.kind === 'real') return t.name === 'half' ? `L.half(${a} ${sign} ${b})` : t.name === 'float' ? `fr(${a} ${sign} ${b})` : `(${a} ${sign} ${b})`;
    if (t.size === 8) return `L.${WIDE[sign]}(${a}, ${b}, ${t.signed})`;
    if (sign === '*') return t.signed ? `L.imul(${a}, ${b})` : `(L.imul(${a}, ${b}) >>> 0)`;
    if (sign === '>>') return t.signed ? `(${a} >> ${b})` : `(${a} >>> ${b})`;
    return NARROW[t.name](`(${a} ${sign} ${b})`);
}
Object.assign(cuda, { LANES, types, INT, UNSIGNED, FLOAT, DOUBLE, BOOL, LONG, SIZE, AUTO, pointer, arrayOf, volatileOf, struct, vectors, isNumber, isScalar, leaves, promoted, common, isSame, isConvertible, nearest,
    exact, wrap64, L, literal, evaluate, converted, operation, read, written, countBits });
}
if (typeof module !== 'undefined') module.exports = cudaTypes;
