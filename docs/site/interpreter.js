// SPDX-License-Identifier: MIT
// The CUDA C that the course teaches, run warp by warp: what each source line requests of memory, and
// the mistakes that a traced run on the CPU device (cudacc --trace) finds. It needs nothing else; the
// playground loads it after requests.js, and tests/documents/playground.t compares it with cudacc and gcc.
//
//   Cuda.parse(text) -> {kernels: [{name, parameters: [{name, type, isPointer}]}]}
//   Cuda.run(text, {kernel, grid, block, values}) -> {rows, warps, arrays, mistakes, events, peek}
//
// A warp is run as a GPU runs it: each expression for all of its lanes at once, under a mask of those
// that are there. Both sides of a branch run one after the other, and a loop until its last lane has
// left it. So do the lanes of the tracer, which go on at the lowest place first.
'use strict';
const Cuda = (() => {
const LANES = 32;
class Refusal extends Error {
    constructor(at, message) { super(message); this.line = at.line; this.column = at.column; }
}
class Ended extends Error {}    // a mistake that ends the launch
const refuse = (at, message) => { throw new Refusal(at, message); };
const lacks = (at, what, instead = '') => refuse(at, `${what} not understood here${instead}`);

// ---- Words -----------------------------------------------------------------------------------------
const WORD = /([A-Za-z_]\w*)|(0[xX][\da-fA-F]+[uUlL]*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFuUlL]*)|('(?:\\.|[^'\\])'|"(?:\\.|[^"\\])*")|(<<<|>>>|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||::|\.\.\.|[-+*\/%&|^]=|[-+*\/%&|^~!<>=?:;,.(){}[\]])/y;

const VERSIONS = { __CUDA_ARCH__: 900, CUDART_VERSION: 13000, __CUDACC__: 1 };

// The tokens of a text, and what #define says. A comment leaves its lines.
function words(text) {
    const tokens = [], defined = new Map();
    text = text.replace(/\r/g, '').replace(/\\\n/g, '\\ ').replace(/\/\*[^]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"/g,
        found => found[0] === '"' ? found : found.replace(/[^\n]/g, ' '));
    const passed = [];    // of #if that are open: is this part passed over?
    text.split('\n').forEach((source, index) => {
        const directive = /^\s*#\s*(\w*)\s*(.*)/.exec(source), line = index + 1, at = { line, column: source.indexOf('#') + 1 };
        if (directive && /^if/.test(directive[1])) {
            const test = /^(!?)\s*(defined)?[\s(]*(\w+)[\s)]*(?:>=?\s*(\d+))?\s*$/.exec(directive[2]), known = test && (defined.has(test[3]) || test[3] in VERSIONS);
            if (!test) lacks(at, `#if ${directive[2]} is`);
            const holds = directive[1] !== 'if' || test[2] ? known : (VERSIONS[test[3]] ?? parseInt(test[3])) >= (test[4] ?? 1);
            passed.push(holds === (directive[1] === 'ifndef' || test[1] === '!'));
            return;
        }
        if (directive && /^(else|endif)$/.test(directive[1])) {
            if (!passed.length) refuse(at, `#${directive[1]} without #if`);
            const was = passed.pop();
            if (directive[1] === 'else') passed.push(!was);
            return;
        }
        if (passed.includes(true) || (directive && /^(include|pragma|undef|)$/.test(directive[1]))) return;
        if (directive && directive[1] !== 'define') lacks(at, `#${directive[1]} is`);
        if (directive) {
            const head = /^\s*#\s*define\s+(\w+)(\(([^)]*)\))?/.exec(source);
            if (!head) refuse({ line, column: 1 }, 'a name is missing after #define');
            const body = split(source.replace(/\\ /g, '  '), head[0].length, line);
            defined.set(head[1], { parameters: head[2] && head[3].split(',').map(s => s.trim()).filter(s => s), body });
            return;
        }
        tokens.push(...split(source, 0, line));
    });
    const lines = text.split('\n');
    tokens.push({ kind: 'end', text: 'the end', line: lines.length, column: lines[lines.length - 1].length + 1 });
    return expand(tokens, defined, []);
}
function split(source, from, line) {
    const tokens = [];
    for (let at = from; at < source.length;) {
        if (/\s/.test(source[at])) { at++; continue; }
        WORD.lastIndex = at;
        const found = WORD.exec(source), place = { line, column: at + 1 };
        if (!found) lacks(place, `${source[at]} is`);
        const kind = found[1] ? 'name' : found[2] ? 'number' : found[3] ? 'text' : 'sign';
        tokens.push({ kind, text: found[0], ...place });
        at = WORD.lastIndex;
    }
    return tokens;
}
function expand(tokens, defined, open) {
    const result = [];
    for (let i = 0; i < tokens.length; i++) {
        const token = tokens[i], macro = token.kind === 'name' && !open.includes(token.text) && defined.get(token.text);
        if (!macro || (macro.parameters && tokens[i + 1]?.text !== '(')) { result.push(token); continue; }
        let values = [];
        if (macro.parameters) {
            let depth = 0, value = [];
            for (i++; i < tokens.length; i++) {
                const t = tokens[i].text;
                depth += t === '(' ? 1 : t === ')' ? -1 : 0;
                if (depth === 0 || (depth === 1 && t === ',')) { values.push(value); value = []; }
                else if (depth > 1 || t !== '(') value.push(tokens[i]);
                if (depth === 0) break;
            }
            if (values.length < macro.parameters.length) refuse(token, `${token.text} has ${macro.parameters.length} parameters`);
            values = values.map(v => expand(v, defined, open));
        }
        const body = macro.body.flatMap(t => {
            const which = macro.parameters ? macro.parameters.indexOf(t.text) : -1;
            return which < 0 ? [{ ...t, line: token.line, column: token.column }] : values[which];
        });
        result.push(...expand(body, defined, [...open, token.text]));
        if (result.length > 200000) refuse(token, 'this #define makes too much text');
    }
    return result;
}

// ---- Types -----------------------------------------------------------------------------------------
// A number of 64 bits is a JavaScript number while that is exact, else a BigInt; so its array is an Array.
const scalar = (name, size, kind, signed, array) => ({ name, size, align: size, kind, signed, array });
const types = {};
for (const t of [scalar('bool', 1, 'int', false, Uint8Array), scalar('char', 1, 'int', true, Int8Array),
    scalar('unsigned char', 1, 'int', false, Uint8Array), scalar('short', 2, 'int', true, Int16Array),
    scalar('unsigned short', 2, 'int', false, Uint16Array), scalar('int', 4, 'int', true, Int32Array),
    scalar('unsigned', 4, 'int', false, Uint32Array), scalar('long long', 8, 'int', true, Array),
    scalar('unsigned long long', 8, 'int', false, Array), scalar('float', 4, 'real', true, Float32Array),
    scalar('double', 8, 'real', true, Float64Array)]) types[t.name] = t;
types.void = { name: 'void', size: 1, align: 1, kind: 'void' };
const { int: INT, unsigned: UNSIGNED, float: FLOAT, double: DOUBLE, bool: BOOL } = types;
const LONG = types['long long'], SIZE = types['unsigned long long'];
const pointer = to => ({ kind: 'pointer', to, size: 8, align: 8, array: Array, name: `${to.name} *` });
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
vectors.dim3 = struct('dim3', [...'xyz'].map(name => ({ name, type: UNSIGNED })));
const isNumber = t => t.kind === 'int' || t.kind === 'real';
// The numbers that a value consists of.
function leaves(t, at = 0) {
    if (t.kind === 'struct') return t.fields.flatMap(f => leaves(f.type, at + f.at));
    if (t.kind === 'array') return Array.from({ length: t.count }, (_, i) => leaves(t.of, at + i * t.of.size)).flat();
    return [{ type: t, at }];
}
const make = t => t.array === Array ? Array(LANES).fill(0) : new t.array(LANES);

