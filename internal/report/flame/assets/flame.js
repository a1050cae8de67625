// The flame graph's controls. One canvas as large as the window onto the graph
// is drawn anew for every change: only what can be seen is laid out and
// painted, so that a tree of a hundred thousand frames moves as smoothly as one
// of a hundred.

const ROW = 21; // pixels a frame is high
const LEAST = 2; // frames narrower than this are put together
const DRAG = 4; // pixels a press may move and still be a click

class FlameGraph {
  constructor(data) {
    const byId = (name) => document.getElementById("flame-" + name);
    this.data = data;
    for (const name of ["canvas", "scroll", "room", "tip", "detail", "crumbs", "select", "search", "match", "back", "reset", "flip", "sandwich", "legend", "palette", "side", "note"]) {
      this[name + "El"] = byId(name);
    }
    this.context = this.canvasEl.getContext("2d", { alpha: false });
    this.trees = new Map();
    this.icicle = data.inverted === true;
    this.palette = data.palette;
    this.paletteEl.value = this.palette;
    this.flipEl.setAttribute("aria-pressed", String(this.icicle));
    this.hover = null;
    this.focus = null;
    this.panes = [];
    this.layouts = [new Layout(), new Layout()];
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.setTheme(this.scheme.matches);
    data.flames.forEach((flame, i) => this.selectEl.add(new Option(flame.label, String(i))));
    this.selectEl.closest("label").hidden = data.flames.length < 2;
    document.querySelector(".flame-tools").hidden = false;
    this.listen();
    this.show(0);
  }

  listen() {
    const canvas = this.canvasEl;
    this.selectEl.addEventListener("change", () => this.show(this.selectEl.selectedIndex));
    this.paletteEl.addEventListener("change", () => { this.palette = this.paletteEl.value; this.legend(); this.paintNow(); });
    this.sideEl.addEventListener("change", () => this.chooseSide(this.sideEl.value));
    this.searchEl.addEventListener("input", () => this.search());
    this.searchEl.addEventListener("keydown", (e) => {
      if (e.key !== "Escape") return;
      this.searchEl.value = "";
      this.search();
      canvas.focus({ preventScroll: true });
    });
    this.backEl.addEventListener("click", () => this.back());
    this.resetEl.addEventListener("click", () => this.reset());
    this.flipEl.addEventListener("click", () => this.flip());
    this.sandwichEl.addEventListener("click", () => (this.main ? this.open() : this.turn(this.focus)));
    canvas.addEventListener("pointerdown", (e) => this.press(e));
    canvas.addEventListener("pointermove", (e) => this.drag(e));
    canvas.addEventListener("pointerup", (e) => this.release(e));
    canvas.addEventListener("pointercancel", () => { this.pressed = null; });
    canvas.addEventListener("pointerleave", () => this.point(null));
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    canvas.addEventListener("keydown", (e) => this.key(e));
    canvas.addEventListener("focus", () => this.redraw());
    canvas.addEventListener("blur", () => { this.tipEl.hidden = true; this.redraw(); });
    this.scrollEl.addEventListener("scroll", () => { this.tipEl.hidden = true; this.redraw(); });
    new ResizeObserver(() => this.layout()).observe(this.scrollEl);
    this.scheme.addEventListener("change", () => this.setTheme(this.scheme.matches));
    addEventListener("beforeprint", () => this.setTheme(false));
    addEventListener("afterprint", () => this.setTheme(this.scheme.matches));
    addEventListener("keydown", (e) => {
      if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
      e.preventDefault();
      this.searchEl.focus();
    });
  }

  setTheme(dark) {
    this.theme = new Theme(dark);
    this.hatched = hatching(this.context, this.theme);
    this.paper = getComputedStyle(this.scrollEl).backgroundColor;
    this.legend();
    if (this.panes.length > 0) this.paintNow();
  }

