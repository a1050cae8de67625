// The picture is there already; this moves it and says what belongs together.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const graph = byId("graph"), move = byId("move"), panel = byId("panel"), search = byId("search"), match = byId("match");
const nodes = [], edges = [];
for (const g of move.querySelectorAll("[data-node]")) nodes[g.dataset.node] = g;
for (const g of move.querySelectorAll("[data-edge]")) edges[g.dataset.edge] = g;
const whole = { width: graph.width.baseVal.value, height: graph.height.baseVal.value };
const margin = 20;

// at is where the picture is: a point p of it shows at (x + k·p.x, y + k·p.y).
let at = { x: margin, y: margin, k: 1 };
const place = () => move.setAttribute("transform", `translate(${at.x} ${at.y}) scale(${at.k})`);
const room = () => graph.getBoundingClientRect();

function zoom(by, x, y) {
  const r = room();
  x ??= r.width / 2;
  y ??= r.height / 2;
  const k = Math.min(4, Math.max(0.03, at.k * by));
  at = { x: x - (x - at.x) * k / at.k, y: y - (y - at.y) * k / at.k, k };
  place();
}

function shift(dx, dy) {
  at.x += dx;
  at.y += dy;
  place();
}

function showAll() {
  graph.classList.remove("hotly");
  const r = room();
  const k = Math.min(1, r.width / whole.width, r.height / whole.height);
  at = { k, x: (r.width - (whole.width - 2 * margin) * k) / 2, y: margin * k };
  place();
}

// showHot fits the hot path into the window, as far as it can be read then, and fades
// the rest. Of a path that is too long its upper end shows.
function showHot() {
  graph.classList.add("hotly");
  if (data.hot.length === 0) return showAll();
  const r = room(), boxes = data.hot.map((i) => data.nodes[i].at);
  const left = Math.min(...boxes.map((b) => b[0])), right = Math.max(...boxes.map((b) => b[0] + b[2]));
  const top = Math.min(...boxes.map((b) => b[1])), bottom = Math.max(...boxes.map((b) => b[1] + b[3]));
  const k = Math.min(1, Math.max(0.85, Math.min(r.width / (right - left + 2 * margin), r.height / (bottom - top + 2 * margin))));
  const [x, , w] = boxes[0];
  const middle = (right - left) * k < r.width ? (left + right) / 2 : x + w / 2;
  at = { k, x: r.width / 2 - middle * k, y: margin - top * k };
  if (whole.width * k < r.width) at.x = (r.width - (whole.width - 2 * margin) * k) / 2;
  place();
}

// goTo brings a node into view, moving no more than needed.
function goTo(i) {
  const r = room(), [x, y, w, h] = data.nodes[i].at;
  if (at.k < 0.6) zoom(0.8 / at.k);
  const left = at.x + x * at.k, top = at.y + y * at.k, right = left + w * at.k, bottom = top + h * at.k;
  if (left < 20 || right > r.width - 20 || top < 20 || bottom > r.height - 20) {
    at.x = r.width / 2 - (x + w / 2) * at.k;
    at.y = r.height / 2 - (y + h / 2) * at.k;
    place();
  }
}

let chosen = -1;

function element(tag, text, name) {
  const e = document.createElement(tag);
  e.textContent = text;
  if (name) e.className = name;
  return e;
}

function choose(i, bring) {
  chosen = i;
  const calls = [];
  data.edges.forEach((e, n) => { if (e.from === i || e.to === i) calls.push(n); });
  const near = new Set(calls.flatMap((n) => [data.edges[n].from, data.edges[n].to]));
  near.add(i);
  nodes.forEach((g, n) => {
    g.classList.toggle("near", i >= 0 && near.has(n));
    g.classList.toggle("chosen", n === i);
    g.setAttribute("aria-pressed", String(n === i));
  });
  edges.forEach((g, n) => g.classList.toggle("near", calls.includes(n)));
  dim();
  panel.replaceChildren();
  panel.hidden = i < 0;
  if (i < 0) return;
  const close = element("button", "Close", "close");
  close.type = "button";
  close.addEventListener("click", () => choose(-1));
  const node = data.nodes[i];
  panel.append(close, element("h2", node.name), element("p", `flat ${node.flat}`), element("p", `cum ${node.cum}`));
  const list = (title, mine, other) => {
    const of = calls.map((n) => data.edges[n]).filter((e) => e[mine] === i);
    panel.append(element("h3", of.length === 0 ? `no ${title} shown` : of.length === 1 ? `1 ${title.slice(0, -1)}` : `${of.length} ${title}`));
    const ul = document.createElement("ul");
    for (const e of of) {
      const li = document.createElement("li"), b = element("button", data.nodes[e[other]].name);
      b.type = "button";
      b.addEventListener("click", () => choose(e[other], true));
      li.append(b, element("small", e.how ? `${e.weight}, ${e.how}` : e.weight));
      ul.append(li);
    }
    panel.append(ul);
  };
  list("callers", "to", "from");
  list("callees", "from", "to");
  if (bring) goTo(i);
}

