const byID = id => document.getElementById(id);
const data = JSON.parse(byID("time-data").textContent);
const span = data.to - data.from;
const running = 0;

// unpack inflates base64 of deflated bytes.
async function unpack(text) {
  const raw = atob(text), packed = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) packed[i] = raw.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// duration writes a time with three digits in the unit that fits.
function duration(ns) {
  if (ns === 0) return "0";
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (Math.abs(ns) >= size) return (ns / size).toPrecision(Math.max(3, String(Math.trunc(ns / size)).length)) + " " + unit;
  }
  return Math.round(ns) + " ns";
}

// moment writes when: as exact as the view needs.
function moment(ns, step) {
  const [unit, size] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(u => ns >= u[1] || u[1] === 1);
  return (ns / size).toFixed(Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9))) + " " + unit;
}

// store holds the intervals in columns, by goroutine and time.
const store = { from: null, to: null, state: null, place: null, who: null, whoPlace: null, first: null, byProc: new Map(), row: new Map() };

async function load() {
  const bytes = await unpack(data.intervals);
  const n = data.lengths.reduce((a, b) => a + b, 0);
  let at = 0;
  const next = () => {
    let v = 0, scale = 1;
    for (;;) {
      const b = bytes[at++];
      v += (b & 127) * scale;
      if (b < 128) return v;
      scale *= 128;
    }
  };
  Object.assign(store, { from: new Float64Array(n), to: new Float64Array(n), state: new Uint8Array(n), place: new Uint32Array(n), who: new Float64Array(n), whoPlace: new Uint32Array(n), first: new Uint32Array(data.ids.length + 1) });
  let k = 0;
  const procs = new Map();
  data.ids.forEach((id, g) => {
    store.row.set(id, g);
    store.first[g] = k;
    let when = data.from;
    for (let i = 0; i < data.lengths[g]; i++, k++) {
      store.state[k] = next();
      when += next();
      store.from[k] = when;
      store.to[k] = when + next();
      store.place[k] = next();
      store.who[k] = next() - 1;
      if (store.state[k] !== running) store.whoPlace[k] = next();
      else if (store.who[k] >= 0) {
        if (!procs.has(store.who[k])) procs.set(store.who[k], []);
        procs.get(store.who[k]).push(k);
      }
    }
  });
  store.first[data.ids.length] = k;
  for (const [number, list] of procs) store.byProc.set(number, Uint32Array.from(list).sort((x, y) => store.from[x] - store.from[y]));
  for (const p of data.procs) p.bins = await Promise.all(p.levels.map(unpack));
}

const goroutineOf = k => {
  let lo = 0, hi = data.ids.length;
  while (hi - lo > 1) {
    const mid = (lo + hi) >> 1;
    if (store.first[mid] <= k) lo = mid; else hi = mid;
  }
  return lo;
};

// known reports whether single intervals are known in all of a part of time.
function known(from, to) {
  for (let i = 0; i < data.windows.length; i += 2) if (data.windows[i] <= from && to <= data.windows[i + 1]) return true;
  return false;
}

const view = { from: data.from, to: data.to, scroll: 0, chosen: -1, pinned: [], filter: "", rows: [], boxes: [], hover: -1 };
const canvas = byID("time-canvas"), strip = byID("time-strip");
const sizes = { label: 190, axis: 24, counts: 64, heap: 46, proc: 24, row: 19, gap: 10 };
let colour = {};

function readColours() {
  const style = getComputedStyle(byID("timeline"));
  for (const name of [...data.states, "ink", "soft", "line", "rail", "accent", "bad", "card", "paper"]) colour[name] = style.getPropertyValue("--" + name).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  colour.classes = data.classes.map((_, i) => i === 0 ? colour.other : `hsl(${(150 + i * 137.5) % 360} ${dark ? "45% 58%" : "42% 46%"})`);
}

function prepare(c, height) {
  const ratio = window.devicePixelRatio || 1, width = c.clientWidth || 800;
  c.style.setProperty("height", height + "px");
  c.width = Math.round(width * ratio);
  c.height = Math.round(height * ratio);
  const g = c.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12.5px system-ui, sans-serif";
  g.textBaseline = "middle";
  return [g, width];
}

