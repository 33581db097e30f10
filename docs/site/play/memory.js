// SPDX-License-Identifier: MIT
// Memory, what requests do in it, and which mistakes they make; and how a launch goes. The checks follow
// cudacc/trace/check, the counts cudacc/trace/count.
'use strict';
function cudaMemory(cuda) {
const { LANES, leaves, exact, L, refuse, place, low, countBits: count, shapeOf, noteShape, sectorsOf, wavefrontsOf, Neighbors, Members, chooseWindows, arrayOf, types } = cuda;
class Ended extends Error {}    // a mistake that ends the launch
const VIEWS = { Uint8: Uint8Array, Int8: Int8Array, Int16: Int16Array, Uint16: Uint16Array, Int32: Int32Array, Uint32: Uint32Array, Float32: Float32Array, Float64: Float64Array, BigInt64: BigInt64Array, BigUint64: BigUint64Array };
const WRITTEN = 0, READ = 1, SYNCED = 3, SLOTS = 5;    // of a cell: the last store, two loads, two atomics
const STORED = 1, ADDED = 2;    // by an atomic alone, which has read what nothing had stored
const OPS = ['ld', 'st', 'atomic'], NAMES = { ld: 'load', st: 'store', atomic: 'atomic' }, PASSED_ON = 1e5;
const peek = (a, at, type) => { const v = a[type.view][at / type.size]; return typeof v === 'bigint' ? exact(v) : type.name === 'half' ? L.ofBits(v) : v; };
function poke(a, at, type, value) { a[type.view][at / type.size] = type.view.startsWith('Big') ? BigInt(value) : type.name === 'bool' ? value !== 0 : type.name === 'half' ? L.bits(L.half(value)) : value; }
const each = (mask, f) => { for (let lane = 0; mask; lane++, mask >>>= 1) if (mask & 1) f(lane); };
// What lies at an address, and where a block or a thread is.
const elementOf = (a, address) => {
    const offset = address - a.base, size = a.type.size;
    return a.name + (a.row ? `[${Math.floor(offset / a.row)}][${Math.floor(offset % a.row / size)}]` : `[${Math.floor(offset / size)}]`);
};
const split = (i, size) => [i % size[0], Math.floor(i / size[0]) % size[1], Math.floor(i / size[0] / size[1])], inGrid = (i, size) => `(${split(i, size)})`;
const now = () => performance.now();

class Machine {
    constructor(program, kernel, options) {
        Object.assign(this, { program, kernel, options, allocations: [], shared: [], sharedNames: new Map(), rowsOf: new Map(), members: new Members(), mistakes: [], told: new Map(), printed: [],
            events: [], steps: 0, stamps: 0, epoch: 0, block: 0, at: [0, 0, 0], accesses: [null], pending: [], LOCAL: 2 ** 32, LOCAL_BYTES: 65536, SHARED: 2 ** 40, GLOBAL: 2 ** 41, votes: 0, voters: 0, lastShared: -1e9 });
        this.mostEvents = options.events ?? 20000;
        this.limit = options.limit ?? Infinity;
        this.nextLook = Math.min(256, options.steps ?? Infinity);
        this.begun = this.told_at = now();
        this.local = this.allocate('a local variable', { ...types.char }, LANES * this.LOCAL_BYTES, 'local', this.LOCAL);
        this.nextGlobal = this.GLOBAL;
        this.sharedBytes = 0;
        const { block, grid } = options, triple = (name, of) => ({ type: cuda.vectors.uint3, parts: of.map(v => String(v)), values: of.map(v => typeof v === 'number' ? v : undefined), words: name });
        this.builtins = new Map(Object.entries({ threadIdx: triple('threadIdx', ['tx[i]', block[1] > 1 || block[2] > 1 ? 'ty[i]' : 0, block[2] > 1 ? 'tz[i]' : 0]), blockIdx: triple('blockIdx', ['bx', 'by', 'bz']),
            blockDim: triple('blockDim', block), gridDim: triple('gridDim', grid) }));
    }
    // Now and then in a loop: has it taken too long?
    look(warp, site, mask) {
        this.nextLook = Math.min(this.steps + 256, this.options.steps ?? Infinity);
        const time = now() - this.begun, isLong = time > this.limit;
        if (time > this.told_at + 200) { this.told_at = time; this.options.progress?.(this.block, time); }
        if (!isLong && !(this.steps >= this.options.steps)) return;
        const waits = this.steps - this.lastShared < 512 ? '. If it waits for another thread: here the threads of a warp, and warps, take turns at barriers alone' : '';
        this.isLong = isLong;
        this.mistake({ kind: 'too long', at: site ?? this.kernel, lane: mask && low(mask), warp, detail: `after ${isLong ? `${Math.round(this.limit / 1000)} s` : `${this.steps} steps`} the launch is stopped; a smaller grid may end, a loop may never${waits}` }, true);
    }
    allocate(name, type, bytes, space, base) {
        const unit = leaves(type).some(l => l.type.size < 4) ? 1 : 4, cells = space === 'local' ? 0 : Math.ceil(bytes / unit), buffer = new ArrayBuffer(Math.ceil(bytes / 16) * 16);
        const a = { name, type, bytes, base, space, shift: unit === 4 ? 2 : 0, cells: new Int32Array(cells * SLOTS), written: new Uint8Array(cells) };
        for (const view in VIEWS) a[view] = new VIEWS[view](buffer);
        return a;
    }
    addGlobal(name, type, length, fill, space = 'global') {
        const a = this.allocate(name, type, length * type.size, space, this.nextGlobal), all = leaves(type);
        this.nextGlobal += Math.ceil((a.bytes + 65536) / 65536) * 65536 + 65536;
        if (fill !== 'unwritten') a.written.fill(1);
        const isReal = all.every(l => l.type.kind === 'real'), isPlain = fill === 'index' && /^(int|float)$/.test(type.name);
        if (isPlain) for (let i = 0, of = a[type.view]; i < length; i++) of[i] = i;
        for (let i = 0, k = 0, random = 1; i < length && !isPlain && fill !== 'zero' && fill !== 'unwritten'; i++)
            for (const l of all) {
                random = Math.imul(random, 1664525) + 1013904223 >>> 0;
                poke(a, i * type.size + l.at, l.type, fill === 'index' ? k++ : (random >>> 8) % (isReal ? 1000 : length * all.length));
            }
        a.length = length;
        this.allocations.push(a);
        return a;
    }
    // A __device__ or __constant__ variable, with what it begins with.
    addVariable(g) {
        let element = g.type, length = 1;
        while (element.kind === 'array') { length *= element.count; element = element.of; }
        const a = this.addGlobal(g.name, element, length, 'zero', g.isConstant ? 'constant' : 'global'), to = leaves(g.type), given = [];
        const gather = e => e.kind === 'list' ? e.list.forEach(gather) : given.push(e);
        if (g.init) gather(g.init);
        given.forEach((e, k) => {
            const of = cuda.constantOf({ kind: 'cast', type: to[k]?.type ?? refuse(e, `${given.length} values for ${to.length}`), of: e, ...place(e) });
            poke(a, to[k].at, to[k].type, (of ?? refuse(e, 'a constant expected')).value);
        });
    }
    named(name) { return this.allocations.find(a => a.name === name); }
    sharedVariable(d) {
        const key = `${d.line}:${d.column} ${d.type.name}`;
        if (this.sharedNames.has(key)) return this.sharedNames.get(key);
        let element = d.type;
        while (element.kind === 'array') element = element.of;
        const { block } = this.options, wanted = this.options.shared ?? 4 * element.size * block[0] * block[1] * block[2];
        const type = d.isDynamic ? arrayOf(element, Math.max(1, Math.floor(wanted / element.size))) : d.type;
        const base = d.isDynamic ? this.dynamicBase ??= this.SHARED + 2 ** 20 : this.SHARED + this.sharedBytes;
        if (!d.isDynamic) this.sharedBytes += Math.ceil(type.size / 128) * 128;
        if (this.sharedBytes > 49152) refuse(d, `more than 48 KiB of shared memory: ${this.sharedBytes} bytes`);
        const v = d.isDynamic && this.shared.find(s => s.base === base) || this.allocate(d.name, element, type.size, 'shared', base);
        v.row = type.kind === 'array' && type.of.kind === 'array' ? type.of.size : 0;
        v.declared = type;
        this.sharedNames.set(key, v);
        if (!this.shared.includes(v)) this.shared.push(v);
        return v;
    }
    find(address) {
        if (address >= this.LOCAL && address < this.SHARED) return this.local;
        const list = address >= this.GLOBAL ? this.allocations : address >= this.SHARED ? this.shared : [];
        return list.find(a => address >= a.base && address < a.base + a.bytes);
    }
    pieces(type) {
        if (type.kind !== 'struct') return [{ at: 0, bytes: type.size }];
        const bytes = Math.min(type.align, 16);
        return Array.from({ length: type.size / bytes }, (_, k) => ({ at: k * bytes, bytes }));
    }

    // ---- What the kernel's function calls
    // An access of a warp: op 0 is a load, 1 a store, 2 an atomic. The memory that all lanes access, or null.
    access(warp, site, op, addresses, mask) {
        const first = addresses[low(mask)], { pieces } = site, bytes = pieces[0].bytes, { size } = site.type;
        let a = site.last;
        if (!a || !(first >= a.base && first < a.base + a.bytes)) a = site.last = this.find(first);
        let isPlain = a !== undefined;
        if (isPlain) {
            const { base, bytes: all } = a;
            for (let i = 0; i < LANES; i++) {
                if (!(mask >>> i & 1)) continue;
                const at = addresses[i] - base;
                if (!(at >= 0 && at + size <= all) || at & bytes - 1) isPlain = false;
            }
        }
        if (op === 2 || site.isVolatile) this.lastShared = this.steps;
        if (a === this.local) { this.locally(warp, site, op, addresses, mask, size); return a; }
        for (const piece of pieces) {
            const where = piece.at ? addresses.map(p => p + piece.at) : addresses;
            if (!isPlain) this.refused(warp, site, OPS[op], bytes, where, mask);
            this.request(warp, site, op, piece, where, mask, a);
        }
        return isPlain ? a : null;
    }
    locally(warp, site, op, addresses, mask, size) {
        const [from, to] = site.within ?? [0, this.LOCAL_BYTES];
        for (let i = 0; i < LANES; i++) {
            const at = addresses[i] - this.LOCAL - i * this.LOCAL_BYTES;
            if (mask >>> i & 1 && (at < from || at + size > to)) this.outside(warp, site, OPS[op], size, addresses, 1 << i, i);
        }
    }
    refused(warp, site, op, bytes, addresses, mask) {    // what no memory has, or not at such an address
        let bad = 0, off = 0;
        each(mask, i => {
            const p = addresses[i], a = this.find(p);
            if (p % bytes) off |= 1 << i;
            if (!a || p + bytes > a.base + a.bytes) bad |= 1 << i;
        });
        if (off) this.mistake({ kind: 'misaligned access', at: site, lane: low(off), warp, op, bytes, more: count(off) - 1, address: addresses[low(off)],
            detail: `the address must be a multiple of ${bytes}; it is ${this.placeOf(addresses[low(off)])}` }, true);
        if (bad) this.outside(warp, site, op, bytes, addresses, bad, low(bad));
    }
    request(warp, site, op, piece, addresses, mask, a) {
        if (a.space === 'constant' && op === 0) return;
        if (op !== 2 && !site.isVolatile && this.isKnown(warp, site, op, piece, addresses, mask, a)) return;
        const r = { isVolatile: site.isVolatile, lanes: mask, warp: warp.number, block: this.block, site, op: OPS[op], bytes: piece.bytes, allocation: a, addresses };
        this.check(warp, r, op);
        this.tally(warp, r);
    }
    // Does a register hold it? What an equal expression has loaded or stored, and nothing can have changed since.
    isKnown(warp, site, op, piece, addresses, mask, a) {
        const { known } = warp, { words } = site;
        let k = known.findIndex(one => one.words === words && one.at === piece.at && one.bytes === piece.bytes);
        if (op === 0 && k >= 0 && !(mask & ~known[k].lanes)) {
            let same = true;
            for (let i = 0; same && i < LANES; i++) if (mask >>> i & 1 && known[k].addresses[i] !== addresses[i]) same = false;
            if (same) return true;
        }
        // A store may be to the same memory, unless both are members of one struct, or variables in shared memory, and
        // different ones, or it stores what has been loaded there.
        const owner = site.owner ??= /.*(?=\.\w+$)/.exec(words)?.[0] ?? '';
        if (op === 1) { warp.known = known.filter(one => (owner && one.owner === owner && one.words !== words) || a.space === 'shared' && one.allocation.space === 'shared' && (one.allocation !== a || (one.op === 0 && site.from === `*${one.words}`))); k = -1; }
        if (k < 0) {
            k = warp.known.push({ words, owner: site.owner, at: piece.at, bytes: piece.bytes, addresses: [] }) - 1;
            if (k === 32) { warp.known.shift(); k--; }
        }
        const one = warp.known[k];
        for (let i = 0; i < LANES; i++) one.addresses[i] = addresses[i];
        one.lanes = mask;
        one.op = op;
        one.allocation = a;
        one.depth = warp.depth;
        return false;
    }
    forget(warp) {    // what a branch has loaded is not known after it
        const depth = warp.depth--;
        if (warp.known.length && warp.known.some(k => k.depth >= depth)) warp.known = warp.known.filter(k => k.depth < depth);
    }
    divided(warp, site, lane) { this.mistake({ kind: 'kernel died', at: site, lane, warp, detail: 'integer division by zero' }, true); }
    failed(warp, site, mask) { this.mistake({ kind: 'kernel died', at: site, lane: low(mask), warp, more: count(mask) - 1, detail: 'an assertion failed' }, true); }
    unset(warp, site, mask) {
        this.mistake({ kind: 'read of memory never written', at: site, lane: low(mask), warp, more: count(mask) - 1, name: site.name, head: `read of ${site.name} at line ${site.line}`, detail: `nothing has been stored in the variable ${site.name}` });
    }
    printf(warp, site, mask, values) {
        each(mask, i => {
            if (this.printed.length >= 1000) return;
            const list = values(i);
            let k = 0;
            this.printed.push(site.format.replace(/%([-+ 0#]*)(\d*)(?:\.(\d+))?(?:hh|h|ll|l|z)?([a-zA-Z%])/g, (all, flags, width, digits, kind) => {
                if (kind === '%') return '%';
                const v = site.texts[k] ?? list[k] ?? 0, n = Number(v), p = Number(digits ?? 6);
                k++;
                let s = /[fF]/.test(kind) ? Number.isFinite(n) ? n.toFixed(p) : String(n).toLowerCase().replace('infinity', 'inf') : kind === 'e' ? n.toExponential(p).replace(/e([+-])(\d)$/, 'e$10$2') : kind === 'g' ? String(Number(n.toPrecision(p || 1))) : kind === 'x' ? (typeof v === 'bigint' || v >= 0 ? v : v >>> 0).toString(16)
                    : kind === 'X' ? (v >>> 0).toString(16).toUpperCase() : kind === 'c' ? String.fromCharCode(n) : kind === 'p' ? `0x${v.toString(16)}` : kind === 'u' && v < 0 ? String(v >>> 0) : String(v);
                if (flags.includes('+') && n >= 0) s = `+${s}`;
                return flags.includes('-') ? s.padEnd(width) : flags.includes('0') && n >= 0 ? s.padStart(width, '0') : s.padStart(width);
            }));
        });
    }
    // A warp function: the lanes that its mask names must be here.
    together(warp, site, mask, who) {
        const first = who(low(mask)) | 0, here = warp.lanes & ~warp.gone;
        warp.known.length = 0;
        each(mask, i => { if (!(who(i) >>> i & 1)) this.mistake({ kind: 'misused warp function', at: site, lane: i, warp, detail: 'the mask does not name the thread itself' }, true); });
        if (first & here & ~mask) this.mistake({ kind: 'misused warp function', at: site, lane: low(mask), warp,
            detail: `its mask names lane ${low(first & here & ~mask)}, which is not there` }, true);
    }

    // ---- Checks
    check(warp, r, op) {
        const ids = r.site.ids ??= [[0, 0], [0, 0], [0, 0]];
        if (ids[op][0] !== warp.stamp) ids[op] = [warp.stamp, this.accesses.push({ site: r.site, op: r.op, bytes: r.bytes, block: this.block, warp: r.warp, epoch: this.epoch, order: warp.order }) - 1];
        const id = ids[op][1], bytes = r.bytes - 1;
        for (let lane = 0; lane < LANES; lane++) {
            if (!(r.lanes >>> lane & 1)) continue;
            let a = r.allocation;
            const p = r.addresses[lane];
            if (p < a.base || p >= a.base + a.bytes) a = this.find(p);
            const from = p - a.base, { written } = a, last = from + bytes >> a.shift;
            for (let cell = from >> a.shift; cell <= last; cell++) {
                if (op !== 1 && (op === 0 ? !written[cell] : written[cell] !== STORED) && this.pending.length < PASSED_ON) this.pending.push({ a, cell, at: r.site, lane, warp, bytes: r.bytes, op: r.op, block: this.block, address: p });
                if (op !== 0 && written[cell] !== STORED) written[cell] = op === 1 ? STORED : ADDED;
                this.cell(a, cell * SLOTS, id, lane, r.warp, op, p);
            }
        }
    }
    cell(a, at, id, lane, warp, op, address) {
        const { cells } = a, now = id * LANES + lane, slot = at + (op === 0 ? READ : SYNCED), before = cells[slot];
        if (op === 0 && before === now) return;
        if (cells[at + WRITTEN] && this.conflict(a, cells[at + WRITTEN], now, address)) { /* told */ }
        else if (op !== 0 && (this.conflict(a, cells[at + READ], now, address) || this.conflict(a, cells[at + READ + 1], now, address))) { /* told */ }
        else if (op !== 2 && cells[at + SYNCED] && !this.conflict(a, cells[at + SYNCED], now, address)) this.conflict(a, cells[at + SYNCED + 1], now, address);
        if (op === 1) { cells[at] = now; return; }
        if (before) {
            const isMine = one => one >>> 5 === id || this.accesses[one >>> 5].warp === warp, other = isMine(before), last = cells[slot + 1];
            // Of the two, one is of another warp, if any is.
            if (!(other && (before & 31) === lane) && (!last || !other || isMine(last))) cells[slot + 1] = before;
        }
        cells[slot] = now;
    }
    conflict(a, before, now, address) {
        if (!before || before === now || this.ordered(before, now)) return false;
        this.race(a, before, now, address);
        return true;
    }
    ordered(before, now) {
        const a = this.accesses[before >>> 5], b = this.accesses[now >>> 5];
        if (a.block !== b.block) return false;
        if (a.epoch !== b.epoch) return true;
        return a.warp === b.warp && ((before & 31) === (now & 31) || a.order !== b.order);
    }
    race(a, before, now, address) {
        const of = [before, now].map(one => { const { site, op, bytes, block, warp } = this.accesses[one >>> 5]; return { lane: one % LANES, site, op, bytes, block, warp }; }), number = k => k.block * 1024 + k.warp * LANES + k.lane, isBefore = (k, l) => k.site.line < this.since?.line && this.since.line < l.site.line;
        // What stores comes first, of two the lower thread; but what comes once more after the barrier, in the next turn, last.
        if (of[0].op === of[1].op ? number(of[0]) > number(of[1]) : of[1].op === 'st' || (of[1].op === 'atomic' && of[0].op === 'ld')) of.reverse();
        if (of[0].block === of[1].block && isBefore(...of)) of.reverse();
        const [x, y] = of, isTurn = x.block === y.block && isBefore(y, x), block = k => `block ${inGrid(k.block, this.options.grid)}`;
        const same = x.block === y.block, isOne = x.op === 'st' && y.op === 'st' && x.site.line === y.site.line, thread = k => inGrid(k.warp * LANES + k.lane, this.options.block);
        // Of several in the same lines, that of the lowest threads.
        const order = [same ? +(x.warp === y.warp) + 1 : 0, number(x), number(y), +(y.op === 'ld')], told = this.told.get(`data race ${[x.site.line, y.site.line].sort()} ${a.name}`)?.order, k = told ? order.findIndex((one, at) => one !== told[at]) : 0;
        if (told && (k < 0 || order[k] > told[k])) return;
        this.mistake({ kind: 'data race', order, at: x.site, other: y.site, name: a.name, blockOf: x.block, thread: x.warp * LANES + x.lane, address,
            head: `${NAMES[x.op]} of ${x.bytes} bytes at line ${x.site.line}${isTurn ? ', then' : ' and'} ${NAMES[y.op]} of ${y.bytes} bytes at line ${y.site.line}${isTurn ? ' in the next turn of the loop' : ''}`,
            who: same ? `${block(x)}, threads ${thread(x)} and ${thread(y)}`
                : `${block(x)}, thread ${thread(x)}, and ${block(y)}, thread ${thread(y)}`,
            detail: this.placeOf(address) + (isOne && same && !isTurn ? '' : `; ${!same ? 'nothing orders two blocks of a launch but atomics with __threadfence()' : x.warp === y.warp ? 'the same warp: no __syncwarp() or __syncthreads() lies between' : 'no __syncthreads() lies between'}`)
                + (x.site.constant !== undefined && x.site.constant === y.site.constant ? '; both store the same constant; let one thread do it, or use atomicOr() or atomicExch()' : !isOne ? '' : [...this.rowsOf.values()].flat().some(row => row.op === 'ld' && row.line === x.site.line && row.allocation === a && row.bytes === x.bytes) ? '; if both should count, use atomicAdd() or a related function'
                    : '; one of the two is lost; if they are the same, let one thread do it; if both should count, use atomicAdd() or a related function') });
    }
    outside(warp, site, op, bytes, addresses, bad, lane) {
        const a = this.find(addresses[lane]), over = a?.space === 'global' ? addresses[lane] + bytes - a.base - a.bytes : 0, { grid, block } = this.options;
        const number = this.block * block[0] + warp.number * LANES + lane, isFar = over >= bytes && grid[1] * grid[2] * block[1] * block[2] === 1
            && Math.floor((addresses[lane] - a.base) / a.type.size) >= number + grid[0] * block[0];
        this.mistake({ kind: 'out of bounds', at: site, lane, warp, op, bytes, more: count(bad) - 1, address: addresses[lane],
            detail: this.placeOf(addresses[lane]) + (over > 0 && over < bytes ? `; the access ends ${over} bytes past that` : '')
                + (isFar ? `; far from the thread's number, ${number}: what computes it goes too far, or overflows` : '') }, true);
    }
    nearest(address) {
        const list = address >= this.GLOBAL - 65536 ? this.allocations : address >= this.SHARED - 65536 ? this.shared : [];
        return list.reduce((best, a) => { const d = Math.max(a.base - address, address - a.base - a.bytes + 1, 0); return !best || d < best.d ? { a, d } : best; }, null)?.a;
    }
    // "a[3], byte 12 of 400", "just past the end of a, 4000 bytes; it would be a[1000], ..."
    placeOf(address) {
        const a = this.nearest(address);
        if (address < 4096) return 'a null pointer';
        if (!a) return address >= this.LOCAL && address < this.SHARED ? 'past an end of a local variable' : 'not memory of the device';
        const offset = address - a.base, shared = a.space === 'shared' ? 'shared ' : '', would = shared ? '' : `; it would be ${elementOf(a, address)}${offset < 0 ? '; an index below 0: a subtraction, or an overflow' : `, the last one is ${a.name}[${a.bytes / a.type.size - 1}]`}`;
        if (offset < 0) return `${-offset} bytes before ${shared}${a.name}, ${a.bytes} bytes${would}`;
        if (offset >= a.bytes) return `${offset > a.bytes ? `${offset - a.bytes} bytes` : 'just'} past the end of ${shared}${a.name}, ${a.bytes} bytes${would}`;
        return `${shared}${elementOf(a, address)}, byte ${offset} of ${a.bytes}`;
    }
    // What is wrong, once for each pair of lines.
    mistake(m, ends = false) {
        const name = m.name ?? (m.address === undefined ? '' : this.nearest(m.address)?.name ?? ''), lines = [m.at.line, m.other?.line ?? 0].sort().join();
        const key = `${m.kind} ${lines} ${name}`, thread = m.thread ?? (m.warp ? m.warp.number * LANES + m.lane : 0), block = m.blockOf ?? this.block;
        const before = this.told.get(key);
        if (!before || m.order) {
            const head = m.head ?? (m.op ? `${NAMES[m.op]} of ${m.bytes} bytes at line ${m.at.line}` : `line ${m.at.line}`);
            const who = m.who ?? `block ${inGrid(block, this.options.grid)}` + (m.warp ? `, thread ${inGrid(thread, this.options.block)}` : '') + (m.more ? ` and ${m.more} more of its warp` : '');
            const made = { kind: m.kind, line: m.at.line, other: m.other?.line ?? null, name, block, thread, warp: Math.floor(thread / LANES),
                address: m.address, text: `${m.kind}: ${head}; ${who}: ${m.detail}` };
            if (before) Object.assign(this.mistakes[before.index], made); else this.mistakes.push(made);
            this.told.set(key, { order: m.order, index: before?.index ?? this.mistakes.length - 1 });
        }
        if (ends) throw new Ended(m.kind);
    }
    // Loads of what nothing has written by the end of the block (of the launch, for global memory).
    unwritten(space) {
        for (const p of this.pending.filter(p => p.a.space === space && (p.op === 'ld' ? !p.a.written[p.cell] : p.a.written[p.cell] !== STORED)))
            this.mistake({ kind: 'read of memory never written', at: p.at, lane: p.lane, warp: p.warp, blockOf: p.block, op: p.op, bytes: p.bytes, address: p.address,
                detail: `${this.placeOf(p.address)}; ${space === 'shared' ? 'no thread of the block has written it' : 'no copy, memset or kernel has written it'}` });
        this.pending = this.pending.filter(p => p.a.space !== space);
    }

    // ---- Counts
    siteRow(r) {
        const a = r.allocation, of = r.site.rows ??= this.rowsOf.get(r.site.node) ?? this.rowsOf.set(r.site.node, []).get(r.site.node);
        let row = of.find(one => one.op === r.op && one.bytes === r.bytes && one.allocation === a);
        if (row) return row;
        row = { line: r.site.line, column: r.site.column, space: a.space, name: a.name, op: r.op, bytes: r.bytes, allocation: a, requests: 0, sectors: 0, useful: 0, ideal: 0, full: 0,
            misaligned: 0, strided: 0, stride: 0, varies: false, narrow: 0, same: 0, worst: 0, joined: [], window: a.space === 'shared' && r.op !== 'atomic' && !r.isVolatile && r.bytes > 1 && r.bytes < 16 ? 16 : 0 };
        row.tied = row;
        of.push(row);
        return row;
    }
    tally(warp, r) {
        const row = this.siteRow(r), isShared = r.allocation.space === 'shared', shape = shapeOf(r.lanes, r.warp, r.addresses, this.options.block[0]);
        let cost, joined = false;
        if (isShared) {
            const { wavefronts, ideal } = wavefrontsOf(r.lanes, r.addresses, r.bytes, r.op);
            warp.neighbors.add(r, row, this.options.block[0], this.epoch);
            if (shape.rows > 1) row.narrow += shape.even && shape.step ? 1 : 0;
            else noteShape(row, shape);
            row.requests++;
            row.full += r.lanes === -1 ? 1 : 0;
            row.sectors += cost = wavefronts;
            row.ideal += ideal;
            row.worst = Math.max(row.worst, wavefronts);
        } else {
            const { sectors, useful, ideal, isRange } = sectorsOf(shape, r.bytes), isRow = r.lanes === -1 && shape.even && shape.rows === 1 && shape.step === r.bytes;
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
            this.events.push({ block: r.block, warp: r.warp, line: r.site.line, op: r.op, bytes: r.bytes, lanes: r.lanes, addresses: r.addresses.slice(), allocation: r.allocation, cost, joined });
        else this.isCut = true;
    }
    // A row for each line, memory, operation and width.
    lines() {
        const all = new Map(), sites = [...this.rowsOf.values()].flat();
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
    warpOf(number, make, sites) {
        const { block } = this.options, first = number * LANES, lanes = Math.min(LANES, block[0] * block[1] * block[2] - first);
        const warp = { number, lanes: lanes === LANES ? -1 : 2 ** lanes - 1, neighbors: new Neighbors() };
        ['tx', 'ty', 'tz'].forEach((name, k) => { warp[name] = Uint32Array.from({ length: LANES }, (_, i) => split(first + i, block)[k]); });
        warp.run = make(this, warp, sites, L);
        return warp;
    }
    launch(values) {
        const { grid, block } = this.options, blocks = grid[0] * grid[1] * grid[2], compiler = new cuda.Compiler(this.program, this);
        const text = compiler.kernel(this.kernel, values), make = Function('M', 'W', 'S', 'L', text);
        this.waits = compiler.waits;
        const warps = Array.from({ length: Math.ceil(block[0] * block[1] * block[2] / LANES) }, (_, n) => this.warpOf(n, make, compiler.sites));
        try {
            for (this.block = 0; this.block < blocks; this.block++) {
                for (const a of this.shared) { a.cells.fill(0); a.written.fill(0); a.Uint8.fill(0); }
                this.at = split(this.block, grid);
                this.since = null;
                for (const warp of warps) Object.assign(warp, { known: [], depth: 0, gone: 0, order: 0, at: null, stamp: ++this.stamps });
                this.runBlock(warps);
                this.unwritten('shared');
                if (!(this.block & 15)) this.look();
            }
            this.unwritten('global');
        } catch (problem) { if (!(problem instanceof Ended)) throw problem; this.ended = true; }
    }
    runBlock(warps) {
        if (!this.waits) for (const warp of warps) { warp.run(warp.lanes); warp.gone = warp.lanes; this.members.groups = []; }
        else for (const warp of warps) warp.going = warp.run(warp.lanes);
        for (let here = this.waits ? warps : []; here.length;) {
            for (const warp of here) {
                if (warp.going.next().done) { warp.at = null; warp.gone = warp.lanes; } else this.arrived(warp);
            }
            here = warps.filter(w => w.at);
            if (here.length) this.barrier(warps, here);
            this.passed(warps);
        }
        this.passed(warps);
    }
    passed(warps) {
        this.epoch++;
        this.since = warps.find(w => w.at)?.at ?? this.since;
        this.members.groups = [];
        for (const warp of warps) { warp.neighbors.flush(); warp.stamp = ++this.stamps; }
    }
    orderWarp(warp) { warp.order++; warp.stamp = ++this.stamps; this.members.groups = []; warp.neighbors.flush(); }
    arrived(warp) {    // at a barrier: with all of its lanes that have not returned?
        const elsewhere = warp.lanes & ~warp.mask & ~warp.gone;
        warp.known.length = 0;
        if (elsewhere) this.missed(warp, `lane ${low(elsewhere)} of its warp is on another way; the run ends here`, true);
    }
    missed(warp, detail, ends) {
        this.mistake({ kind: 'barrier not reached by all threads', at: warp.at, lane: low(warp.mask), warp, head: `__syncthreads() at line ${warp.at.line}`, detail }, ends);
    }
    barrier(warps, here) {
        const gone = warps.reduce((sum, w) => sum + count(w.lanes & w.gone), 0), first = here[0], other = here.find(w => w.at.node !== first.at.node && w.at.line !== first.at.line);
        this.voters = here.reduce((sum, w) => sum + count(w.mask), 0);
        this.votes = here.reduce((sum, w) => sum + count(w.votes), 0);
        if (gone) this.missed(first, `${this.voters} thread${this.voters === 1 ? ' waits' : 's wait'} there; ${gone} have returned`, false);
        if (other) this.missed(first, `others wait at line ${other.at.line}`, false);
        this.look();
    }
}
Object.assign(cuda, { Machine, peek, elementOf, inGrid, OPERATIONS: NAMES });
}
if (typeof module !== 'undefined') module.exports = cudaMemory;