  legend() {
    const items = [];
    const add = (color, text) => {
      const item = document.createElement("li"), swatch = document.createElement("i");
      swatch.style.backgroundColor = color;
      item.append(swatch, text);
      items.push(item);
    };
    if (this.tree?.differential) {
      for (const [change, text] of [[1, "more than before (+)"], [-1, "less than before (−)"], [0, "the same (=)"]]) add(css(this.changeColor(change, 1)).fill, text);
    } else if (this.palette === "package") {
      for (const group of [...new Set(this.data.groups)].sort()) {
        if (group < GROUPS.length - 1) add(this.theme.legend(group), GROUPS[group].name);
      }
    }
    this.legendEl.replaceChildren(...items);
  }

  // show selects a graph by its number.
  show(index) {
    if (!this.trees.has(index)) this.trees.set(index, this.load(this.data.flames[index]));
    this.whole = this.trees.get(index);
    this.tree = this.whole.tree;
    this.sideEl.closest("label").hidden = !this.tree.differential;
    this.paletteEl.closest("label").hidden = this.tree.differential;
    this.sideEl.value = this.tree.side;
    this.legend();
    this.open();
  }

  load(flame) {
    const tree = new Tree(this.data, flame, readNodes(flame.nodes, flame.count, flame.differential));
    if (flame.callers === undefined) return { tree, halves: null };
    const callers = new Tree(this.data, flame, readNodes(flame.callers, flame.callers_count, flame.differential));
    return { tree, halves: { callers, callees: tree, missing: 0 } };
  }

  // open shows the whole graph; of a sandwich, both halves.
  open() {
    this.main = null;
    if (this.whole.halves !== null) this.setPanes([this.whole.halves.callers, this.whole.halves.callees]);
    else this.setPanes([this.tree]);
    this.note("");
  }

  // turn shows the sandwich of a frame's function.
  turn(box) {
    if (this.whole.halves !== null) return;
    if (box === null || box.block > 0 || box.node === 0 && box.pane.tree === this.tree) {
      this.note("Click a frame first: its function then gets a graph of its own, callers above, callees below.");
      return;
    }
    const id = box.pane.tree.name[box.node];
    const halves = sandwich(this.tree, id);
    for (const t of [halves.callers, halves.callees]) t.widths(this.tree.side);
    this.main = id;
    this.setPanes([halves.callers, halves.callees]);
    this.note(halves.missing > 0 ? `Summed over the frames shown here: ${percent(halves.missing / this.tree.value[0])} of the total lies in collapsed blocks, which have no names.` : "");
  }

  note(text) {
    this.noteEl.textContent = text;
    this.noteEl.hidden = text === "";
    this.sandwichEl.setAttribute("aria-pressed", String(this.main !== null));
    this.sandwichEl.textContent = this.main === null ? "Sandwich" : "Whole graph";
    this.sandwichEl.hidden = this.whole.halves !== null;
  }

  setPanes(trees) {
    this.panes = trees.map((tree, i) => ({ tree, layout: this.layouts[i], view: { node: 0, x0: 0, x1: tree.total }, past: [] }));
    this.past = [];
    this.focus = this.hover = null;
    this.fullRows = 0;
    this.flipEl.disabled = trees.length > 1;
    this.search();
    this.toRoot();
    this.describe(null);
  }

  chooseSide(side) {
    for (const tree of new Set([this.tree, ...this.panes.map((p) => p.tree)])) tree.widths(side);
    if (this.whole.halves !== null) this.whole.halves.callers.widths(side);
    this.setPanes(this.panes.map((p) => p.tree));
  }

  // pane is the one that gestures without a place are for.
  get pane() { return this.focus?.pane ?? this.panes[this.panes.length - 1]; }

  // zoom shows a frame, or a block of frames, over the whole width.
  zoom(box) {
    if (!(box.x1 > box.x0)) return;
    this.setView(box.pane, { node: box.node, x0: box.x0, x1: box.x1 }, true);
  }

  setView(pane, view, remember) {
    const old = pane.view;
    if (view.x0 === old.x0 && view.x1 === old.x1 && view.node === old.node) return;
    if (remember) this.past.push([pane, old]);
    pane.view = view;
    this.hover = null;
    this.tipEl.hidden = true;
    this.layout();
    this.follow();
    this.describe(this.focus);
  }