// ---- Numbers ---------------------------------------------------------------------------------------
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
function fusedFloat(a, b, c) {    // the product of two floats is exact in a double
    const p = a * b, sum = p + c, back = sum - p;
    return toFloat(sum, Number.isFinite(sum) ? (p - (sum - back)) + (c - back) : 0);
}
// One number of type `from` as one of type `to`; what a typed array does itself is left to it.
function converter(from, to) {
    if (to.name === 'bool') return v => v ? 1 : 0;
    if (to.kind === 'real') {
        if (from.size !== 8 || from.kind === 'real') return v => v;
        return to.name === 'double' ? v => Number(v)
            : v => typeof v === 'number' ? v : toFloat(Number(v), Number(v - BigInt(Number(v))));
    }
    const most = to.signed ? 2 ** (8 * to.size - 1) : 2 ** (8 * to.size), least = to.signed ? -most : 0;
    if (from.kind === 'real' && to.size === 8)
        return v => { v = Math.trunc(v); return v !== v ? 0 : v >= most ? exact(to.signed ? 2n ** 63n - 1n : 2n ** 64n - 1n)
            : v < least ? exact(BigInt(least)) : exact(BigInt(v)); };
    if (from.kind === 'real') {    // as a GPU: to the nearest that there is; small types by way of int
        const low = to.size < 4 ? -(2 ** 31) : least, high = to.size < 4 ? 2 ** 31 : most;
        return v => v !== v ? 0 : Math.max(low, Math.min(high - 1, Math.trunc(v)));
    }
    if (to.size === 8) return from.size === 8 && from.signed === to.signed ? v => v
        : v => fits(v, to.signed) ? v : wrap64(BigInt(v), to.signed);
    return from.size === 8 ? v => typeof v === 'number' ? v : Number(BigInt.asIntN(32, v)) : v => v;
}
const promoted = t => t.kind === 'int' && t.size < 4 ? INT : t;
function common(a, b) {
    a = promoted(a); b = promoted(b);
    if (a.kind === 'real' || b.kind === 'real')
        return a.name === 'double' || b.name === 'double' ? DOUBLE : FLOAT;
    if (a.size !== b.size) return a.size > b.size ? a : b;
    return a.signed ? b : a;
}
const big = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b, '%': (a, b) => a % b,
    '&': (a, b) => a & b, '|': (a, b) => a | b, '^': (a, b) => a ^ b };
// What an operator does with two numbers of one type (of a shift: the right one is an int).
function operation(sign, t) {
    switch (sign) {
    case '<': return (a, b) => a < b ? 1 : 0;
    case '>': return (a, b) => a > b ? 1 : 0;
    case '<=': return (a, b) => a <= b ? 1 : 0;
    case '>=': return (a, b) => a >= b ? 1 : 0;
    case '==': return (a, b) => a === b ? 1 : 0;
    case '!=': return (a, b) => a !== b ? 1 : 0;
    }
    if (t.kind === 'real' || t.size < 8) switch (sign) {
    case '+': return (a, b) => a + b;
    case '-': return (a, b) => a - b;
    case '*': return t.kind === 'real' ? (a, b) => a * b : Math.imul;
    case '/': return t.kind === 'real' ? (a, b) => a / b : (a, b) => b === 0 ? 0 : Math.trunc(a / b);
    case '%': return (a, b) => b === 0 ? 0 : a % b;
    case '&': return (a, b) => a & b;
    case '|': return (a, b) => a | b;
    case '^': return (a, b) => a ^ b;
    case '<<': return (a, b) => a << b;
    case '>>': return t.signed ? (a, b) => a >> b : (a, b) => a >>> b;
    }
    const slow = big[sign], s = t.signed;
    const wide = (a, b) => wrap64(slow(BigInt(a), BigInt(b)), s);
    switch (sign) {
    case '+': case '-': case '*': {
        const f = operation(sign, DOUBLE);
        return (a, b) => { if (typeof a === 'number' && typeof b === 'number') { const r = f(a, b); if (fits(r, s)) return r + 0; } return wide(a, b); };
    }
    case '/': return (a, b) => b === 0 ? 0 : typeof a === 'number' && typeof b === 'number' ? (a - a % b) / b + 0 : wide(a, b);
    case '%': return (a, b) => b === 0 ? 0 : typeof a === 'number' && typeof b === 'number' ? a % b + 0 : wide(a, b);
    case '<<': return (a, b) => wrap64(BigInt(a) << BigInt(b & 63), s);
    case '>>': return (a, b) => exact(BigInt(a) >> BigInt(b & 63));
    default: return (a, b) => a >= 0 && b >= 0 && a < 2 ** 31 && b < 2 ** 31 ? Number(slow(a, b)) : wide(a, b);
    }
}

// ---- Parser ----------------------------------------------------------------------------------------
const LEVELS = ['||', '&&', '|', '^', '&', '== !=', '< <= > >=', '<< >>', '+ -', '* / %'].map(s => s.split(' '));
const ASSIGN = ['=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>='];
const KEYWORDS = { template: 'templates are', class: 'classes are', asm: 'inline PTX is', try: 'exceptions are', throw: 'exceptions are', union: 'unions are', namespace: 'namespaces are', operator: 'operators of one\'s own are' };
for (const word of 'goto switch case new delete using auto static_cast reinterpret_cast alignas decltype'.split(' ')) KEYWORDS[word] = `${word} is`;
const IGNORED = ['const', 'static', 'inline', '__restrict__', '__restrict', 'restrict', '__forceinline__', '__noinline__', 'constexpr', '__host__', 'register'];

class Parser {
    constructor(text) {
        this.tokens = words(text);
        this.at = 0;
        this.functions = new Map();
        this.globals = new Map();    // __device__ variables
        this.named = new Map(Object.entries(vectors));    // structs and typedefs
        for (const [name, t] of [['size_t', SIZE], ['uint32_t', UNSIGNED], ['int32_t', INT], ['uint64_t', SIZE], ['int64_t', LONG], ['uintptr_t', SIZE],
            ['ptrdiff_t', LONG], ['uint8_t', types['unsigned char']], ['uint16_t', types['unsigned short']], ['int8_t', types.char], ['int16_t', types.short]])
            this.named.set(name, t);
        this.constants = [new Map([['warpSize', 32], ['INT_MAX', 2147483647], ['INT_MIN', -2147483648]].map(([name, value]) => [name, { value, type: INT }]))];
        while (this.token.kind !== 'end') this.top();
    }
    get token() { return this.tokens[this.at]; }
    is(text) { return this.token.text === text && this.token.kind !== 'text'; }
    next(text) { return this.is(text) && this.tokens[this.at++]; }
    need(text) { return this.next(text) || refuse(this.token, `${text} expected before ${this.token.text}`); }
    name() {
        if (this.token.kind !== 'name') refuse(this.token, `a name expected before ${this.token.text}`);
        return this.tokens[this.at++];
    }

    until(end, f) {    // what stands between commas
        const list = [];
        while (!this.next(end)) {
            list.push(f());
            if (!this.next(',') && !this.is(end)) this.need(end);
        }
        return list;
    }