const left = () => canvas.clientWidth < 560 ? 92 : Math.max(sizes.label, Math.min(300, canvas.clientWidth * .2));
const xOf = (ns, width) => left() + (ns - view.from) / (view.to - view.from) * (width - left());
const timeAt = (x, width) => view.from + (x - left()) / (width - left()) * (view.to - view.from);

function fit(g, text, room) {
  if (g.measureText(text).width <= room) return text;
  let n = text.length;
  while (n > 1 && g.measureText(text.slice(0, n) + "…").width > room) n = Math.floor(n * .9) - (n < 10 ? 1 : 0);
  return n > 1 ? text.slice(0, n) + "…" : "";
}

function label(g, text, y, strong) {
  g.fillStyle = strong ? colour.ink : colour.soft;
  g.textAlign = "left";
  g.fillText(fit(g, text, left() - 18), 10, y);
}

// choose lists the goroutines with intervals in view, pinned ones first.
function listRows() {
  const words = view.filter.trim().toLowerCase(), rows = [];
  if (data.windows.some((w, i) => i % 2 === 0 && w < view.to && data.windows[i + 1] > view.from)) {
    for (let g = 0; g < data.ids.length; g++) {
      const a = store.first[g], z = store.first[g + 1] - 1;
      if (store.from[a] >= view.to || store.to[z] <= view.from || view.pinned.includes(g)) continue;
      if (words && String(data.ids[g]) !== words && !data.starts[data.start[g]].toLowerCase().includes(words)) continue;
      rows.push(g);
    }
    rows.sort((x, y) => busy(y) - busy(x) || data.ids[x] - data.ids[y]);
  }
  view.rows = [...view.pinned, ...rows];
}

// busy ranks goroutines: those come last that wait for time, clients or work.
const idle = new Set(["network", "select", "sleep", "system", "other"].map(s => data.states.indexOf(s)));
const ranks = new Map();
function busy(g) {
  if (!ranks.has(g)) {
    let ns = 0;
    for (let k = store.first[g]; k < store.first[g + 1]; k++) if (!idle.has(store.state[k])) ns += store.to[k] - store.from[k];
    ranks.set(g, ns);
  }
  return ranks.get(g);
}

// each calls draw with pieces of a sorted list of intervals in view; what is narrower
// than a pixel comes together.
function each(list, lo, hi, width, draw) {
  let a = lo, z = hi;
  while (a < z) {
    const mid = (a + z) >> 1;
    if (store.to[list(mid)] <= view.from) a = mid + 1; else z = mid;
  }
  let edge = -1;
  for (let i = a; i < hi; i++) {
    const k = list(i);
    if (store.from[k] >= view.to) break;
    const x = Math.max(xOf(store.from[k], width), left()), end = Math.min(xOf(store.to[k], width), width);
    if (end - x < .5 && x < edge) continue;
    edge = Math.max(end, x + .8);
    draw(k, x, Math.max(end - x, .8));
  }
}

function drawAxis(g, width) {
  const rough = (view.to - view.from) / Math.max(2, (width - left()) / 130);
  const power = 10 ** Math.floor(Math.log10(rough)), step = Math.max(1, [1, 2, 5, 10].map(m => m * power).find(s => s >= rough));
  g.textAlign = "center";
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    const x = xOf(at, width);
    g.strokeStyle = colour.line;
    g.beginPath();
    g.moveTo(x, sizes.axis);
    g.lineTo(x, canvas.clientHeight);
    g.stroke();
    g.fillStyle = colour.soft;
    const text = moment(at, step), half = g.measureText(text).width / 2;
    if (x - half > left() - 4 && x + half < width - 2) g.fillText(text, x, sizes.axis / 2);
  }
}

// drawCollector lays marking and stops of the world over everything.
function drawCollector(g, width, height) {
  const bands = (list, style, strength) => {
    g.fillStyle = style;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i + 1] <= view.from || list[i] >= view.to) continue;
      const x = Math.max(xOf(list[i], width), left());
      const wide = Math.min(xOf(list[i + 1], width), width) - x;
      g.globalAlpha = strength * Math.min(Math.max(wide, .2), 1); // many that are narrow must not hide the rest
      g.fillRect(x, sizes.axis, Math.max(wide, 1), height - sizes.axis);
    }
    g.globalAlpha = 1;
  };
  bands(data.marks, colour.collector, .13);
  bands(data.stops, colour.bad, .3);
}

