// SPDX-License-Identifier: MIT
// What runs in the worker: it reads the text, guesses what the page does not give, and runs the kernel; its
// answer is one message. So the page can always be used, and a worker that does not answer is ended.
'use strict';
function cudaWorker(Cuda) {
const EVENTS = 20000;
const numbers = text => String(text).split(/[,x\s]+/).filter(s => s).map(Number);
function launch(text, kernel, ask, [grid, block], limit) {
    const values = kernel.fields.map(f => { const [length, fill] = f.text.split(':'); return f.isPointer ? { length: Number(length), fill } : { value: f.text }; });
    return Cuda.run(text, { kernel: kernel.name, grid: numbers(grid), block: numbers(block), shared: ask.shared ? Number(ask.shared) : kernel.shared, values, limit, events: EVENTS,
        progress: (block, time) => postMessage({ id: ask.id, progress: block, time }) });
}
function answer(ask) {
    const { kernels } = Cuda.parse(ask.text), kernel = kernels.find(k => k.name === ask.kernel) ?? kernels[0], known = { kernels: kernels.map(k => k.name), kernel: kernel?.name };
    if (!kernel) return Cuda.run(ask.text, { grid: [1], block: [1], values: [] });
    for (const f of kernel.fields) if (Object.hasOwn(ask.values, f.name)) Object.assign(f, { text: ask.values[f.name], isGuess: false });
    const tries = ask.grid && ask.block ? [[ask.grid, ask.block]] : kernel.launches.map(([grid, block]) => [ask.grid || grid, ask.block || block]), isGuess = !(ask.grid && ask.block) && kernel.isGuess;
    const fields = kernel.fields.map(({ name, type, isPointer, text, isGuess: guessed }) => ({ name, type, isPointer, text, isGuess: Boolean(guessed) }));
    // The first launch that makes no mistake; else one that goes to its end; else the first.
    let best = null;
    for (const one of tries) {
        const result = attempt(() => launch(ask.text, kernel, ask, one, best ? 500 : ask.limit));
        if (!best || (rank(result) < rank(best.result))) best = { one, result };
        if (rank(best.result) === 0 || result.isLong) break;
    }
    const found = { ...known, fields, grid: best.one[0], block: best.one[1], isGuess };
    if (best.result.problem) return { ...found, problem: best.result.problem };
    if (best.result.mistakes.length && kernel.fields.some(f => f.isGuess)) {    // does it lie in a guess?
        for (const f of kernel.fields) if (f.isGuess) f.text = f.roomy;
        const other = attempt(() => launch(ask.text, kernel, ask, best.one, 500));
        if (!other.problem && !other.mistakes.length) found.roomy = kernel.fields.filter(f => f.isGuess).map(f => `${f.name}${f.isPointer ? '[' : ' = '}${f.text.replace(':index', ']')}`).join(', ');
    }
    return { ...found, result: packed(best.result) };
}
const rank = r => r.problem ? 3 : !r.mistakes.length ? 0 : !r.ended ? 1 : 2;
const refusal = problem => ({ line: problem.line, column: problem.column, message: problem.message, isInner: !(problem instanceof Cuda.Refusal) });
function attempt(f) { try { return f(); } catch (problem) { return { problem: refusal(problem) }; } }
// Without what cannot be sent; the requests as numbers, nine for each, which cost the page nothing.
function packed(r) {
    const memories = [...new Set([...r.events.map(e => e.allocation), ...r.rows.map(row => row.allocation)])], at = new Map(memories.map((a, k) => [a, k]));
    const addresses = new Float64Array(32 * r.events.length), numbersOf = new Int32Array(9 * r.events.length);
    r.events.forEach((e, k) => {
        addresses.set(e.addresses, 32 * k);
        numbersOf.set([e.block, e.warp, e.line, ['ld', 'st', 'atomic'].indexOf(e.op), e.bytes, e.lanes, e.cost, Number(e.joined), at.get(e.allocation)], 9 * k);
    });
    const rows = r.rows.map(({ line, space, name, op, bytes, requests, sectors, useful, ideal, hint }) => ({ line, space, name, op, bytes, requests, sectors, useful, ideal, hint }));
    const arrays = r.arrays.map(a => ({ name: a.name, length: a.length, first: Array.from({ length: Math.min(32, a.length) }, (_, i) => Cuda.peek(a, i)) }));
    return { ...r, rows, arrays, addresses, events: numbersOf, memories: memories.map(a => ({ name: a.name, base: a.base, bytes: a.bytes, space: a.space, row: a.row, type: { size: a.type.size } })) };
}
return ask => {
    const answered = attempt(() => answer(ask));
    postMessage({ id: ask.id, ...answered }, answered.result ? [answered.result.addresses.buffer, answered.result.events.buffer] : []);
};
}
