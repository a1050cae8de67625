// The flame graph's controls. One canvas as large as the window onto the graph
// is drawn anew for every change: with some hundred visible frames a drawing
// takes less than a millisecond, where a DOM node a frame would not scroll.

const ROW = 21; // pixels a frame is high
const LEAST = 2; // frames narrower than this are put together

class FlameGraph {
  constructor(data) {
    const byId = (name) => document.getElementById("flame-" + name);
    this.data = data;
    this.canvas = byId("canvas");
    this.scroll = byId("scroll");
    this.room = byId("room");
    this.tip = byId("tip");
    this.detail = byId("detail");
    this.crumbs = byId("crumbs");
    this.select = byId("select");
    this.input = byId("search");
    this.match = byId("match");
    this.backButton = byId("back");
    this.resetButton = byId("reset");
    this.flipButton = byId("flip");
    this.legend = byId("legend");
    this.context = this.canvas.getContext("2d");
    this.trees = new Map();
    this.icicle = false;
    this.hover = null;
    this.focus = null;
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.setTheme(this.scheme.matches);
    data.flames.forEach((flame, i) => this.select.add(new Option(flame.label, String(i))));
    document.querySelector(".flame-tools").hidden = false;
    this.listen();
    this.show(0);
  }

  listen() {
    this.select.addEventListener("change", () => this.show(this.select.selectedIndex));
    this.input.addEventListener("input", () => this.search());
    this.input.addEventListener("keydown", (e) => {
      if (e.key !== "Escape") return;
      this.input.value = "";
      this.search();
    });
    this.backButton.addEventListener("click", () => this.back());
    this.resetButton.addEventListener("click", () => this.reset());
    this.flipButton.addEventListener("click", () => this.flip());
    this.canvas.addEventListener("mousemove", (e) => this.point(this.at(e), e));
    this.canvas.addEventListener("mouseleave", () => this.point(null));
    this.canvas.addEventListener("click", (e) => {
      const box = this.at(e);
      if (box !== null) {
        this.focus = box;
        this.zoom(box);
      }
    });
    this.canvas.addEventListener("keydown", (e) => this.key(e));
    this.canvas.addEventListener("focus", () => this.redraw());
    this.canvas.addEventListener("blur", () => { this.tip.hidden = true; this.redraw(); });
    this.scroll.addEventListener("scroll", () => { this.tip.hidden = true; this.redraw(); });
    new ResizeObserver(() => this.layout()).observe(this.scroll);
    this.scheme.addEventListener("change", () => this.setTheme(this.scheme.matches));
    addEventListener("beforeprint", () => this.setTheme(false));
    addEventListener("afterprint", () => this.setTheme(this.scheme.matches));
  }

  setTheme(dark) {
    this.theme = new Theme(dark);
    this.hatched = hatching(this.context, this.theme);
    this.legend.replaceChildren();
    for (const group of [...new Set(this.data.groups)].sort()) {
      if (group === GROUPS.length - 1) continue;
      const item = document.createElement("li");
      const swatch = document.createElement("i");
      swatch.style.backgroundColor = this.theme.legend(group);
      item.append(swatch, GROUPS[group].name);
      this.legend.append(item);
    }
    if (this.tree) this.paintNow();
  }

  // show selects a graph by its number.
  show(index) {
    if (!this.trees.has(index)) this.trees.set(index, new Tree(this.data, this.data.flames[index]));
    this.tree = this.trees.get(index);
    this.past = [];
    this.view = this.whole();
    this.focus = this.hover = null;
    this.fullRows = 0;
    this.search();
    this.layout();
    this.toRoot();
  }

  whole() { return { node: 0, x0: 0, x1: this.tree.total }; }

  // zoom shows a frame, or a block of frames, over the whole width.
  zoom(box) {
    const view = { node: box.node, x0: box.x0, x1: box.x1 };
    if (view.x0 === this.view.x0 && view.x1 === this.view.x1 && view.node === this.view.node) return;
    this.past.push(this.view);
    this.setView(view);
  }

  back() { if (this.past.length > 0) this.setView(this.past.pop()); }