// area draws courses on top of each other.
function area(g, courses, y, height, width, most) {
  const points = courses[0].values.length, per = span / points;
  const a = Math.max(0, Math.floor((view.from - data.from) / per)), z = Math.min(points - 1, Math.ceil((view.to - data.from) / per));
  const below = new Float64Array(points);
  for (const c of courses) {
    g.fillStyle = c.style;
    g.beginPath();
    const edge = (i, v) => [Math.min(Math.max(xOf(data.from + i * per, width), left()), width), y + height - Math.min(v / most, 1) * height];
    for (let i = a; i <= z; i++) {
      g.lineTo(...edge(i, below[i] + c.values[i]));
      g.lineTo(...edge(i + 1, below[i] + c.values[i]));
    }
    for (let i = z; i >= a; i--) {
      g.lineTo(...edge(i + 1, below[i]));
      g.lineTo(...edge(i, below[i]));
      below[i] += c.values[i];
    }
    g.fill();
  }
}

function highest(lists) {
  const points = lists[0].length, per = span / points;
  const a = Math.max(0, Math.floor((view.from - data.from) / per)), z = Math.min(points - 1, Math.ceil((view.to - data.from) / per));
  let most = 0;
  for (let i = a; i <= z; i++) most = Math.max(most, lists.reduce((sum, l) => sum + l[i], 0));
  return most;
}

function bytes(v) {
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) if (v >= size) return (v / size).toPrecision(3) + " " + unit;
  return Math.round(v) + " B";
}

function drawCounts(g, y, width) {
  const shown = ["running", "runnable"].map(s => [s, data.counts[data.states.indexOf(s)]]).filter(s => s[1]);
  if (shown.length === 0) return;
  const most = highest(shown.map(s => s[1])) || 1;
  label(g, "goroutines", y + sizes.counts / 2 - 8, true);
  label(g, "run or ready, up to " + Number(most.toPrecision(3)), y + sizes.counts / 2 + 9);
  area(g, shown.map(([s, values]) => ({ style: colour[s], values })), y + 2, sizes.counts - 4, width, most);
}

function drawHeap(g, y, width) {
  const filled = fill(data.heap), most = Math.max(highest([filled]), data.goal ? highest([fill(data.goal)]) : 0) || 1;
  label(g, "heap", y + sizes.heap / 2 - 8, true);
  label(g, "up to " + bytes(highest([filled])), y + sizes.heap / 2 + 9);
  g.globalAlpha = .55;
  area(g, [{ style: colour.syscall, values: filled }], y + 2, sizes.heap - 4, width, most);
  g.globalAlpha = 1;
  if (!data.goal) return;
  const goal = fill(data.goal), per = span / goal.length;
  g.strokeStyle = colour.collector;
  g.beginPath();
  for (let i = 0; i < goal.length; i++) {
    const x = xOf(data.from + i * per, width), end = xOf(data.from + (i + 1) * per, width);
    if (end < left() || x > width) continue;
    const at = y + 2 + (sizes.heap - 4) * (1 - goal[i] / most);
    g.lineTo(Math.max(x, left()), at);
    g.lineTo(end, at);
  }
  g.stroke();
}

// fill gives points without a value the one before.
const filledCourses = new Map();
function fill(course) {
  if (!filledCourses.has(course)) {
    let last = course.find(v => v > 0) || 0;
    filledCourses.set(course, course.map(v => v > 0 ? last = v : last));
  }
  return filledCourses.get(course);
}

function drawProc(g, p, y, width) {
  label(g, "P" + p.number, y + sizes.proc / 2, true);
  const list = store.byProc.get(p.number);
  if (list && known(view.from, view.to)) {
    each(i => list[i], 0, list.length, width, (k, x, w) => {
      g.fillStyle = colour.classes[data.class[data.start[goroutineOf(k)]]];
      g.fillRect(x, y + 2, w, sizes.proc - 4);
      view.boxes.push([x, y, Math.max(w, 2), sizes.proc, k]);
    });
    return;
  }
  const pixels = width - left(), per = (view.to - view.from) / pixels;
  const bins = p.bins.find(b => span / (b.length / 2) <= per) || p.bins[p.bins.length - 1];
  const n = bins.length / 2, length = span / n;
  const first = Math.max(0, Math.floor((view.from - data.from) / length)), last = Math.min(n - 1, Math.floor((view.to - data.from) / length));
  for (let i = first; i <= last; i++) {
    const part = bins[2 * i] / 255;
    if (part === 0) continue;
    const x = Math.max(xOf(data.from + i * length, width), left()), end = Math.min(xOf(data.from + (i + 1) * length, width), width);
    g.fillStyle = colour.classes[bins[2 * i + 1]];
    g.fillRect(x, y + 2 + (sizes.proc - 4) * (1 - part), Math.max(end - x, .8), (sizes.proc - 4) * part);
  }
}

