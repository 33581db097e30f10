// SPDX-License-Identifier: MIT
// From the tree to one JavaScript function, which runs a warp as a GPU does: each expression for all of its
// lanes, under a mask of those that are there. Both sides of a branch run one after the other, and a loop
// until its last lane has left it. So do the lanes of the tracer, which go on at the lowest place first.
//
// A value is {type, js}, where js computes it for lane i; what must happen before has been emitted. A struct
// has parts instead, one for each number in it. A place, which can be stored to, has registers or an address.
// No text of the user becomes part of the function: numbers do, and names made here.
'use strict';
function cudaCompiler(cuda) {
const { LEVELS, place, refuse, lacks, INT, FLOAT, BOOL, LONG, SIZE, AUTO, types, pointer, volatileOf, isNumber, isScalar, leaves, promoted, common, isSame, isConvertible, nearest, literal, evaluate, converted, operation, read, written } = cuda;
const isKept = js => /^t\d+\[i\]$/.test(js), isShort = js => /^[tv]\d+\[i\]$/.test(js);
const VOID = { type: types.void, js: '0' };
const hasArray = t => t.kind === 'struct' && t.fields.some(f => f.type.kind === 'array' || hasArray(f.type));
const ordered = sign => LEVELS[5].includes(sign) || LEVELS[6].includes(sign);

class Compiler {
    constructor(program, machine) {
        Object.assign(this, { program, machine, lines: [], declared: [], masks: [], sites: [], count: 0, scopes: [new Map()], m: 'm0', open: [], loops: [], frame: null, waits: false, escapes: false, localBytes: 0 });
    }
    emit(js) { this.lines.push(js); }
    lanes(js, mask) { this.emit(`for (let i = 0; i < 32; i++) ${mask ? `if (${mask} >>> i & 1) ` : ''}{ ${js} }`); }
    array(type, prefix = 't') {
        const name = prefix + ++this.count;
        this.declared.push(type.array === 'Array' ? `const ${name} = Array(32).fill(0);` : `const ${name} = new ${type.array}(32);`);
        return name;
    }
    mask() { this.masks.push(`q${++this.count}`); return `q${this.count}`; }
    capture(f, m = this.m) {    // what f emits, under a mask
        const { lines, m: before } = this;
        Object.assign(this, { lines: [], m });
        const value = f(), got = this.lines;
        Object.assign(this, { lines, m: before });
        return [value, got];
    }
    under(mask, got) { this.emit(`if (${mask}) { W.depth++;`); this.lines.push(...got); this.emit('M.forget(W); }'); }
    site(at, type = null, words = '', more) {
        this.sites.push({ node: at, ...place(at), type, words, pieces: type && this.machine.pieces(type), isVolatile: type?.isVolatile, ...more });
        return `S[${this.sites.length - 1}]`;
    }
    fix(type, value) { return { type, js: literal(value), value, words: String(value) }; }
    folded(node, ...of) { return of.every(o => o.value !== undefined) ? this.fix(node.type, evaluate(node.js)) : node; }
    keep(node) {    // its values, which do not change with a variable
        if (node.parts) return { ...node, parts: node.parts.map((js, k) => this.keep({ type: leaves(node.type)[k].type, js }).js) };
        if (node.value !== undefined || isKept(node.js) || node.type.kind === 'void') return node;
        const name = this.array(node.type);
        this.lanes(`${name}[i] = ${node.js};`);
        return { ...node, js: `${name}[i]`, test: undefined, factors: undefined };
    }
    find(name) { for (let i = this.scopes.length; i--;) if (this.scopes[i].has(name)) return this.scopes[i].get(name); }

    // ---- Conversions and arithmetic
    convert(node, type, at, isCast = false) {
        node = this.decayed(node);
        const from = node.type;
        if (type === AUTO || type.kind === 'void') return node;
        if (from.name === type.name && from.kind === type.kind) return from === type ? node : { ...node, type };
        if (isSame(from, type, isCast)) return { ...node, type };
        if (!isConvertible(node, type, isCast)) refuse(at, `${from.name} where ${type.name} is needed`);
        const js = type.kind === 'pointer' ? `Number(${node.js})` : type.name === 'bool' && node.test ? `+${node.test}` : converted(from.kind === 'pointer' ? SIZE : from, type, node.js);
        return this.folded({ type, js, test: type.name === 'bool' ? node.test ?? `(${node.js} !== 0)` : undefined, words: node.words }, node);
    }
    arithmetic(sign, a, b, at) {
        a = this.decayed(a); b = this.decayed(b);
        if (a.type.kind === 'pointer' || b.type.kind === 'pointer') return this.pointers(sign, a, b, at);
        if (!isNumber(a.type) || !isNumber(b.type)) refuse(at, `${sign} between ${a.type.name} and ${b.type.name}`);
        const isShift = sign === '<<' || sign === '>>', type = isShift ? promoted(a.type) : common(a.type, b.type);
        if (type.kind === 'real' && '% & | ^ << >>'.split(' ').includes(sign)) refuse(at, `${sign} between ${a.type.name} and ${b.type.name}`);
        let x = this.convert(a, type, at), y = this.convert(b, isShift ? INT : type, at);
        const words = `(${('+ * & | ^'.includes(sign) ? [x.words, y.words].sort() : [x.words, y.words]).join(sign)})`;
        if (ordered(sign)) return this.compared(sign, x, y, words);
        if (type.name === 'float' && (sign === '+' || sign === '-') && (x.factors || y.factors) && this.program.fuses !== false) return { ...this.fused(sign, x, y), words };
        if (type.kind === 'int' && (sign === '/' || sign === '%') && !y.value) {    // 0, or not known
            if (!isShort(y.js)) y = { ...this.keep(y), value: undefined };
            this.lanes(`if (${y.js} === 0) M.divided(W, ${this.site(at)}, i);`, this.m);
        }
        return this.folded({ type, js: operation(sign, type, x.js, y.js), words, factors: sign === '*' && type.name === 'float' ? [x, y] : undefined }, x, y);
    }
    operator(sign, nodes, at) {    // one that the text has for a struct
        if (nodes.every(n => n.type.kind !== 'struct')) return null;
        const name = `operator${sign}`, own = nodes[0].type.methods?.get(name), f = own ?? this.program.functions.get(name);
        if (!f && /^[-+*\/]$/.test(sign) && nodes.every(n => n.type.name === 'half2') && nodes[1]) return cuda.ofHalves(this, (a, b) => `L.half(${a} ${sign} ${b})`, nodes.map((n, k) => this.load(n, at)));
        return f && this.inlined({ ...place(at), name, list: [], nodes: own ? nodes.slice(1) : nodes }, f, own && nodes[0]);
    }
    compared(sign, x, y, words) {
        const test = `(${x.js} ${sign.replace(/^([!=])=$/, '$1==')} ${y.js})`;
        return this.folded({ type: INT, js: `+${test}`, test, words }, x, y);
    }
    // nvcc makes one rounding of a multiplication and an addition; so does cudacc.
    fused(sign, x, y) {
        const left = Boolean(x.factors), [p, q] = (left ? x : y).factors, rest = left ? y : x, less = sign === '-' ? '-' : '';
        return { type: FLOAT, js: `L.fused(${left ? '' : less}${p.js}, ${q.js}, ${left ? less : ''}${rest.js})` };
    }
    pointers(sign, a, b, at) {
        if (ordered(sign)) {
            const to = a.type.kind === 'pointer' ? a.type : b.type;
            return this.compared(sign, this.convert(a, to, at), b.type.kind === 'pointer' ? b : this.convert(b, to, at), '');
        }
        if (sign === '-' && b.type.kind === 'pointer' && a.type.kind === 'pointer')
            return { type: LONG, js: `(Math.trunc((${a.js} - ${b.js}) / ${a.type.to.size}) + 0)` };
        if (sign === '+' && b.type.kind === 'pointer') [a, b] = [b, a];
        if ((sign !== '+' && sign !== '-') || b.type.kind !== 'int') refuse(at, `${sign} between ${a.type.name} and ${b.type.name}`);
        return this.folded({ type: a.type, js: `(${a.js} ${sign} ${b.type.size === 8 && b.value === undefined ? `L.far(${b.js})` : b.js} * ${a.type.to.size})`, words: `(${a.words}${sign}${b.words})`, within: a.within }, a, b);
    }
    truth(node, at) { node = this.convert(node, BOOL, at); return node.value !== undefined ? String(node.value !== 0) : node.test ?? `(${node.js} !== 0)`; }
    // The lanes of the mask for which it holds.
    test(node, at, q = this.mask()) {
        const t = this.truth(node, at);
        if (t === 'true' || t === 'false') this.emit(`${q} = ${t === 'true' ? this.m : 0};`);
        else {
            this.emit(`${q} = 0;`);
            this.lanes(`if (${t}) ${q} |= 1 << i;`);
            this.emit(`${q} &= ${this.m};`);
        }
        return q;
    }

    // ---- Variables and memory
    variable(type, isMemory, at, name = '') {
        if (type.kind === 'array' || isMemory || hasArray(type)) {
            const align = Math.max(type.align, 4), offset = Math.ceil(this.localBytes / align) * align, { LOCAL, LOCAL_BYTES } = this.machine;
            this.localBytes = offset + type.size;
            if (this.localBytes > LOCAL_BYTES) refuse(at, 'too many local variables');
            return { type, address: `(${LOCAL + offset} + i * ${LOCAL_BYTES})`, words: `local ${offset}`, within: [offset, offset + type.size] };
        }
        const registers = leaves(type).map(l => this.array(l.type, 'v'));
        return { type, registers, words: `${name}#${registers[0]}` };
    }
    decayed(node) {
        if (node.type.kind !== 'array') return node;
        return { type: pointer(node.type.of), js: node.address, words: node.words, value: node.base, within: node.within };
    }
    addresses(node) {    // of a place, in an array
        if (isKept(node.address)) return node.address.slice(0, -3);
        const name = this.array({ array: 'Float64Array' });
        this.lanes(`${name}[i] = ${node.address};`);
        return name;
    }
    // For each lane of the mask, with v[...] for what lies in memory: js(leaf k) from `at`, a site that says what it is.
    memory(node, op, site, where, js) {
        const of = leaves(node.type), { m } = this, shift = t => Math.log2(t.size);
        const views = `${of.map((l, k) => `v${'_'.repeat(k + 1)} = a.${l.type.view}`).join(', ')}, b = a.base`;
        const slots = of.map((l, k) => `v${'_'.repeat(k + 1)}[(${where}[i] - b${l.at ? ` + ${l.at}` : ''}) >> ${shift(l.type)}]`);
        const body = js(slots);
        this.emit(`{ const a = M.access(W, ${site}, ${op}, ${where}, ${m}); if (a) { const ${views};`);
        this.lanes(body, m);
        this.emit(`} else for (let i = 0; i < 32; i++) if (${m} >>> i & 1) { const a = M.find(${where}[i]), ${views}; ${body} } }`);
    }
    load(node, at = node.at) {
        const { type } = node;
        if (node.unset && !node.isSure) this.emit(`if (${this.m} & ~${node.unset}) M.unset(W, ${this.site(at, null, '', { name: node.name })}, ${this.m} & ~${node.unset});`);
        if (node.registers) return type.kind === 'struct' ? { ...node, parts: node.registers.map(r => `${r}[i]`) } : { type, js: `${node.registers[0]}[i]`, words: node.words };
        if (!node.address || type.kind === 'array') return node;
        const out = leaves(type).map(l => this.array(l.type));
        this.memory(node, 0, this.site(at, type, node.words, { within: node.within }), this.addresses(node), slots => slots.map((slot, k) => `${out[k]}[i] = ${read(leaves(type)[k].type, slot)};`).join(' '));
        const values = out.map(name => `${name}[i]`), words = `*${node.words}`;
        return type.kind === 'struct' ? { type, parts: values, words } : { type, js: values[0], words };
    }
    store(node, from, at, where = node.address && this.addresses(node)) {
        const values = node.type.kind === 'struct' ? from.parts : [from.js];
        if (node.registers) {
            const safe = values.length > 1 ? this.keep(from).parts : values;
            this.lanes(node.registers.map((r, k) => `${r}[i] = ${safe[k]};`).join(' '), this.m);
            if (node.unset) this.emit(`${node.unset} |= ${this.m};`);
            if (node.unset && node.home === this.m && node.level === this.loops.length) node.isSure = true;
        } else if (node.address && node.type.kind !== 'array')
            this.memory(node, 1, this.site(at, node.type, node.words, { from: from.words, constant: from.value, within: node.within }), where, slots => slots.map((slot, k) => `${slot} = ${written(leaves(node.type)[k].type, values[k])};`).join(' '));
        else refuse(at, 'nothing can be stored there');
    }

    // ---- Expressions
    value(e) { return this.load(this.node(e), e); }
    node(e) { return e.kind === 'number' ? this.fix(e.type, e.value) : this[e.kind](e); }
    name(e) {
        const known = this.find(e.name) ?? this.machine.builtins?.get(e.name);
        if (known) return { ...known, entity: known, at: e, get isSure() { return known.isSure; }, set isSure(v) { known.isSure = v; } };
        const global = this.program.globals.get(e.name);
        if (global) return { type: global.type, ...this.based(global.isShared ? this.machine.sharedVariable(global) : this.machine.named(e.name)), at: e, isConstant: global.isConstant };
        refuse(e, this.program.functions.has(e.name) ? `${e.name} is a function: pointers to functions are not understood here` : `${e.name} is not known here`);
    }
    based(a) { return { address: String(a.base), base: a.base, words: String(a.base) }; }
    comma(e) { this.value(e.left); return this.node(e.right); }
    cast(e) { return e.type.kind === 'struct' ? this.convert(this.value(e.of), e.type, e) : this.convert(this.value(e.of), e.type, e, true); }
    construct(e) {    // float(x), float4{a, b}, dim3(8, 8)
        if (e.type.kind !== 'struct') return e.list.length ? this.convert(this.value(e.list[0]), e.type, e, true) : this.fix(e.type, 0);
        if (e.list.length === 1 && e.list[0].kind !== 'list' && e.type.fields.length > 1 && e.type.name !== 'dim3') return this.convert(this.value(e.list[0]), e.type, e);
        const to = this.variable(e.type, false, e), maker = e.type.methods?.get('new');
        if (maker) this.inlined({ ...e, name: e.type.name, nodes: null }, maker, to);
        else this.fill(to, e.type, e);
        return this.load(to, e);
    }
    sizeof(e) { return this.fix(SIZE, (e.type || this.capture(() => this.node(e.of))[0].type).size); }
    list(e) { lacks(e, 'a list in braces is', 'the type before it: float4{...}'); }
    string(e) { lacks(e, 'a text is', 'it in printf() alone'); }
    lambda(e) { return { type: types.void, js: '0', f: e.f }; }
    unary(e) {
        if (e.sign === '++' || e.sign === '--') return this.changed({ ...e, sign: e.sign[0] + '=', left: e.of, right: { kind: 'number', value: 1, type: INT } });
        if (e.sign === '&') {
            const a = this.node(e.of);
            if (!a.address) refuse(e, '& needs something in memory');
            return { type: pointer(a.type), js: a.address, words: a.words, value: a.base };
        }
        if (e.sign === '*' && e.of.name === 'this') return this.node(e.of);
        const of = this.node(e.of), own = this.operator(e.sign, [of], e);
        if (own) return own;
        const a = this.decayed(this.load(of, e.of));
        if (e.sign === '*') return this.pointed(a, e);
        if (e.sign === '!') { const t = this.truth(a, e); return this.folded({ type: BOOL, js: `+!${t}`, test: `(!${t})`, words: `!${a.words}` }, a); }
        if (!isNumber(a.type) || (e.sign === '~' && a.type.kind === 'real')) refuse(e, `${e.sign} of ${a.type.name}`);
        const x = this.convert(a, promoted(a.type), e);
        if (e.sign === '+') return x;
        if (e.sign === '~') return this.arithmetic('^', x, this.fix(INT, -1), e);
        if (x.type.kind === 'int') return this.arithmetic('-', this.fix(x.type, 0), x, e);
        return this.folded({ type: x.type, js: `(-${x.js})`, words: `-${x.words}` }, x);
    }
    pointed(p, at) {
        if (p.type.kind !== 'pointer') refuse(at, `${p.type.name} is no pointer`);
        if (p.type.to.kind === 'void') refuse(at, 'a void pointer leads to nothing');
        return { type: p.type.to, address: p.js, base: p.value, words: p.words, within: p.within, at };
    }
    index(e) {
        const x = this.node(e.of), a = this.decayed(x.type.kind === 'struct' ? x : this.load(x, e.of)), b = this.value(e.index), own = a.type.kind === 'struct' && this.operator('[]', [a, b], e);
        if (own) return own;
        if (a.type.kind !== 'pointer') refuse(e, `${a.type.name} is no array`);
        return this.pointed(this.arithmetic('+', a, b, e), e);
    }
    member(e) { return this.part(this.owner(e.of, e), e); }
    owner(of, e) { return e.isArrow && of.name !== 'this' ? this.pointed(this.decayed(this.value(of)), e) : this.node(of); }
    part(of, e) {
        const t = of.type, at = t.kind === 'struct' ? t.fields.findIndex(f => f.name === e.name) : -1;
        if (at < 0) refuse(e, `${t.name} has no ${e.name}`);
        const field = t.fields[at], type = t.isVolatile ? volatileOf(field.type) : field.type, words = `${of.words}.${e.name}`;
        if (of.address) return { type, address: `(${of.address} + ${field.at})`, base: of.base === undefined ? undefined : of.base + field.at, words, at: e };
        if (type.kind === 'array') lacks(e, 'an array in a struct that is a value is', 'a variable for the struct');
        const first = t.fields.slice(0, at).reduce((sum, f) => sum + leaves(f.type).length, 0), part = all => all?.slice(first, first + leaves(type).length);
        if (of.registers) return { type, registers: part(of.registers), words, at: e };
        const parts = part(of.parts), values = part(of.values);
        return type.kind === 'struct' ? { type, parts, values, words } : { type, js: parts[0], words, value: values?.[0] };
    }
    binary(e) {
        if (e.sign !== '&&' && e.sign !== '||') {
            const x = this.node(e.left), a = x.type.kind === 'struct' ? x : this.held(this.load(x, e.left), e.right), y = this.node(e.right);
            return this.operator(e.sign, [a, y], e) ?? this.arithmetic(e.sign, a, this.load(y, e.right), e);
        }
        const isAnd = e.sign === '&&', left = this.value(e.left), a = this.truth(left, e);
        if (a === String(!isAnd)) return this.fix(INT, +!isAnd);
        const rest = this.mask(), [b, got] = this.capture(() => this.truth(this.value(e.right), e), rest);
        if (!got.length) {
            const test = a === String(isAnd) ? b : `(${a} ${e.sign} ${b})`;
            return b === 'true' || b === 'false' ? a === String(isAnd) ? this.fix(INT, +(b === 'true')) : { type: INT, js: `+${test}`, test } : { type: INT, js: `+${test}`, test };
        }
        const first = this.test({ type: BOOL, js: `+${a}`, test: a }, e), all = this.mask();
        this.emit(`${rest} = ${isAnd ? first : `${this.m} & ~${first}`}; ${all} = ${isAnd ? 0 : first};`);
        const [, more] = this.capture(() => this.emit(`${all} |= ${this.test({ type: BOOL, js: `+${b}`, test: b }, e)};`), rest);
        this.under(rest, [...got, ...more]);
        return { type: INT, js: `(${all} >>> i & 1)`, test: `(${all} >>> i & 1)` };
    }
    // A value that what follows may change is computed before it.
    held(node, e) {
        if (node.value !== undefined || isKept(node.js ?? '') || !this.changes(e)) return node;
        return { ...this.keep(this.decayed(node)), factors: node.factors?.map(one => this.keep(one)) };
    }
    changes(e) {    // may an expression change a variable?
        if (!e || typeof e !== 'object') return false;
        if (e.kind === 'assign' || e.kind === 'after' || (e.kind === 'unary' && e.sign.length === 2) || (e.kind === 'call' && (e.self || this.program.functions.has(e.name) || this.find(e.name)))) return true;
        return [e.of, e.index, e.left, e.right, e.test, e.yes, e.no, ...e.list || []].some(one => this.changes(one));
    }
    choose(e) {
        const test = this.value(e.test), t = this.truth(test, e);
        if (t === 'true' || t === 'false') {    // the other one gives it its type
            const [one, other] = t === 'true' ? [e.yes, e.no] : [e.no, e.yes], [{ type }] = this.capture(() => this.decayed(this.value(other))), value = this.value(one);
            return isNumber(type) && isNumber(value.type) && type.name !== value.type.name ? this.convert(value, common(value.type, type), e) : value;
        }
        const q = this.mask(), other = this.mask();
        const [yes, first] = this.capture(() => this.decayed(this.value(e.yes)), q), [no, second] = this.capture(() => this.decayed(this.value(e.no)), other);
        const type = isNumber(yes.type) && isNumber(no.type) ? yes.type.name === no.type.name ? yes.type : common(yes.type, no.type)
            : yes.type.kind === 'pointer' || no.type.kind !== 'pointer' ? yes.type : no.type;
        if (!first.length && !second.length && type.kind !== 'struct') {
            const [a, b] = [yes, no].map(one => this.convert(one, type, e));
            return { type, js: `(${t} ? ${a.js} : ${b.js})`, words: `(${test.words}?${a.words}:${b.words})` };
        }
        const out = { type, registers: leaves(type).map(l => this.array(l.type)) };
        this.test({ type: BOOL, js: `+${t}`, test: t }, e, q);
        this.emit(`${other} = ${this.m} & ~${q};`);
        for (const [one, got, mask] of [[yes, first, q], [no, second, other]]) this.under(mask, [...got, ...this.capture(() => this.store(out, this.convert(one, type, e), e), mask)[1]]);
        return this.load(out, e);
    }
    assign(e) {
        if (e.sign !== '=') return this.changed(e);
        const [{ type }] = this.capture(() => this.node(e.left));
        const from = e.right.kind === 'list' ? this.construct({ ...e.right, type }) : this.value(e.right), value = this.convert(from, type, e.sign_at || e);
        const kept = type.kind === 'struct' || this.changes(e.left) ? this.keep(value) : value, to = this.node(e.left);
        this.store(to, kept, e);
        return to.registers ? { ...to, at: e } : kept;
    }
    // a += b: the address is computed once.
    changed(e, isOld = false) {
        const to = this.node(e.left), own = to.type.kind === 'struct' && this.operator(e.sign, [to, this.node(e.right)], e);
        if (own) return own;
        if (!(to.registers || to.address) || !isScalar(to.type)) refuse(e, 'nothing can be stored there');
        if (to.address) to.address = `${this.addresses(to)}[i]`;
        const before = this.load(to, e), old = isOld ? this.keep(before) : before;
        const sum = this.convert(this.arithmetic(e.sign.slice(0, -1), this.held(old, e.right), this.value(e.right), e), to.type, e, true);
        const value = to.address ? this.keep(sum) : sum;
        this.store(to, value, e);
        return isOld ? old : to.registers ? { ...to, at: e } : value;
    }
    after(e) { return this.changed({ ...e, sign: e.sign[0] + '=', left: e.of, right: { kind: 'number', value: 1, type: INT } }, true); }

    // ---- Calls: the body of a function stands where it is called
    call(e) {
        const known = e.self ? null : this.find(e.name), of = e.self ? this.owner(e.self, e) : known?.self ?? (known?.type.kind === 'struct' ? this.node({ ...e, kind: 'name' }) : null);
        const f = e.self ? of.type.methods?.get(e.name) : known?.f ?? (of ? of.type.methods?.get('operator()') : this.program.functions.get(e.name));
        if (f) return this.inlined(e, f, of);
        if (of) refuse(e, `${of.type.name} has no ${e.name}`);
        return cuda.builtin(this, e) ?? refuse(e, `${e.name}() is not understood here`);
    }
    inlined(e, f, self) {
        if (f.isKernel) refuse(e, `${f.name} is a kernel: a kernel cannot call it`);
        const args = e.nodes ?? e.list.map(a => this.node(a));
        if (f.before) f = nearest(f, args);
        if (f.template) f = this.program.instance(f, this.deduced(e, f, args), e);
        if (this.open.includes(f)) lacks(e, `${f.name} calls itself: recursion is`, 'a loop');
        if (args.length > f.parameters.length || f.parameters.slice(args.length).some(p => !p.otherwise)) refuse(e, `${f.name} has ${f.parameters.length} parameters, not ${args.length}`);
        const scope = new Map(), m = this.mask();
        if (self) {
            const me = self.address ? { ...self, address: `${this.addresses(self)}[i]` } : self.entity ?? self;
            scope.set('this', me);
            for (const [name, g] of me.type.methods) scope.set(name, { type: types.void, js: '0', f: g, self: me });
            for (const field of me.type.fields) scope.set(field.name, this.part(me, { ...place(e), name: field.name }));
        }
        f.parameters.forEach((p, k) => {
            let to = args[k] ?? this.node(p.otherwise);
            if (p.isReference && to.address && to.type.kind !== 'array') to = { ...to, address: `${this.addresses(to)}[i]` };
            else if (!(p.isReference && to.registers)) {
                const value = this.convert(this.load(to, e.list[k] ?? e), p.type, e.list[k] ?? e);
                to = value.value !== undefined && !f.assigned.has(p.name) && !f.taken.has(p.name) ? value : this.variable(value.type, f.taken.has(p.name), f, p.name);
                if (to !== value) this.store(to, value, e.list[k] ?? e);
            } else if (to.type.name !== p.type.name && p.type !== AUTO) refuse(e.list[k] ?? e, `${to.type.name} where ${p.type.name} & is needed`);
            scope.set(p.name, to.entity ?? to);
        });
        const { scopes, loops, frame, m: before } = this, mine = { f, value: null };
        this.emit(`${m} = ${before};`);
        Object.assign(this, { scopes: [scope], loops: [], frame: mine, m });
        this.open.push(f);
        if (f.type.kind !== 'void' && f.type !== AUTO) mine.value = this.variable(f.type, false, f);
        this.statement(f.body);
        this.open.pop();
        Object.assign(this, { scopes, loops, frame, m: before, escapes: false });
        return mine.value ? this.keep(this.load(mine.value, e)) : VOID;
    }
    deduced(e, f, args) {
        return f.template.parameters.map((p, k) => {
            if (e.given?.[k]) return e.given[k];
            const at = p.type ? -1 : f.parameters.findIndex(one => one.named === p.name);
            if (at < 0 || !args[at]) return p.of ?? refuse(e, `${f.name} needs its ${p.name} in < >`);
            let { type } = this.decayed(args[at]);
            for (let t = f.parameters[at].type; t.kind === 'pointer' && type.kind === 'pointer'; t = t.to) type = type.to;
            return { type: type.isVolatile ? types[type.name] ?? type : type };
        });
    }
    // The text of a kernel: a function of the machine, a warp, the sites and the library, which makes one of the lanes.
    kernel(f, values) {
        this.frame = { f, value: null };
        f.parameters.forEach((p, k) => {
            const fixed = !f.assigned.has(p.name) && !f.taken.has(p.name), all = values[k], of = leaves(p.type);
            const value = p.type.kind === 'struct' ? { type: p.type, parts: all.map(literal), values: all, words: p.name } : { ...this.fix(p.type, all[0]), words: p.name };
            const to = fixed && of.every(l => isScalar(l.type)) ? value : this.variable(p.type, f.taken.has(p.name), f, p.name);
            if (to !== value) this.store(to, value, f);
            this.scopes[0].set(p.name, to);
        });
        this.statement(f.body);
        return `'use strict'; const { fr } = L, { tx, ty, tz } = W;\n${this.declared.join('\n')}\nreturn function${this.waits ? '*' : ''} (m0) { const [bx, by, bz] = M.at; let ${['unused', ...this.masks].join(' = 0, ')} = 0;\n${this.lines.join('\n')}\n};`;
    }

    // ---- Statements: what they leave in the mask are the lanes that come to their end
    statement(s) { return this[`${s.kind}_`] ? this[`${s.kind}_`](s) : refuse(s, `${s.kind} outside of a switch`); }
    block_(s) {
        let opened = 0;
        this.scopes.push(new Map());
        for (const one of s.list) {
            this.escapes = false;
            this.statement(one);
            if (this.escapes) { this.emit(`if (${this.m}) {`); opened++; }
        }
        this.scopes.pop();
        this.emit('}'.repeat(opened));
        this.escapes = opened > 0;
    }
    declare_(s) { for (const one of s.list) this.declare(one); }
    expression_(s) { this.value(s.value); }
    if_(s) {
        const node = this.value(s.test), t = this.truth(node, s.test);
        if (t === 'true' || t === 'false') { if (t === 'true' || s.no) this.statement(t === 'true' ? s.yes : s.no); return; }
        const yes = this.test(node, s.test), no = this.mask();
        let escapes = false;
        this.emit(`${no} = ${this.m} & ~${yes};`);
        for (const [body, mask] of [[s.yes, yes], [s.no, no]]) {
            if (!body) continue;
            this.escapes = false;
            this.under(mask, this.capture(() => this.statement(body), mask)[1]);
            escapes ||= this.escapes;
        }
        this.emit(`${this.m} = ${yes} | ${no};`);
        this.escapes = escapes;
    }
    loop_(s) {
        const [m, left, again, done] = [0, 0, 0, 0].map(() => this.mask()), { m: before } = this, test = () => { const t = this.test(this.value(s.test), s.test); this.emit(`${done} |= ${m} & ~${t}; ${m} = ${t}; if (!${m}) break;`); };
        this.emit(`${m} = ${before}; ${left} = ${again} = ${done} = 0; W.depth++; while (${m}) { if (++M.steps >= M.nextLook) M.look(W, ${this.site(s)}, ${m});`);
        this.loops.push({ left, again });
        this.scopes.push(new Map());
        this.m = m;
        if (s.test && !s.isDo) test();
        this.escapes = false;
        this.statement(s.body);
        this.emit(`${m} |= ${again}; ${again} = 0; if (!${m}) break;`);
        if (s.isDo) test();
        if (s.step) this.value(s.step);
        this.scopes.pop();
        this.loops.pop();
        this.m = before;
        this.emit(`} M.forget(W); ${before} = ${done} | ${left};`);
    }
    switch_(s) {
        const value = this.value(s.of), v = this.keep(this.convert(value, promoted(value.type), s)), [m, left, none] = [0, 0, 0].map(() => this.mask()), { m: before } = this, hits = new Map();
        const list = s.body.kind === 'block' ? s.body.list : [s.body];
        for (const one of list.filter(c => c.kind === 'case' && c.value)) hits.set(one, this.test(this.arithmetic('==', v, this.value(one.value), one), one));
        this.emit(`${none} = ${[before, ...hits.values()].join(' & ~')}; ${m} = ${left} = 0; W.depth++;`);
        this.loops.push({ left, again: this.loops.at(-1)?.again });
        this.scopes.push(new Map());
        this.m = m;
        for (const one of list) {
            if (one.kind === 'case') { this.emit(`${m} |= ${hits.get(one) ?? none};`); continue; }
            this.emit(`if (${m}) {`);
            this.statement(one);
            this.emit('}');
        }
        this.scopes.pop();
        this.loops.pop();
        this.m = before;
        this.emit(`M.forget(W); ${before} = ${m} | ${left}${list.some(c => c.kind === 'case' && !c.value) ? '' : ` | ${none}`};`);
        this.escapes = true;
    }
    leave(s, where) {
        if (!where) refuse(s, `${s.kind} outside of a loop`);
        this.emit(`${where} |= ${this.m}; ${this.m} = 0;`);
        this.escapes = true;
    }
    break_(s) { this.leave(s, this.loops.at(-1)?.left); }
    continue_(s) { this.leave(s, this.loops.at(-1)?.again); }
    return_(s) {
        const { frame } = this, { f } = frame;
        if (s.value?.kind === 'list') s = { ...s, value: { ...s.value, kind: 'construct', type: f.type } };
        const value = s.value && this.convert(this.value(s.value), f.type, s);
        if (value && f.type === AUTO && value.type.kind !== 'void') frame.value ??= this.variable(value.type, false, f);
        if (Boolean(value) !== Boolean(frame.value) && f.type !== AUTO) refuse(s, `${f.name} returns ${f.type.kind === 'void' ? 'nothing' : f.type.name}`);
        if (frame.value) this.store(frame.value, this.convert(value, frame.value.type, s), s);
        this.emit(`${f.isKernel ? `W.gone |= ${this.m}; ` : ''}${this.m} = 0;`);
        this.escapes = true;
    }
    declare(d) {
        const scope = this.scopes.at(-1), taken = this.frame.f.taken.has(d.name);
        if (d.isShared) { const v = this.machine.sharedVariable(d); scope.set(d.name, { type: v.declared, ...this.based(v) }); return; }
        if (d.init?.kind === 'lambda') { scope.set(d.name, { type: types.void, js: '0', f: d.init.f }); return; }
        if (d.isReference) {
            const to = this.node(d.init);
            if (to.registers || to.address) { scope.set(d.name, to.address ? { ...to, address: to.type.kind === 'array' ? to.address : `${this.addresses(to)}[i]` } : to.entity ?? to); return; }
        }
        // An initializer is evaluated before its name is known.
        const maker = d.type.methods?.get('new');
        if (maker && (!d.init || d.init.kind === 'list')) d = { ...d, init: { kind: 'construct', type: d.type, list: d.init?.list ?? [], ...place(d) } };
        const isList = d.init && !maker && (d.init.kind === 'list' || (d.type.kind === 'struct' && d.init.kind === 'construct' && d.init.list.length !== 1) || (d.type.name === 'dim3' && d.init.kind === 'construct'));
        const init = d.init && !isList ? this.convert(this.decayed(this.value(d.init)), d.type, d) : null;
        const v = this.variable(d.type === AUTO ? init.type : d.type, taken, d, d.name);
        if (init && !this.frame.f.assigned.has(d.name) && !taken) v.words = init.words;    // another name for it
        scope.set(d.name, v);
        if (d.type.name === 'dim3' && !d.init) this.fill(v, d.type, { list: [], ...place(d) });
        else if (!d.init && v.registers && isScalar(d.type)) {
            Object.assign(v, { unset: this.mask(), home: this.m, level: this.loops.length, name: d.name });
            this.emit(`${v.unset} = 0;`);
        } else if (isList) this.fill(v, d.type, d.init);
        else if (init) this.store(v, init, d);
    }
    fill(to, type, list) {    // a list in braces; what it does not name is 0
        if (!/array|struct/.test(type.kind)) { this.store(to, this.convert(list.list.length ? this.value(list.list[0]) : this.fix(INT, 0), type, list), list); return; }
        const parts = type.kind === 'array' ? Array.from({ length: type.count }, (_, k) => ({ type: type.of, at: k * type.of.size })) : type.fields;
        if (list.list.length > parts.length) refuse(list, `${list.list.length} values for ${parts.length}`);
        let first = 0;
        parts.forEach((part, k) => {
            const e = list.list[k], many = leaves(part.type).length;
            const target = to.address ? { type: part.type, address: `(${to.address} + ${part.at})`, words: `${to.words}.${k}` } : { type: part.type, registers: to.registers.slice(first, first + many) };
            first += many;
            if (part.type.kind === 'array' || (part.type.kind === 'struct' && (!e || e.kind === 'list'))) this.fill(target, part.type, e || { kind: 'list', list: [], ...place(list) });
            else this.store(target, this.convert(e ? this.value(e) : this.fix(INT, type.name === 'dim3' ? 1 : 0), part.type, e || list), e || list);
        });
    }
}
Object.assign(cuda, { Compiler, VOID });
}
if (typeof module !== 'undefined') module.exports = cudaCompiler;