    // ---- Declarations
    isType(token = this.token) {
        return token.kind === 'name' && (/^(unsigned|signed|int|long|short|char|bool|float|double|void|const|volatile|struct|enum|static|__shared__|extern|constexpr|register|inline)$/.test(token.text) ||
            (this.named.has(token.text) && !this.hidden?.has(token.text)));
    }
    specifiers() {
        const seen = {}, base = [], at = this.token;
        let type = null;
        for (;;) {
            const { text, kind } = this.token;
            if (kind !== 'name') break;
            if (text in KEYWORDS && !type && !base.length) lacks(this.token, KEYWORDS[text]);
            if (text === 'const' || text === 'constexpr' || text === 'static') seen[text] = this.token;
            if (IGNORED.includes(text) || /^(volatile|extern|typedef|__global__|__device__|__shared__|__constant__|__managed__)$/.test(text)) { seen[text] = this.token; this.at++; }
            else if (text === '__launch_bounds__') { this.at++; this.need('('); while (!this.next(')')) this.at++; }
            else if (/^(unsigned|signed|int|long|short|char|bool|float|double|void)$/.test(text)) { base.push(text); this.at++; }
            else if (text === 'struct' || text === 'enum') { this.at++; type = text === 'struct' ? this.structure() : this.enumeration(); }
            else if (!type && !base.length && this.named.has(text) && !this.hidden?.has(text)) { type = this.named.get(text); this.at++; }
            else break;
        }
        if (base.length) {
            const has = word => base.includes(word), sign = has('unsigned') ? 'unsigned ' : '';
            type = has('void') ? types.void : has('bool') ? BOOL : has('float') ? FLOAT : has('double') ? DOUBLE : has('char') ? types[sign + 'char']
                : has('short') ? types[sign + 'short'] : has('long') ? types[sign + 'long long'] : sign ? UNSIGNED : INT;
        }
        if (!type) refuse(at, `${this.token.text} is not known here`);
        if (seen.__constant__ || seen.__managed__) lacks(seen.__constant__ || seen.__managed__, `${(seen.__constant__ || seen.__managed__).text} variables are`);
        if (seen.__shared__ && seen.extern) lacks(seen.extern, 'dynamic shared memory is', ': give the array a length');
        return { type: seen.volatile ? volatileOf(type) : type, seen, at };
    }
    structure() {
        const name = this.token.kind === 'name' ? this.name().text : '';
        if (!this.next('{')) return this.named.get(name) || refuse(this.token, `struct ${name} is not known`);
        const fields = [];
        while (!this.next('}')) {
            const { type } = this.specifiers();
            do { const d = this.declarator(type); fields.push({ name: d.name.text, type: d.type }); } while (this.next(','));
            this.need(';');
        }
        const made = struct(name, fields);
        if (name) this.named.set(name, made);
        return made;
    }
    enumeration() {
        if (this.token.kind === 'name') this.named.set(this.name().text, INT);
        if (!this.next('{')) return INT;
        let value = 0;
        this.until('}', () => {
            const name = this.name().text;
            if (this.next('=')) value = Number(this.constant(this.conditional()));
            this.constants[this.constants.length - 1].set(name, { value: value++, type: INT });
        });
        return INT;
    }
    stars(type) {
        while (this.next('*')) {
            type = pointer(type);
            while (IGNORED.includes(this.token.text) || this.is('volatile')) if (this.tokens[this.at++].text === 'volatile') type = volatileOf(type);
        }
        if (this.is('&')) lacks(this.token, 'references are');
        return type;
    }
    declarator(type, isParameter = false) {
        type = this.stars(type);
        if (isParameter && this.token.kind !== 'name') return { type, name: { text: '', line: this.token.line, column: this.token.column } };
        const name = this.name(), sizes = [];
        while (this.next('[')) {
            sizes.push(this.is(']') ? null : Number(this.constant(this.conditional())));
            this.need(']');
        }
        for (const size of sizes.reverse()) {
            if (size === null && !isParameter) refuse(name, 'an array needs a length here');
            if (size !== null && !(size > 0)) refuse(name, `an array of ${size} elements`);
            type = arrayOf(type, size ?? 1);
        }
        return { name, type: isParameter && type.kind === 'array' ? pointer(type.of) : type };
    }
    top() {
        if (this.next(';')) return;
        if (this.is('template')) {    // what it leaves open is float
            const at = this.token;
            for (this.at++; !this.next('>'); this.named.set(this.name().text, FLOAT)) {
                if (!/^(typename|class)$/.test(this.tokens[this.at + 1].text)) lacks(at, KEYWORDS.template);
                this.at += 2;
            }
            return;
        }
        if (this.is('extern') && this.tokens[this.at + 1].kind === 'text') lacks(this.token, 'extern "C" is');
        const start = this.at;
        // Functions of the host are passed over.
        const isOfHost = () => {
            let i = start, depth = 0, seen = false;
            for (; i < this.tokens.length; i++) {
                const { text } = this.tokens[i];
                if (/^__(global|device|shared|constant|managed)__$/.test(text)) return 0;
                if (depth === 0 && /^(;|=|struct|enum|typedef|template|union|class|namespace)$/.test(text)) return 0;
                if (depth === 0 && text === '{') break;
                seen ||= text === '(';
                depth += text === '(' ? 1 : text === ')' ? -1 : 0;
            }
            if (!seen) return 0;
            for (depth = 0; i < this.tokens.length; i++) {
                depth += this.tokens[i].text === '{' ? 1 : this.tokens[i].text === '}' ? -1 : 0;
                if (!depth) return i + 1;
            }
            return 0;
        };
        const end = isOfHost();
        if (end) { this.at = end; return; }
        try { this.declarations(); } catch (problem) {    // a variable of the host, perhaps
            let i = start, depth = 0;
            for (; i < this.tokens.length && (depth || this.tokens[i].text !== ';'); i++) {
                if (/^__(global|device|shared|constant|managed)__$|^template$/.test(this.tokens[i].text)) throw problem;
                depth += /^[{(]$/.test(this.tokens[i].text) ? 1 : /^[})]$/.test(this.tokens[i].text) ? -1 : 0;
            }
            if (!(problem instanceof Refusal) || i === this.tokens.length) throw problem;
            this.at = i + 1;
        }
    }
    declarations() {
        const { type, seen } = this.specifiers();
        if (this.next(';')) return;
        do {
            const d = this.declarator(type);
            if (this.is('(')) { this.func(d, seen); return; }
            if (seen.typedef) this.named.set(d.name.text, d.type);
            else if (seen.__device__) {
                if (this.is('=')) refuse(this.token, 'a __device__ variable begins with zeroes here');
                this.globals.set(d.name.text, { name: d.name.text, type: d.type, line: d.name.line });
            } else if (this.next('=')) {
                const value = this.assignment();
                if (isNumber(d.type)) this.constants[0].set(d.name.text, { value: this.constant({ kind: 'cast', type: d.type, of: value, ...place(d.name) }), type: d.type });
            }
        } while (this.next(','));
        this.need(';');
    }
    func(d, seen) {
        this.need('(');
        const parameters = [];
        this.hidden = new Set();
        this.taken = new Set();
        this.constants.push(new Map());
        this.until(')', () => {
            if (this.is('void') && this.tokens[this.at + 1].text === ')') { this.at++; return; }
            const p = this.declarator(this.specifiers().type, true);
            if (p.type.name === 'void') refuse(p.name, 'a parameter of type void');
            parameters.push({ name: p.name.text, type: p.type });
            this.constants[this.constants.length - 1].set(p.name.text, undefined);
            this.hidden.add(p.name.text);
        });
        if (this.next(';')) { this.constants.pop(); return; }
        const f = { name: d.name.text, line: d.name.line, column: d.name.column, type: d.type, parameters, isKernel: Boolean(seen.__global__), taken: this.taken };
        this.functions.set(f.name, f);
        this.current = f;
        f.body = this.block();
        this.constants.pop();
    }

    // ---- Statements
    block() {
        const at = this.need('{'), list = [];
        this.constants.push(new Map());
        const hidden = new Set(this.hidden);
        while (!this.next('}')) {
            if (this.token.kind === 'end') refuse(this.token, `the } of line ${at.line} is missing`);
            list.push(this.statement());
        }
        this.hidden = hidden;
        this.constants.pop();
        return { kind: 'block', list, ...place(at) };
    }
    statement() {
        const at = this.token, node = (kind, rest) => ({ kind, ...place(at), ...rest });
        if (this.is('{')) return this.block();
        if (this.next(';')) return node('block', { list: [] });
        if (this.next('if')) {
            const test = this.test(), yes = this.statement();
            return node('if', { test, yes, no: this.next('else') ? this.statement() : null });
        }
        if (this.next('while')) return node('loop', { test: this.test(), body: this.statement() });
        if (this.next('do')) {
            const body = this.statement();
            this.need('while');
            const test = this.test();
            this.need(';');
            return node('loop', { test, body, isDo: true });
        }
        if (this.next('for')) {
            this.need('(');
            const first = this.is(';') ? (this.need(';'), null) : this.simple();
            const test = this.is(';') ? null : this.expression();
            this.need(';');
            const step = this.is(')') ? null : this.expression();
            this.need(')');
            return node('block', { list: [...first ? [first] : [], node('loop', { test, step, body: this.statement() })] });
        }
        if (this.next('break') || this.next('continue')) { this.need(';'); return node(at.text); }
        if (this.next('return')) {
            const value = this.is(';') ? null : this.expression();
            this.need(';');
            return node('return', { value });
        }
        return this.simple();
    }
    test() {
        this.need('(');
        const test = this.expression();
        this.need(')');
        return test;
    }
    simple() {
        const at = this.token;
        if (!this.isType()) {
            const value = this.expression();
            this.need(';');
            return { kind: 'expression', value, ...place(at) };
        }
        const { type, seen } = this.specifiers(), list = [];
        if (this.next(';')) return { kind: 'block', list: [], ...place(at) };
        do {
            const d = this.declarator(type), init = this.next('=') ? this.initializer() : null;
            if (d.type.kind === 'void') refuse(d.name, 'a variable of type void');
            if (seen.__shared__ && init) refuse(d.name, 'a __shared__ variable has no initializer');
            if (seen.static && !seen.__shared__ && !seen.const) lacks(d.name, 'static variables are');
            list.push({ name: d.name.text, type: d.type, init, isShared: Boolean(seen.__shared__), ...place(d.name) });
            this.hidden.add(d.name.text);
            const isConstant = (seen.const || seen.constexpr) && init && isNumber(d.type);
            const value = isConstant ? this.folded({ kind: 'cast', type: d.type, of: init, ...place(d.name) }) : undefined;
            this.constants[this.constants.length - 1].set(d.name.text, value === undefined ? undefined : { value, type: d.type });
        } while (this.next(','));
        this.need(';');
        return { kind: 'declare', list, ...place(at) };
    }
    initializer() {
        const at = this.token;
        if (!this.next('{')) return this.assignment();
        return { kind: 'list', list: this.until('}', () => this.initializer()), ...place(at) };
    }