let found = [];

function dim() { graph.classList.toggle("asked", chosen >= 0 || found.length > 0); }

function find(text) {
  let re = null;
  search.removeAttribute("aria-invalid");
  if (text !== "") {
    try {
      re = new RegExp(text, "i");
    } catch {
      search.setAttribute("aria-invalid", "true");
      re = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
    }
  }
  found = [];
  let flat = 0;
  data.nodes.forEach((n, i) => {
    const hit = re !== null && re.test(n.name);
    nodes[i].classList.toggle("found", hit);
    if (hit) {
      found.push(i);
      flat += n.ratio;
    }
  });
  match.textContent = re === null ? "" : `${found.length} of ${data.nodes.length} nodes, flat ${(100 * flat).toFixed(2)} % of the total`;
  dim();
}

// next goes round among the nodes that were found.
function next(step) {
  if (found.length === 0) return;
  const i = found.indexOf(chosen);
  choose(found[i < 0 ? 0 : (i + step + found.length) % found.length], true);
}

document.body.classList.add("live");
document.querySelector(".tools").hidden = false;
nodes.forEach((g, i) => {
  const n = data.nodes[i];
  g.setAttribute("tabindex", "0");
  g.setAttribute("role", "button");
  g.setAttribute("aria-pressed", "false");
  g.setAttribute("aria-label", `${n.name}, flat ${n.flat}, cum ${n.cum}`);
  g.addEventListener("focus", () => { if (g.matches(":focus-visible")) goTo(i); });
});

let drag = null;
const fingers = new Map();
graph.addEventListener("pointerdown", (e) => {
  if (e.button !== 0) return;
  fingers.set(e.pointerId, e);
  drag = { x: e.clientX, y: e.clientY, moved: false, on: e.target.closest("[data-node]") };
});
graph.addEventListener("pointermove", (e) => {
  if (!fingers.has(e.pointerId)) return;
  const before = [...fingers.values()];
  fingers.set(e.pointerId, e);
  if (before.length === 2) {
    const now = [...fingers.values()], r = room();
    const apart = (p) => Math.hypot(p[0].clientX - p[1].clientX, p[0].clientY - p[1].clientY);
    drag.moved = true;
    zoom(apart(now) / Math.max(1, apart(before)), (now[0].clientX + now[1].clientX) / 2 - r.left, (now[0].clientY + now[1].clientY) / 2 - r.top);
    return;
  }
  if (!drag.moved && Math.hypot(e.clientX - drag.x, e.clientY - drag.y) < 4) return;
  if (!drag.moved) {
    drag.moved = true;
    graph.setPointerCapture(e.pointerId);
    graph.classList.add("dragging");
  }
  shift(e.clientX - drag.x, e.clientY - drag.y);
  drag.x = e.clientX;
  drag.y = e.clientY;
});
const end = (e) => {
  if (!fingers.delete(e.pointerId)) return;
  graph.classList.remove("dragging");
  if (e.type === "pointerup" && !drag.moved) {
    const i = drag.on ? Number(drag.on.dataset.node) : -1;
    choose(i === chosen ? -1 : i);
  }
};
graph.addEventListener("pointerup", end);
graph.addEventListener("pointercancel", end);
graph.addEventListener("wheel", (e) => {
  e.preventDefault();
  const r = room(), step = e.deltaMode === 1 ? e.deltaY * 16 : e.deltaY;
  zoom(Math.exp(-Math.max(-100, Math.min(100, step)) * 0.004), e.clientX - r.left, e.clientY - r.top);
}, { passive: false });

byId("in").addEventListener("click", () => zoom(1.3));
byId("out").addEventListener("click", () => zoom(1 / 1.3));
byId("all").addEventListener("click", showAll);
byId("hot").addEventListener("click", showHot);
search.addEventListener("input", () => find(search.value));
search.addEventListener("keydown", (e) => {
  if (e.key === "Enter") next(e.shiftKey ? -1 : 1);
  if (e.key === "Escape") {
    search.value = "";
    find("");
    graph.focus({ preventScroll: true });
  }
});

const keys = {
  "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), "0": showAll, h: showHot,
  ArrowLeft: () => shift(80, 0), ArrowRight: () => shift(-80, 0), ArrowUp: () => shift(0, 80), ArrowDown: () => shift(0, -80),
  Escape: () => choose(-1),
};
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target === search) return;
  const node = e.target.closest?.("[data-node]");
  if (node && (e.key === "Enter" || e.key === " ")) {
    choose(Number(node.dataset.node));
  } else if (e.key === "/") {
    search.focus();
    search.select();
  } else if (keys[e.key] && (e.key === "Escape" || graph.contains(e.target) || e.target === document.body)) {
    keys[e.key]();
  } else {
    return;
  }
  e.preventDefault();
});
addEventListener("resize", place);
for (const i of data.hot) nodes[i].classList.add("hot");
for (const i of data.hotEdges) edges[i].classList.add("hot");
showHot();
