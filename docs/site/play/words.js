// SPDX-License-Identifier: MIT
// From the text to tokens: comments, directives, macros. Each part of the interpreter is one function, which
// adds its names to `cuda`: so the page can hand the text of all to a worker (interpreter.js lists them).
'use strict';
function cudaWords(cuda) {
class Refusal extends Error {
    constructor(at, message) { super(message); this.line = at.line; this.column = at.column; }
}
const refuse = (at, message) => { throw new Refusal(at, message); };
const lacks = (at, what, instead = '') => refuse(at, `${what} not understood here${instead && `: write ${instead}`}`);
const WORD = /([A-Za-z_]\w*)|(0[xX][\da-fA-F]+[uUlL]*|0[bB][01]+[uUlL]*|(?:\d[\d']*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFuUlL]*)|('(?:\\.|[^'\\])'|"(?:\\.|[^"\\])*")|(<<<|>>>|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||::|\.\.\.|##|[-+*\/%&|^]=|[-+*\/%&|^~!<>=?:;,.(){}[\]#])/y;
const KNOWN = { __CUDA_ARCH__: 900, CUDART_VERSION: 13000, __CUDACC__: 1, __cplusplus: 201703, INFINITY: '(1.0f/0)', NAN: '(0.0f/0)', CUDART_INF_F: '(1.0f/0)', M_PI: '3.14159265358979323846', M_PI_F: '3.14159274f',
    FLT_MAX: '3.402823466e+38f', FLT_MIN: '1.175494351e-38f', FLT_EPSILON: '1.192092896e-07f', DBL_MAX: '1.7976931348623157e+308', INT_MAX: '2147483647', INT_MIN: '(-2147483647-1)', UINT_MAX: '4294967295u',
    LLONG_MAX: '9223372036854775807ll', NULL: '0', nullptr: '0', EXIT_SUCCESS: '0', RAND_MAX: '2147483647' };
const CONTINUED = '\x01';    // a line that goes on

// The tokens of a text, and what #define says. A comment leaves its lines.
function words(text) {
    const tokens = [], defined = new Map(Object.entries(KNOWN).map(([name, value]) => [name, { body: split(String(value), 0, 0) }]));
    text = text.replace(/\r/g, '').replace(/\\[ \t]*\n/g, CONTINUED).replace(/\/\*[^]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"/g,
        found => found[0] === '"' ? found : found.replace(/[^\n\x01]/g, ' '));
    const open = [];    // of #if: is this part passed over, and was one taken?
    let line = 0;
    for (const source of text.split('\n')) {
        const first = ++line, directive = /^\s*#\s*(\w*)\s*([^]*)/.exec(source), at = { line: first, column: source.indexOf('#') + 1 };
        line += source.split(CONTINUED).length - 1;
        const name = directive?.[1], isPassed = open.some(one => one.passed);
        if (/^(if|ifdef|ifndef)$/.test(name)) {
            const holds = isPassed || (name === 'if' ? condition(directive[2], at, defined) : defined.has(/\w*/.exec(directive[2])[0]) === (name === 'ifdef'));
            open.push({ passed: !holds, taken: holds });
        } else if (/^(elif|else|endif)$/.test(name)) {
            const was = open.pop() || refuse(at, `#${name} without #if`);
            if (name === 'endif') continue;
            const holds = !was.taken && (name === 'else' || condition(directive[2], at, defined));
            open.push({ passed: !holds, taken: was.taken || holds });
        } else if (isPassed || /^(include|pragma|line|)$/.test(name)) continue;
        else if (name === 'undef') defined.delete(/\w*/.exec(directive[2])[0]);
        else if (name === 'error') refuse(at, `#error ${directive[2]}`);
        else if (name === 'define') {
            const head = /^\s*#\s*define\s+(\w+)(\(([^)]*)\))?/.exec(source) || refuse(at, 'a name is missing after #define');
            defined.set(head[1], { parameters: head[2] && head[3].split(',').map(s => s.trim()).filter(s => s), body: split(source, head[0].length, first) });
        } else if (directive) lacks(at, `#${name} is`);
        else tokens.push(...split(source, 0, first));
    }
    const lines = text.split(/[\n\x01]/);
    tokens.push({ kind: 'end', text: 'the end', line: lines.length, column: lines[lines.length - 1].length + 1 });
    const all = expand(tokens, defined, []);
    // Of a #define that names a tile or a block, the number: the host's part guesses with it.
    all.defined = [...defined].filter(([name, { body }]) => /tile|block|thread/i.test(name) && body.length === 1 && body[0].kind === 'number').map(([, { body }]) => Number(body[0].text));
    return all;
}
function condition(text, at, defined) {
    const tokens = split(text.replace(/\bdefined\s*\(?\s*(\w+)\s*\)?/g, (_, name) => defined.has(name) ? ' 1 ' : ' 0 '), 0, at.line);
    const plain = expand(tokens, defined, []).map(t => t.kind === 'name' ? '0' : t.text.replace(/[uUlL]+$/, '')).join(' ');
    if (!/^[\dxa-fA-F\s()!<>=&|+\-*\/%^~?:]+$/.test(plain)) lacks(at, `#if ${text} is`);
    try { return Boolean(Function(`return ${plain}`)()); } catch (problem) { return lacks(at, `#if ${text} is`); }
}
function split(source, from, line) {
    const tokens = [];
    for (let at = from, start = 0; at < source.length;) {
        if (source[at] === CONTINUED) { line++; start = at + 1; }
        if (/[\s\x01]/.test(source[at])) { at++; continue; }
        WORD.lastIndex = at;
        const found = WORD.exec(source), place = { line, column: at - start + 1 };
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
                if (depth === 0 || (depth === 1 && t === ',' && values.length < macro.parameters.length - (macro.parameters.at(-1) === '...'))) { values.push(value); value = []; }
                else if (depth > 1 || t !== '(') value.push(tokens[i]);
                if (depth === 0) break;
            }
            if (values.length < macro.parameters.length) refuse(token, `${token.text} has ${macro.parameters.length} parameters`);
            values = values.map(v => expand(v, defined, open));
        }
        const body = pasted(macro.body).flatMap(t => {
            const which = macro.parameters ? macro.parameters.indexOf(t.text === '__VA_ARGS__' ? '...' : t.text) : -1;
            return which < 0 ? [{ ...t, line: token.line, column: token.column }] : values[which];
        });
        if (open.length > 200) refuse(token, 'these #define go too deep');
        for (const t of expand(body, defined, [...open, token.text])) result.push(t);
        if ((expand.made = open.length ? expand.made + body.length : 0) > 200000 || result.length > 200000) refuse(token, 'this #define makes too much text');
    }
    return result;
}
const pasted = body => { if (body.some(t => /^##?$/.test(t.text))) lacks(body.find(t => /^##?$/.test(t.text)), '# and ## in a #define are', 'the text itself'); return body; };
Object.assign(cuda, { Refusal, refuse, lacks, words });
}
if (typeof module !== 'undefined') module.exports = cudaWords;
