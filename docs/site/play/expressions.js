// SPDX-License-Identifier: MIT
// From tokens to a tree: expressions. parser.js has declarations and statements.
'use strict';
function cudaExpressions(cuda) {
const { refuse, lacks, types, INT, UNSIGNED, FLOAT, DOUBLE, BOOL, LONG, SIZE, AUTO, exact } = cuda;
const LEVELS = ['||', '&&', '|', '^', '&', '== !=', '< <= > >=', '<< >>', '+ -', '* / %'].map(s => s.split(' '));
const ASSIGN = ['=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>='];
const KEYWORDS = { asm: ['inline PTX is', 'the intrinsic, or C'], try: ['exceptions are'], throw: ['exceptions are'], union: ['unions are', '__float_as_int() and its relatives'],
    namespace: ['namespaces are', 'the names without it'], goto: ['goto is', 'a loop with break'], new: ['new is', 'an array with a length'], delete: ['delete is', 'an array with a length'],
    decltype: ['decltype is', 'the type itself'], wmma: ['wmma is'], cg: ['cooperative groups are', '__syncthreads(), __syncwarp(), __shfl_down_sync()'],
    cooperative_groups: ['cooperative groups are', '__syncthreads(), __syncwarp(), __shfl_down_sync()'], surface: ['surfaces are', 'an array'], cudaTextureObject_t: ['textures are', 'an array'], __nv_bfloat16: ['bfloat16 is', 'half or float'], __nv_bfloat162: ['bfloat16 is', 'half2 or float2'] };
const IGNORED = ['const', 'static', 'inline', '__inline__', '__inline', '__restrict__', '__restrict', 'restrict', '__forceinline__', '__noinline__', 'constexpr', '__host__', 'register', 'typename', '__grid_constant__', 'noexcept', 'mutable'];
const BASE = /^(unsigned|signed|int|long|short|char|bool|float|double|void)$/;
const CASTS = /^(static|reinterpret|const)_cast$/;
const place = at => ({ line: at.line, column: at.column });

class Expressions {
    get token() { return this.tokens[this.at] ?? this.tokens.at(-1); }
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
    skip(from, to) { for (let depth = 0; this.token.kind !== 'end';) { depth += this.is(from) ? 1 : this.is(to) ? -1 : 0; this.at++; if (!depth) return; } }
    closing() {    // > of a template, which may be part of >>
        if (!/^>>/.test(this.token.text)) { this.need('>'); return; }
        this.tokens[this.at] = { ...this.token, text: this.token.text.slice(1) };
    }

    expression() {
        let left = this.assignment();
        while (this.is(',')) { const at = this.need(','); left = { kind: 'comma', left, right: this.assignment(), ...place(at) }; }
        return left;
    }
    changes(e, kind = 'assigned') {    // the variable that an expression is (part of) may change
        while (e.kind === 'member' && !e.isArrow || e.kind === 'index') e = e.of;
        if (e.kind === 'choose') { this.changes(e.yes, kind); this.changes(e.no, kind); }
        if (e.kind === 'name') this[kind]?.add(e.name);
    }
    assignment() {
        const left = this.conditional(), sign = this.token;
        if (!ASSIGN.includes(sign.text) || sign.kind === 'text') return left;
        this.at++;
        this.changes(left);
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
        if ((this.depth = (this.depth || 0) + 1) > 400) refuse(at, 'too deep');
        const result = this.prefix(at);
        this.depth--;
        return result;
    }
    prefix(at) {
        if (at.kind === 'sign' && /^([-+!~*&]|\+\+|--)$/.test(at.text)) {
            this.at++;
            const of = this.unary();
            if (at.text === '&') this.changes(of, 'taken');
            if (at.text.length === 2) this.changes(of);
            return { kind: 'unary', sign: at.text, of, ...place(at) };
        }
        const type = this.typeInside();
        if (type) {
            if (this.is('{')) return { kind: 'construct', type, list: this.initializer().list, ...place(at) };
            return { kind: 'cast', type, of: this.unary(), ...place(at) };
        }
        if (!this.next('sizeof')) return this.postfix();
        const of = this.typeInside();
        return { kind: 'sizeof', ...of ? { type: of } : { of: this.unary() }, ...place(at) };
    }
    typeInside() {    // (int *)
        if (!this.is('(') || !this.isType(this.tokens[this.at + 1])) return null;
        const start = this.at++, type = this.stars(this.specifiers().type);
        if (this.next('&')) lacks(this.tokens[start], 'a cast to a reference is', 'a cast of the address: *(int *)&x');
        if (this.is('(') || this.is('{')) { this.at = start; return null; }    // (float(x) + 1)
        this.need(')');
        return type;
    }
    postfix() {
        let of = this.primary();
        for (;;) {
            const at = this.token;
            if (this.next('[')) { of = { kind: 'index', of, index: this.expression(), ...place(of) }; this.need(']'); }
            else if (this.next('.') || this.next('->')) {
                of = { kind: 'member', of, isArrow: at.text === '->', name: this.name().text, ...place(of) };
                const known = of.of.kind === 'name' && this.lookup(`${of.of.name}.${of.name}`);    // block.x, in the host's part
                if (known) of = { kind: 'number', ...known, ...place(at) };
                if (known || !this.next('(')) continue;
                this.changes(of.of);
                of = { kind: 'call', self: of.of, isArrow: of.isArrow, name: of.name, list: this.until(')', () => this.assignment()), ...place(of) };
                of.list.forEach(one => this.changes(one));
            }
            else if (this.next('++') || this.next('--')) { this.changes(of); of = { kind: 'after', sign: at.text, of, ...place(at) }; }
            else if (at.text === '<<<') lacks(at, 'kernels that launch kernels are', 'one kernel, launched from the host');
            else return of;
        }
    }
    primary() {
        const token = this.token;
        this.at++;
        if (token.text === '(') { const inside = this.expression(); this.need(')'); return inside; }
        if (token.kind === 'number') return number(token);
        if (token.kind === 'text') return this.textual(token);
        if (token.text === '[') return this.lambda(token);
        if (token.kind !== 'name') lacks(token, `${token.text} is`);
        if (token.text === 'true' || token.text === 'false') return { kind: 'number', value: token.text === 'true' ? 1 : 0, type: BOOL, ...place(token) };
        if (CASTS.test(token.text)) {
            this.need('<');
            const type = this.stars(this.specifiers().type);
            this.closing();
            return { kind: 'cast', type, of: this.test(), ...place(token) };
        }
        if (this.is('::') && token.text === 'std') { this.at++; return this.primary(); }
        if (this.isType(token) && token.text !== 'auto') {    // float(x), float4{...}
            this.at--;
            const { type } = this.specifiers(), end = this.is('{') ? '}' : (this.is('(') || this.need('('), ')');
            this.at++;
            return { kind: 'construct', type, list: this.until(end, () => this.initializer()), ...place(token) };
        }
        if (Object.hasOwn(KEYWORDS, token.text) && !this.hidden?.has(token.text)) lacks(token, ...KEYWORDS[token.text]);
        if (this.is('::')) lacks(token, `${token.text}:: is`, 'the name without it');
        const f = this.functions.get(token.text), given = f?.template && this.is('<') ? this.given(f) : undefined;
        if (this.next('(')) {
            const list = this.until(')', () => this.assignment());
            if (f || this.hidden?.has(token.text)) list.forEach(one => this.changes(one));
            return { kind: 'call', name: token.text, list, given, ...place(token) };
        }
        const known = this.lookup(token.text);
        if (known) return { kind: 'number', ...known, ...place(token) };
        return { kind: 'name', name: token.text, ...place(token) };
    }
    given(f) {    // <float, 256>
        const list = [];
        this.need('<');
        while (!/^>/.test(this.token.text)) {
            list.push(this.isType() ? { type: this.stars(this.specifiers().type) } : { value: this.constant(this.binary(8)) });
            this.next(',');
        }
        this.closing();
        return list;
    }
    textual(token) {
        const plain = text => text.replace(/\\(x[\da-f]+|[0-7]{1,3}|.)/gi, (_, c) => ({ n: '\n', t: '\t', r: '\r', a: '\x07' })[c] ?? (/^x/.test(c) ? String.fromCharCode(parseInt(c.slice(1), 16)) : /^\d/.test(c) ? String.fromCharCode(parseInt(c, 8)) : c));
        if (token.text[0] === "'") return { kind: 'number', value: plain(token.text.slice(1, -1)).charCodeAt(0) << 24 >> 24, type: types.char, ...place(token) };
        let text = plain(token.text.slice(1, -1));
        while (this.token.kind === 'text' && this.token.text[0] === '"') text += plain(this.tokens[this.at++].text.slice(1, -1));
        return { kind: 'string', text, ...place(token) };
    }
    lambda(at) {
        if (!this.next(']')) lacks(at, 'a lambda that captures is', 'its values as parameters');
        const back = { hidden: this.hidden, taken: this.taken, assigned: this.assigned }, f = { name: 'lambda', ...place(at), type: AUTO, isKernel: false };
        while (/^__(device|host)__$/.test(this.token.text)) this.at++;
        if (this.is('{')) { Object.assign(f, { taken: new Set(), assigned: new Set(), parameters: [] }); this.constants.push(new Map()); }
        else this.signature(f);
        this.inside(f);
        Object.assign(this, back);
        return { kind: 'lambda', f, ...place(at) };
    }
    lookup(name) { for (let i = this.constants.length; i--;) if (this.constants[i].has(name)) return this.constants[i].get(name); }
    folded(e) { try { return cuda.constantOf(e); } catch (problem) { if (problem instanceof cuda.Refusal) return undefined; throw problem; } }
    constant(e) { return (this.folded(e) ?? refuse(e, 'a constant expected')).value; }
}
function number(token) {
    const text = token.text.replace(/'/g, ''), isHex = /^0x/i.test(text), isBits = /^0b/i.test(text), suffix = /[a-z]*$/i.exec(isHex ? text.replace(/^0x[\da-f]*/i, '') : text)[0].toLowerCase();
    if (!isHex && !isBits && /[.e]/i.test(text) || !isHex && suffix.includes('f')) {
        const value = parseFloat(text);
        return suffix.includes('f') ? { kind: 'number', value: Math.fround(value), type: FLOAT, ...place(token) } : { kind: 'number', value, type: DOUBLE, ...place(token) };
    }
    const digits = text.replace(isHex ? /[ul]+$/i : /[a-z]+$/i, ''), value = BigInt(!isHex && /^0\d/.test(digits) ? '0o' + digits.slice(1) : digits);
    if (value >= 2n ** 64n) refuse(token, 'a number of more than 64 bits');
    const isUnsigned = suffix.includes('u'), isLong = suffix.includes('l'), hex = isHex || isBits || /^0\d/.test(digits);
    const type = !isLong && !isUnsigned && value < 2n ** 31n ? INT : !isLong && (isUnsigned || hex) && value < 2n ** 32n ? UNSIGNED
        : !isUnsigned && value < 2n ** 63n ? LONG : SIZE;
    return { kind: 'number', value: exact(value), type, ...place(token) };
}
Object.assign(cuda, { Expressions, LEVELS, KEYWORDS, IGNORED, BASE, place });
}
if (typeof module !== 'undefined') module.exports = cudaExpressions;
