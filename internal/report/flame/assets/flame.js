// The flame graph's controls: what keys, the mouse and buttons do to the picture
// (picture.js).

const DRAG = 4; // pixels a press may move and still be a click

class FlameGraph extends FlamePicture {
  constructor(data) {
    super();
    const byId = (name) => document.getElementById("flame-" + name);
    this.data = data;
    for (const name of ["canvas", "scroll", "room", "tip", "detail", "crumbs", "select", "search", "match", "back", "reset", "flip", "sandwich", "legend", "palette", "side", "note", "about"]) {
      this[name + "El"] = byId(name);
    }
    this.context = this.canvasEl.getContext("2d", { alpha: false });
    this.trees = new Map();
    this.icicle = data.root_bottom !== true;
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
      for (const [change, text] of [[1, "more than before (+)"], [-1, "less than before (−)"], [0, this.tree.grain > 0 ? "the same, or within the sampling error (95 %)" : "the same (=)"]]) add(css(this.changeColor(change, 1)).fill, text);
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
    const about = this.data.flames[index].about ?? [];
    this.aboutEl.textContent = about.join("\n");
    this.aboutEl.hidden = about.length === 0;
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
      if (box.value !== base && tree.withinError(box.value, box.base)) out.push(`within the sampling error, ${tree.print(tree.error(box.value, box.base))} at 95 %`);
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

const flameData = document.getElementById("flame-data");
const flameGraph = flameData === null ? null : new FlameGraph(JSON.parse(flameData.textContent));
