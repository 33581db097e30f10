// SPDX-License-Identifier: MIT
// What the requests of a warp cost, which mistakes they make, and what could be better: the arithmetic
// of cudacc/trace, for the kernels that interpreter.js runs. Memory lies here, too.
'use strict';
const CudaMemory = ({ LANES, vectors, leaves, exact, each, count, low, refuse, Ended, Compiler }) => {
// ---- What a request costs --------------------------------------------------------------------------
// The addresses of the lanes that take part, as the tracer looks at them for its hints.
function shapeOf(request, addresses, width) {
    const list = [], s = { rows: 1, even: true, step: 0, list };
    let steps = 0, row = 0;
    each(request.lanes, lane => {
        const ofRow = width % LANES ? Math.floor((request.warp * LANES + lane) / width) : 0;
        if (list.length) {
            const step = addresses[lane] - list[list.length - 1];
            if (ofRow !== row) s.rows++;
            else if (steps++ === 0) s.step = step;
            else s.even &&= step === s.step;
        }
        list.push(addresses[lane]);
        row = ofRow;
    });
    s.even &&= list.length > s.rows;
    return s;
}
function noteShape(row, s) {
    if (s.list.length < 2 || !s.even) return;
    if (s.step === 0) row.same += s.rows === 1 ? 1 : 0;
    else if (s.rows > 1 && Math.abs(s.step) === row.bytes) row.narrow++;
    else if (Math.abs(s.step) !== row.bytes) {
        row.varies ||= row.strided > 0 && row.stride !== s.step;
        if (!row.strided++) row.stride = s.step;
    }
}
// The sectors of 32 bytes that a request touches, and the different bytes that it wants.
function sectorsOf(list, bytes) {
    const sorted = list.slice().sort((a, b) => a - b);
    let sectors = 0, useful = 0, end = 0, next = 0;
    for (const from of sorted) {
        const to = from + bytes, last = Math.floor((to - 1) / 32);
        if (to > end) { useful += to - Math.max(from, end); end = to; }
        const first = Math.max(Math.floor(from / 32), next);
        if (last >= first) { sectors += last - first + 1; next = last + 1; }
    }
    return { sectors, useful, ideal: Math.ceil(useful / 32), isRange: sorted.length > 0 && useful === end - sorted[0] };
}
// The words that some lanes need of the fullest bank; and the passes that the banks need for a request:
// 128 bytes at a time, twice as many lanes where neighbors load the same.
function fullest(lanes, addresses, bytes, first, many) {
    const banks = new Map();
    let most = 0;
    for (let i = first; i < first + many; i++) {
        if (!(lanes >>> i & 1)) continue;
        for (let word = Math.floor(addresses[i] / 4); word <= Math.floor((addresses[i] + bytes - 1) / 4); word++) {
            const bank = banks.get(word % 32) || banks.set(word % 32, new Set()).get(word % 32);
            bank.add(word);
            most = Math.max(most, bank.size);
        }
    }
    return most;
}
function wavefrontsOf(lanes, addresses, bytes, op) {
    const pairs = other => {
        for (let i = 0; i < LANES; i++) if (lanes >>> i & lanes >>> (i ^ other) & 1 && addresses[i] !== addresses[i ^ other]) return false;
        return true;
    };
    let many = bytes <= 4 ? LANES : 128 / bytes, wavefronts = 0, ideal = 0;
    if (many < LANES && op === 'ld' && (pairs(1) || pairs(2))) many *= 2;
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
const begin = (r, address, window) => ({ op: r.op, lanes: r.lanes, at: address.map(a => Math.floor(a / window)), sites: [] });
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
        for (const n of this.of) {
            if (r.op === 'atomic' || r.isVolatile) n.groups.forEach(g => { g.open = false; });
            n.time++;
            n.groups.forEach(g => { if (g.op !== r.op) g.open = false; });
        }
        if (!row.window) return;
        const address = r.addresses.map(a => a - r.allocation.base), place = address[low(r.lanes)];
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
            n.groups.forEach(g => { if (n.time - g.time > FAR_APART) g.open = false; });
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
        this.groups = this.groups.filter(g => g.op === r.op || g.element === element);
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

const textOf = e => e.kind === undefined ? '' : [e.kind, e.sign, e.name, e.value, ...[e.of, e.index, e.left, e.right, e.test, e.yes, e.no, ...e.list || []].map(p => p && textOf(p))].join(' ');

// ---- Memory, checks, counts ------------------------------------------------------------------------
const SETTERS = { bool: 'Uint8', char: 'Int8', 'unsigned char': 'Uint8', short: 'Int16', 'unsigned short': 'Uint16', int: 'Int32', unsigned: 'Uint32',
    float: 'Float32', double: 'Float64', 'long long': 'BigInt64', 'unsigned long long': 'BigUint64' };
function peek(view, at, type) {
    const v = view['get' + (SETTERS[type.name] || 'BigUint64')](at, true);
    return typeof v === 'bigint' ? exact(v) : v;
}
function poke(view, at, type, value) {
    const name = SETTERS[type.name] || 'BigUint64';
    view['set' + name](at, name.startsWith('Big') ? BigInt(value) : value, true);
}
const WRITTEN = 0, READ = 1, SYNCED = 3, SLOTS = 5;    // of a cell: the last store, two loads, two atomics

// What lies at an address, and where a block or a thread is.
const elementOf = (a, address) => {
    const offset = address - a.base, size = a.type.size;
    return a.name + (a.row ? `[${Math.floor(offset / a.row)}][${Math.floor(offset % a.row / size)}]` : `[${Math.floor(offset / size)}]`);
};
const NAMES = { ld: 'load', st: 'store', atomic: 'atomic' };
const split = (i, size) => [i % size[0], Math.floor(i / size[0]) % size[1], Math.floor(i / size[0] / size[1])], inGrid = (i, size) => `(${split(i, size)})`;

class Machine {
    constructor(program, kernel, options) {
        Object.assign(this, { program, kernel, options, allocations: [], shared: [], sharedNames: new Map(), sites: new Map(), members: new Members(), mistakes: [], told: new Set(),
            events: [], steps: 0, epoch: 0, block: 0, accesses: [null], pending: [], LOCAL: 2 ** 32, LOCAL_BYTES: 65536, SHARED: 2 ** 40, GLOBAL: 2 ** 41 });
        this.mostSteps = options.steps || 4e6;
        this.mostEvents = options.events ?? 20000;
        this.local = new DataView(new ArrayBuffer(LANES * this.LOCAL_BYTES));
        this.nextGlobal = this.GLOBAL;
        this.sharedBytes = 0;
    }
    step(at) {
        if (++this.steps > this.mostSteps) this.mistake({ kind: 'too long', at, detail: `after ${this.mostSteps} steps the launch is stopped; a smaller grid may end, a loop may never` }, true);
    }
    allocate(name, type, bytes, space, base) {
        const unit = leaves(type).some(l => l.type.size < 4) ? 1 : 4, cells = Math.ceil(bytes / unit);
        return { name, type, bytes, base, space, unit, view: new DataView(new ArrayBuffer(Math.ceil(bytes / 16) * 16)), cells: new Int32Array(cells * SLOTS), written: new Uint8Array(cells) };
    }
    addGlobal(name, type, length, fill) {
        const a = this.allocate(name, type, length * type.size, 'global', this.nextGlobal), all = leaves(type);
        this.nextGlobal += Math.ceil((a.bytes + 65536) / 65536) * 65536 + 65536;
        if (fill !== 'unwritten') a.written.fill(1);
        const isReal = all.every(l => l.type.kind === 'real');
        for (let i = 0, k = 0, random = 1; i < length && fill !== 'zero' && fill !== 'unwritten'; i++)
            for (const l of all) {
                random = Math.imul(random, 1664525) + 1013904223 >>> 0;
                poke(a.view, i * type.size + l.at, l.type, fill === 'index' ? k++ : (random >>> 8) % (isReal ? 1000 : length * all.length));
            }
        a.length = length;
        this.allocations.push(a);
        return a;
    }
    addressOf(name) { return this.allocations.find(a => a.name === name).base; }
    sharedVariable(d) {
        const key = `${d.line}:${d.column}`;
        if (!this.sharedNames.has(key)) {
            const base = this.SHARED + this.sharedBytes;
            this.sharedBytes += Math.ceil(d.type.size / 128) * 128;
            if (this.sharedBytes > 49152) refuse(d, `more than 48 KiB of shared memory: ${this.sharedBytes} bytes`);
            let element = d.type;
            while (element.kind === 'array') element = element.of;
            const v = this.allocate(d.name, element, d.type.size, 'shared', base);
            v.row = d.type.kind === 'array' && d.type.of.kind === 'array' ? d.type.of.size : 0;
            this.sharedNames.set(key, v);
            this.shared.push(v);
        }
        return this.sharedNames.get(key);
    }
    find(address) {
        const list = address >= this.GLOBAL ? this.allocations : address >= this.SHARED ? this.shared : [];
        return list.find(a => address >= a.base && address < a.base + a.bytes);
    }
    pieces(type) {
        if (type.kind !== 'struct') return [{ at: 0, bytes: type.size }];
        const bytes = Math.min(type.align, 16);
        return Array.from({ length: type.size / bytes }, (_, k) => ({ at: k * bytes, bytes }));
    }
    // Each lane's memory and place in it. A local variable is each lane's own.
    where(address) {
        if (address >= this.LOCAL && address < this.LOCAL + LANES * this.LOCAL_BYTES) return [this.local, address - this.LOCAL];
        const a = this.last && address >= this.last.base && address < this.last.base + this.last.bytes ? this.last : this.last = this.find(address);
        return [a.view, address - a.base];
    }
    load(warp, site, type, parts, addresses, mask, out) {
        this.requests(warp, site, 'ld', type, parts, addresses, mask);
        leaves(type).forEach((l, k) => each(mask, i => { const [view, at] = this.where(addresses[i]); out[k][i] = peek(view, at + l.at, l.type); }));
    }
    store(warp, site, type, parts, addresses, mask, values) {
        this.requests(warp, site, 'st', type, parts, addresses, mask);
        leaves(type).forEach((l, k) => each(mask, i => { const [view, at] = this.where(addresses[i]); poke(view, at + l.at, l.type, values[k][i]); }));
    }
    atomic(warp, site, type, addresses, mask, values, f, out) {
        this.requests(warp, site, 'atomic', type, this.pieces(type), addresses, mask);
        each(mask, i => {
            const [view, at] = this.where(addresses[i]), old = peek(view, at, type);
            poke(view, at, type, f(old, values[0][i], values[1]?.[i]));
            out[i] = old;
        });
        warp.known.length = 0;
    }
    requests(warp, site, op, type, parts, addresses, mask) {
        const first = addresses[low(mask)];
        if (first >= this.LOCAL && first < this.SHARED) {
            each(mask, i => { const at = addresses[i] - this.LOCAL - i * this.LOCAL_BYTES; if (at < 0 || at + type.size > this.LOCAL_BYTES) this.outside(warp, site, op, type.size, addresses, 1 << i, i); });
            return;
        }
        for (const part of parts) this.request(warp, site, op, type, part.bytes, part.at ? addresses.map(a => a + part.at) : addresses, mask);
    }
    request(warp, site, op, type, bytes, addresses, mask) {
        let bad = 0, off = 0, a = null;
        for (let i = 0; i < LANES; i++) {
            if (!(mask >>> i & 1)) continue;
            const p = addresses[i];
            if (p % bytes) off |= 1 << i;
            if (!a || p < a.base || p >= a.base + a.bytes) a = this.find(p);
            if (!a || p + bytes > a.base + a.bytes) { bad |= 1 << i; a = null; }
        }
        if (off) this.mistake({ kind: 'misaligned access', at: site, lane: low(off), warp, op, bytes, more: count(off) - 1, address: addresses[low(off)],
            detail: `the address must be a multiple of ${bytes}; it is ${this.placeOf(addresses[low(off)])}` }, true);
        if (bad) this.outside(warp, site, op, bytes, addresses, bad, low(bad));
        a = this.find(addresses[low(mask)]);
        if (op !== 'atomic' && !type.isVolatile && this.isKnown(warp, site, op, type, bytes, addresses, mask, a)) return;
        const r = { isVolatile: type.isVolatile, lanes: mask, warp: warp.number, block: this.block, site, op, bytes, allocation: a, addresses: Array.from(addresses) };
        this.check(warp, r);
        this.tally(warp, r);
    }
    // Does a register hold it? What lanes have loaded or stored, and nothing can have changed since.
    isKnown(warp, site, op, type, bytes, addresses, mask, a) {
        const first = addresses[low(mask)], one = addresses.every((p, i) => !(mask >>> i & 1) || p === first), words = one ? textOf(site) : '';
        const same = k => { for (let i = 0; i < LANES; i++) if (mask >>> i & 1 && k.addresses[i] !== addresses[i]) return false; return !one || k.words === words || textOf(k.site) === words; };
        if (op === 'ld') {
            if (warp.known.some(k => k.bytes === bytes && !(mask & ~k.lanes) && same(k))) return true;
        } else {
            // A store may be to the same memory, unless both are variables in shared memory, and different ones.
            warp.known = warp.known.filter(k => a.space === 'shared' && k.allocation.space === 'shared' && k.allocation !== a);
        }
        warp.known.push({ addresses: Array.from(addresses), lanes: mask, bytes, allocation: a, site, depth: warp.depth });
        if (warp.known.length > 32) warp.known.shift();
        return false;
    }

    // ---- Checks
    check(warp, r) {
        const id = this.accesses.length;
        this.accesses.push({ site: r.site, op: r.op, bytes: r.bytes, block: this.block, warp: r.warp, epoch: this.epoch, order: warp.order });
        each(r.lanes, lane => {
            let a = r.allocation, p = r.addresses[lane];
            if (p < a.base || p >= a.base + a.bytes) a = this.find(p);
            for (let cell = Math.floor((p - a.base) / a.unit), end = (p - a.base + r.bytes) / a.unit; cell < end; cell++) {
                if (r.op !== 'ld') a.written[cell] = 1;
                else if (!a.written[cell]) this.pending.push({ a, cell, at: r.site, lane, warp, r, block: this.block, address: p });
                this.cell(a, cell * SLOTS, id * LANES + lane, r.op, p);
            }
        });
    }
    cell(a, at, now, op, address) {
        const cells = a.cells, conflict = slot => { const before = cells[at + slot]; if (before && before !== now && !this.ordered(before, now)) { this.race(a, before, now, address); return true; } return false; };
        if (op === 'ld') conflict(WRITTEN) || conflict(SYNCED) || conflict(SYNCED + 1);
        else if (op === 'st') conflict(WRITTEN) || conflict(READ) || conflict(READ + 1) || conflict(SYNCED) || conflict(SYNCED + 1);
        else conflict(WRITTEN) || conflict(READ) || conflict(READ + 1);
        if (op === 'st') { cells[at] = now; return; }
        const slot = at + (op === 'ld' ? READ : SYNCED), before = cells[slot];
        if (before && before % LANES === now % LANES && this.accesses[before / LANES | 0].warp === this.accesses[now / LANES | 0].warp) { cells[slot] = now; return; }
        // Of the two, one is of another warp, if any is.
        if (before && (!cells[slot + 1] || this.accesses[before / LANES | 0].warp !== this.accesses[now / LANES | 0].warp
            || this.accesses[cells[slot + 1] / LANES | 0].warp === this.accesses[now / LANES | 0].warp)) cells[slot + 1] = before;
        cells[slot] = now;
    }
    ordered(before, now) {
        const a = this.accesses[before / LANES | 0], b = this.accesses[now / LANES | 0];
        if (a.block !== b.block) return false;
        if (a.epoch !== b.epoch) return true;
        return a.warp === b.warp && (before % LANES === now % LANES || a.order !== b.order);
    }
    race(a, before, now, address) {
        const x = this.accesses[before / LANES | 0], y = this.accesses[now / LANES | 0], block = k => `block ${inGrid(k.block, this.options.grid)}`;
        const same = x.block === y.block, thread = (k, lane) => inGrid(k.warp * LANES + lane, this.options.block);
        this.mistake({ kind: 'data race', at: x.site, other: y.site, name: a.name, blockOf: x.block, thread: x.warp * LANES + before % LANES,
            head: `${NAMES[x.op]} of ${x.bytes} bytes at line ${x.site.line} and ${NAMES[y.op]} of ${y.bytes} bytes at line ${y.site.line}`,
            who: same ? `${block(x)}, threads ${thread(x, before % LANES)} and ${thread(y, now % LANES)}`
                : `${block(x)}, thread ${thread(x, before % LANES)}, and ${block(y)}, thread ${thread(y, now % LANES)}`,
            detail: `${this.placeOf(address)}; ${!same ? 'nothing orders two blocks of a launch' : x.warp === y.warp ? 'the same warp: no __syncwarp() or __syncthreads() lies between' : 'no __syncthreads() lies between'}`
                + (x.op === 'st' && y.op === 'st' && x.site.line === y.site.line ? '; if both shall count, use atomicAdd() or a relative of it' : '') });
    }
    outside(warp, site, op, bytes, addresses, bad, lane) {
        const a = this.find(addresses[lane]), over = a?.space === 'global' ? addresses[lane] + bytes - a.base - a.bytes : 0;
        this.mistake({ kind: 'out of bounds', at: site, lane, warp, op, bytes, more: count(bad) - 1, address: addresses[lane],
            detail: this.placeOf(addresses[lane]) + (over > 0 && over < bytes ? `; the access ends ${over} bytes past that` : '') }, true);
    }
    nearest(address) {
        const list = address >= this.GLOBAL - 65536 ? this.allocations : address >= this.SHARED - 65536 ? this.shared : [];
        return list.reduce((best, a) => { const d = Math.max(a.base - address, address - a.base - a.bytes + 1, 0); return !best || d < best.d ? { a, d } : best; }, null)?.a;
    }
    // "a[3], byte 12 of 400", "just past the end of a, 4000 bytes; it would be a[1000], ..."
    placeOf(address) {
        const a = this.nearest(address);
        if (address < 4096) return 'a null pointer';
        if (!a) return address < this.SHARED ? 'past an end of a local variable' : 'not memory of the device';
        const offset = address - a.base, shared = a.space === 'shared' ? 'shared ' : '', would = shared ? '' : `; it would be ${elementOf(a, address)}${offset < 0 ? '' : `, the last one is ${a.name}[${a.bytes / a.type.size - 1}]`}`;
        if (offset < 0) return `${-offset} bytes before ${shared}${a.name}, ${a.bytes} bytes${would}`;
        if (offset >= a.bytes) return `${offset > a.bytes ? `${offset - a.bytes} bytes` : 'just'} past the end of ${shared}${a.name}, ${a.bytes} bytes${would}`;
        return `${shared}${elementOf(a, address)}, byte ${offset} of ${a.bytes}`;
    }
    // What is wrong, once for each pair of lines.
    mistake(m, ends = false) {
        const name = m.name ?? (m.address === undefined ? '' : this.nearest(m.address)?.name ?? ''), lines = [m.at.line, m.other?.line ?? 0].sort().join();
        const key = `${m.kind} ${lines} ${name}`, thread = m.thread ?? (m.warp ? m.warp.number * LANES + m.lane : 0), block = m.blockOf ?? this.block;
        if (!this.told.has(key)) {
            this.told.add(key);
            const head = m.head ?? (m.op ? `${NAMES[m.op]} of ${m.bytes} bytes at line ${m.at.line}` : `line ${m.at.line}`);
            const who = m.who ?? `block ${inGrid(block, this.options.grid)}` + (m.warp ? `, thread ${inGrid(thread, this.options.block)}` : '') + (m.more ? ` and ${m.more} more of its warp` : '');
            this.mistakes.push({ kind: m.kind, line: m.at.line, other: m.other?.line ?? null, name, block, thread, warp: Math.floor(thread / LANES),
                text: `${m.kind}: ${head}; ${who}: ${m.detail}` });
        }
        if (ends) throw new Ended(m.kind);
    }
    // Loads of what nothing has written by the end of the block (of the launch, for global memory).
    unwritten(space) {
        for (const p of this.pending.filter(p => p.a.space === space && !p.a.written[p.cell]))
            this.mistake({ kind: 'read of memory never written', at: p.at, lane: p.lane, warp: p.warp, blockOf: p.block, op: 'ld', bytes: p.r.bytes, address: p.address,
                detail: `${this.placeOf(p.address)}; ${space === 'shared' ? 'no thread of the block has written it' : 'no copy, memset or kernel has written it'}` });
        this.pending = this.pending.filter(p => p.a.space !== space);
    }

    // ---- Counts
    siteRow(r) {
        const of = this.sites.get(r.site) || this.sites.set(r.site, []).get(r.site), a = r.allocation;
        let row = of.find(one => one.op === r.op && one.bytes === r.bytes && one.allocation === a);
        if (row) return row;
        row = { line: r.site.line, column: r.site.column, space: a.space, name: a.name, op: r.op, bytes: r.bytes, allocation: a, requests: 0, sectors: 0, useful: 0, ideal: 0, full: 0,
            misaligned: 0, strided: 0, stride: 0, varies: false, narrow: 0, same: 0, worst: 0, joined: [], window: a.space === 'shared' && r.op !== 'atomic' && !r.isVolatile && r.bytes > 1 && r.bytes < 16 ? 16 : 0 };
        row.tied = row;
        of.push(row);
        return row;
    }
    tally(warp, r) {
        const row = this.siteRow(r), isShared = r.allocation.space === 'shared', shape = shapeOf(r, r.addresses, isShared ? LANES : this.options.block[0]);
        let cost, joined = false;
        if (isShared) {
            const { wavefronts, ideal } = wavefrontsOf(r.lanes, r.addresses, r.bytes, r.op);
            warp.neighbors.add(r, row, this.options.block[0], this.epoch);
            noteShape(row, shape);
            row.requests++;
            row.full += r.lanes === -1 ? 1 : 0;
            row.sectors += cost = wavefronts;
            row.ideal += ideal;
            row.worst = Math.max(row.worst, wavefronts);
        } else {
            const { sectors, useful, ideal, isRange } = sectorsOf(shape.list, r.bytes), isRow = r.lanes === -1 && shape.even && shape.rows === 1 && shape.step === r.bytes;
            const found = this.members.add(r, row, isRow), many = found ? Math.max(found.more, 0) : 1;
            cost = sectors;
            joined = !many;
            if (many) {
                noteShape(row, shape);
                row.requests++;
                row.full += r.lanes === -1 ? 1 : 0;
                row.sectors += sectors;
                row.useful += useful;
                row.ideal += ideal;
                row.misaligned += sectors > ideal && isRange ? 1 : 0;
                if (found) Object.assign(found.g, { row, sectors });
            } else {    // it is part of a request that has been counted; less than none: two of those are one
                const to = found.g.row, bytes = count(r.lanes) * r.bytes, less = found.more < 0;
                to.useful += bytes;
                to.ideal += Math.floor(bytes / 32);
                to.requests -= less ? 1 : 0;
                to.full -= less && r.lanes === -1 ? 1 : 0;
                to.sectors -= less ? found.g.sectors : 0;
            }
        }
        if (this.events.length < this.mostEvents)
            this.events.push({ block: r.block, warp: r.warp, line: r.site.line, op: r.op, bytes: r.bytes, lanes: r.lanes, addresses: r.addresses, allocation: r.allocation, cost, joined });
        else this.isCut = true;
    }
    // A row for each line, memory, operation and width.
    lines() {
        const all = new Map(), sites = [...this.sites.values()].flat();
        chooseWindows(sites);
        for (const row of sites) {
            const key = `${row.line} ${row.space} ${row.name} ${row.op} ${row.bytes}`, sum = all.get(key);
            if (!sum) { all.set(key, row); continue; }
            if (row.strided) {
                sum.varies ||= row.varies || (sum.strided > 0 && sum.stride !== row.stride);
                if (!sum.strided) sum.stride = row.stride;
            }
            for (const k of ['requests', 'sectors', 'useful', 'ideal', 'full', 'misaligned', 'strided', 'narrow', 'same']) sum[k] += row[k];
            sum.worst = Math.max(sum.worst, row.worst);
        }
        return [...all.values()].filter(row => row.requests);
    }

    // ---- A launch
    warpOf(number) {
        const { grid, block } = this.options, threads = block[0] * block[1] * block[2], first = number * LANES, lanes = Math.min(LANES, threads - first);
        const warp = { number, lanes: lanes === LANES ? -1 : 2 ** lanes - 1, known: [], depth: 0, order: 0, gone: 0, neighbors: new Neighbors() };
        const triple = f => { const all = [0, 1, 2].map(k => Uint32Array.from({ length: LANES }, (_, i) => f(k, first + i))); return { type: vectors.uint3, registers: all, get: () => all }; };
        warp.builtins = { threadIdx: triple((k, i) => split(i, block)[k]),
            blockIdx: triple(() => 0), blockDim: triple(k => block[k]), gridDim: triple(k => grid[k]) };
        const compiler = new Compiler(this.program, this, warp);
        warp.run = compiler.body(this.kernel);
        return warp;
    }
    launch(values) {
        const { grid, block } = this.options, blocks = grid[0] * grid[1] * grid[2], warps = Array.from({ length: Math.ceil(block[0] * block[1] * block[2] / LANES) }, (_, n) => this.warpOf(n));
        try {
            for (this.block = 0; this.block < blocks; this.block++) {
                for (const a of this.shared) { a.cells.fill(0); a.written.fill(0); new Uint8Array(a.view.buffer).fill(0); }
                for (const warp of warps) {
                    split(this.block, grid).forEach((v, k) => warp.builtins.blockIdx.registers[k].fill(v));
                    Object.assign(warp, { known: [], depth: 0, gone: 0, order: 0, at: null });
                    warp.going = warp.run(values, warp.lanes);
                }
                this.runBlock(warps);
                this.unwritten('shared');
            }
            this.unwritten('global');
        } catch (problem) { if (!(problem instanceof Ended)) throw problem; this.ended = true; }
    }
    runBlock(warps) {
        let here = warps;
        while (here.length) {
            for (const warp of here) {
                const step = warp.going.next();
                warp.at = step.done ? null : step.value;
                if (step.done) warp.gone = warp.lanes;
                else this.arrived(warp);
            }
            here = warps.filter(w => w.at);
            if (here.length) this.barrier(warps, here);
            this.passed(warps);
        }
        this.passed(warps);
    }
    passed(warps) {
        this.epoch++;
        this.members.groups = [];
        for (const warp of warps) warp.neighbors.flush();
    }
    orderWarp(warp) { warp.order++; this.members.groups = []; warp.neighbors.flush(); }
    arrived(warp) {    // at a barrier: with all of its lanes that have not returned?
        const { at, mask } = warp.at, elsewhere = warp.lanes & ~mask & ~warp.gone;
        warp.known.length = 0;
        if (elsewhere) this.missed(at, warp, mask, `lane ${low(elsewhere)} of its warp is on another way; the run ends here`, true);
    }
    missed(at, warp, mask, detail, ends) {
        this.mistake({ kind: 'barrier not reached by all threads', at, lane: low(mask), warp, head: `__syncthreads() at line ${at.line}`, detail }, ends);
    }
    barrier(warps, here) {
        const gone = warps.reduce((sum, w) => sum + count(w.lanes & w.gone), 0), waiting = here.reduce((sum, w) => sum + count(w.at.mask), 0), first = here[0];
        const other = here.find(w => w.at.at !== first.at.at && w.at.at.line !== first.at.at.line);
        if (gone) this.missed(first.at.at, first, first.at.mask, `${waiting} threads wait there; ${gone} have returned`, false);
        if (other) this.missed(first.at.at, first, first.at.mask, `others wait at line ${other.at.at.line}`, false);
    }
}

// ---- Hints: one sentence on what an access could do better, from what was counted --------------------
const wasteful = (got, ideal) => got > ideal + Math.floor(ideal / 50);
// As C prints it: a half goes to the even neighbor.
const average = (sum, n) => sum % n === 0 ? String(sum / n) : Number.isInteger(8 * sum / n) && !Number.isInteger(4 * sum / n) ? (2 * Math.round(50 * sum / n) / 100).toFixed(2) : (sum / n).toFixed(2);

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
function sharedHint(row) {
    if (!wasteful(row.sectors, row.ideal)) return '';
    const v = row.allocation, more = paddingOf(row), head = `${Math.floor(row.worst / (row.bytes <= 4 ? 1 : row.bytes / 4))}-way bank conflict: `;
    if (more) return head + `pad the rows, ${v.name}[${v.bytes / v.row}][${v.row / v.type.size + more}]`;
    if (row.op === 'atomic' && row.same) return head + 'threads of a warp update one address, one after another';
    if (row.strided && !row.varies && Math.abs(row.stride) % 4 === 0) return head + `threads are ${Math.abs(row.stride) / 4} words apart; an odd distance has no conflict`;
    return head + 'threads of a warp use different words of one bank';
}
function hint(row, block, someAreGood) {    // in a transpose the other access is good: with x and y swapped it would have the stride
    if (!row.requests) return '';
    if (row.space === 'shared') return sharedHint(row);
    if (row.op === 'atomic' && 2 * row.same > row.requests) return 'the threads of a warp update one address, one after another; add up in the block first';
    if (!wasteful(row.sectors, row.ideal))
        return row.bytes < 4 && row.op !== 'atomic' && row.full === row.requests && row.useful === row.requests * LANES * row.bytes
            ? `a request moves only ${LANES * row.bytes} bytes; let each thread take ${4 / row.bytes} elements at a time (${row.bytes === 1 ? 'char4' : 'short2'})` : '';
    const waste = `${average(row.sectors, row.requests)} sectors where ${average(row.ideal, row.requests)} would do`, isRange = 2 * row.misaligned >= row.sectors - row.ideal;
    if (isRange && row.misaligned >= row.requests) return `${waste}: the first address is not a multiple of 32 bytes`;
    if (isRange) return `${waste}: ${row.misaligned} of ${row.requests} requests start off a multiple of 32`;
    if (2 * row.narrow >= row.requests) return `${waste}: a row of the block has ${block[0]} threads; make the block 32 wide`;
    if (2 * row.strided >= row.requests) {
        const stride = Math.trunc(row.stride / row.bytes), isMatrix = block[1] > 1 && (row.varies || Math.abs(stride) >= LANES);
        return `${row.varies ? 'strides' : `stride ${stride}`}${isMatrix ? ' in x' : ''}: ${waste}; ${!isMatrix ? 'let neighboring threads touch neighbors' : someAreGood ? 'stage a tile in shared memory' : 'swap x and y'}`;
    }
    return `${{ ld: 'gather', st: 'scatter', atomic: 'scattered atomics' }[row.op]}: ${waste}; sort the indices, or stage in shared memory`;
}
return { Machine, hint, peek, wasteful, elementOf, inGrid, NAMES };
};
if (typeof module !== 'undefined') module.exports = CudaMemory;
