// SPDX-License-Identifier: MIT
// The CUDA C that the course teaches, run warp by warp: what each source line requests of memory, and
// the mistakes that a traced run on the CPU device (cudacc --trace) finds. It needs nothing else; the page
// hands its parts to a worker, and tests/documents/playground.t compares it with cudacc and gcc.
//
//   Cuda.parse(text) -> {kernels: [{name, parameters: [{name, type, isPointer}]}], ...}
//   Cuda.run(text, {kernel, grid, block, values}) -> {rows, warps, arrays, mistakes, events}
'use strict';
const CUDA_PARTS = typeof require === 'function' ? ['words', 'types', 'expressions', 'parser', 'host', 'compiler', 'functions', 'counts', 'memory'].map(name => require(`./${name}.js`))
    : [cudaWords, cudaTypes, cudaExpressions, cudaParser, cudaHost, cudaCompiler, cudaFunctions, cudaCounts, cudaMemory];
function cudaInterpreter(parts) {
const cuda = {};
for (const part of parts) part(cuda);
const { Refusal, refuse, lacks, leaves, isNumber, wrap64, place, hint } = cuda;
// What an expression without variables is: its value and type, or undefined.
cuda.constantOf = e => {
    const machine = { pieces: () => [] }, compiler = new cuda.Compiler({ functions: new Map(), globals: new Map() }, machine), node = compiler.value(e);
    return node.value === undefined || compiler.lines.length ? undefined : node;
};
// What a deep text would do to the stack is a refusal.
function guarded(f) {
    try { return f(); } catch (problem) { if (problem instanceof RangeError && /call stack/.test(problem.message)) refuse({ line: 1, column: 1 }, 'too deep: this text has too many brackets in brackets'); throw problem; }
}
// The parameters of a kernel as fields; a struct gives one for each of its members.
const fieldsOf = cuda.fieldsOf = f => f.parameters.flatMap(p => leaves(p.type).map(l => ({ name: p.name + l.path, isPointer: l.type.kind === 'pointer', type: l.type.kind === 'pointer' ? l.type.to.name : l.type.name, size: l.type.kind === 'pointer' ? l.type.to.size : l.type.size })));
function parse(text) {
    return guarded(() => {
        const program = new cuda.Parser(text), kernels = [...program.functions].filter(([key, f]) => f.isKernel && key === f.name).map(([, f]) => f);
        return { program, kernels: kernels.map(f => ({ name: f.name, line: f.line, parameters: fieldsOf(f), ...cuda.guess(program, f) })) };
    });
}
function valueOf(type, text, at) {
    let value = String(text).trim();
    if (type.kind === 'real') value = Number(value.replace(/f$/, ''));
    else try { value = BigInt(/^'.'$/.test(value) ? value.charCodeAt(1) : value); } catch (problem) { refuse(at, `${at.name} needs a whole number`); }
    if (type.kind === 'real' && !Number.isFinite(value)) refuse(at, `${at.name} needs a number`);
    if (type.kind === 'real') return type.size === 4 ? Math.fround(value) : type.size === 2 ? cuda.L.half(value) : value;
    return type.size === 8 ? wrap64(value, type.signed) : type.name === 'bool' ? Number(value !== 0n) : Number(type.signed ? BigInt.asIntN(8 * type.size, value) : BigInt.asUintN(8 * type.size, value));
}
function run(text, options) {
    return guarded(() => launched(parse(text).program, options));
}
function launched(program, options) {
    const kernels = [...program.functions.values()].filter(f => f.isKernel);
    let kernel = options.kernel ? kernels.find(f => f.name === options.kernel) : kernels[0];
    if (!kernel) refuse({ line: 1, column: 1 }, options.kernel ? `there is no kernel ${options.kernel}` : 'there is no kernel: a function with __global__');
    const given = kernel.template?.parameters.map((p, k) => p.type ? { value: options.templates?.[p.name] ?? cuda.launchOf(program, kernel).templates?.[k]?.value ?? p.of?.value ?? cuda.usual(p.name) } : cuda.launchOf(program, kernel).templates?.[k] ?? p.of);
    if (given?.some(g => g)) kernel = program.instance(kernel, given, kernel);
    const grid = [1, 1, 1].map((one, k) => options.grid[k] ?? one), block = [1, 1, 1].map((one, k) => options.block[k] ?? one), threads = block[0] * block[1] * block[2];
    if (![...grid, ...block].every(n => Number.isInteger(n) && n > 0)) refuse(kernel, 'grid and block need whole numbers from 1 on');
    if (threads > 1024 || block[2] > 64) refuse(kernel, `a block of ${threads} threads: 1024 are the most`);
    if (grid[0] * grid[1] * grid[2] * threads > 1 << 20) refuse(kernel, 'more than 1048576 threads: make the grid smaller');
    for (const p of kernel.parameters) if (p.isReference) lacks(kernel, 'a reference as a parameter of a kernel is', 'the value, or a pointer');
    program.fuses = options.fuses;
    const machine = new cuda.Machine(program, kernel, { ...options, grid, block });
    for (const g of program.globals.values()) if (!g.isShared) machine.addVariable(g);
    const arrays = [], fields = [...options.values];
    const values = kernel.parameters.map(p => leaves(p.type).map(l => {
        const one = fields.shift() ?? {}, at = { ...place(kernel), name: p.name + l.path }, { type } = l;
        if (type.kind !== 'pointer') return isNumber(type) ? valueOf(type, one.value ?? 0, at) : lacks(at, `a parameter of type ${type.name} is`);
        if (!leaves(type.to).every(leaf => isNumber(leaf.type))) lacks(at, `a parameter of type ${type.name} is`, 'one array, and an index into it');
        if (!(one.length > 0 && one.length * type.to.size <= 1 << 24)) refuse(at, `${at.name} needs a length, of at most 16 MiB`);
        const a = machine.addGlobal(at.name, type.to, one.length, one.fill || 'index');
        arrays.push(a);
        return a.base;
    }));
    machine.launch(values);
    const rows = machine.lines().sort((a, b) => a.line - b.line || a.column - b.column);
    for (const row of rows) row.hint = hint(row, rows, block);
    return { rows, events: machine.events, isCut: Boolean(machine.isCut), ended: Boolean(machine.ended), isLong: Boolean(machine.isLong), mistakes: machine.mistakes, printed: machine.printed, arrays, grid, block, warps: Math.ceil(threads / cuda.LANES) };
}
const peekOf = (a, i) => leaves(a.type).map(l => cuda.peek(a, i * a.type.size + l.at, l.type));
return { parse, run, peek: peekOf, Refusal, elementOf: cuda.elementOf, inGrid: cuda.inGrid, NAMES: cuda.OPERATIONS, decimals: cuda.decimals, average: cuda.average, percent: cuda.percent };
}
if (typeof module !== 'undefined') module.exports = cudaInterpreter(CUDA_PARTS);