    // ---- Expressions
    expression() {
        let left = this.assignment();
        while (this.is(',')) { const at = this.need(','); left = { kind: 'comma', left, right: this.assignment(), ...place(at) }; }
        return left;
    }
    assignment() {
        const left = this.conditional(), sign = this.token;
        if (!ASSIGN.includes(sign.text)) return left;
        this.at++;
        return { kind: 'assign', sign: sign.text, left, right: this.is('{') ? this.initializer() : this.assignment(), ...place(left), sign_at: place(sign) };
    }
    conditional() {
        const test = this.binary(0), at = this.token;
        if (!this.next('?')) return test;
        const yes = this.expression();
        this.need(':');
        return { kind: 'choose', test, yes, no: this.assignment(), ...place(at) };
    }
    binary(level) {
        if (level === LEVELS.length) return this.unary();
        let left = this.binary(level + 1);
        while (LEVELS[level].includes(this.token.text) && this.token.kind === 'sign') {
            const at = this.tokens[this.at++];
            left = { kind: 'binary', sign: at.text, left, right: this.binary(level + 1), ...place(at) };
        }
        return left;
    }
    unary() {
        const at = this.token;
        if ((this.depth = (this.depth || 0) + 1) > 500) refuse(at, 'too deep');
        const result = this.prefix(at);
        this.depth--;
        return result;
    }
    prefix(at) {
        if (at.kind === 'sign' && /^([-+!~*&]|\+\+|--)$/.test(at.text)) {
            this.at++;
            const of = this.unary();
            if (at.text === '&') {
                let base = of;
                while (base.kind === 'member' && !base.isArrow || base.kind === 'index') base = base.of;
                if (base.kind === 'name') this.taken?.add(base.name);
            }
            return { kind: 'unary', sign: at.text, of, ...place(at) };
        }
        const type = this.typeInside();
        if (type) {
            if (this.is('{')) lacks(this.token, 'a compound literal is');
            return { kind: 'cast', type, of: this.unary(), ...place(at) };
        }
        if (!this.next('sizeof')) return this.postfix();
        const of = this.typeInside();
        return { kind: 'sizeof', ...of ? { type: of } : { of: this.unary() }, ...place(at) };
    }
    typeInside() {    // (int *)
        if (!this.is('(') || !this.isType(this.tokens[this.at + 1])) return null;
        this.at++;
        const type = this.stars(this.specifiers().type);
        this.need(')');
        return type;
    }
    postfix() {
        let of = this.primary();
        for (;;) {
            const at = this.token;
            if (this.next('[')) { of = { kind: 'index', of, index: this.expression(), ...place(of) }; this.need(']'); }
            else if (this.next('.') || this.next('->')) of = { kind: 'member', of, isArrow: at.text === '->', name: this.name().text, ...place(of) };
            else if (this.next('++') || this.next('--')) of = { kind: 'after', sign: at.text, of, ...place(at) };
            else if (at.text === '<<<') lacks(at, 'kernels that launch kernels are');
            else return of;
        }
    }
    primary() {
        const token = this.token;
        this.at++;
        if (token.text === '(') { const inside = this.expression(); this.need(')'); return inside; }
        if (token.kind === 'number') return number(token);
        if (token.kind === 'text' && token.text[0] === "'" && token.text.length === 3) return { kind: 'number', value: token.text.charCodeAt(1), type: types.char, ...place(token) };
        if (token.kind !== 'name') lacks(token, `${token.text} is`);
        if (token.text in KEYWORDS) lacks(token, KEYWORDS[token.text]);
        if (token.text === 'true' || token.text === 'false') return { kind: 'number', value: token.text === 'true' ? 1 : 0, type: BOOL, ...place(token) };
        if (this.next('(')) {
            if (/^(printf|assert)$/.test(token.text)) lacks(token, `${token.text}() is`);
            const list = this.until(')', () => this.assignment());
            if (/^__(syncthreads|syncwarp)/.test(token.text) && this.current) this.current[token.text] = true;
            if (this.current) (this.current.calls ||= new Set()).add(token.text);
            return { kind: 'call', name: token.text, list, ...place(token) };
        }
        const known = this.lookup(token.text);
        if (known) return { kind: 'number', ...known, ...place(token) };
        return { kind: 'name', name: token.text, ...place(token) };
    }
    lookup(name) {
        for (let i = this.constants.length; i--;) if (this.constants[i].has(name)) return this.constants[i].get(name);
    }
    folded(e) { try { return this.constant(e); } catch (problem) { if (problem instanceof Refusal) return undefined; throw problem; } }
    constant(e) {
        const machine = { mistake: () => refuse(e, 'a constant expected') };
        const node = new Compiler({ functions: new Map(), globals: new Map() }, machine, { lanes: 1 }).value(e);
        if (!node.isConstant) refuse(e, 'a constant expected');
        return node.get(1)[0];
    }
}
const place = at => ({ line: at.line, column: at.column });
function number(token) {
    const text = token.text, isHex = /^0x/i.test(text), suffix = /[a-z]*$/i.exec(isHex ? text.replace(/^0x[\da-f]*/i, '') : text)[0].toLowerCase();
    if (!isHex && /[.e]/i.test(text) || !isHex && suffix.includes('f')) {
        const value = parseFloat(text);
        return suffix.includes('f') ? { kind: 'number', value: Math.fround(value), type: FLOAT, ...place(token) } : { kind: 'number', value, type: DOUBLE, ...place(token) };
    }
    const digits = text.replace(isHex ? /[ul]+$/i : /[a-z]+$/i, ''), value = BigInt(!isHex && /^0\d/.test(digits) ? '0o' + digits.slice(1) : digits);
    if (value >= 2n ** 64n) refuse(token, 'a number of more than 64 bits');
    const isUnsigned = suffix.includes('u'), isLong = suffix.includes('l'), hex = isHex || /^0\d/.test(digits);
    const type = !isLong && !isUnsigned && value < 2n ** 31n ? INT : !isLong && (isUnsigned || hex) && value < 2n ** 32n ? UNSIGNED
        : !isUnsigned && value < 2n ** 63n ? LONG : SIZE;
    return { kind: 'number', value: exact(value), type, ...place(token) };
}

// ---- From the text to functions of a mask ----------------------------------------------------------
// A node has a type and get(mask), which returns the 32 values of the lanes (of a struct, a list of
// such). What can be stored to has also put(mask, values), or an address(mask) in memory. A warp has
// functions of its own, so that its variables wait where it waits for others.
const each = (mask, f) => { for (let lane = 0; mask; lane++, mask >>>= 1) if (mask & 1) f(lane); };
const low = mask => 31 - Math.clz32(mask & -mask);    // its first lane
const count = mask => { let n = 0; for (; mask; mask &= mask - 1) n++; return n; };
const isScalar = t => isNumber(t) || t.kind === 'pointer';
const REAL = { sqrt: Math.sqrt, fabs: Math.abs, floor: Math.floor, ceil: Math.ceil, trunc: Math.trunc, exp: Math.exp, log: Math.log, sin: Math.sin,
    cos: Math.cos, tanh: Math.tanh, rsqrt: v => 1 / Math.sqrt(v), pow: (a, b) => a ** b, fmod: (a, b) => a % b, fma: fusedFloat,
    fmin: (a, b) => a !== a ? b : b !== b ? a : Math.min(a, b), fmax: (a, b) => a !== a ? b : b !== b ? a : Math.max(a, b) };
