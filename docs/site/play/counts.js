// SPDX-License-Identifier: MIT
// What a request costs, and what could be better: the arithmetic of cudacc/trace/count.
'use strict';
function cudaCounts(cuda) {
const { LANES, countBits: count } = cuda;
const low = mask => 31 - Math.clz32(mask & -mask);    // its first lane
// ---- What a request costs --------------------------------------------------------------------------
// The addresses of the lanes that take part, as the tracer looks at them for its hints: one object, used again.
const shape = { rows: 1, even: true, step: 0, many: 0, isSorted: true, list: new Float64Array(LANES) };
function shapeOf(lanes, warp, addresses, width) {
    let rows = 1, even = true, step = 0, steps = 0, row = 0, many = 0, isSorted = true, last = 0;
    const isWhole = width % LANES === 0, { list } = shape;
    for (let lane = 0; lane < LANES; lane++) {
        if (!(lanes >>> lane & 1)) continue;
        const ofRow = isWhole ? 0 : Math.floor((warp * LANES + lane) / width), address = addresses[lane];
        if (many) {
            const by = address - last;
            if (by < 0) isSorted = false;
            if (ofRow !== row) rows++;
            else if (steps++ === 0) step = by;
            else if (by !== step) even = false;
        }
        list[many++] = last = address;
        row = ofRow;
    }
    shape.rows = rows;
    shape.step = step;
    shape.many = many;
    shape.isSorted = isSorted;
    shape.even = even && many > rows;
    return shape;
}
function noteShape(row, s) {
    if (s.many < 2 || !s.even) return;
    if (s.step === 0) row.same += s.rows === 1 ? 1 : 0;
    else if (s.rows > 1 && Math.abs(s.step) === row.bytes) row.narrow++;
    else if (Math.abs(s.step) !== row.bytes) {
        row.varies ||= row.strided > 0 && row.stride !== s.step;
        if (!row.strided++) row.stride = s.step;
    }
}
// The sectors of 32 bytes that a request touches, and the different bytes that it wants.
const cost = { sectors: 0, useful: 0, ideal: 0, isRange: false };
function sectorsOf(s, bytes) {
    const all = s.isSorted ? s.list : s.list.slice(0, s.many).sort();
    let sectors = 0, useful = 0, end = 0, next = 0;
    for (let k = 0; k < s.many; k++) {
        const from = all[k], to = from + bytes, last = Math.floor((to - 1) / 32);
        if (to > end) { useful += to - Math.max(from, end); end = to; }
        const first = Math.max(Math.floor(from / 32), next);
        if (last >= first) { sectors += last - first + 1; next = last + 1; }
    }
    cost.sectors = sectors;
    cost.useful = useful;
    cost.ideal = s.even && !s.step ? sectors : Math.ceil(useful / 32);
    cost.isRange = s.many > 0 && useful === end - all[0];
    return cost;
}
// The words that some lanes need of the fullest bank; and the passes that the banks need for a request:
// 128 bytes at a time, twice as many lanes where neighbors load the same.
const inBank = new Int32Array(32), wordsOf = new Float64Array(32 * 32);
function fullest(lanes, addresses, bytes, first, many) {
    let most = 0;
    inBank.fill(0);
    for (let i = first; i < first + many; i++) {
        if (!(lanes >>> i & 1)) continue;
        const last = Math.floor((addresses[i] + bytes - 1) / 4);
        for (let word = Math.floor(addresses[i] / 4); word <= last; word++) {
            const bank = word % 32, n = inBank[bank];
            let k = 0;
            while (k < n && wordsOf[bank * 32 + k] !== word) k++;
            if (k < n) continue;
            wordsOf[bank * 32 + n] = word;
            if ((inBank[bank] = n + 1) > most) most = n + 1;
        }
    }
    return most;
}
const neighbors = (lanes, addresses, other) => {
    for (let i = 0; i < LANES; i++) if (lanes >>> i & lanes >>> (i ^ other) & 1 && addresses[i] !== addresses[i ^ other]) return false;
    return true;
};
function wavefrontsOf(lanes, addresses, bytes, op) {
    let many = bytes <= 4 ? LANES : 128 / bytes, wavefronts = 0, ideal = 0;
    if (many < LANES && op === 'ld' && (neighbors(lanes, addresses, 1) || neighbors(lanes, addresses, 2))) many *= 2;
    for (let first = 0; first < LANES; first += many) {
        const n = fullest(lanes, addresses, bytes, first, many);
        wavefronts += n;
        ideal += n > 0 ? 1 : 0;
    }
    return { wavefronts, ideal };
}

// ---- Neighbors that are one access -------------------------------------------------------------------
// What a thread accesses one by one, or in the rounds of a loop, nvcc makes one access of 8 or 16 bytes of
// (cudacc/trace/count/vectorize.c has these rules and says more).
const WINDOWS = [4, 8, 16], GROUPS = 32, FAR_APART = 48;
function begin(r, address, window) {    // an array of its own: a typed one costs more than all else here
    const at = [];
    for (let i = 0; i < LANES; i++) at.push(Math.floor(address[i] / window));
    return { op: r.op, lanes: r.lanes, at, sites: [] };
}
const offsets = new Float64Array(LANES);
function isIn(g, r, address, window) {    // does each lane stay in its window?
    if (g.op !== r.op || g.lanes !== r.lanes) return false;
    for (let i = 0; i < LANES; i++) if (r.lanes >>> i & 1 && g.at[i] !== Math.floor(address[i] / window)) return false;
    return true;
}
const windowOf = differ => !(differ & 15) ? 16 : !(differ & 7) ? 8 : !(differ & 3) ? 4 : 0;
function windowOfLanes(r, address, width) {    // in which all lanes have the same place
    let last = low(r.lanes), differ = 0;
    for (let i = last + 1; i < LANES; i++) {
        if (!(r.lanes >>> i & 1)) continue;
        const distance = address[i] - address[last], thread = r.warp * LANES + i, lanes = i - last;
        differ |= distance;
        if (lanes > 1 && Math.floor(thread / width) === Math.floor((thread - lanes) / width) && distance % lanes === 0) differ |= distance / lanes;
        last = i;
    }
    return windowOf(differ);
}
const has = (g, half) => g.halves >> half & 1 || g.words >> (half >> 1) & 1 || g.doubles >> (half >> 2) & 1;
function takes(g, r, row, address, window) {
    const slot = address[low(r.lanes)] % window >> 1;
    let again = false, down = false;
    if (g.allocation !== r.allocation || Boolean(g.doubles) !== (r.bytes === 8) || !isIn(g, r, address, window)) return false;
    for (let i = 0; i < 8; i++) {
        if (has(g, i) && i >= slot && i - slot < r.bytes / 2) again = true;
        else if (has(g, i) && i > slot && g.sites[i] === row) down = true;
    }
    return again ? r.op !== 'st' : !down;
}
// The accesses that nvcc makes of a group: [bytes, first slot].
function accessesOf(g, window) {
    const list = [];
    let words = g.words;
    for (let i = 0; i < 4; i++) if ((g.op === 'st' || g.words) && (g.halves >> 2 * i & 3) === 3) words |= 1 << i;
    const wanted = count(words);
    for (let at = 0; at < window / 2;) {
        const next = words >> (at >> 1);
        let bytes = 0;
        if (g.doubles) bytes = at === 0 && g.doubles === 3 ? 16 : at % 4 === 0 && g.doubles >> at / 4 & 1 ? 8 : 0;
        else if (g.words && (wanted === 4 || (wanted === 3 && g.op === 'ld'))) { at = 0; bytes = 16; }
        else if (at % 4 === 0 && (next & 3) === 3) bytes = 8;
        else if (at % 2 === 0 && next & 1) bytes = 4;
        else if (g.halves >> at & 1 && !(next & 1)) bytes = 2;
        if (bytes) list.push([bytes, at]);
        at += bytes / 2 || 1;
    }
    return list;
}
const top = row => { while (row.tied !== row) row = row.tied; return row; };
const none = () => ({ requests: 0, sectors: 0, ideal: 0, full: 0, worst: 0 });
class Neighbors {    // of one warp, in shared memory
    constructor() { this.of = WINDOWS.map(() => ({ groups: [], time: 0 })); }
    add(r, row, width, stretch) {
        const isEnd = r.op === 'atomic' || r.isVolatile, address = offsets;
        for (const n of this.of) {
            n.time++;
            for (const g of n.groups) if (isEnd || g.op !== r.op || n.time - g.time > FAR_APART) g.open = false;
        }
        if (!row.window) return;
        for (let i = 0; i < LANES; i++) address[i] = r.addresses[i] - r.allocation.base;
        const place = address[low(r.lanes)];
        let window = windowOfLanes(r, address, width);
        if (row.stretch !== stretch) { row.begun = new Set(); row.stretch = stretch; }
        if (!row.begun.has(r.warp)) {
            window = Math.min(window, row.place === undefined ? 16 : windowOf(row.place ^ place));
            row.place = Math.min(row.place ?? place, place);
            row.begun.add(r.warp);
        }
        row.window = Math.min(row.window, window);
        if (row.window <= r.bytes) row.window = 0;
        WINDOWS.forEach((bytes, i) => {
            if (row.window < bytes || r.bytes >= bytes) return;
            const n = this.of[i];
            let g = n.groups.find(one => one.open && takes(one, r, row, address, bytes));
            if (g) top(row).tied = top(g.first);
            else {
                if (n.groups.length === GROUPS) this.count(n.groups.shift(), i);
                g = { ...begin(r, address, bytes), open: true, allocation: r.allocation, halves: 0, words: 0, doubles: 0, first: row };
                n.groups.push(g);
            }
            g.time = n.time;
            const slot = place % bytes >> 1, bit = 1 << Math.floor(slot * 2 / r.bytes), kind = r.bytes === 8 ? 'doubles' : r.bytes === 4 ? 'words' : 'halves';
            if (!(g[kind] & bit)) for (let k = 0; k < r.bytes / 2; k++) g.sites[slot + k] = row;
            g[kind] |= bit;
        });
    }
    count(g, i) {
        const row = g.first, window = WINDOWS[i];
        if (row.window < window) return;
        const sum = row.joined[i] ||= none();
        for (const [bytes, slot] of accessesOf(g, window)) {
            const { wavefronts, ideal } = wavefrontsOf(g.lanes, g.at.map(a => a * window + slot * 2), bytes, g.op);
            sum.requests++;
            sum.sectors += wavefronts;
            sum.ideal += ideal;
            sum.full += g.lanes === -1 ? 1 : 0;
            sum.worst = Math.max(sum.worst, bytes > row.bytes ? Math.floor(wavefronts * Math.max(row.bytes, 4) / Math.max(bytes, 4)) : wavefronts);
        }
    }
    flush() { this.of.forEach((n, i) => { n.groups.forEach(g => this.count(g, i)); n.groups = []; }); }
}
// After a launch: rows that were joined have one window, the least of any, and count what nvcc makes of them.
function chooseWindows(rows) {
    for (const row of rows) top(row).least = Math.min(top(row).least ?? 16, row.window);
    for (const row of rows) {
        const window = row.window && top(row).least;
        if (window > row.bytes) Object.assign(row, row.joined[WINDOWS.indexOf(window)] || none());
    }
}
// Members of a vector in global memory, accessed one by one: more requests (0, 1, or less by one)?
const requestsFor = (slots, op) => (op === 'ld' ? slots & 1 && count(slots) >= 3 : slots === 15) ? 1 : (slots & 3 ? 1 : 0) + (slots & 12 ? 1 : 0);
class Members {
    constructor() { this.groups = []; }
    // The group that takes it, and how many requests more there are; null: it is counted as it is.
    add(r, row, isRow) {
        const element = row.allocation.type;
        if (this.warp !== r.warp || r.op === 'atomic' || r.isVolatile) this.groups = [];
        this.warp = r.warp;
        if (this.groups.length) this.groups = this.groups.filter(g => g.op === r.op || g.element === element);
        const window = Math.min(element.align, 4 * r.bytes, 16), place = r.addresses[low(r.lanes)] % window, slot = place / r.bytes;
        if (isRow || r.op === 'atomic' || r.isVolatile || window <= r.bytes) return null;
        for (let i = 0; i < LANES; i++) if (r.lanes >>> i & 1 && r.addresses[i] % window !== place) return null;
        let g = this.groups.find(one => one.element === element && one.bytes === r.bytes && !(one.slots >> slot & 1) && !(r.op === 'ld' && one.sites.includes(row)) && isIn(one, r, r.addresses, window));
        if (!g) {
            g = { ...begin(r, r.addresses, window), element, bytes: r.bytes, slots: 0 };
            this.groups.push(g);
            if (this.groups.length > 8) this.groups.shift();
        }
        const more = requestsFor(g.slots | 1 << slot, r.op) - requestsFor(g.slots, r.op);
        g.slots |= 1 << slot;
        g.sites[slot] = row;
        return { g, more };
    }
}

// ---- Hints: one sentence on what an access could do better, from what was counted --------------------
const wasteful = (got, ideal) => got > ideal + Math.floor(ideal / 50);
// As C prints it: a half goes to the even neighbor. A percentage is cut: 99.96 is not 100.
const decimals = (sum, n) => Number.isInteger(8 * sum / n) && !Number.isInteger(4 * sum / n) ? (2 * Math.round(50 * sum / n) / 100).toFixed(2) : (sum / n).toFixed(2);
const average = (sum, n) => sum % n === 0 ? String(sum / n) : decimals(sum, n);
const percent = (part, whole) => `${100 * part % whole === 0 ? 100 * part / whole : (Math.floor(1000 * part / whole) / 10).toFixed(1)} %`;

function paddingOf(row) {    // elements by which longer rows resolve a conflict; 0: none
    const v = row.allocation, stride = Math.abs(row.stride), size = v.type.size;
    if (!v.row || !row.strided || row.varies || stride % v.row) return 0;
    const passes = step => wavefrontsOf(-1, Array.from({ length: LANES }, (_, i) => i * step), row.bytes, 'st').wavefronts;
    for (let more = 1; more <= 8; more++) {
        const padded = stride / v.row * (v.row + more * size);
        if (padded % row.bytes === 0 && passes(padded) === passes(row.bytes)) return more;
    }
    return 0;
}
const wider = block => `a row of the block has ${block[0]} threads; make the block 32 wide`;
function sharedHint(row, block) {
    if (!wasteful(row.sectors, row.ideal)) return '';
    const v = row.allocation, more = paddingOf(row), head = `${Math.floor(row.worst / (row.bytes <= 4 ? 1 : row.bytes / 4))}-way bank conflict: `;
    if (more) return head + `pad the rows, ${v.name}[${v.bytes / v.row}][${v.row / v.type.size + more}]`;
    if (2 * row.narrow >= row.requests) return head + wider(block);
    if (row.strided && !row.varies && Math.abs(row.stride) % 4 === 0) return head + `threads are ${Math.abs(row.stride) / 4} words apart; an odd distance has no conflict`;
    return head + 'threads of a warp use different words of one bank';
}
// What a row of the block reads together is good in any order, and says nothing of another access.
const someAreGood = (rows, block) => rows.some(row => row.space === 'global' && !wasteful(row.sectors, row.ideal)
    && row.useful > row.requests * row.bytes * Math.max(Math.floor(LANES / block[0]), 1));
function tileOf(rows, block) {    // with an element for each thread, and no access down a column
    const shared = rows.filter(row => row.space === 'shared'), threads = block[0] * block[1] * block[2];
    return shared.some(row => row.strided) ? '' : shared.filter(row => row.allocation.bytes >= threads * row.bytes).pop()?.name;
}
function hint(row, rows, block) {    // in a transpose the other access is good: with x and y swapped it would have the stride
    if (!row.requests) return '';
    if (row.space === 'shared') return sharedHint(row, block);
    if (row.op === 'atomic' && 2 * row.same > row.requests) return 'the threads of a warp update one address, one after another; add up in the block first';
    if (!wasteful(row.sectors, row.ideal))
        return row.bytes < 4 && row.op !== 'atomic' && row.full === row.requests && row.useful === row.requests * LANES * row.bytes
            ? `a request moves only ${LANES * row.bytes} bytes; let each thread take ${4 / row.bytes} elements at a time (${row.bytes === 1 ? 'char4' : 'short2'})` : '';
    const waste = `${average(row.sectors, row.requests)} sectors where ${average(row.ideal, row.requests)} would do`, isRange = 2 * row.misaligned >= row.sectors - row.ideal;
    if (isRange && row.misaligned >= row.requests) return `${waste}: the first address is not a multiple of 32 bytes`;
    if (isRange) return `${waste}: ${row.misaligned} of ${row.requests} requests start off a multiple of 32`;
    if (2 * row.narrow >= row.requests) return `${waste}: ${wider(block)}`;
    if (2 * row.strided >= row.requests) {
        const stride = Math.trunc(row.stride / row.bytes), isMatrix = block[1] > 1 && (row.varies || Math.abs(stride) >= LANES);
        return `${row.varies ? 'strides' : `stride ${stride}`}${isMatrix ? ' in x' : ''}: ${waste}; ${!isMatrix ? 'let neighboring threads touch neighbors' : !someAreGood(rows, block) ? 'swap x and y'
            : tileOf(rows, block) ? `go along the rows here, and down the columns of ${tileOf(rows, block)} instead` : 'stage a tile in shared memory'}`;
    }
    return `${{ ld: 'gather', st: 'scatter', atomic: 'scattered atomics' }[row.op]}: ${waste}; sort the indices, or stage in shared memory`;
}
Object.assign(cuda, { low, shapeOf, noteShape, sectorsOf, wavefrontsOf, Neighbors, Members, chooseWindows, hint, decimals, average, percent });
}
if (typeof module !== 'undefined') module.exports = cudaCounts;