function drawGoroutine(g, row, y, width) {
  const pinned = view.pinned.includes(row);
  label(g, `${data.ids[row]} ${data.starts[data.start[row]]}`, y + sizes.row / 2, pinned);
  each(i => i, store.first[row], store.first[row + 1], width, (k, x, w) => {
    g.fillStyle = colour[data.states[store.state[k]]];
    const thin = store.state[k] === running ? 2 : 4;
    g.fillRect(x, y + thin, w, sizes.row - 2 * thin);
    view.boxes.push([x, y, Math.max(w, 2), sizes.row, k]);
  });
}

// drawChosen frames the chosen interval and draws where its end came from.
function drawChosen(g, width, tops) {
  const k = view.chosen;
  if (k < 0) return;
  const row = goroutineOf(k), y = tops.get(row);
  if (y === undefined) return;
  const x = xOf(store.from[k], width), end = xOf(store.to[k], width);
  g.strokeStyle = colour.ink;
  g.lineWidth = 2;
  g.strokeRect(Math.max(x, left()), y + 1, Math.max(Math.min(end, width) - Math.max(x, left()), 2), sizes.row - 2);
  const from = store.state[k] !== running ? tops.get(store.row.get(store.who[k])) : undefined;
  if (from !== undefined && end >= left() && end <= width) {
    const start = from < y ? from + sizes.row : from, stop = from < y ? y : y + sizes.row, way = Math.sign(stop - start);
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(end, start);
    g.lineTo(end, stop);
    g.moveTo(end - 4, stop - 6 * way);
    g.lineTo(end, stop);
    g.lineTo(end + 4, stop - 6 * way);
    g.stroke();
  }
  g.lineWidth = 1;
}

let asked = false;
function draw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    paint();
  });
}

function paint() {
  listRows();
  const above = sizes.axis + sizes.counts + (data.heap ? sizes.heap : 0) + sizes.gap + data.procs.length * sizes.proc + sizes.gap;
  const room = data.rows || Math.max(8, Math.floor((Math.max(innerHeight, 640) - 330 - above) / sizes.row));
  const most = Math.min(Math.max(view.rows.length, 1), room);
  view.scroll = Math.max(0, Math.min(view.scroll, view.rows.length - most));
  const height = above + most * sizes.row + 24;
  const [g, width] = prepare(canvas, height);
  view.boxes = [];
  drawAxis(g, width);
  drawMark(g, width, height, false);
  drawCollector(g, width, height);
  let y = sizes.axis;
  drawCounts(g, y, width);
  y += sizes.counts;
  if (data.heap) {
    drawHeap(g, y, width);
    y += sizes.heap;
  }
  y += sizes.gap;
  for (const p of data.procs) {
    drawProc(g, p, y, width);
    y += sizes.proc;
  }
  y += sizes.gap;
  const tops = new Map();
  for (const row of view.rows.slice(view.scroll, view.scroll + most)) {
    tops.set(row, y);
    drawGoroutine(g, row, y, width);
    y += sizes.row;
  }
  drawMark(g, width, height - 24, true);
  drawChosen(g, width, tops);
  let note = "";
  if (view.rows.length > most) note = `${view.rows.length - most} more goroutines: turn the wheel`;
  else if (view.rows.length === 0) note = view.filter ? "No goroutine of this name has an interval in view." : "Single goroutines are known in the shaded parts of the strip: choose a moment.";
  if (note) label2(g, note, y + 12, width);
  paintStrip();
  byID("time-view").textContent = `${duration(view.to - view.from)} from ${moment(view.from, (view.to - view.from) / 1000)} on`;
}