const ATOMIC = { Add: (a, b) => a + b, Sub: (a, b) => a - b, Min: (a, b) => b < a ? b : a, Max: (a, b) => b > a ? b : a, Exch: (a, b) => b,
    And: (a, b) => a & b, Or: (a, b) => a | b, Xor: (a, b) => a ^ b, CAS: (a, b, c) => a === b ? c : a };

const needs = (call, n) => { if (call.list.length !== n) refuse(call, `${call.name} has ${n} parameters, not ${call.list.length}`); };

class Compiler {
    constructor(program, machine, warp) {
        Object.assign(this, { program, machine, warp, scopes: [new Map()], open: [], hoisted: null, loops: [], localBytes: 0 });
    }
    node(type, get, more) { return { type, get, ...more }; }
    fixed(type, values) { return this.node(type, () => values, { isConstant: true }); }
    number(type, value) { const all = make(type); all.fill(value); return this.fixed(type, all); }
    // In each lane what f makes of the values of up to three nodes there.
    map(type, [a, b, c], f) {
        const out = make(type);
        return this.node(type, mask => { const x = a.get(mask), y = b?.get(mask), z = c?.get(mask); for (let i = 0; i < LANES; i++) out[i] = f(x[i], y?.[i], z?.[i]); return out; });
    }
    find(name) { for (let i = this.scopes.length; i--;) if (this.scopes[i].has(name)) return this.scopes[i].get(name); }

    // ---- Conversions and arithmetic
    convert(node, type, at, isCast = false) {
        const from = node.type;
        if (from.kind === 'array') return this.convert(this.decayed(node), type, at, isCast);
        if (from.name === type.name && from.kind === type.kind) return node;
        if (type.kind === 'void') return node;
        const pointers = (from.kind === 'pointer') + (type.kind === 'pointer');
        if (pointers === 2 && (isCast || from.to.kind === 'void' || type.to.kind === 'void' || from.to.name === type.to.name)) return { ...node, type };
        if (pointers === 1 && type.name === 'bool') { /* a test */ }
        else if (pointers === 1 && !(isCast && (from.size === 8 && isNumber(from) || type.size === 8 && isNumber(type))) && !(node.isConstant && node.get(1)[0] === 0))
            refuse(at, `${from.name} where ${type.name} is needed`);
        else if (pointers === 2 || !isScalar(from) || !isScalar(type)) refuse(at, `${from.name} where ${type.name} is needed`);
        const change = converter(from.kind === 'pointer' ? SIZE : from, type.kind === 'pointer' ? SIZE : type), out = make(type);
        const get = mask => { const x = node.get(mask); for (let i = 0; i < LANES; i++) out[i] = change(x[i]); return out; };
        return this.folded(this.node(type, get), node);
    }
    folded(node, ...of) {
        if (!of.every(o => o.isConstant)) return node;
        return this.fixed(node.type, node.get(-1).slice());
    }
    arithmetic(sign, a, b, at) {
        a = this.decayed(a); b = this.decayed(b);
        const ordered = LEVELS[5].includes(sign) || LEVELS[6].includes(sign);
        if (a.type.kind === 'pointer' || b.type.kind === 'pointer') return this.pointers(sign, a, b, at, ordered);
        if (!isNumber(a.type) || !isNumber(b.type)) refuse(at, `${sign} between ${a.type.name} and ${b.type.name}`);
        const isShift = sign === '<<' || sign === '>>';
        const type = isShift ? promoted(a.type) : common(a.type, b.type);
        if (type.kind === 'real' && '% & | ^ << >>'.split(' ').includes(sign)) refuse(at, `${sign} between ${a.type.name} and ${b.type.name}`);
        const x = this.convert(a, type, at), y = this.convert(b, isShift ? INT : type, at);
        const result = ordered ? INT : type, out = make(result);
        if (type.name === 'float' && (sign === '+' || sign === '-') && (x.factors || y.factors) && this.program.fuses !== false)
            return this.fused(sign, x, y);
        const f = operation(sign, type), died = type.kind === 'int' && (sign === '/' || sign === '%');
        const get = mask => {
            const p = x.get(mask), q = y.get(mask);
            if (died) for (let i = 0; i < LANES; i++) if (mask >>> i & 1 && q[i] === 0) this.machine.mistake({ kind: 'kernel died', at, lane: i, warp: this.warp, detail: 'integer division by zero' }, true);
            for (let i = 0; i < LANES; i++) out[i] = f(p[i], q[i]);
            return out;
        };
        return this.folded(this.node(result, get, sign === '*' && type.name === 'float' ? { factors: [x, y] } : {}), x, y);
    }
    // nvcc makes one rounding of a multiplication and an addition; so does cudacc.
    fused(sign, x, y) {
        const left = Boolean(x.factors), [p, q] = (left ? x : y).factors, rest = left ? y : x;
        const less = sign === '-' ? -1 : 1, productSign = left ? 1 : less, restSign = left ? less : 1;
        return this.map(FLOAT, [p, q, rest], (a, b, c) => fusedFloat(productSign * a, b, restSign * c));
    }
    pointers(sign, a, b, at, ordered) {
        if (ordered) {
            const x = this.convert(a, a.type.kind === 'pointer' ? a.type : b.type, at), y = this.convert(b, a.type.kind === 'pointer' ? pointer(types.void) : b.type, at);
            return this.map(INT, [x, y], operation(sign, SIZE));
        }
        if (sign === '-' && b.type.kind === 'pointer' && a.type.kind === 'pointer') {
            const size = a.type.to.size;
            return this.map(LONG, [a, b], (p, q) => Math.trunc((p - q) / size) + 0);
        }
        if (sign === '+' && b.type.kind === 'pointer') [a, b] = [b, a];
        if ((sign !== '+' && sign !== '-') || b.type.kind !== 'int') refuse(at, `${sign} between ${a.type.name} and ${b.type.name}`);
        const step = a.type.to.size * (sign === '-' ? -1 : 1), far = v => typeof v === 'number' ? v : Number(BigInt.asIntN(64, v));
        return this.map(a.type, [a, b], (p, q) => p + far(q) * step);
    }
    truth(node, at) { return this.convert(this.decayed(node), BOOL, at); }
    // The lanes of a mask for which it holds.
    test(node, at) {
        const t = this.truth(node, at);
        return mask => { const x = t.get(mask); let yes = 0; for (let i = 0; i < LANES; i++) if (x[i]) yes |= 1 << i; return yes & mask; };
    }

    // ---- Memory
    at(type, address, more) {    // what lies at an address
        if (type.kind === 'array') return this.node(type, () => refuse(more.site, 'an array is no value'), { address, ...more });
        const parts = this.machine.pieces(type), out = type.kind === 'struct' ? leaves(type).map(l => make(l.type)) : [make(type)];
        const get = mask => { this.machine.load(this.warp, more.site, type, parts, address(mask), mask, out); return type.kind === 'struct' ? out : out[0]; };
        const put = (mask, values, where = address(mask)) => this.machine.store(this.warp, more.site, type, parts, where, mask, type.kind === 'struct' ? values : [values]);
        return this.node(type, get, { put, address, ...more });
    }
    decayed(node) {
        if (node.type.kind !== 'array') return node;
        if (!node.address) refuse(node.site || {}, 'this array has no address');
        return this.node(pointer(node.type.of), node.address, { site: node.site });
    }
    variable(type, isMemory, at) {
        if (type.kind === 'array' || isMemory) {
            const align = Math.max(type.align, 4), offset = Math.ceil(this.localBytes / align) * align;
            this.localBytes = offset + type.size;
            if (this.localBytes > this.machine.LOCAL_BYTES) refuse(at, 'too many local variables');
            const where = Array.from({ length: LANES }, (_, lane) => this.machine.LOCAL + lane * this.machine.LOCAL_BYTES + offset);
            return this.at(type, () => where, { site: at });
        }
        if (type.kind === 'struct') {
            const all = leaves(type).map(l => make(l.type));
            return this.node(type, () => all, { put: (mask, values) => all.forEach((to, k) => each(mask, i => { to[i] = values[k][i]; })), registers: all });
        }
        const all = make(type);
        return this.node(type, () => all, { put: (mask, values) => { for (let i = 0; i < LANES; i++) if (mask >>> i & 1) all[i] = values[i]; } });
    }
    copied(node) {    // its values, which do not change with it
        const copy = v => v.slice();
        return this.node(node.type, mask => node.type.kind === 'struct' ? node.get(mask).map(copy) : copy(node.get(mask)));
    }

