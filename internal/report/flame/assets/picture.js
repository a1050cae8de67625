// The flame graph's picture: where boxes are, what stands at a place, and how
// they are painted. One canvas as large as the window onto the graph is drawn
// anew for every change: only what can be seen is laid out and painted, so that
// a tree of a hundred thousand frames moves as smoothly as one of a hundred.

const ROW = 21; // pixels a frame is high
const LEAST = 2; // frames narrower than this are put together

// FlamePicture paints what FlameGraph (flame.js), which has all of its state,
// says is to be seen.
class FlamePicture {
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
    const height = Math.min(this.fullRows * ROW, this.room());
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

  // room is how high the graph may be: on a page of its own what the window has
  // left beside the rest of the page.
  room() {
    const main = this.scrollEl.closest("main.whole");
    if (main === null) return Math.max(12 * ROW, Math.round(innerHeight * 0.75));
    const top = this.scrollEl.getBoundingClientRect(), below = main.getBoundingClientRect().bottom - top.bottom;
    return Math.max(8 * ROW, Math.floor(innerHeight - (top.top + scrollY) - below));
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
      const text = "↑ callers   callees ↓", w = this.labels.width(text);
      c.fillStyle = this.paper;
      c.fillRect(this.width - w - 16, y, w + 16, ROW - 1.5);
      c.fillStyle = this.theme.focus;
      c.fillText(text, this.width - w - 8, y + ROW / 2);
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
    if (tree.differential) return css(this.changeColor(tree.withinError(l.value[b], l.base[b]) ? 0 : l.value[b] - l.base[b] * tree.scale, tree.largest));
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