// drawMark shades the time of what the page is about, under all else; with lines it
// draws where that begins and ends, over it.
function drawMark(g, width, height, lines) {
  if (!data.mark) return;
  const [a, z] = data.mark.map(ns => Math.min(Math.max(xOf(ns, width), left()), width));
  g.fillStyle = colour.accent;
  if (lines) {
    for (const [ns, x] of [[data.mark[0], a], [data.mark[1], z]]) if (view.from <= ns && ns <= view.to) g.fillRect(x - .75, sizes.axis - 6, 1.5, height - sizes.axis + 6);
    return;
  }
  g.globalAlpha = .07;
  g.fillRect(a, sizes.axis, z - a, height - sizes.axis);
  g.globalAlpha = 1;
}

function label2(g, text, y, width) {
  g.fillStyle = colour.soft;
  g.textAlign = "left";
  g.fillText(fit(g, text, width - left() - 10), left() + 4, y);
}

function paintStrip() {
  const [g, width] = prepare(strip, 44);
  const x = ns => (ns - data.from) / span * width;
  g.fillStyle = colour.accent;
  g.globalAlpha = .14;
  for (let i = 0; i < data.windows.length; i += 2) if (data.windows[i + 1] - data.windows[i] < span) g.fillRect(x(data.windows[i]), 0, Math.max(x(data.windows[i + 1]) - x(data.windows[i]), 2), 44);
  g.globalAlpha = 1;
  if (data.procs.length > 0) {
    const n = data.procs[0].bins[0].length / 2;
    g.fillStyle = colour.running;
    for (let px = 0; px < width; px++) {
      const a = Math.floor(px / width * n), z = Math.max(a + 1, Math.floor((px + 1) / width * n));
      let sum = 0;
      for (const p of data.procs) for (let i = a; i < z; i++) sum += p.bins[0][2 * i];
      const high = sum / 255 / (z - a) / data.procs.length * 38;
      g.fillRect(px, 41 - high, 1, high);
    }
  }
  g.fillStyle = colour.bad;
  for (let i = 0; i < data.stops.length; i += 2) g.fillRect(x(data.stops[i]), 0, Math.max(x(data.stops[i + 1]) - x(data.stops[i]), .6), 4);
  const a = x(view.from), z = Math.max(x(view.to), a + 3);
  g.fillStyle = colour.ink;
  g.globalAlpha = .1;
  g.fillRect(0, 0, a, 44);
  g.fillRect(z, 0, width - z, 44);
  g.globalAlpha = 1;
  g.strokeStyle = colour.accent;
  g.lineWidth = 2;
  g.strokeRect(a + 1, 1, Math.max(z - a - 2, 1), 42);
  g.lineWidth = 1;
}

function show(from, to) {
  const length = Math.min(Math.max(to - from, 1000), span);
  view.from = Math.max(data.from, Math.min((from + to) / 2 - length / 2, data.to - length));
  view.to = view.from + length;
  draw();
}

function zoom(by, at = (view.from + view.to) / 2) {
  const length = Math.min(Math.max((view.to - view.from) / by, 1000), span);
  const part = (at - view.from) / (view.to - view.from);
  view.from = Math.max(data.from, Math.min(at - part * length, data.to - length));
  view.to = view.from + length;
  draw();
}

const move = part => show(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));

// about says what an interval is.
function about(k) {
  const g = goroutineOf(k), state = data.states[store.state[k]];
  let text = `Goroutine ${data.ids[g]}, ${data.starts[data.start[g]]}: ${state === "runnable" ? "ready, waiting for a processor" : state} for ${duration(store.to[k] - store.from[k])}, from ${moment(store.from[k], 1000)} on`;
  if (state === "running" && store.who[k] >= 0) text += `, on P${store.who[k]}`;
  if (store.place[k]) text += state === "running" ? `, up to ${data.places[store.place[k]]}` : `, at ${data.places[store.place[k]]}`;
  if (state !== "running" && store.who[k] >= 0) {
    const w = store.row.get(store.who[k]);
    text += `; ended by goroutine ${store.who[k]}${w === undefined ? "" : ", " + data.starts[data.start[w]]}`;
  }
  if (state !== "running" && store.whoPlace[k]) text += ` at ${data.places[store.whoPlace[k]]}`;
  return text + ".";
}