    // ---- Expressions
    value(e) { return e.kind === 'number' ? this.number(e.type, e.value) : this[e.kind](e); }
    name(e) {
        const known = this.find(e.name);
        if (known) return known.address ? this.at(known.type, known.address, { site: e }) : known;
        if (this.warp.builtins?.[e.name]) return this.warp.builtins[e.name];
        const global = this.program.globals.get(e.name);
        if (global) { const all = Array(LANES).fill(this.machine.addressOf(e.name)); return this.at(global.type, () => all, { site: e }); }
        refuse(e, this.program.functions.has(e.name) ? `${e.name} is a function: pointers to functions are not understood here` : `${e.name} is not known here`);
    }
    comma(e) { const a = this.value(e.left), b = this.value(e.right); return this.node(b.type, mask => { a.get(mask); return b.get(mask); }); }
    cast(e) { return this.convert(this.value(e.of), e.type, e, true); }
    sizeof(e) { return this.number(SIZE, (e.type || this.value(e.of).type).size); }
    list(e) { refuse(e, 'a list in braces is understood only where a variable is declared'); }
    unary(e) {
        if (e.sign === '++' || e.sign === '--') return this.after(e, false);
        const a = this.value(e.of);
        if (e.sign === '&') {
            if (!a.address) refuse(e, '& needs something in memory');
            return this.node(pointer(a.type), a.address);
        }
        if (e.sign === '*') return this.pointed(this.decayed(a), e);
        if (e.sign === '!') return this.arithmetic('==', this.truth(a, e), this.number(INT, 0), e);
        if (!isNumber(a.type) || (e.sign === '~' && a.type.kind === 'real')) refuse(e, `${e.sign} of ${a.type.name}`);
        const x = this.convert(a, promoted(a.type), e);
        if (e.sign === '+') return x;
        if (e.sign === '~') return this.arithmetic('^', x, this.number(INT, -1), e);
        if (x.type.kind === 'int') return this.arithmetic('-', this.number(x.type, 0), x, e);
        return this.folded(this.map(x.type, [x], v => -v), x);
    }
    pointed(p, at) {
        if (p.type.kind !== 'pointer') refuse(at, `${p.type.name} is no pointer`);
        if (p.type.to.kind === 'void') refuse(at, 'a void pointer leads to nothing');
        return this.at(p.type.to, p.get, { site: at });
    }
    index(e) {
        const a = this.decayed(this.value(e.of)), b = this.value(e.index);
        if (a.type.kind !== 'pointer') refuse(e, `${a.type.name} is no array`);
        return this.pointed(this.arithmetic('+', a, b, e), e);
    }
    member(e) {
        const of = e.isArrow ? this.pointed(this.decayed(this.value(e.of)), e) : this.value(e.of);
        const t = of.type, at = t.kind === 'struct' ? t.fields.findIndex(f => f.name === e.name) : -1;
        if (at < 0) refuse(e, `${t.name} has no ${e.name}`);
        const field = t.fields[at], type = t.isVolatile ? volatileOf(field.type) : field.type;
        if (of.address) {
            const out = Array(LANES).fill(0);
            return this.at(type, mask => { const p = of.address(mask); for (let i = 0; i < LANES; i++) out[i] = p[i] + field.at; return out; }, { site: e, within: t });
        }
        const first = t.fields.slice(0, at).reduce((sum, f) => sum + leaves(f.type).length, 0), many = leaves(type).length;
        const part = all => type.kind === 'struct' ? all.slice(first, first + many) : all[first];
        if (type.kind === 'array') lacks(e, 'an array in a struct that is a value is');
        return this.node(type, mask => part(of.get(mask)), of.registers && { registers: type.kind === 'struct' ? part(of.registers) : undefined, put: (mask, values) => {
            const to = of.registers.slice(first, first + many), from = type.kind === 'struct' ? values : [values];
            each(mask, i => to.forEach((array, k) => { array[i] = from[k][i]; }));
        } });
    }
    binary(e) {
        if (e.sign !== '&&' && e.sign !== '||') return this.arithmetic(e.sign, this.value(e.left), this.value(e.right), e);
        const a = this.test(this.value(e.left), e), b = this.test(this.within(() => this.value(e.right)), e), out = make(INT), isAnd = e.sign === '&&';
        return this.node(INT, mask => {
            const yes = a(mask), rest = isAnd ? yes : mask & ~yes, more = rest ? this.apart(() => b(rest)) : 0, all = isAnd ? more : yes | more;
            for (let i = 0; i < LANES; i++) out[i] = all >>> i & 1;
            return out;
        });
    }
    choose(e) {
        const test = this.test(this.value(e.test), e), yes = this.decayed(this.within(() => this.value(e.yes))), no = this.decayed(this.within(() => this.value(e.no)));
        const type = isNumber(yes.type) && isNumber(no.type) ? yes.type.name === no.type.name ? yes.type : common(yes.type, no.type)
            : yes.type.kind === 'pointer' || no.type.kind !== 'pointer' ? yes.type : no.type;
        const a = this.convert(yes, type, e), b = this.convert(no, type, e);
        const out = type.kind === 'struct' ? leaves(type).map(l => make(l.type)) : make(type);
        const copy = (from, mask) => type.kind === 'struct' ? out.forEach((to, k) => each(mask, i => { to[i] = from[k][i]; })) : each(mask, i => { out[i] = from[i]; });
        return this.node(type, mask => {
            const t = test(mask), f = mask & ~t;
            if (t) this.apart(() => copy(a.get(t), t));
            if (f) this.apart(() => copy(b.get(f), f));
            return out;
        });
    }
    // What a branch has loaded is not known after it.
    apart(f) { this.warp.depth++; const result = f(); this.forget(); return result; }
    forget() { const { warp } = this; warp.known = warp.known.filter(k => k.depth < warp.depth); warp.depth--; }
    // Where not all lanes come, no block can wait.
    within(f) { const hoisted = this.hoisted; this.hoisted = null; const result = f(); this.hoisted = hoisted; return result; }
    assign(e) {
        if (e.sign !== '=') return this.changed(e);
        const to = this.value(e.left);
        if (!to.put) refuse(e, 'nothing can be stored there');
        if (e.right.kind === 'list') this.list(e.right);
        const from = this.convert(this.value(e.right), to.type, e.sign_at || e);
        return this.node(to.type, mask => { const values = from.get(mask); to.put(mask, values); return values; });
    }
    // a += b: the address is computed once.
    changed(e, isOld = false) {
        const to = this.value(e.left);
        if (!to.put || !isScalar(to.type)) refuse(e, 'nothing can be stored there');
        let where;
        const before = to.address ? this.at(to.type, () => where, { site: to.site }) : to;
        const old = isOld ? this.copied(before) : before;
        let saved;
        const kept = this.node(old.type, mask => saved = old.get(mask));
        const sum = this.convert(this.arithmetic(e.sign.slice(0, -1), kept, this.value(e.right), e), to.type, e, true);
        return this.node(to.type, mask => {
            if (to.address) where = to.address(mask).slice();
            const values = sum.get(mask);
            to.put(mask, values, where);
            return isOld ? saved : values;
        });
    }
    after(e, isOld = true) { return this.changed({ ...e, sign: e.sign[0] + '=', left: e.of, right: { kind: 'number', value: 1, type: INT } }, isOld); }

