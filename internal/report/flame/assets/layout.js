// What a view shows, as boxes in columns: row by row from the root, each row in
// order of x. The columns are used again for every frame of a gesture, so that
// moving makes no garbage. Work is done for what can be seen: a frame outside
// the view or narrower than `least` pixels is not looked into.

class Layout {
  constructor() {
    this.size = 0;
    this.room(1024);
    this.rows = [0]; // boxes of row d: rows[d] to rows[d+1]-1
  }

  room(n) {
    const grown = (old, made) => { if (old) made.set(old); return made; };
    this.node = grown(this.node, new Int32Array(n)); // of a block, its caller
    this.x0 = grown(this.x0, new Float64Array(n));
    this.x1 = grown(this.x1, new Float64Array(n));
    this.block = grown(this.block, new Float64Array(n)); // how many frames; 0 is a frame
    this.value = grown(this.value, new Float64Array(n));
    this.base = grown(this.base, new Float64Array(n));
    this.hit = grown(this.hit, new Uint8Array(n));
  }

  put(node, x0, x1, block, value, base, hit) {
    if (this.size === this.node.length) this.room(2 * this.size);
    const b = this.size++;
    this.node[b] = node;
    this.x0[b] = x0;
    this.x1[b] = x1;
    this.block[b] = block;
    this.value[b] = value;
    this.base[b] = base;
    this.hit[b] = hit;
    return b;
  }

  get depth() { return this.rows.length - 1; }

  // make lays out a tree. Neighbours that would be narrower than `least` pixels
  // become one box together, which says how many frames it stands for, with all
  // that lies below them.
  make(tree, view, width, least) {
    const narrow = least * (view.x1 - view.x0) / width;
    const { kids, first, x, w } = tree, searching = tree.holds !== null;
    this.size = 0;
    this.rows.length = 0;
    this.put(0, 0, tree.total, tree.block[0], tree.value[0], tree.differential ? tree.base[0] : 0, 0);
    let row = 0;
    while (row < this.size) {
      this.rows.push(row);
      const end = this.size;
      for (let b = row; b < end; b++) {
        if (this.block[b] > 0) continue;
        const i = this.node[b];
        let run = -1;
        for (let k = firstIn(tree, i, view.x0); k < first[i + 1]; k++) {
          const c = kids[k], from = x[c], wide = w[c];
          if (from >= view.x1) break;
          if (wide >= narrow) {
            run = -1;
            if (tree.block[c] > 0) this.put(i, from, from + wide, tree.block[c], tree.value[c], tree.differential ? tree.base[c] : 0, 0);
            else this.put(c, from, from + wide, 0, tree.value[c], tree.differential ? tree.base[c] : 0, searching && tree.hits(c) ? 1 : 0);
            continue;
          }
          if (run < 0) run = this.put(i, from, from, 0, 0, 0, 0);
          this.x1[run] = from + wide;
          this.value[run] += tree.value[c];
          if (tree.differential) this.base[run] += tree.base[c];
          this.block[run] += tree.frames[c];
          if (searching && tree.holds[c] === 1) this.hit[run] = 1;
        }
      }
      row = end;
    }
    this.rows.push(this.size);
  }

  // find returns the box of a row at a place, or -1.
  find(row, x) {
    if (row < 0 || row >= this.depth) return -1;
    let lo = this.rows[row], hi = this.rows[row + 1];
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (this.x1[mid] <= x) lo = mid + 1; else hi = mid;
    }
    return lo < this.rows[row + 1] && this.x0[lo] <= x ? lo : -1;
  }

  rowOf(b) {
    let lo = 0, hi = this.depth;
    while (lo + 1 < hi) {
      const mid = (lo + hi) >> 1;
      if (this.rows[mid] <= b) lo = mid; else hi = mid;
    }
    return lo;
  }
}

// firstIn is the first child of a frame that ends behind x0.
function firstIn(tree, i, x0) {
  let lo = tree.first[i], hi = tree.first[i + 1];
  while (lo < hi) {
    const mid = (lo + hi) >> 1, c = tree.kids[mid];
    if (tree.x[c] + tree.w[c] <= x0) lo = mid + 1; else hi = mid;
  }
  return lo;
}
