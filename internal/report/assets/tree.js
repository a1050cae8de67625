// The tree of one flame graph in columns, and where its frames lie. All
// positions are in the graph's own unit: a frame that starts at x and holds v
// covers [x, x+v), and the root starts at 0. A view is a range of x.

class Tree {
  constructor(data, flame) {
    this.data = data;
    this.label = flame.label;
    this.unit = flame.unit;
    this.name = flame.name;
    this.parent = flame.parent;
    this.value = flame.value;
    const n = flame.name.length;
    this.first = new Int32Array(n).fill(-1);
    this.next = new Int32Array(n).fill(-1);
    this.depth = new Int32Array(n);
    this.x = new Float64Array(n);
    this.block = new Map(flame.collapsed); // node: frames that stand there together
    this.frames = new Float64Array(n); // in the subtree, with those collapsed
    this.matches = null; // per name
    this.holds = null; // per node: it or something below it matches
    const last = new Int32Array(n).fill(-1);
    const used = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const p = this.parent[i];
      if (p < 0) continue;
      this.depth[i] = this.depth[p] + 1;
      this.x[i] = this.x[p] + used[p];
      used[p] += this.value[i];
      if (last[p] < 0) this.first[p] = i; else this.next[last[p]] = i;
      last[p] = i;
    }
    for (let i = n - 1; i >= 0; i--) {
      this.frames[i] += this.block.get(i) ?? 1;
      if (this.parent[i] >= 0) this.frames[this.parent[i]] += this.frames[i];
    }
  }

  get total() { return this.value[0]; }

  nameOf(i) { return this.data.names[this.name[i]]; }
  fileOf(i) { return this.data.files[this.name[i]]; }
  packageOf(i) { return this.data.package[this.name[i]]; }

  // boxes lays out what a view of the given width shows, as rows by depth, each
  // in order of x. Neighbours that would be narrower than `least` pixels become
  // one box together, which says how many frames it stands for, with all that
  // lies below them.
  boxes(view, width, least) {
    const scale = width / (view.x1 - view.x0);
    const rows = [];
    const put = (depth, box) => (rows[depth] ??= []).push(box);
    const stack = [0];
    while (stack.length > 0) {
      const i = stack.pop();
      const x0 = this.x[i], x1 = x0 + this.value[i], depth = this.depth[i];
      const frames = this.block.get(i) ?? 0;
      put(depth, { node: i, depth, x0, x1, value: this.value[i], block: frames, hit: this.holds !== null && this.hits(i) });
      let run = null;
      const wide = [];
      for (let c = this.first[i]; c >= 0; c = this.next[c]) {
        const from = this.x[c], to = from + this.value[c];
        if (to <= view.x0 || from >= view.x1) continue;
        if (this.value[c] * scale >= least) {
          run = null;
          wide.push(c);
          continue;
        }
        if (run === null) {
          run = { node: i, depth: depth + 1, x0: from, x1: to, value: 0, block: 0, hit: false };
          put(depth + 1, run);
        }
        run.x1 = to;
        run.value += this.value[c];
        run.block += this.frames[c];
        run.hit ||= this.holds !== null && this.holds[c] === 1;
      }
      for (let k = wide.length - 1; k >= 0; k--) stack.push(wide[k]);
    }
    for (const row of rows) row.sort((a, b) => a.x0 - b.x0);
    return rows;
  }

  // hits: the frame's own name matches the search.
  hits(i) { return this.matches !== null && this.matches[this.name[i]] === 1; }

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
    for (let i = 0; i < n; i++) {
      const p = this.parent[i];
      const above = p >= 0 && (under[p] === 1 || this.hits(p));
      under[i] = above ? 1 : 0;
      if (p < 0) continue; // the root is no function
      if (this.hits(i)) {
        found++;
        if (!above) value += this.value[i];
      } else if (this.block.has(i) && !above) {
        hidden += this.value[i];
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
}