    // ---- Calls
    call(e) {
        const f = this.program.functions.get(e.name), args = () => e.list.map(a => this.value(a));
        if (f) return this.inlined(e, f, args());
        const builtin = this.builtin(e, args);
        if (builtin) return builtin;
        refuse(e, /^__syncthreads|^__syncwarp/.test(e.name) ? `${e.name}() stands for itself: it has no value here` : `${e.name}() is not understood here`);
    }
    inlined(e, f, args) {
        if (f.isKernel) refuse(e, `${f.name} is a kernel: a kernel cannot call it`);
        if (this.open.includes(f)) lacks(e, `${f.name} calls itself: recursion is`);
        needs(e, f.parameters.length);
        const values = f.parameters.map((p, k) => this.convert(args[k], p.type, e.list[k]));
        const run = this.body(f), waits = this.waits(f);
        const get = mask => { const step = run(values.map(v => v.get(mask)), mask).next(); if (!step.done) refuse(e, 'a barrier in an expression'); return run.result; };
        if (!waits) return this.node(f.type, get);
        if (!this.hoisted) refuse(e, `${f.name} waits at a barrier: call it in a statement of its own`);
        this.hoisted.push(function* (mask) { yield* run(values.map(v => v.get(mask)), mask); });
        return this.node(f.type, () => run.result);
    }
    waits(f, seen = new Set()) {
        if (seen.has(f)) return false;
        seen.add(f);
        return Boolean(f.__syncthreads) || [...f.calls || []].some(name => this.program.functions.has(name) && this.waits(this.program.functions.get(name), seen));
    }
    // A function: run(values of the parameters, mask) as a generator that yields at barriers.
    body(f) {
        const scopes = this.scopes, loops = this.loops, hoisted = this.hoisted;
        const frame = { returned: 0, value: f.type.kind === 'void' ? null : this.variable(f.type, false, f) };
        this.scopes = [new Map()];
        this.loops = [];
        this.open.push(f);
        const outer = this.frame;
        this.frame = frame;
        frame.of = f;
        const parameters = f.parameters.map(p => {
            const v = this.variable(p.type, f.taken.has(p.name), f);
            this.scopes[0].set(p.name, v);
            return v;
        });
        const body = this.statement(f.body);
        this.open.pop();
        Object.assign(this, { scopes, loops, hoisted, frame: outer });
        const run = function* (values, mask) {
            parameters.forEach((p, k) => p.put(mask, values[k]));
            frame.returned = 0;
            const end = yield* body(mask);
            return end | frame.returned;
        };
        Object.defineProperty(run, 'result', { get: () => frame.value ? frame.value.get(-1) : null });
        return run;
    }
    builtin(e, args) {
        const name = e.name, self = this;
        const need = n => { needs(e, n); return args(); };
        const numbers = (type, list, f) => this.map(type, list.map(a => this.convert(a, type, e)), f);
        let found;
        if (/^make_/.test(name) && vectors[name.slice(5)]) {
            const type = vectors[name.slice(5)], list = need(type.fields.length).map((a, k) => this.convert(a, type.fields[k].type, e)), out = list.map(a => make(a.type));
            return this.node(type, mask => { list.forEach((a, k) => { const v = a.get(mask); for (let i = 0; i < LANES; i++) out[k][i] = v[i]; }); return out; });
        }
        if (name === 'min' || name === 'max') {
            const [a, b] = need(2), type = common(a.type, b.type);
            return numbers(type, [a, b], type.kind === 'real' ? REAL['f' + name] : name === 'min' ? (x, y) => y < x ? y : x : (x, y) => y > x ? y : x);
        }
        if (name === 'abs') { const [a] = need(1); return numbers(promoted(a.type), [a], v => v < 0 ? -v : v); }
        const real = REAL[name] ? name : name.endsWith('f') && REAL[name.slice(0, -1)] ? name.slice(0, -1) : null;
        if (real) {
            if (real === 'fma' && name === 'fma') lacks(e, 'fma() is', '; fmaf() is');
            const list = need(REAL[real].length), type = name === real && list.some(a => a.type.name !== 'float') ? DOUBLE : FLOAT;
            return numbers(type, list, REAL[real]);
        }
        if (name === '__ldg') { const [p] = need(1); return this.pointed(this.decayed(p), e); }
        if (name === '__popc') { const [a] = need(1); return this.map(INT, [this.convert(a, UNSIGNED, e)], count); }
        if ((found = /^__shfl(|_up|_down|_xor)_sync$/.exec(name))) return this.shuffle(e, found[1], args());
        if ((found = /^__(ballot|any|all)_sync$/.exec(name))) {
            const [m, p] = need(2), who = this.convert(m, UNSIGNED, e), test = this.test(p, e), out = make(name === '__ballot_sync' ? UNSIGNED : INT);
            return this.node(name === '__ballot_sync' ? UNSIGNED : INT, mask => {
                self.together(e, mask, who.get(mask));
                const yes = test(mask);
                return out.fill(found[1] === 'ballot' ? yes : found[1] === 'any' ? yes !== 0 : yes === mask);
            });
        }
        if ((found = /^atomic(\w+)$/.exec(name)) && ATOMIC[found[1]]) {
            const f = ATOMIC[found[1]], list = need(found[1] === 'CAS' ? 3 : 2), p = this.decayed(list[0]);
            if (p.type.kind !== 'pointer' || !isNumber(p.type.to) || p.type.to.size < 4 || (p.type.to.kind === 'real' && !/^(Add|Exch)$/.test(found[1]))) refuse(e, `${name} of ${p.type.name}`);
            const type = p.type.to, values = list.slice(1).map(a => this.convert(a, type, e)), out = make(type);
            const wide = { Add: '+', Sub: '-', And: '&', Or: '|', Xor: '^' }[found[1]], apply = type.size === 8 && type.kind === 'int' && wide ? operation(wide, type) : f;
            return this.node(type, mask => { const where = p.get(mask); self.machine.atomic(self.warp, e, type, where, mask, values.map(v => v.get(mask)), apply, out); return out; });
        }
        return null;
    }
    // A warp function: the lanes that its mask names must be here.
    together(e, mask, who) {
        const warp = this.warp, first = who[low(mask)] | 0, here = warp.lanes & ~(warp.gone | 0);
        warp.known.length = 0;
        each(mask, i => { if (!(who[i] >>> i & 1)) this.machine.mistake({ kind: 'misused warp function', at: e, lane: i, warp, detail: 'the mask does not name the thread itself' }, true); });
        if (first & here & ~mask) this.machine.mistake({ kind: 'misused warp function', at: e, lane: low(mask), warp,
            detail: `its mask names lane ${low(first & here & ~mask)}, which is not there` }, true);
    }
    shuffle(e, how, list) {
        if (list.length < 3 || list.length > 4) refuse(e, `${e.name} has 3 or 4 parameters, not ${list.length}`);
        const who = this.convert(list[0], UNSIGNED, e), x = list[1], by = this.convert(list[2], INT, e), width = this.convert(list[3] || this.number(INT, 32), INT, e);
        if (!isNumber(x.type) || x.type.size < 4) refuse(e, `${e.name} of ${x.type.name}`);
        const out = make(x.type);
        return this.node(x.type, mask => {
            const v = x.get(mask).slice(), d = by.get(mask), w = width.get(mask);
            this.together(e, mask, who.get(mask));
            each(mask, i => {
                const size = w[i], base = i & ~(size - 1);
                let from = how === '' ? base + (d[i] & size - 1) : how === '_up' ? i - d[i] : how === '_down' ? i + d[i] : i ^ d[i];
                if (how === '_up' ? from < base : how !== '' && from >= base + size) from = i;
                out[i] = mask >>> from & 1 ? v[from] : v[i];
            });
            return out;
        });
    }