function choose(k) {
  view.chosen = k;
  byID("time-detail").textContent = k < 0 ? "" : about(k);
  byID("time-waker").disabled = k < 0 || store.state[k] === running || !store.row.has(store.who[k]);
  draw();
}

function pin(g) {
  view.pinned = [g, ...view.pinned.filter(v => v !== g)].slice(0, 6);
  view.scroll = 0;
}

// toWaker chooses what the goroutine that ended a wait did then.
function toWaker() {
  const k = view.chosen;
  if (k < 0 || byID("time-waker").disabled) return;
  const w = store.row.get(store.who[k]), at = store.to[k];
  pin(goroutineOf(k));
  pin(w);
  if (at < view.from || at > view.to) show(at - (view.to - view.from) / 2, at + (view.to - view.from) / 2);
  for (let i = store.first[w]; i < store.first[w + 1]; i++) {
    if (store.from[i] <= at && at <= store.to[i]) return choose(i);
  }
  draw();
}

function neighbour(by) {
  const k = view.chosen + by;
  if (view.chosen < 0 || k < 0 || k >= store.from.length || goroutineOf(k) !== goroutineOf(view.chosen)) return;
  if (store.to[k] < view.from || store.from[k] > view.to) show((store.from[k] + store.to[k] - view.to + view.from) / 2, (store.from[k] + store.to[k] + view.to - view.from) / 2);
  choose(k);
}

// otherRow chooses in the row above or below what goes on at the same time.
function otherRow(by) {
  const at = view.chosen < 0 ? (view.from + view.to) / 2 : Math.min(Math.max(store.from[view.chosen], view.from), view.to);
  const now = view.chosen < 0 ? -1 : view.rows.indexOf(goroutineOf(view.chosen));
  const i = Math.min(Math.max(now + by, 0), view.rows.length - 1), row = view.rows[i];
  if (row === undefined) return;
  view.scroll = Math.min(Math.max(view.scroll, i - 7), i);
  let best = store.first[row];
  for (let k = store.first[row]; k < store.first[row + 1] && store.from[k] <= at; k++) best = k;
  choose(best);
}

function boxAt(event) {
  const r = canvas.getBoundingClientRect(), x = event.clientX - r.left, y = event.clientY - r.top;
  for (let i = view.boxes.length - 1; i >= 0; i--) {
    const b = view.boxes[i];
    if (x >= b[0] && x < b[0] + b[2] && y >= b[1] && y < b[1] + b[3]) return b[4];
  }
  return -1;
}