  reset() {
    this.past = [];
    this.focus = null;
    this.setView(this.whole());
    this.toRoot();
  }

  setView(view) {
    this.view = view;
    this.hover = null;
    this.tip.hidden = true;
    this.layout();
    this.follow();
    this.describe(this.focus);
  }

  flip() {
    this.icicle = !this.icicle;
    this.flipButton.setAttribute("aria-pressed", String(this.icicle));
    this.layout();
    this.toRoot();
  }

  // toRoot scrolls to the end where the root is.
  toRoot() { this.scroll.scrollTop = this.icicle ? 0 : this.scroll.scrollHeight; }

  search() {
    const text = this.input.value;
    this.input.removeAttribute("aria-invalid");
    let test = null, note = "";
    if (text !== "") {
      try {
        const re = new RegExp(text, /[A-Z]/.test(text) ? "" : "i");
        test = (name) => re.test(name);
      } catch (err) {
        this.input.setAttribute("aria-invalid", "true");
        const reason = String(err.message).replace(/^Invalid regular expression: /, "").split(": ").pop();
        note = `Not a regular expression (${reason.toLowerCase()}), so the text is looked for as it stands. `;
        test = (name) => name.includes(text);
      }
    }
    const found = this.tree.search(test);
    if (found === null) {
      this.match.textContent = "";
    } else {
      const total = this.tree.total;
      let say = found.found === 0 ? "No frame matches" : `${frames(found.found)} match, ${percent(found.value / total)} of the total`;
      if (found.hidden > 0) say += ` (${percent(found.hidden / total)} is in collapsed blocks, which have no names to search)`;
      this.match.textContent = note + say;
    }
    this.layout();
  }

  // layout computes the boxes and the canvas's size.
  layout() {
    const width = this.scroll.clientWidth;
    if (width === 0) return;
    this.width = width;
    this.rows = this.tree.boxes(this.view, width, LEAST);
    this.fullRows = Math.max(this.fullRows, this.rows.length);
    const height = Math.min(this.fullRows * ROW, Math.max(12 * ROW, Math.round(innerHeight * 0.75)));
    this.scroll.style.height = height + "px";
    this.height = height;
    this.content = Math.max(this.rows.length * ROW, height);
    this.room.style.height = this.content + "px";
    this.refocus();
    this.trail();
    this.backButton.disabled = this.past.length === 0;
    this.resetButton.disabled = this.past.length === 0 && this.view.node === 0;
    this.paintNow();
  }

  // refocus finds the box of the focused frame in a new layout, or the nearest
  // caller that is still drawn.
  refocus() {
    if (this.focus === null) return;
    const old = this.focus;
    const same = (this.rows[old.depth] ?? []).find((b) => b.node === old.node && b.x0 === old.x0 && (b.block > 0) === (old.block > 0));
    this.focus = same ?? this.boxAt(Math.min(old.depth, this.rows.length - 1), (old.x0 + old.x1) / 2);
  }

  // boxAt returns the box at a depth and a place, or the deepest above it.
  boxAt(depth, x) {
    for (let d = depth; d >= 0; d--) {
      const box = this.rows[d]?.find((b) => b.x0 <= x && x < b.x1);
      if (box !== undefined) return box;
    }
    return null;
  }

  px(x) { return ((x - this.view.x0) / (this.view.x1 - this.view.x0)) * this.width; }

  y(depth) { return this.icicle ? depth * ROW : this.content - (depth + 1) * ROW; }

  redraw() {
    this.pending ??= requestAnimationFrame(() => this.paintNow());
  }

