// The tree of one flame graph in columns, and where its frames lie. Positions
// are in the graph's own unit: a frame that starts at x and is w wide covers
// [x, x+w), and the root starts at 0. A view is a range of x.

// readNodes decodes the nodes of a graph: see the contract in data.go.
function readNodes(text, count, differential) {
  const bytes = atob(text);
  const c = {
    name: new Int32Array(count), parent: new Int32Array(count), value: new Float64Array(count),
    base: differential ? new Float64Array(count) : null, block: new Float64Array(count),
  };
  let at = 0;
  const number = () => {
    let v = 0, scale = 1;
    for (;;) {
      const b = bytes.charCodeAt(at++);
      v += (b & 127) * scale;
      if (b < 128) return v;
      scale *= 128;
    }
  };
  const path = []; // of the node before
  for (let i = 0; i < count; i++) {
    const head = number();
    path.length -= Math.floor(head / 4);
    const p = path.length === 0 ? -1 : path[path.length - 1];
    c.parent[i] = p;
    if (head & 2) {
      c.name[i] = -1;
      c.block[i] = number();
    } else {
      c.name[i] = number();
    }
    c.value[i] = head & 1 ? c.value[p] : number();
    if (differential) c.base[i] = number();
    path.push(i);
  }
  return c;
}

class Tree {
  // about says what the graph is: unit, scale of the base, estimated.
  constructor(data, about, columns) {
    this.data = data;
    this.unit = about.unit;
    this.scale = about.scale ?? 1;
    this.ratio = about.ratio ?? 1;
    this.differential = about.differential === true;
    this.estimated = about.estimated === true;
    this.grain = about.grain ?? 0; // what one sample stands for, and one of the base
    this.baseGrain = about.base_grain ?? about.baseGrain ?? 0;
    Object.assign(this, columns);
    const n = this.name.length;
    this.first = new Int32Array(n + 1); // children of i: kids[first[i]] to kids[first[i+1]-1]
    this.kids = new Int32Array(Math.max(n - 1, 0));
    this.depth = new Int32Array(n);
    this.x = new Float64Array(n);
    this.w = new Float64Array(n);
    this.frames = new Float64Array(n); // in the subtree, with those collapsed
    this.matches = null; // per name
    this.holds = null; // per node: it or something below it matches
    for (let i = 1; i < n; i++) {
      this.first[this.parent[i] + 1]++;
      this.depth[i] = this.depth[this.parent[i]] + 1;
    }
    for (let i = 0; i < n; i++) this.first[i + 1] += this.first[i];
    const at = this.first.slice();
    for (let i = 1; i < n; i++) this.kids[at[this.parent[i]]++] = i;
    for (let i = n - 1; i >= 0; i--) {
      this.frames[i] += this.block[i] || 1;
      if (i > 0) this.frames[this.parent[i]] += this.frames[i];
    }
    this.largest = 0; // change of a frame
    for (let i = 1; i < n && this.differential; i++) this.largest = Math.max(this.largest, Math.abs(this.change(i)));
    this.widths("both");
  }

  // widths chooses what the width of a frame is: of a comparison, both sides
  // together, or one.
  widths(side) {
    const n = this.name.length, used = new Float64Array(n);
    this.side = side;
    for (let i = 0; i < n; i++) {
      const base = this.differential ? this.base[i] * this.scale : 0;
      this.w[i] = side === "before" ? base : side === "after" ? this.value[i] : this.value[i] + base;
      const p = this.parent[i];
      if (p < 0) continue;
      this.x[i] = this.x[p] + used[p];
      used[p] += this.w[i];
    }
  }

  get total() { return this.w[0]; }

  nameOf(i) { return this.block[i] > 0 ? "" : this.data.names[this.name[i]]; }
  fileOf(i) { return this.block[i] > 0 ? "" : this.data.files[this.data.file[this.name[i]]]; }
  lineOf(i) { return this.data.line[this.name[i]]; }
  packageOf(i) { return this.data.package[this.name[i]]; }
  change(i) { return this.value[i] - this.base[i] * this.scale; }

  // error is the half-width of the 95 % interval of a change: the number of
  // samples n that a frame gets has the variance n, so that a value v = n·grain
  // has v·grain, and the base, which is scaled, scale²·base·baseGrain.
  error(value, base) {
    return 1.96 * Math.sqrt(value * this.grain + this.scale * this.scale * base * this.baseGrain);
  }

  withinError(value, base) {
    return this.grain > 0 && this.baseGrain > 0 && Math.abs(value - base * this.scale) <= this.error(value, base);
  }

  print(v) { return formatValue(v * this.ratio, this.unit); }
  printSigned(v) { return (v < 0 ? "−" : "+") + this.print(Math.abs(v)); }

  // flat is what a frame's children do not hold.
  flat(i) {
    let v = this.value[i];
    for (let k = this.first[i]; k < this.first[i + 1]; k++) v -= this.value[this.kids[k]];
    return v;
  }

  // hits: the frame's own name matches the search.
  hits(i) { return this.matches !== null && this.name[i] >= 0 && this.matches[this.name[i]] === 1; }

  // search marks the names that match and returns how many frames do and what
  // they hold; a match below a match is not counted twice.
  search(test) {
    if (test === null) {
      this.matches = this.holds = null;
      return null;
    }
    const n = this.name.length;
    this.matches = Uint8Array.from(this.data.names, (name) => (name !== "" && test(name) ? 1 : 0));
    this.holds = new Uint8Array(n);
    const under = new Uint8Array(n); // a frame above it matches
    let found = 0, value = 0, hidden = 0;
    for (let i = 1; i < n; i++) { // the root is no function
      const p = this.parent[i];
      const above = under[p] === 1 || (p > 0 && this.hits(p));
      under[i] = above ? 1 : 0;
      if (this.hits(i)) {
        found++;
        if (!above) value += this.w[i];
      } else if (this.block[i] > 0 && !above) {
        hidden += this.w[i];
      }
    }
    for (let i = n - 1; i > 0; i--) {
      if (this.hits(i)) this.holds[i] = 1;
      if (this.holds[i] === 1) this.holds[this.parent[i]] = 1;
    }
    return { found, value, hidden };
  }

  // path lists a frame's callers, root first, and the frame itself.
  path(i) {
    const out = [];
    for (; i >= 0; i = this.parent[i]) out.push(i);
    return out.reverse();
  }

  // around is the highest frame that holds all of a view.
  around(view) {
    let i = 0;
    for (;;) {
      let next = -1;
      for (let k = this.first[i]; k < this.first[i + 1] && next < 0; k++) {
        const c = this.kids[k];
        if (this.x[c] <= view.x0 && view.x1 <= this.x[c] + this.w[c] && this.block[c] === 0) next = c;
      }
      if (next < 0) return i;
      i = next;
    }
  }
}
