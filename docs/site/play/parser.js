// SPDX-License-Identifier: MIT
// From tokens to a tree: declarations and statements. A template is parsed once with what its parameters
// usually are, and again for each call that gives them.
'use strict';
function cudaParser(cuda) {
const { Expressions, KEYWORDS, IGNORED, BASE, place, refuse, lacks, words, types, INT, UNSIGNED, FLOAT, DOUBLE, BOOL, LONG, SIZE, AUTO, pointer, arrayOf, volatileOf, struct, vectors, isNumber } = cuda;

// Without the text's own namespaces, and an enum's name; a value of an enum class is one name, Color::Red.
function plainNames(tokens) {
    const spaces = new Set(), enums = new Set(), kept = [], is = (at, text) => tokens[at]?.text === text;
    tokens.forEach((t, k) => {
        if (is(k, 'namespace') && !is(k - 1, 'using')) for (let at = k + 1; tokens[at].kind === 'name' && !is(k + 2, '='); at += is(at + 1, '::') ? 2 : 1) spaces.add(tokens[at].text);
        if (is(k, 'enum')) if (/^(class|struct)$/.test(tokens[k + 1].text)) enums.add(tokens[k + 2].text); else spaces.add(tokens[k + 1].text);
    });
    for (let k = 0; k < tokens.length; k++) {
        const t = tokens[k];
        if (is(k + 1, '::') && spaces.has(t.text) && !/^(namespace|::)$/.test(kept.at(-1)?.text)) k++;
        else if (is(k + 1, '::') && enums.has(t.text)) { kept.push({ ...t, text: `${t.text}::${tokens[k + 2].text}` }); k += 2; }
        else if (t.text === '::' && kept.at(-1)?.kind !== 'name' && !is(k - 1, '>')) continue;
        else kept.push(t);
    }
    return Object.assign(kept, { defined: tokens.defined });
}

// Of the words of a built-in type.
function fundamental(words) {
    const has = word => words.includes(word), sign = has('unsigned') ? 'unsigned ' : '';
    return has('void') ? types.void : has('bool') ? BOOL : has('float') ? FLOAT : has('double') ? DOUBLE : has('char') ? types[sign + 'char']
        : has('short') ? types[sign + 'short'] : has('long') ? types[sign + 'long long'] : sign ? UNSIGNED : INT;
}

class Parser extends Expressions {
    constructor(text) {
        super();
        this.tokens = plainNames(words(text));
        this.at = 0;
        this.functions = new Map();
        this.globals = new Map();    // __device__ and __constant__ variables
        this.hosts = [];             // functions of the host: [name, first token, end]
        this.named = new Map(Object.entries(vectors));    // structs and typedefs
        for (const [name, t] of [['size_t', SIZE], ['uint32_t', UNSIGNED], ['int32_t', INT], ['uint64_t', SIZE], ['int64_t', LONG], ['uintptr_t', SIZE], ['uint', UNSIGNED], ['uchar', types['unsigned char']], ['ulong', SIZE], ['ushort', types['unsigned short']],
            ['ptrdiff_t', LONG], ['uint8_t', types['unsigned char']], ['uint16_t', types['unsigned short']], ['int8_t', types.char], ['int16_t', types.short], ['__half', types.half], ['half', types.half], ['nv_half', types.half], ['__half2', vectors.half2], ['clock_t', LONG]])
            this.named.set(name, t);
        this.constants = [new Map([['warpSize', { value: 32, type: INT }]])];
        while (this.token.kind !== 'end') this.top();
    }
    // ---- Declarations
    isType(token = this.token) {
        return token.kind === 'name' && (BASE.test(token.text) || /^(const|volatile|struct|class|enum|static|__shared__|extern|constexpr|register|inline|auto|typename|alignas|__align__)$/.test(token.text) ||
            this.isTypeName(token.text));
    }
    isTypeName(text) { return this.named.has(text) && !this.hidden?.has(text); }
    specifiers() {
        const seen = {}, base = [], at = this.token;
        let type = null;
        for (;;) {
            const { text, kind } = this.token;
            if (this.next('[')) { this.at--; this.skip('[', ']'); continue; }    // [[an attribute]]
            if (kind !== 'name') break;
            if (Object.hasOwn(KEYWORDS, text) && !type && !base.length && !this.named.has(text) && !this.hidden?.has(text)) lacks(this.token, ...KEYWORDS[text]);
            if (IGNORED.includes(text) || /^(volatile|extern|typedef|__global__|__device__|__shared__|__constant__|__managed__)$/.test(text)) { seen[text] = this.token; this.at++; }
            else if (/^(__launch_bounds__|alignas|__align__|__attribute__|__cluster_dims__)$/.test(text)) { this.at++; this.skip('(', ')'); }
            else if (BASE.test(text)) { base.push(text); this.at++; }
            else if (text === 'auto' && !type) { type = AUTO; this.at++; }
            else if (/^(struct|class|enum)$/.test(text)) { this.at++; type = text !== 'enum' ? this.structure() : this.enumeration(); }
            else if (!type && !base.length && text === 'std' && this.tokens[this.at + 1].text === '::') this.at += 2;
            else if (!type && !base.length && this.isTypeName(text)) { type = this.named.get(text); seen.named = text; this.at++; }
            else break;
        }
        if (base.length) type = fundamental(base);
        if (!type) refuse(at, `${this.token.text} is not known here`);
        return { type: seen.volatile ? volatileOf(type) : type, seen, at };
    }
    structure() {
        let align = 0;
        if (this.is('__align__') || this.is('alignas')) { this.at++; this.need('('); align = Number(this.constant(this.conditional())); this.need(')'); }
        const name = this.token.kind === 'name' ? this.name().text : '';
        if (this.is(':')) lacks(this.token, 'inheritance is', 'one struct with all fields');
        if (!this.next('{')) return this.named.get(name) || refuse(this.token, `struct ${name} is not known`);
        const fields = [], made = struct(name, fields), own = [];
        if (name) this.named.set(name, made);
        while (!this.next('}')) {
            if (/^(public|private|protected)$/.test(this.token.text)) { this.at++; this.need(':'); continue; }
            const from = this.at;
            while (/^(__\w+__|inline|constexpr|explicit)$/.test(this.token.text)) this.at++;
            if (this.is(name) && this.tokens[this.at + 1].text === '(') { own.push(this.at); this.passFunction(); continue; }
            const { type } = this.specifiers();
            if (this.declarator(type) && this.is('(')) { own.push(from); this.passFunction(); continue; }
            this.at = from;
            this.specifiers();
            do {
                const d = this.declarator(type);
                if (this.is('=')) lacks(d.name, 'a first value of a field is', 'a store in the kernel');
                fields.push({ name: d.name.text, type: d.type });
            } while (this.next(','));
            this.need(';');
        }
        const end = this.at;
        Object.assign(made, struct(name, fields, align), { methods: new Map() });
        for (this.at of own) this.method(made);
        this.at = end;
        return made;
    }
    passFunction() {
        while (!this.is('{') && !this.is(';') && this.token.kind !== 'end') if (this.is('(')) this.skip('(', ')'); else this.at++;
        if (!this.next(';')) this.skip('{', '}');
    }
    method(made) {    // a constructor has the name `new`
        const back = { hidden: this.hidden, taken: this.taken, assigned: this.assigned, current: this.current }, isNew = this.is(made.name), first = [];
        const { type, seen } = isNew ? { type: types.void } : this.specifiers(), d = isNew ? { name: this.name(), type } : this.declarator(type), name = isNew ? 'new' : d.name.text;
        if (seen?.static) lacks(d.name, 'a static function in a struct is', 'a __device__ function beside it');
        const f = { name, ...place(d.name), type: d.type, before: made.methods.get(name) };
        this.constants.push(new Map(made.fields.map(one => [one.name, undefined])));
        if (this.signature(f)) {
            if (isNew && this.next(':')) do {
                const field = this.name(), end = this.next('{') ? '}' : (this.need('('), ')'), left = { kind: 'member', of: { kind: 'name', name: 'this' }, isArrow: true, name: field.text, ...place(field) };
                first.push({ kind: 'expression', value: { kind: 'assign', sign: '=', left, right: this.until(end, () => this.assignment())[0], ...place(field) }, ...place(field) });
            } while (this.next(','));
            made.methods.set(name, f);
            this.inside(f);
            f.body.list.unshift(...first);
        }
        this.constants.pop();
        Object.assign(this, back);
    }
    enumeration() {
        const isClass = this.next('class') || this.next('struct'), own = this.token.kind === 'name' ? this.name().text : '', type = this.next(':') ? this.specifiers().type : this.named.get(own) ?? INT;
        if (own) this.named.set(own, type);
        if (!this.next('{')) return type;
        let value = 0;
        this.until('}', () => {
            const name = this.name().text;
            if (this.next('=')) value = Number(this.constant(this.conditional()));
            this.constants.at(-1).set(isClass ? `${own}::${name}` : name, { value: value++, type });
        });
        return type;
    }
    stars(type) {
        while (this.next('*')) {
            type = pointer(type);
            while (IGNORED.includes(this.token.text) || this.is('volatile')) if (this.tokens[this.at++].text === 'volatile') type = volatileOf(type);
        }
        return type;
    }
    declarator(type, isParameter = false) {
        type = this.stars(type);
        const isReference = Boolean(this.next('&') || this.next('&&'));
        while (IGNORED.includes(this.token.text)) this.at++;
        if (this.is('(')) lacks(this.token, 'a pointer to a function or an array is', isReference ? 'a pointer to the first element' : 'a call by name');
        if (isParameter && this.token.kind !== 'name') return { type, isReference, name: { text: '', line: this.token.line, column: this.token.column } };
        const name = { ...this.name() }, sizes = [];
        if (name.text === 'operator') do name.text += this.tokens[this.at++].text; while (!this.is('(') && this.token.kind !== 'end');
        while (this.next('[')) {
            sizes.push(this.is(']') ? null : Number(this.constant(this.conditional())));
            this.need(']');
        }
        for (const size of sizes.reverse()) {
            if (size !== null && !(size > 0)) refuse(name, `an array of ${size} elements`);
            type = arrayOf(type, size ?? (isParameter ? 1 : 0));
        }
        return { name, isReference, type: isParameter && type.kind === 'array' ? pointer(type.of) : type };
    }
    pass() { while (!this.next(';') && this.token.kind !== 'end') this.at++; }
    alias() {    // using T = float;
        if (this.next('namespace')) { this.pass(); return; }
        const name = this.name();
        if (!this.next('=')) { this.pass(); return; }
        this.named.set(name.text, this.stars(this.specifiers().type));
        this.need(';');
    }
    // What follows `template`: its parameters, bound to what they usually are.
    template() {
        const at = this.token, parameters = [];
        if (!this.next('<')) { this.pass(); return; }    // an instance: host.js reads it
        while (!this.is('>')) {
            if (this.is('template')) lacks(at, 'a template of a template is', 'the type itself');
            const isType = this.next('typename') || this.next('class');
            if (this.is('...')) lacks(at, 'a template of any number of parameters is', 'the types themselves');
            const type = isType ? null : this.specifiers().type, name = this.is('>') || this.is(',') ? '' : this.name().text;
            const of = this.next('=') ? isType ? { type: this.stars(this.specifiers().type) } : { value: this.constant(this.binary(7)) } : null;
            parameters.push({ name, type, of });
            this.next(',');
        }
        this.closing();
        if (this.is('struct') || this.is('class')) lacks(at, 'a template of a struct is', 'a struct with the type itself');
        this.bound(parameters, [], () => { this.open = { parameters, start: this.at }; this.declarations(); });
        this.open = null;
    }
    bound(parameters, given, f) {
        const { named } = this;
        this.named = new Map(named);
        this.constants.push(new Map());
        parameters.forEach((p, k) => {
            const one = given[k] ?? p.of;
            if (!p.type) this.named.set(p.name, one?.type ?? FLOAT);
            else this.constants.at(-1).set(p.name, { value: one?.value ?? cuda.usual(p.name), type: p.type });
        });
        f();
        this.constants.pop();
        this.named = named;
    }
    instance(f, given, at) {    // a function of a template for these parameters
        const key = `${f.name}<${given.map(g => g?.type?.name ?? String(g?.value)).join()}>`;
        if (this.functions.has(key)) return this.functions.get(key);
        if (given.length > f.template.parameters.length) refuse(at, `${f.name} has ${f.template.parameters.length} parameters of its template`);
        const back = { at: this.at, hidden: this.hidden, taken: this.taken, assigned: this.assigned, current: this.current, constants: this.constants };
        this.constants = [this.constants[0]];
        this.bound(f.template.parameters, given, () => { this.at = f.template.start; this.instanceName = key; this.open = f.template; this.declarations(); });
        Object.assign(this, back, { open: null, instanceName: null });
        return this.functions.get(key);
    }
    top() {
        if (this.next(';') || this.next('}')) return;
        if (this.is('template')) { this.at++; this.template(); return; }
        if (this.is('extern') && this.tokens[this.at + 1].kind === 'text') { this.at += 2; this.next('{'); return; }
        if (this.next('using')) { this.alias(); return; }
        if (this.is('namespace') || this.is('inline') && this.tokens[this.at + 1].text === 'namespace') { while (!/^[{;=]$|^the end$/.test(this.token.text)) this.at++; if (!this.next('{')) this.pass(); return; }
        if (this.next('static_assert')) { this.skip('(', ')'); return; }
        const start = this.at, end = this.endOfHost(start);
        if (end) { this.hosts.push([start, end]); this.at = end; return; }
        try { this.declarations(); } catch (problem) {    // a variable of the host, perhaps
            let i = start, depth = 0;
            for (; i < this.tokens.length && (depth || this.tokens[i].text !== ';'); i++) {
                if (/^__(global|device|shared|constant|managed)__$|^template$/.test(this.tokens[i].text)) throw problem;
                depth += /^[{(]$/.test(this.tokens[i].text) ? 1 : /^[})]$/.test(this.tokens[i].text) ? -1 : 0;
            }
            if (!(problem instanceof cuda.Refusal) || i === this.tokens.length) throw problem;
            this.at = i + 1;
        }
    }
    endOfHost(start) {    // where a function of the host ends, which is passed over; 0: it is none
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
    }
    declarations() {
        const { type, seen } = this.specifiers();
        if (this.next(';')) return;
        do {
            const d = this.declarator(type), name = d.name.text;
            if (this.is('(')) { this.func(d, seen); return; }
            if (seen.typedef) { if (d.type.name === '') d.type.name = name; this.named.set(name, d.type); }
            else if (seen.__device__ || seen.__constant__ || seen.__managed__ || seen.__shared__) {
                const init = this.next('=') ? this.initializer() : null;
                this.globals.set(name, { name, type: init ? this.sized(d.type, init) : d.type, init, isConstant: Boolean(seen.__constant__), isShared: Boolean(seen.__shared__), isDynamic: Boolean(seen.extern), ...place(d.name) });
            } else if (this.next('=')) {
                const value = this.assignment(), to = d.type === AUTO ? DOUBLE : d.type;
                if (isNumber(to)) this.constants[0].set(name, { value: this.constant({ kind: 'cast', type: to, of: value, ...place(d.name) }), type: to });
            }
        } while (this.next(','));
        this.need(';');
    }
    sized(type, init) { return type.kind === 'array' && type.count === 0 && init.kind === 'list' ? arrayOf(type.of, init.list.length) : type; }
    func(d, seen) {
        const f = { name: d.name.text, ...place(d.name), type: d.type, isReference: d.isReference, isKernel: Boolean(seen.__global__), isTemplate: Boolean(this.open), template: this.open, before: this.instanceName ? null : this.functions.get(d.name.text) };
        if (!this.signature(f)) return;
        this.functions.set(this.instanceName ?? f.name, f);
        this.inside(f);
    }
    signature(f) {
        this.need('(');
        Object.assign(this, { hidden: new Set(), taken: new Set(), assigned: new Set() });
        Object.assign(f, { taken: this.taken, assigned: this.assigned, parameters: [] });
        this.constants.push(new Map());
        this.until(')', () => {
            if (this.is('void') && this.tokens[this.at + 1].text === ')') { this.at++; return; }
            const { type, seen } = this.specifiers(), p = this.declarator(type, true);
            if (p.type.name === 'void') refuse(p.name, 'a parameter of type void');
            if (this.next('=')) p.otherwise = this.assignment();
            f.parameters.push({ name: p.name.text, type: p.type, isReference: p.isReference, otherwise: p.otherwise, named: seen.named });
            this.constants.at(-1).set(p.name.text, undefined);
            this.hidden.add(p.name.text);
        });
        while (IGNORED.includes(this.token.text)) this.at++;
        if (this.next('->')) f.type = this.stars(this.specifiers().type);
        if (this.next(';')) this.constants.pop();
        else return true;
    }
    inside(f) {
        const { current } = this;
        this.current = f;
        f.body = this.block();
        this.current = current;
        this.constants.pop();
    }

    // ---- Statements
    block() {
        const at = this.need('{'), list = [];
        this.constants.push(new Map());
        const { hidden, named } = this;
        this.hidden = new Set(hidden);
        this.named = new Map(named);
        while (!this.next('}')) {
            if (this.token.kind === 'end') refuse(this.token, `the } of line ${at.line} is missing`);
            list.push(this.statement());
        }
        Object.assign(this, { hidden, named });
        this.constants.pop();
        return { kind: 'block', list, ...place(at) };
    }
    statement() {
        const at = this.token, node = (kind, rest) => ({ kind, ...place(at), ...rest });
        if ((this.depth = (this.depth || 0) + 1) > 400) refuse(at, 'too deep');
        try { return this.oneStatement(at, node); } finally { this.depth--; }
    }
    oneStatement(at, node) {
        if (this.is('{')) return this.block();
        if (this.next(';')) return node('block', { list: [] });
        if (this.next('static_assert')) { this.skip('(', ')'); this.need(';'); return node('block', { list: [] }); }
        if (this.next('using')) { this.alias(); return node('block', { list: [] }); }
        if (this.next('if')) {
            this.next('constexpr');
            const test = this.test(), yes = this.statement();
            return node('if', { test, yes, no: this.next('else') ? this.statement() : null });
        }
        if (this.next('switch')) return node('switch', { of: this.test(), body: this.statement() });
        if (this.next('case')) { const value = this.expression(); this.need(':'); return node('case', { value }); }
        if (this.is('default') && this.tokens[this.at + 1].text === ':') { this.at += 2; return node('case', { value: null }); }
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
            const value = this.is(';') ? null : this.is('{') ? this.initializer() : this.expression();
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
        const at = this.token, after = this.tokens[this.at + 1];
        if (!this.isType() && !this.is('typedef') || (this.isType() && after.text === '(' && !/^(alignas|__align__)$/.test(at.text) && at.text !== 'auto')) {
            const value = this.expression();
            this.need(';');
            return { kind: 'expression', value, ...place(at) };
        }
        const { type, seen } = this.specifiers(), list = [];
        if (this.next(';')) return { kind: 'block', list: [], ...place(at) };
        do {
            const d = this.declarator(type), name = d.name.text;
            if (seen.typedef) { this.named.set(name, d.type); continue; }
            const init = this.next('=') ? this.initializer() : this.is('{') ? this.initializer() : this.next('(') ? { kind: 'construct', type: d.type, list: this.until(')', () => this.assignment()), ...place(d.name) } : null;
            if (this.is(':')) lacks(d.name, 'a loop over a range is', 'a loop with an index');
            const isDynamic = Boolean(seen.__shared__ && seen.extern), sized = init ? this.sized(d.type, init) : d.type;
            if (sized.kind === 'array' && sized.count === 0 && !isDynamic) refuse(d.name, 'an array needs a length here');
            if (d.type.kind === 'void') refuse(d.name, 'a variable of type void');
            if (d.type === AUTO && !init) refuse(d.name, 'auto needs a value');
            if (seen.__shared__ && init) refuse(d.name, 'a __shared__ variable has no initializer');
            if (seen.static && !seen.__shared__ && !seen.const && !seen.constexpr) lacks(d.name, 'static variables are', 'a __device__ variable');
            list.push({ name, type: sized, init, isReference: d.isReference, isShared: Boolean(seen.__shared__), isDynamic, ...place(d.name) });
            this.hidden.add(name);
            const isConstant = (seen.const || seen.constexpr) && init && (isNumber(d.type) || d.type === AUTO) && !d.isReference && init.kind !== 'lambda';
            const value = isConstant ? this.folded({ kind: 'cast', type: d.type, of: init, ...place(d.name) }) : undefined;
            this.constants.at(-1).set(name, value && { value: value.value, type: value.type });
        } while (this.next(','));
        this.need(';');
        return { kind: 'declare', list, ...place(at) };
    }
    initializer() {
        const at = this.token;
        if (!this.next('{')) return this.assignment();
        return { kind: 'list', list: this.until('}', () => { if (this.is('.')) lacks(this.token, 'a field by its name is', 'the values in order'); return this.initializer(); }), ...place(at) };
    }
}
Object.assign(cuda, { Parser });
}
if (typeof module !== 'undefined') module.exports = cudaParser;