  // move shifts and scales a view around a place in [0,1] of the width. Of many
  // steps of one gesture only the first is remembered.
  move(pane, scale, shift, around = 0.5) {
    const total = pane.tree.total, old = pane.view, span = old.x1 - old.x0;
    const wide = Math.min(Math.max(span * scale, total * 1e-9), total);
    let x0 = old.x0 + span * shift + (span - wide) * around;
    x0 = Math.min(Math.max(x0, 0), total - wide);
    const view = { node: 0, x0, x1: wide === total ? total : x0 + wide };
    view.node = pane.tree.around(view);
    const now = performance.now();
    if (!(now - this.lastMove < 700)) this.past.push([pane, old]);
    this.lastMove = now;
    pane.view = view;
    this.hover = null;
    this.tipEl.hidden = true;
    this.moved = true;
    this.redraw();
  }

  back() {
    const last = this.past.pop();
    if (last !== undefined) this.setView(last[0], last[1], false);
  }

  reset() {
    this.past = [];
    this.focus = null;
    for (const pane of this.panes) pane.view = { node: 0, x0: 0, x1: pane.tree.total };
    this.hover = null;
    this.tipEl.hidden = true;
    this.layout();
    this.describe(null);
    this.toRoot();
  }

  flip() {
    this.icicle = !this.icicle;
    this.flipEl.setAttribute("aria-pressed", String(this.icicle));
    this.layout();
    this.toRoot();
  }

  // toRoot scrolls to the root.
  toRoot() {
    this.scrollEl.scrollTop = this.panes.length > 1 ? this.panes[0].origin - this.height / 2 : this.icicle ? 0 : this.scrollEl.scrollHeight;
  }

  search() {
    const text = this.searchEl.value;
    this.searchEl.removeAttribute("aria-invalid");
    let test = null, note = "";
    if (text !== "") {
      try {
        const re = new RegExp(text, /[A-Z]/.test(text) ? "" : "i");
        test = (name) => re.test(name);
      } catch (err) {
        this.searchEl.setAttribute("aria-invalid", "true");
        const reason = String(err.message).replace(/^Invalid regular expression: /, "").split(": ").pop();
        note = `Not a regular expression (${reason.toLowerCase()}), so the text is looked for as it stands. `;
        test = (name) => name.includes(text);
      }
    }
    let found = null;
    for (const pane of this.panes) found = pane.tree.search(test);
    if (found === null) {
      this.matchEl.textContent = "";
    } else {
      const total = this.panes[this.panes.length - 1].tree.total;
      let say = found.found === 0 ? "No frame matches" : `${frames(found.found)} match, ${percent(found.value / total)} of the total`;
      if (this.panes.length > 1) say += ", among the callees";
      if (found.hidden > 0) say += ` (${percent(found.hidden / total)} is in collapsed blocks, which have no names to search)`;
      this.matchEl.textContent = note + say;
    }
    this.layout();
  }

  // boxes lays the panes out anew.
  boxes() {
    for (const pane of this.panes) pane.layout.make(pane.tree, pane.view, this.width, LEAST);
    const depths = this.panes.map((pane) => pane.layout.depth);
    this.rows = depths.reduce((a, b) => a + b, 0) - (depths.length - 1);
    this.fullRows = Math.max(this.fullRows, this.rows);
  }

  // layout computes the boxes and the canvas's size.
  layout() {
    const width = this.scrollEl.clientWidth;
    if (width === 0 || this.panes.length === 0) return;
    this.width = width;
    this.moved = false;
    this.boxes();
    const height = Math.min(this.fullRows * ROW, Math.max(12 * ROW, Math.round(innerHeight * 0.75)));
    this.scrollEl.style.height = height + "px";
    this.height = height;
    this.content = Math.max(this.rows * ROW, height);
    this.roomEl.style.height = this.content + "px";
    this.place();
    this.refocus();
    this.trail();
    const zoomed = this.panes.some((p) => p.view.x0 > 0 || p.view.x1 < p.tree.total);
    this.backEl.disabled = this.past.length === 0;
    this.resetEl.disabled = this.past.length === 0 && !zoomed;
    this.paintNow();
  }

