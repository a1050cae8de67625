// A sandwich: one function with all that it called and all that called it,
// summed over the places where it stands. A sample counts once, at the
// outermost of them; recursive calls stand among the callees. What lies in
// collapsed blocks has no names and is missing: `missing` is how much may be.

function sandwich(tree, name) {
  const n = tree.name.length, inside = new Uint8Array(n), outermost = [];
  let missing = 0;
  for (let i = 1; i < n; i++) {
    const p = tree.parent[i];
    inside[i] = inside[p] === 1 || (p > 0 && tree.name[p] === name) ? 1 : 0;
    if (inside[i] === 1) continue;
    if (tree.name[i] === name) outermost.push(i);
    else if (tree.block[i] > 0) missing += tree.value[i];
  }
  const about = { unit: tree.unit, scale: tree.scale, ratio: tree.ratio, differential: tree.differential, estimated: tree.estimated, grain: tree.grain, baseGrain: tree.baseGrain };
  return {
    missing,
    callees: new Tree(tree.data, about, merged(tree, name, outermost.map((i) => [i, i]), calleesOf)),
    callers: new Tree(tree.data, about, merged(tree, name, outermost.map((i) => [i, i]), callerOf)),
  };
}

// An occurrence is [node, whose]: what stands there, and the node whose value
// counts: its own among callees, that of the function's frame among callers.
function calleesOf(tree, [i]) {
  const out = [];
  for (let k = tree.first[i]; k < tree.first[i + 1]; k++) out.push([tree.kids[k], tree.kids[k]]);
  return out;
}

function callerOf(tree, [i, whose]) {
  return tree.parent[i] > 0 ? [[tree.parent[i], whose]] : [];
}

// merged sums occurrences of one name below one parent, in preorder.
function merged(tree, name, occurrences, next) {
  const rows = []; // name, parent, value, base, block
  const stack = [[-1, name, occurrences]];
  while (stack.length > 0) {
    const [parent, id, list] = stack.pop();
    let value = 0, base = 0, block = 0;
    const groups = new Map();
    for (const o of list) {
      value += tree.value[o[1]];
      if (tree.differential) base += tree.base[o[1]];
      block += tree.block[o[0]];
      for (const c of next(tree, o)) {
        const key = tree.name[c[0]];
        if (groups.has(key)) groups.get(key).push(c); else groups.set(key, [c]);
      }
    }
    const at = rows.length;
    rows.push([id, parent, value, base, block]);
    // Blocks (-1) last, the others by name: the stack turns the order round.
    const keys = [...groups.keys()].sort((a, b) => (a < 0 ? -1 : b < 0 ? 1 : tree.data.names[a] < tree.data.names[b] ? 1 : -1));
    for (const key of keys) stack.push([at, key, groups.get(key)]);
  }
  return {
    name: Int32Array.from(rows, (r) => r[0]), parent: Int32Array.from(rows, (r) => r[1]), value: Float64Array.from(rows, (r) => r[2]),
    base: tree.differential ? Float64Array.from(rows, (r) => r[3]) : null, block: Float64Array.from(rows, (r) => r[4]),
  };
}
