// SPDX-License-Identifier: MIT
// The picture of a request, as SVG: its sectors, or the words of each bank. A step changes a few attributes.
'use strict';
const LANES = [...Array(32).keys()], SVG = 'http://www.w3.org/2000/svg', { elementOf, NAMES } = cudaInterpreter(CUDA_PARTS);
const isShared = e => e.allocation.space === 'shared', nameOf = a => (a.space === 'shared' ? 'shared ' : '') + a.name;
function sectorsOf(e, lane) {
    const found = new Map();
    for (let i = 0; i < 32; i++) for (let b = 0; e.lanes >>> i & 1 && b < e.bytes; b++) {
        const byte = e.addresses[i] + b, sector = Math.floor(byte / 32);
        if (!found.has(sector)) found.set(sector, Array(32).fill(-1));
        if (found.get(sector)[byte % 32] < 0 || i === lane) found.get(sector)[byte % 32] = i;
    }
    return [...found].sort((a, b) => a[0] - b[0]);
}
function banksOf(e) {
    const banks = LANES.map(() => new Map());
    for (let i = 0; i < 32; i++) for (let b = 0; e.lanes >>> i & 1 && b < e.bytes; b += 4) {
        const word = Math.floor((e.addresses[i] - e.allocation.base + b) / 4), bank = banks[word % 32];
        bank.set(word, [...bank.get(word) || [], i]);
    }
    return banks;
}
const box = (x, y, w, h) => `M${x.toFixed(1)} ${y.toFixed(1)}h${w.toFixed(1)}v${h.toFixed(1)}h${(-w).toFixed(1)}z`;
class Picture {
    constructor(svg) {
        this.svg = svg;
        this.paths = Object.fromEntries(['moved', 'wanted', 'one', 'wrong', 'line'].map(name => [name, svg.appendChild(document.createElementNS(SVG, 'path'))]));
        for (const name in this.paths) this.paths[name].setAttribute('class', name);
        this.labels = Array.from({ length: 64 }, () => svg.appendChild(document.createElementNS(SVG, 'text')));
    }
    set(e, name, value) { if (e.getAttribute(name) !== value) e.setAttribute(name, value); }
    label(k, text, x, y) {
        const e = this.labels[k];
        if (e.textContent !== text) e.textContent = text;
        if (!text) return;
        this.set(e, 'x', x.toFixed(1));
        this.set(e, 'y', y.toFixed(1));
    }
    // All requests of a warp have the same room. `lane`: what lanes up to this one want; -1: all. `byte`: where a mistake is.
    draw(e, all, lane, byte) {
        const wide = this.svg.clientWidth || 640, across = wide > 700 ? 8 : wide > 330 ? 4 : 2, d = { moved: '', wanted: '', one: '', wrong: '', line: '' };
        const tall = Math.max(...all.map(m => isShared(m) ? 10 * Math.min(m.cost, 32) + 20 : 38 * Math.ceil(m.cost / across)), 40);
        this.set(this.svg, 'viewBox', `0 0 ${wide} ${tall}`);
        this.set(this.svg, 'height', String(tall));
        const kind = lanes => lanes.includes(lane) ? 'one' : lane < 0 || lanes.some(i => i >= 0 && i <= lane) ? 'wanted' : 'moved';
        let used = 0;
        if (e && isShared(e)) {
            const banks = banksOf(e), most = Math.max(...banks.map(b => b.size)), high = most > 32 ? 320 / most : 10, width = wide / 32;
            banks.forEach((bank, n) => {
                d.line += box(n * width, most * high, width - 1, 1);
                if (n % 8 === 0 || n === 31) this.label(used++, String(n), Math.min(n * width, wide - 14), most * high + 15);
                [...bank].forEach(([word, lanes], k) => {
                    const cell = box(n * width, (most - k - 1) * high, width - 1, high - 1);
                    d[kind(lanes)] += cell;
                    if (byte !== undefined && Math.floor((byte - e.allocation.base) / 4) === word) d.wrong += cell;
                });
            });
        } else if (e) {
            const step = (wide + 10) / across, size = Math.min(e.bytes, 4), width = (step - 10) / 32;
            sectorsOf(e, lane).forEach(([sector, bytes], k) => {
                const x = k % across * step, y = Math.floor(k / across) * 38 + 15;
                if (used < 64) this.label(used++, elementOf(e.allocation, Math.max(sector * 32, e.allocation.base)), x, y - 4);
                for (let b = 0; b < 32; b += size) {
                    const cell = box(x + b * width + 0.5, y + 0.5, size * width - 1, 17);
                    d[bytes[b] < 0 ? 'moved' : kind([bytes[b]])] += cell;
                    if (byte !== undefined && Math.floor(byte / size) === Math.floor((sector * 32 + b) / size)) d.wrong += cell;
                }
            });
        }
        for (const name in d) this.set(this.paths[name], 'd', d[name]);
        while (used < 64) this.label(used++, '');
    }
    // The picture by itself: its title, its sentences, and colors that need no style sheet.
    text(title, lines) {
        const copy = this.svg.cloneNode(true), wide = this.svg.clientWidth || 640, [, , , tall] = this.svg.getAttribute('viewBox').split(' ').map(Number), escaped = t => t.replace(/[&<>"]/g, c => `&#${c.charCodeAt()};`);
        for (const e of copy.querySelectorAll('text')) if (!e.textContent) e.remove();
        const words = lines.flatMap(line => line.match(new RegExp(`.{1,${Math.floor(wide / 7)}}(?:\\s|$)|.{1,${Math.floor(wide / 7)}}`, 'g')) ?? []), top = 26 + 16 * words.length;
        const style = 'text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-weight:bold;font-size:15px}.wanted{fill:#0072b2}.one{fill:#b84a00}.moved{fill:#f6d9c4;stroke:#b84a00;stroke-width:.6}.wrong{fill:none;stroke:#b3261e;stroke-width:3}.line{fill:#59636e}';
        return `<svg xmlns="${SVG}" width="${wide + 20}" height="${tall + top + 20}" viewBox="-10 ${-top - 10} ${wide + 20} ${tall + top + 20}"><style>${style}</style><rect x="-10" y="${-top - 10}" width="100%" height="100%" fill="#fff"/>`
            + `<text class="title" x="0" y="${8 - top}">${escaped(title)}</text>${words.map((line, k) => `<text x="0" y="${26 + 16 * k - top}">${escaped(line.trim())}</text>`).join('')}${copy.innerHTML.replace(/ style="[^"]*"/g, '')}</svg>`;
    }
}