  // place says where the panes' roots are: the callers' grow upwards, the
  // callees' down from the same row.
  place() {
    if (this.panes.length > 1) {
      const [callers, callees] = this.panes;
      callers.up = true;
      callees.up = false;
      callers.origin = callees.origin = (callers.layout.depth - 1) * ROW;
      return;
    }
    const [pane] = this.panes;
    pane.up = !this.icicle;
    pane.origin = this.icicle ? 0 : this.content - ROW;
  }

  // refocus finds the box of the focused frame in a new layout, or the nearest
  // caller that is still drawn.
  refocus() {
    const old = this.focus;
    if (old === null) return;
    const middle = (Math.max(old.x0, old.pane.view.x0) + Math.min(old.x1, old.pane.view.x1)) / 2;
    this.focus = this.boxAt(old.pane, Math.min(old.depth, old.pane.layout.depth - 1), middle);
  }

  // box describes a box of a layout, which is laid out anew at any time.
  box(pane, b, depth) {
    const l = pane.layout;
    return { pane, depth, node: l.node[b], x0: l.x0[b], x1: l.x1[b], block: l.block[b], value: l.value[b], base: l.base[b] };
  }

  // boxAt returns the box at a depth and a place, or the deepest above it.
  boxAt(pane, depth, x) {
    for (let d = depth; d >= 0; d--) {
      const b = pane.layout.find(d, x);
      if (b >= 0) return this.box(pane, b, d);
    }
    return null;
  }

  px(pane, x) { return ((x - pane.view.x0) / (pane.view.x1 - pane.view.x0)) * this.width; }

  y(pane, depth) { return pane.origin + (pane.up ? -depth : depth) * ROW; }