    // ---- Statements: generators of the lanes that come to their end
    statement(s) {
        const machine = this.machine, self = this;
        switch (s.kind) {
        case 'block': {
            this.scopes.push(new Map());
            const list = s.list.map(one => this.statement(one));
            this.scopes.pop();
            return function* (mask) {
                for (let i = 0; i < list.length && mask; i++) mask = yield* list[i](mask);
                return mask;
            };
        }
        case 'declare': {
            const list = s.list.flatMap(one => this.declare(one));
            return function* (mask) { for (const one of list) yield* one(mask); return mask; };
        }
        case 'expression': {
            const called = s.value.kind === 'call' && s.value.name;
            if (called === '__syncthreads' && !s.value.list.length)
                return function* (mask) { yield { at: s, mask }; return mask; };
            if (called === '__syncwarp') {
                const who = s.value.list.length ? this.convert(this.value(s.value.list[0]), UNSIGNED, s) : this.number(UNSIGNED, 0xffffffff);
                return function* (mask) { self.together(s, mask, who.get(mask)); machine.orderWarp(self.warp); return mask; };
            }
            const [before, value] = this.hoisting(() => this.value(s.value));
            return function* (mask) { machine.step(s); for (const one of before) yield* one(mask); value.get(mask); return mask; };
        }
        case 'if': {
            const [before, node] = this.hoisting(() => this.value(s.test)), test = this.test(node, s.test);
            const yes = this.statement(s.yes), no = s.no && this.statement(s.no);
            return function* (mask) {
                for (const one of before) yield* one(mask);
                const t = test(mask), f = mask & ~t;
                const a = t ? yield* self.arm(yes, t) : 0;
                return a | (f && no ? yield* self.arm(no, f) : f);
            };
        }
        case 'loop': {
            const loop = { left: 0, again: 0 };
            this.loops.push(loop);
            this.scopes.push(new Map());
            const test = s.test ? this.test(this.within(() => this.value(s.test)), s.test) : mask => mask, step = s.step && this.within(() => this.value(s.step));
            const body = this.statement(s.body);
            this.scopes.pop();
            this.loops.pop();
            return function* (mask) {
                let done = 0, first = s.isDo;
                const { left, again } = loop;
                self.warp.depth++;
                loop.left = loop.again = 0;
                while (mask) {
                    machine.step(s);
                    if (!first) {
                        const t = test(mask);
                        done |= mask & ~t;
                        mask = t;
                        if (!mask) break;
                    }
                    first = false;
                    mask = (yield* body(mask)) | loop.again;
                    loop.again = 0;
                    if (step && mask) step.get(mask);
                }
                done |= loop.left;
                self.forget();
                Object.assign(loop, { left, again });
                return done;
            };
        }
        case 'break': case 'continue': {
            const loop = this.loops[this.loops.length - 1], where = s.kind === 'break' ? 'left' : 'again';
            if (!loop) refuse(s, `${s.kind} outside of a loop`);
            return function* (mask) { loop[where] |= mask; return 0; };
        }
        case 'return': {
            const frame = this.frame, f = frame.of;
            if (Boolean(s.value) !== Boolean(frame.value)) refuse(s, `${f.name} returns ${f.type.kind === 'void' ? 'nothing' : f.type.name}`);
            const [before, node] = s.value ? this.hoisting(() => this.convert(this.value(s.value), f.type, s)) : [[], null], isKernel = f.isKernel;
            return function* (mask) {
                for (const one of before) yield* one(mask);
                if (node) frame.value.put(mask, node.get(mask));
                frame.returned |= mask;
                if (isKernel) self.warp.gone |= mask;
                return 0;
            };
        }
        }
    }
    *arm(run, mask) {
        this.warp.depth++;
        mask = yield* run(mask);
        this.forget();
        return mask;
    }
    hoisting(f) {
        const outer = this.hoisted, mine = this.hoisted = [], node = f();
        this.hoisted = outer;
        return [mine, node];
    }
    declare(d) {
        const scope = this.scopes[this.scopes.length - 1], machine = this.machine;
        if (d.isShared) {
            const v = machine.sharedVariable(d), all = Array(LANES).fill(v.base);
            scope.set(d.name, this.at(d.type, () => all, { site: d }));
            return [];
        }
        // An initializer is evaluated before its name is known.
        const isList = d.init && d.init.kind === 'list';
        const [before, init] = d.init && !isList ? this.hoisting(() => this.convert(this.value(d.init), d.type, d)) : [[], null];
        const v = this.variable(d.type, this.frame.of.taken.has(d.name), d);
        scope.set(d.name, v);
        if (!d.init) return [];
        if (!isList) return [function* (mask) { machine.step(d); for (const one of before) yield* one(mask); v.put(mask, init.get(mask)); }];
        const stores = [];
        this.fill(v, d.type, d.init, stores);
        return [function* (mask) { stores.forEach(store => store(mask)); }];
    }
    fill(to, type, list, stores) {    // a list in braces; what it does not name is 0
        const parts = type.kind === 'array' ? Array.from({ length: type.count }, (_, k) => ({ type: type.of, at: k * type.of.size }))
            : type.kind === 'struct' ? type.fields : refuse(list, `a list for ${type.name}`);
        if (list.list.length > parts.length) refuse(list, `${list.list.length} values for ${parts.length}`);
        parts.forEach((part, k) => {
            const e = list.list[k];
            let target;
            if (to.address) {
                const out = Array(LANES);
                target = this.at(part.type, mask => { const p = to.address(mask); for (let i = 0; i < LANES; i++) out[i] = p[i] + part.at; return out; }, { site: list });
            } else {
                const n = parts.slice(0, k).reduce((sum, p) => sum + leaves(p.type).length, 0);
                target = this.node(part.type, null, { put: (mask, v) => each(mask, i => { to.registers[n][i] = v[i]; }) });
            }
            if (part.type.kind === 'array' || (part.type.kind === 'struct' && (!e || e.kind === 'list'))) return this.fill(target, part.type, e || { kind: 'list', list: [], ...place(list) }, stores);
            const value = this.convert(e ? this.value(e) : this.number(INT, 0), part.type, e || list);
            stores.push(mask => target.put(mask, value.get(mask)));
        });
    }
}

// ---- What the page calls ---------------------------------------------------------------------------
const { Machine, hint, peek, wasteful, elementOf, inGrid, NAMES } = (typeof require === 'function' ? require('./requests.js') : CudaMemory)({ LANES, vectors, leaves, exact, each, count, low, refuse, Ended, Compiler });
function parse(text) {
    const program = new Parser(text), kernels = [...program.functions.values()].filter(f => f.isKernel);
    return { program, kernels: kernels.map(f => ({ name: f.name, parameters: f.parameters.map(p => ({ name: p.name, isPointer: p.type.kind === 'pointer', type: p.type.kind === 'pointer' ? p.type.to.name : p.type.name })) })) };
}
function valueOf(type, text, at) {
    let value = String(text).trim();
    if (type.kind === 'real') value = Number(value.replace(/f$/, ''));
    else try { value = BigInt(value); } catch (problem) { refuse(at, `${at.name} needs a whole number`); }
    if (type.kind === 'real' && !Number.isFinite(value)) refuse(at, `${at.name} needs a number`);
    const all = make(type);
    all.fill(type.size === 8 && type.kind === 'int' ? wrap64(value, type.signed) : Number(value));
    return all;
}
function run(text, options) {
    const { program } = parse(text), kernels = [...program.functions.values()].filter(f => f.isKernel);
    const kernel = options.kernel ? kernels.find(f => f.name === options.kernel) : kernels[0];
    if (!kernel) refuse({ line: 1, column: 1 }, options.kernel ? `there is no kernel ${options.kernel}` : 'there is no kernel: a function with __global__');
    const grid = [1, 1, 1].map((one, k) => options.grid[k] ?? one), block = [1, 1, 1].map((one, k) => options.block[k] ?? one), threads = block[0] * block[1] * block[2];
    if (![...grid, ...block].every(n => Number.isInteger(n) && n > 0)) refuse(kernel, 'grid and block need whole numbers from 1 on');
    if (threads > 1024 || block[2] > 64) refuse(kernel, `a block of ${threads} threads: 1024 are the most`);
    if (grid[0] * grid[1] * grid[2] * threads > 1 << 20) refuse(kernel, 'more than 1048576 threads: make the grid smaller');
    program.fuses = options.fuses;
    const machine = new Machine(program, kernel, { ...options, grid, block });
    for (const g of program.globals.values()) {
        let element = g.type, length = 1;
        while (element.kind === 'array') { length *= element.count; element = element.of; }
        machine.addGlobal(g.name, element, length, 'zero');
    }
    const arrays = [], values = kernel.parameters.map((p, k) => {
        const given = options.values[k] ?? {};
        const at = { ...place(kernel), name: p.name };
        if (p.type.kind !== 'pointer') {
            if (!isNumber(p.type)) lacks(at, `a parameter of type ${p.type.name} is`);
            return valueOf(p.type, given.value ?? 0, at);
        }
        if (!leaves(p.type.to).every(l => isNumber(l.type))) lacks(at, `a parameter of type ${p.type.name} is`);
        if (!(given.length > 0 && given.length * p.type.to.size <= 1 << 24)) refuse(at, `${p.name} needs a length, of at most 16 MiB`);
        const a = machine.addGlobal(p.name, p.type.to, given.length, given.fill || 'index');
        arrays.push(a);
        return Array(LANES).fill(a.base);
    });
    machine.launch(values);
    const rows = machine.lines().sort((a, b) => a.line - b.line || a.column - b.column);
    const someAreGood = rows.some(row => row.space === 'global' && !wasteful(row.sectors, row.ideal));
    for (const row of rows) row.hint = hint(row, block, someAreGood);
    return { rows, events: machine.events, isCut: Boolean(machine.isCut), ended: Boolean(machine.ended), mistakes: machine.mistakes, arrays, grid, block,
        warps: Math.ceil(threads / LANES), peek: (a, i) => leaves(a.type).map(l => peek(a.view, i * a.type.size + l.at, l.type)) };
}
return { parse, run, Refusal, elementOf, inGrid, NAMES };
})();
if (typeof module !== 'undefined') module.exports = Cuda;