function listen() {
  let drag = null;
  canvas.addEventListener("pointerdown", e => {
    drag = { x: e.clientX, from: view.from, to: view.to, moved: false };
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointermove", e => {
    const tip = byID("time-tip");
    if (drag) {
      const by = (drag.x - e.clientX) / (canvas.clientWidth - left()) * (drag.to - drag.from);
      if (Math.abs(drag.x - e.clientX) > 3) drag.moved = true;
      if (drag.moved) {
        canvas.classList.add("moving");
        tip.hidden = true;
        show(drag.from + by, drag.to + by);
      }
      return;
    }
    const k = boxAt(e);
    tip.hidden = k < 0;
    if (k < 0) return;
    tip.textContent = about(k);
    const r = byID("timeline").getBoundingClientRect(), x = Math.min(e.clientX - r.left + 14, r.width - Math.min(460, r.width * .6));
    tip.style.setProperty("left", Math.max(0, x) + "px");
    tip.style.setProperty("top", (e.clientY - r.top + 18) + "px");
  });
  canvas.addEventListener("pointerup", e => {
    if (drag && !drag.moved) choose(boxAt(e));
    drag = null;
    canvas.classList.remove("moving");
  });
  canvas.addEventListener("pointercancel", () => drag = null);
  canvas.addEventListener("pointerleave", () => byID("time-tip").hidden = true);
  canvas.addEventListener("dblclick", e => zoom(4, timeAt(e.clientX - canvas.getBoundingClientRect().left, canvas.clientWidth)));
  canvas.addEventListener("wheel", e => {
    if (e.ctrlKey || e.metaKey) zoom(Math.exp(-e.deltaY / 300), timeAt(e.clientX - canvas.getBoundingClientRect().left, canvas.clientWidth));
    else {
      const before = view.scroll;
      view.scroll += Math.sign(e.deltaY) * 3;
      paint();
      if (view.scroll === before) return; // the page scrolls on
    }
    e.preventDefault();
  }, { passive: false });
  const toStrip = e => {
    const at = data.from + (e.clientX - strip.getBoundingClientRect().left) / strip.clientWidth * span, half = (view.to - view.from) / 2;
    show(at - half, at + half);
  };
  let moving = false;
  strip.addEventListener("pointerdown", e => {
    moving = true;
    strip.setPointerCapture(e.pointerId);
    toStrip(e);
  });
  strip.addEventListener("pointermove", e => moving && toStrip(e));
  strip.addEventListener("pointerup", () => moving = false);
  byID("time-in").addEventListener("click", () => zoom(3));
  byID("time-out").addEventListener("click", () => zoom(1 / 3));
  byID("time-whole").addEventListener("click", () => show(data.from, data.to));
  byID("time-waker").addEventListener("click", toWaker);
  byID("time-filter").addEventListener("input", e => {
    view.filter = e.target.value;
    view.scroll = 0;
    draw();
  });
  byID("time-moment").addEventListener("change", e => {
    const m = data.moments[e.target.value - 1];
    if (m) toMoment(m); else show(data.from, data.to);
  });
  const keys = {
    a: () => move(-.25), d: () => move(.25), w: () => zoom(1.6), s: () => zoom(1 / 1.6), u: toWaker,
    ArrowLeft: () => neighbour(-1), ArrowRight: () => neighbour(1), ArrowUp: () => otherRow(-1), ArrowDown: () => otherRow(1),
    Enter: () => view.chosen >= 0 && show(store.from[view.chosen] - .2 * (store.to[view.chosen] - store.from[view.chosen]), store.to[view.chosen] + .2 * (store.to[view.chosen] - store.from[view.chosen])),
    Escape: () => {
      choose(-1);
      view.pinned = [];
      show(data.from, data.to);
    },
  };
  canvas.addEventListener("keydown", e => {
    const key = keys[e.key] || keys[e.key.toLowerCase()];
    if (!key || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    key();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColours();
    legend();
    draw();
  });
  new ResizeObserver(draw).observe(byID("timeline"));
}

// toMoment shows one with what is around it, and chooses its interval.
function toMoment(m) {
  const length = m.to - m.from;
  show(m.from - .3 * length, m.to + .3 * length);
  const row = store.row.get(m.goroutine);
  if (row === undefined) return choose(-1);
  pin(row);
  for (let k = store.first[row]; k < store.first[row + 1]; k++) {
    if (store.from[k] <= (m.from + m.to) / 2 && (m.from + m.to) / 2 < store.to[k]) return choose(k);
  }
  choose(-1);
}

function legend() {
  const list = byID("time-legend");
  list.replaceChildren();
  const add = (style, text) => {
    const li = document.createElement("li"), box = document.createElement("span");
    box.className = "box";
    box.style.setProperty("background", style);
    li.append(box, text);
    list.append(li);
  };
  data.states.forEach((s, i) => data.counts[i] && add(colour[s], s === "runnable" ? "ready" : s));
  if (data.mark) add(colour.accent, "between the lines: " + data.of);
  if (data.marks.length > 0) add(colour.collector, "band: the collector marks");
  if (data.stops.length > 0) add(colour.bad, "line: the world stands still");
  data.classes.forEach((c, i) => add(colour.classes[i], "P: " + c));
}

try {
  await load();
  const select = byID("time-moment");
  ["the whole", ...data.moments.map(m => m.text)].forEach((text, i) => select.append(new Option(text, i)));
  document.querySelector(".time-tools").hidden = false;
  readColours();
  legend();
  listen();
  for (const id of data.pins || []) if (store.row.has(id)) pin(store.row.get(id));
  if (data.first) {
    select.value = data.first;
    toMoment(data.moments[data.first - 1]);
  }
  paint();
} catch (err) {
  byID("time-fault").textContent = "The timeline cannot be drawn in this browser: " + err.message;
  byID("time-fault").hidden = false;
}
byID("timeline").setAttribute("aria-busy", "false");