  paintNow() {
    if (this.pending) cancelAnimationFrame(this.pending);
    this.pending = null;
    if (!this.rows) return;
    const ratio = devicePixelRatio || 1, c = this.context;
    const w = Math.round(this.width * ratio), h = Math.round(this.height * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
      this.canvas.style.height = this.height + "px";
      this.canvas.style.width = this.width + "px";
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    c.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
    c.textBaseline = "middle";
    this.labels ??= new Labels(c);
    const top = this.scroll.scrollTop;
    for (let d = 0; d < this.rows.length; d++) {
      const y = this.y(d) - top;
      if (y + ROW < 0 || y > this.height) continue;
      for (const box of this.rows[d]) this.paintBox(box, y);
    }
    const marked = this.hover ?? (document.activeElement === this.canvas ? this.focus : null);
    if (marked !== null) this.outline(marked, this.y(marked.depth) - top);
  }

  paintBox(box, y) {
    const c = this.context, theme = this.theme, tree = this.tree;
    const x0 = Math.max(this.px(box.x0), 0), x1 = Math.min(this.px(box.x1), this.width);
    const w = Math.max(x1 - x0 - (x1 - x0 > 3 ? 1 : 0), 0.5);
    const searching = tree.matches !== null;
    c.globalAlpha = searching && !box.hit ? 0.38 : 1;
    if (box.block > 0) {
      c.fillStyle = box.hit ? theme.hit : theme.block;
      c.fillRect(x0, y, w, ROW - 1);
      c.fillStyle = this.hatched;
    } else {
      const pkg = tree.packageOf(box.node);
      c.fillStyle = box.hit ? theme.hit : theme.fill(this.data.packages[pkg], this.data.groups[pkg]);
    }
    c.fillRect(x0, y, w, ROW - 1);
    if (w >= 22) this.paintLabel(box, x0 + 5, y + ROW / 2, w - 9);
    c.globalAlpha = 1;
  }

  paintLabel(box, x, y, room) {
    const c = this.context;
    const share = percent(box.value / this.tree.total);
    const name = box.block > 0 ? `(${frames(box.block)}, ${share})` : this.tree.nameOf(box.node);
    const text = this.labels.fit(name, room);
    if (text === "") return;
    c.fillStyle = box.hit ? this.theme.hitText : this.theme.text;
    c.fillText(text, x, y);
    if (box.block > 0) return;
    const used = this.labels.width(text);
    if (used + 16 + this.labels.width(share) > room) return;
    c.fillStyle = box.hit ? this.theme.hitText : this.theme.faint;
    c.fillText(share, x + used + 10, y);
  }

  outline(box, y) {
    const c = this.context;
    const x0 = Math.max(this.px(box.x0), 0), x1 = Math.min(this.px(box.x1), this.width);
    c.strokeStyle = this.theme.focus;
    c.lineWidth = 2;
    c.strokeRect(x0 + 1, y + 1, Math.max(x1 - x0 - 3, 1), ROW - 3);
  }

  // at returns the box under the mouse, or null.
  at(event) {
    const r = this.canvas.getBoundingClientRect();
    const x = this.view.x0 + ((event.clientX - r.left) / this.width) * (this.view.x1 - this.view.x0);
    const y = event.clientY - r.top + this.scroll.scrollTop;
    const depth = Math.floor(this.icicle ? y / ROW : (this.content - y) / ROW);
    return this.rows[depth]?.find((b) => b.x0 <= x && x < b.x1) ?? null;
  }

  point(box, event) {
    if (box !== this.hover) {
      this.hover = box;
      this.canvas.style.cursor = box === null ? "default" : "pointer";
      if (box !== null) this.describe(box);
      this.redraw();
    }
    if (box === null) this.tip.hidden = true;
    else this.placeTip(box, event.clientX + 14, event.clientY + 18, event.clientY);
  }

  // lines says everything about a box: the first is its name.
  lines(box) {
    const tree = this.tree, value = formatValue(box.value, tree.unit);
    const zoomed = this.view.x1 - this.view.x0;
    const out = [box.block > 0 ? `(${frames(box.block)} too narrow to draw)` : tree.nameOf(box.node)];
    if (box.block === 0 && tree.fileOf(box.node) !== "") out.push(tree.fileOf(box.node));
    let shares = `${value}, ${percent(box.value / tree.total)} of the total`;
    if (zoomed < tree.total) shares += `, ${percent(Math.min(box.value / zoomed, 1))} of the zoomed frame`;
    out.push(shares);
    if (box.block > 0) return out;
    const pkg = tree.packageOf(box.node), group = this.data.groups[pkg];
    if (this.data.packages[pkg] !== "") out.push(`package ${this.data.packages[pkg]} (${GROUPS[group].name})`);
    return out;
  }

  describe(box) {
    this.detail.textContent = box === null ? "" : this.lines(box).join(" · ");
  }

  placeTip(box, x, y, above) {
    this.tip.replaceChildren(...this.lines(box).map((line, i) => {
      const e = document.createElement(i === 0 ? "strong" : "span");
      e.textContent = line;
      return e;
    }));
    this.tip.hidden = false;
    const r = this.tip.getBoundingClientRect();
    this.tip.style.left = Math.max(8, Math.min(x, innerWidth - r.width - 8)) + "px";
    this.tip.style.top = (y + r.height + 8 > innerHeight ? Math.max(8, above - r.height - 10) : y) + "px";
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const out = this.icicle ? "ArrowDown" : "ArrowUp"; // away from the root
    const home = this.icicle ? "ArrowUp" : "ArrowDown";
    switch (e.key) {
      case out: this.move((f) => this.childOf(f)); break;
      case home: this.move((f) => (f.depth > 0 ? this.boxAt(f.depth - 1, (f.x0 + f.x1) / 2) : null)); break;
      case "ArrowLeft": this.move((f) => this.beside(f, -1)); break;
      case "ArrowRight": this.move((f) => this.beside(f, 1)); break;
      case "Home": this.move(() => this.boxAt(this.tree.depth[this.view.node], (this.view.x0 + this.view.x1) / 2)); break;
      case "Enter": case " ": if (this.focus !== null) this.zoom(this.focus); break;
      case "Backspace": this.back(); break;
      case "Escape": this.reset(); break;
      default: return;
    }
    e.preventDefault();
  }

  // move takes the focus to another box; without a focus it starts at the
  // zoomed frame.
  move(to) {
    const start = this.boxAt(this.tree.depth[this.view.node], (this.view.x0 + this.view.x1) / 2);
    const box = this.focus === null ? start : to(this.focus);
    if (box === null || box === undefined) return;
    this.focus = box;
    this.hover = null;
    this.follow();
    this.describe(box);
    this.paintNow();
    const r = this.canvas.getBoundingClientRect();
    const y = r.top + this.y(box.depth) - this.scroll.scrollTop;
    this.placeTip(box, r.left + Math.max(this.px(box.x0), 0) + 8, y + ROW + 6, y);
  }

  // childOf is the widest box on top of another.
  childOf(f) {
    if (f.block > 0) return null;
    let best = null;
    for (const b of this.rows[f.depth + 1] ?? []) {
      if (b.x0 >= f.x0 && b.x1 <= f.x1 && (best === null || b.value > best.value)) best = b;
    }
    return best;
  }

  beside(f, step) {
    const row = this.rows[f.depth];
    return row[row.indexOf(f) + step];
  }

  // follow scrolls the focused box into the window onto the graph.
  follow() {
    if (this.focus === null) return;
    const y = this.y(this.focus.depth);
    if (y < this.scroll.scrollTop) this.scroll.scrollTop = y;
    else if (y + ROW > this.scroll.scrollTop + this.height) this.scroll.scrollTop = y + ROW - this.height;
  }

  // trail lists the callers of the zoomed frame as buttons.
  trail() {
    const path = this.view.node === 0 && this.view.x1 - this.view.x0 === this.tree.total ? [] : this.tree.path(this.view.node);
    this.crumbs.hidden = path.length === 0;
    this.crumbs.replaceChildren(...path.map((i) => {
      const b = document.createElement("button");
      b.type = "button";
      const name = this.tree.nameOf(i) || "(collapsed)";
      const bracket = name.search(/[[(]/);
      b.textContent = name.slice(name.lastIndexOf("/", bracket < 0 ? name.length : bracket) + 1);
      b.title = name;
      if (i === this.view.node) b.setAttribute("aria-current", "true");
      b.addEventListener("click", () => {
        this.focus = null;
        this.zoom({ node: i, x0: this.tree.x[i], x1: this.tree.x[i] + this.tree.value[i] });
      });
      return b;
    }));
    this.crumbs.scrollLeft = this.crumbs.scrollWidth;
  }
}

const flameData = document.getElementById("flame-data");
if (flameData !== null) new FlameGraph(JSON.parse(flameData.textContent));