  redraw() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      if (this.moved) this.layout(); else this.paintNow();
    });
  }

  paintNow() {
    if (this.pending) cancelAnimationFrame(this.pending);
    this.pending = null;
    if (!this.height) return;
    const ratio = devicePixelRatio || 1, c = this.context, canvas = this.canvasEl;
    const w = Math.round(this.width * ratio), h = Math.round(this.height * ratio);
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.height = this.height + "px";
      canvas.style.width = this.width + "px";
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.globalAlpha = 1;
    c.fillStyle = this.paper;
    c.fillRect(0, 0, this.width, this.height);
    c.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
    c.textBaseline = "middle";
    this.labels ??= new Labels(c);
    const top = this.scrollEl.scrollTop;
    this.panes.forEach((pane, i) => {
      const l = pane.layout;
      for (let d = this.panes.length > 1 && i === 0 ? 1 : 0; d < l.depth; d++) {
        const y = this.y(pane, d) - top;
        if (y + ROW < 0 || y > this.height) continue;
        this.paintRow(pane, l.rows[d], l.rows[d + 1], y);
      }
    });
    if (this.panes.length > 1) { // the function in the middle
      c.fillStyle = this.theme.focus;
      const y = this.panes[0].origin - top;
      c.fillRect(0, y - 1.5, this.width, 1.5);
      c.fillRect(0, y + ROW - 1.5, this.width, 1.5);
    }
    const marked = this.hover ?? (document.activeElement === canvas ? this.focus : null);
    if (marked !== null) this.outline(marked, this.y(marked.pane, marked.depth) - top);
  }

  // paintRow paints the rectangles of a row, then its labels: changing between
  // the two is what costs.
  paintRow(pane, from, to, y) {
    const c = this.context, l = pane.layout, tree = pane.tree, searching = tree.matches !== null;
    const scale = this.width / (pane.view.x1 - pane.view.x0), x0 = pane.view.x0;
    let style = null, labels = null;
    for (let b = from; b < to; b++) {
      const left = Math.max((l.x0[b] - x0) * scale, 0), right = Math.min((l.x1[b] - x0) * scale, this.width);
      const w = Math.max(right - left - (right - left > 3 ? 1 : 0), 0.5);
      const look = this.look(pane, b);
      if (look.fill !== style) c.fillStyle = style = look.fill;
      if (searching) c.globalAlpha = l.hit[b] === 1 ? 1 : 0.38;
      c.fillRect(left, y, w, ROW - 1);
      if (w >= 24) (labels ??= []).push(b, left + 5, w - 9, look.light ? 1 : 0);
    }
    if (labels !== null) {
      let ink = -1;
      for (let i = 0; i < labels.length; i += 4) {
        if (searching) c.globalAlpha = l.hit[labels[i]] === 1 ? 1 : 0.38;
        if (labels[i + 3] !== ink) {
          ink = labels[i + 3];
          c.fillStyle = ink === 1 ? this.theme.inks.light : this.theme.inks.dark;
        }
        this.paintLabel(pane, labels[i], labels[i + 1], y + ROW / 2, labels[i + 2]);
      }
    }
    c.globalAlpha = 1;
  }

  changeColor(change, largest) { return changeColor(this.data.negate === true ? -change : change, largest, this.theme.dark); }

  // look is the colour of a box.
  look(pane, b) {
    const l = pane.layout, tree = pane.tree;
    if (l.hit[b] === 1) return this.theme.hit;
    if (l.block[b] > 0) return (this.hatches ??= { fill: null, light: false }, this.hatches.fill = this.hatched, this.hatches.light = this.theme.dark, this.hatches);
    if (tree.differential) return css(this.changeColor(l.value[b] - l.base[b] * tree.scale, tree.largest));
    return this.theme.fill(this.palette, this.data, tree.name[l.node[b]]);
  }

  paintLabel(pane, b, x, y, room) {
    const c = this.context, l = pane.layout, tree = pane.tree;
    const share = tree.differential ? "" : percent(l.value[b] / this.tree.value[0]);
    if (l.block[b] > 0) {
      const text = this.labels.fit(`(${this.frames(tree, l.block[b])}, ${percent((l.x1[b] - l.x0[b]) / tree.total)})`, room);
      if (text !== "") c.fillText(text, x, y);
      return;
    }
    if (tree.differential) { // the sign stands first: it is never cut
      const change = changed(l.value[b], l.base[b] * tree.scale);
      const w = this.labels.width(change);
      if (w > room) return;
      c.fillText(change, x, y);
      x += w + 8;
      room -= w + 8;
    }
    const text = this.labels.fit(tree.nameOf(l.node[b]), room);
    if (text === "") return;
    c.fillText(text, x, y);
    if (share === "") return;
    const used = this.labels.width(text);
    if (used + 16 + this.labels.width(share) > room) return;
    const alpha = c.globalAlpha;
    c.globalAlpha = alpha * 0.66;
    c.fillText(share, x + used + 10, y);
    c.globalAlpha = alpha;
  }

  outline(box, y) {
    const c = this.context;
    const x0 = Math.max(this.px(box.pane, box.x0), 0), x1 = Math.min(this.px(box.pane, box.x1), this.width);
    c.strokeStyle = this.theme.focus;
    c.lineWidth = 2;
    c.strokeRect(x0 + 1, y + 1, Math.max(x1 - x0 - 3, 1), ROW - 3);
  }

  // at returns the box under the mouse, or null.
  at(event) {
    const r = this.canvasEl.getBoundingClientRect();
    const y = event.clientY - r.top + this.scrollEl.scrollTop, part = (event.clientX - r.left) / this.width;
    for (let i = this.panes.length - 1; i >= 0; i--) {
      const pane = this.panes[i];
      const depth = pane.up ? Math.floor((pane.origin + ROW - y) / ROW) : Math.floor((y - pane.origin) / ROW);
      const b = pane.layout.find(depth, pane.view.x0 + part * (pane.view.x1 - pane.view.x0));
      if (b >= 0) return this.box(pane, b, depth);
    }
    return null;
  }

  // under is the pane at the mouse.
  under(event) {
    const y = event.clientY - this.canvasEl.getBoundingClientRect().top + this.scrollEl.scrollTop;
    return this.panes.find((p) => this.panes.length === 1 || p.up === y < p.origin) ?? this.pane;
  }

  press(e) {
    if (e.button !== 0) return;
    this.pressed = { x: e.clientX, y: e.clientY, lastX: e.clientX, lastY: e.clientY, moved: false, pane: this.under(e), touch: e.pointerType === "touch" };
    this.canvasEl.setPointerCapture(e.pointerId);
  }

  drag(e) {
    const p = this.pressed;
    if (!p) {
      this.point(this.at(e), e);
      return;
    }
    if (!p.moved && Math.hypot(e.clientX - p.x, e.clientY - p.y) < DRAG) return;
    p.moved = true;
    this.canvasEl.style.cursor = "grabbing";
    this.tipEl.hidden = true;
    if (e.clientX !== p.lastX) this.move(p.pane, 1, (p.lastX - e.clientX) / this.width);
    if (!p.touch) this.scrollEl.scrollTop -= e.clientY - p.lastY;
    p.lastX = e.clientX;
    p.lastY = e.clientY;
  }

  release(e) {
    const p = this.pressed;
    this.pressed = null;
    if (!p || p.moved) {
      this.canvasEl.style.cursor = "default";
      return;
    }
    if (this.moved) this.layout();
    const box = this.at(e);
    if (box === null) return;
    this.focus = box;
    if (e.shiftKey) this.turn(box); else this.zoom(box);
    this.describe(this.focus);
    this.redraw();
  }

  // wheel: with Ctrl (or a pinch) it zooms, with Shift or sideways it moves;
  // otherwise it scrolls, as everywhere.
  wheel(e) {
    const step = e.deltaMode === 1 ? 20 : 1;
    if (e.ctrlKey || e.metaKey) {
      const r = this.canvasEl.getBoundingClientRect();
      this.move(this.under(e), Math.exp(Math.max(-1, Math.min(1, e.deltaY * step * 0.004))), 0, (e.clientX - r.left) / this.width);
    } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      this.move(this.under(e), 1, ((e.deltaX || e.deltaY) * step) / this.width);
    } else {
      return;
    }
    e.preventDefault();
  }

  point(box, event) {
    const same = (a, b) => a === b || (a !== null && b !== null && a.pane === b.pane && a.node === b.node && a.depth === b.depth && a.x0 === b.x0);
    if (!same(box, this.hover)) {
      this.hover = box;
      this.canvasEl.style.cursor = box === null ? "default" : "pointer";
      if (box !== null) this.describe(box);
      this.redraw();
    }
    if (box === null) this.tipEl.hidden = true;
    else this.placeTip(box, event.clientX + 14, event.clientY + 18, event.clientY);
  }

  frames(tree, n) { return (tree.estimated && n > 1 ? "about " : "") + frames(Math.round(n)); }

  // lines says everything about a box: the first is its name.
  lines(box) {
    const tree = box.pane.tree, total = this.tree.value[0], view = box.pane.view;
    const out = [box.block > 0 ? `(${this.frames(tree, box.block)} too narrow to draw)` : tree.nameOf(box.node)];
    if (box.block === 0 && tree.fileOf(box.node) !== "") out.push(tree.fileOf(box.node) + (tree.lineOf(box.node) > 0 ? ":" + tree.lineOf(box.node) : ""));
    if (tree.differential) {
      const base = box.base * tree.scale;
      out.push(`${tree.print(box.value)}, before ${tree.print(base)}: ${changed(box.value, base)}`);
      if (box.value !== base) out.push(`${tree.printSigned(box.value - base)}, ${percent(Math.abs(box.value - base) / Math.max(this.tree.base[0] * tree.scale, 1))} of the total before`);
    } else {
      let shares = `${tree.print(box.value)} cum, ${percent(box.value / total)} of the total`;
      if (view.node > 0 || view.x1 - view.x0 < tree.total) shares += `, ${percent(Math.min(box.value / tree.value[view.node], 1))} of the zoomed frame`;
      out.push(shares);
      if (box.block === 0) {
        const flat = tree.flat(box.node);
        out.push(flat === 0 ? "no flat" : `${tree.print(flat)} flat, ${percent(flat / total)} of the total`);
      }
    }
    if (box.block > 0 || tree.name[box.node] < 0) return out;
    const pkg = tree.packageOf(box.node), group = this.data.groups[pkg];
    if (this.data.packages[pkg] !== "") out.push(`package ${this.data.packages[pkg]} (${GROUPS[group].name})`);
    return out;
  }

  // summary is what stands where no frame is described: what is shown.
  summary() {
    const tree = this.tree, value = tree.value[0];
    if (!tree.differential) return `${tree.nameOf(0)} · ${tree.print(value)}`;
    const base = tree.base[0] * tree.scale;
    return `${tree.nameOf(0)} · ${tree.print(value)}, before ${tree.print(base)}: ${changed(value, base)}`;
  }

  describe(box) {
    this.detailEl.textContent = box === null ? this.summary() : this.lines(box).join(" · ");
    const link = box === null || box.block > 0 ? "" : this.linkTo(box);
    if (link === "") return;
    const a = document.createElement("a");
    a.href = link;
    a.textContent = "source";
    a.rel = "noreferrer";
    this.detailEl.append(" · ", a);
  }

  // linkTo fills in the link's template; its scheme was checked when the page
  // was made, and what is filled in is escaped.
  linkTo(box) {
    const tree = box.pane.tree, file = tree.fileOf(box.node);
    if (!this.data.link || file === "") return "";
    const fill = { file: file.split("/").map(encodeURIComponent).join("/"), line: String(tree.lineOf(box.node) || 1), function: encodeURIComponent(tree.nameOf(box.node)) };
    return this.data.link.replace(/\{(file|line|function)\}/g, (_, key) => fill[key]);
  }

  placeTip(box, x, y, above) {
    this.tipEl.replaceChildren(...this.lines(box).map((line, i) => {
      const e = document.createElement(i === 0 ? "strong" : "span");
      e.textContent = line.length > 400 ? line.slice(0, 400) + "…" : line;
      return e;
    }));
    this.tipEl.hidden = false;
    const r = this.tipEl.getBoundingClientRect();
    this.tipEl.style.left = Math.max(8, Math.min(x, innerWidth - r.width - 8)) + "px";
    this.tipEl.style.top = (y + r.height + 8 > innerHeight ? Math.max(8, above - r.height - 10) : y) + "px";
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const up = this.panes.length > 1 ? this.focus?.pane.up ?? false : !this.icicle;
    const out = up ? "ArrowUp" : "ArrowDown", home = up ? "ArrowDown" : "ArrowUp"; // away from the root, and back
    switch (e.key) {
      case out: this.walk((f) => this.childOf(f)); break;
      case home: this.walk((f) => (f.depth > 0 ? this.boxAt(f.pane, f.depth - 1, (Math.max(f.x0, f.pane.view.x0) + Math.min(f.x1, f.pane.view.x1)) / 2) : this.across(f))); break;
      case "ArrowLeft": this.walk((f) => this.beside(f, -1)); break;
      case "ArrowRight": this.walk((f) => this.beside(f, 1)); break;
      case "Home": this.walk((f) => this.start(f.pane)); break;
      case "Enter": case " ": if (this.focus !== null) this.zoom(this.focus); break;
      case "Backspace": this.back(); break;
      case "Escape": if (this.main !== null) this.open(); else this.reset(); break;
      case "c": if (this.main === null) this.turn(this.focus); else this.open(); break;
      case "w": case "+": case "=": this.move(this.pane, 0.8, 0); break;
      case "s": case "-": this.move(this.pane, 1.25, 0); break;
      case "a": this.move(this.pane, 1, -0.1); break;
      case "d": this.move(this.pane, 1, 0.1); break;
      default: return;
    }
    e.preventDefault();
  }

  // start is the zoomed frame.
  start(pane) {
    return this.boxAt(pane, pane.tree.depth[pane.view.node], (pane.view.x0 + pane.view.x1) / 2);
  }

  // across leads from the function in the middle of a sandwich to the other half.
  across(f) {
    const other = this.panes.find((p) => p !== f.pane);
    if (other === undefined) return null;
    return this.childOf(this.boxAt(other, 0, (other.view.x0 + other.view.x1) / 2));
  }

  // walk takes the focus to another box; without a focus it starts at the
  // zoomed frame.
  walk(to) {
    if (this.moved) this.layout();
    const box = this.focus === null ? this.start(this.pane) : to(this.focus);
    if (box === null || box === undefined) return;
    this.focus = box;
    this.hover = null;
    this.follow();
    this.describe(box);
    this.paintNow();
    const r = this.canvasEl.getBoundingClientRect();
    const y = r.top + this.y(box.pane, box.depth) - this.scrollEl.scrollTop;
    this.placeTip(box, r.left + Math.max(this.px(box.pane, box.x0), 0) + 8, y + ROW + 6, y);
  }

  // childOf is the widest box on top of another.
  childOf(f) {
    if (f.block > 0) return null;
    const l = f.pane.layout;
    let best = -1;
    for (let b = l.rows[f.depth + 1] ?? 0; b < (l.rows[f.depth + 2] ?? 0); b++) {
      if (l.x0[b] >= f.x0 && l.x1[b] <= f.x1 && (best < 0 || l.x1[b] - l.x0[b] > l.x1[best] - l.x0[best])) best = b;
    }
    return best < 0 ? null : this.box(f.pane, best, f.depth + 1);
  }

  beside(f, step) {
    const l = f.pane.layout, b = l.find(f.depth, (Math.max(f.x0, f.pane.view.x0) + Math.min(f.x1, f.pane.view.x1)) / 2) + step;
    return b >= l.rows[f.depth] && b < l.rows[f.depth + 1] ? this.box(f.pane, b, f.depth) : null;
  }

  // follow scrolls the focused box into the window onto the graph.
  follow() {
    if (this.focus === null) return;
    const y = this.y(this.focus.pane, this.focus.depth);
    if (y < this.scrollEl.scrollTop) this.scrollEl.scrollTop = y;
    else if (y + ROW > this.scrollEl.scrollTop + this.height) this.scrollEl.scrollTop = y + ROW - this.height;
  }

  // trail lists the callers of the zoomed frame as buttons.
  trail() {
    const pane = this.panes.length === 1 ? this.panes[0] : this.pane, view = pane.view;
    const path = view.node === 0 && view.x1 - view.x0 === pane.tree.total ? [] : pane.tree.path(view.node);
    const shown = path.join() + (pane.tree === this.tree);
    if (shown === this.shown) return;
    this.shown = shown;
    this.crumbsEl.hidden = path.length === 0;
    this.crumbsEl.replaceChildren(...path.map((i) => {
      const b = document.createElement("button");
      b.type = "button";
      const name = pane.tree.nameOf(i) || "(collapsed)";
      const bracket = name.search(/[[(]/);
      b.textContent = name.slice(bracket === 0 ? 0 : name.lastIndexOf("/", bracket < 0 ? name.length : bracket) + 1);
      b.title = name;
      if (i === view.node) b.setAttribute("aria-current", "true");
      b.addEventListener("click", () => {
        this.focus = null;
        this.zoom({ pane, node: i, x0: pane.tree.x[i], x1: pane.tree.x[i] + pane.tree.w[i] });
      });
      return b;
    }));
    this.crumbsEl.scrollLeft = this.crumbsEl.scrollWidth;
  }
}

// changed says by how much a value is more than its base, in a word or a number
// with its sign.
function changed(value, base) {
  if (value === base) return "=";
  if (base === 0) return "new";
  if (value === 0) return "gone";
  const ratio = (value - base) / base;
  return (ratio > 0 ? "+" : "−") + percent(Math.abs(ratio));
}

const flameData = document.getElementById("flame-data");
const flameGraph = flameData === null ? null : new FlameGraph(JSON.parse(flameData.textContent));
