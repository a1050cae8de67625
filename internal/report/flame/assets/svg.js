"use strict";
// Zoom and search for a flame graph that stands alone as SVG. A click zooms
// into a frame, Escape or "Reset zoom" goes back; "/" or Ctrl-F searches.
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const area = byId("frames");
  const total = Number(area.dataset.total), left = Number(area.dataset.left), width = Number(area.dataset.width), char = Number(area.dataset.char);
  const frames = [...area.querySelectorAll("g.f")].map((g) => {
    const title = g.querySelector("title").textContent;
    return {
      g, title, rect: g.querySelector("rect"), text: g.querySelector("text"), fill: g.querySelector("rect").getAttribute("fill"),
      x: Number(g.dataset.x), w: Number(g.dataset.w), depth: Number(g.dataset.d), pane: Number(g.dataset.p), block: g.dataset.b === "1", change: g.dataset.c,
      name: g.dataset.b === "1" ? title.replace(/ \([^()]*\)$/, "") : title.replace(/ \((?:[^()]|\([^()]*\))*\)$/, ""),
    };
  });
  const details = byId("details"), summary = details.textContent, matched = byId("matched"), reset = byId("reset");

  // fit returns as much of a name as there is room for: it loses its package's
  // path first, then its package, then its receiver.
  function fit(name, room) {
    const n = Math.floor(room / char);
    if (name.length <= n) return name;
    let bracket = name.search(/[[(]/);
    if (bracket < 0) bracket = name.length;
    for (const sign of ["/", "."]) {
      const at = sign === "/" ? name.slice(0, bracket).lastIndexOf(sign) : name.slice(0, bracket).indexOf(sign);
      if (at > 0) {
        name = name.slice(at + 1);
        bracket -= at + 1;
      }
      if (name.length <= n) return name;
    }
    name = name.replace(/^\(\*[^)]*\)\./, "");
    if (name.length <= n) return name;
    return n < 3 ? "" : name.slice(0, n - 1) + "…";
  }

  // label puts the change of a comparison before the name: it is never cut.
  function label(f, room) {
    if (f.change === undefined) return fit(f.name, room);
    const need = f.change.length * char;
    return need > room ? "" : (f.change + " " + fit(f.name, room - need - char)).trim();
  }

  // show draws what lies between two places; frames below the zoomed one stay,
  // over the whole width.
  function show(x0, x1) {
    const scale = width / (x1 - x0);
    for (const f of frames) {
      const from = Math.max(f.x, x0), to = Math.min(f.x + f.w, x1);
      if (to <= from && !(f.w === 0 && f.x >= x0 && f.x < x1)) {
        f.g.style.display = "none";
        continue;
      }
      f.g.style.display = "";
      const x = left + (from - x0) * scale, w = (to - from) * scale;
      f.rect.setAttribute("x", x);
      f.rect.setAttribute("width", Math.max(w > 3 ? w - 0.6 : w, 0.1));
      f.text.setAttribute("x", x + 3);
      f.text.textContent = label(f, w - 6);
    }
    reset.setAttribute("visibility", x0 === 0 && x1 === total ? "hidden" : "visible");
  }

  function search(word) {
    let test = (name) => name.includes(word);
    try {
      const re = new RegExp(word, /[A-Z]/.test(word) ? "" : "i");
      test = (name) => re.test(name);
    } catch { /* looked for as it stands */ }
    const hits = [];
    for (const f of frames) {
      const hit = word !== "" && !f.block && test(f.name);
      f.rect.setAttribute("fill", hit ? "#f5d90a" : f.fill);
      f.g.style.opacity = word === "" || hit ? "" : "0.55";
      if (hit && f.depth > 0) hits.push(f);
    }
    // What lies under a match counts once: the lowest of those over a place.
    hits.sort((a, b) => b.pane - a.pane || a.x - b.x || a.depth - b.depth);
    let sum = 0, end = -1;
    for (const f of hits) {
      if (f.pane !== hits[0].pane || f.x < end) continue;
      sum += f.w;
      end = f.x + f.w;
    }
    matched.textContent = word === "" ? "" : `Matched: ${((sum / total) * 100).toFixed(1)} %`;
  }

  function ask() {
    const word = prompt("Search for (regular expression)", "");
    if (word !== null) search(word);
  }

  for (const f of frames) {
    f.g.addEventListener("mouseenter", () => { details.textContent = `${area.dataset.type} ${f.title}`; });
    f.g.addEventListener("mouseleave", () => { details.textContent = summary; });
    f.g.addEventListener("click", (e) => {
      if (e.target.closest("a") !== null && (e.ctrlKey || e.metaKey)) return; // follows the link
      e.preventDefault();
      if (f.w > 0) show(f.x, f.x + f.w);
    });
  }
  reset.addEventListener("click", () => show(0, total));
  byId("search").addEventListener("click", ask);
  addEventListener("keydown", (e) => {
    if (e.key === "Escape") {
      show(0, total);
      search("");
    } else if (e.key === "/" || (e.key === "f" && (e.ctrlKey || e.metaKey))) {
      e.preventDefault();
      ask();
    }
  });
  root.dataset.ready = "yes";
})();
