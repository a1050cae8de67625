// The page stands without a script; this one makes it quicker to read: values
// under the mouse, tables in another order, the line that a link leads to.

// Beside the names of a chart's lines stand their values under the mouse, and
// at which place: of all charts that share an axis, with one line through them.
for (const group of new Set([...document.querySelectorAll(".read-data")].map(block => block.closest(".time")))) {
  const lanes = [...group.querySelectorAll(".read-data")].map(block => {
    const lane = block.closest(".lane"), plot = lane.querySelector(".plot"), name = lane.querySelector(".lane-name");
    const say = parent => {
      const e = document.createElement("output");
      e.className = "read";
      parent.append(e);
      return e;
    };
    const items = [...name.querySelectorAll("li")];
    const values = items.length ? items.map(say) : [say(name)];
    const mark = document.createElementNS(plot.namespaceURI, "line");
    mark.setAttribute("class", "under");
    mark.setAttribute("y2", "100%");
    return { lines: JSON.parse(block.textContent).lines, plot, values, place: say(name), mark };
  });
  const nearest = (at, x) => {
    let best = 0;
    for (let i = 1; i < at.length; i++) if (Math.abs(at[i] - x) < Math.abs(at[best] - x)) best = i;
    return best;
  };
  const read = (event, under) => {
    const box = under.plot.getBoundingClientRect(), x = (event.clientX - box.left) / box.width * 1440;
    const first = under.lines[0].at, cross = `${first[nearest(first, x)] / 14.4}%`;
    for (const lane of lanes) {
      lane.lines.forEach((line, i) => {
        const k = nearest(line.at, x);
        if (lane.values[i]) lane.values[i].textContent = " " + line.values[k];
        if (i === 0) lane.place.textContent = line.places[k];
      });
      lane.mark.setAttribute("x1", cross);
      lane.mark.setAttribute("x2", cross);
      lane.plot.append(lane.mark);
    }
  };
  for (const lane of lanes) {
    lane.plot.addEventListener("pointermove", event => read(event, lane));
    lane.plot.addEventListener("pointerdown", event => read(event, lane));
    lane.plot.addEventListener("pointerleave", () => {
      for (const { values, place, mark } of lanes) {
        for (const e of [...values, place]) e.textContent = "";
        mark.remove();
      }
    });
  }
}

// amount is the value of a figure as the page prints it, in the smallest unit of
// its kind, NaN of what is none.
const UNITS = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const amount = text => {
  const m = /^[<>≈~±\s]*([−-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*([^\s\d/]*)/.exec(text.trim());
  return m === null ? NaN : Number(m[1].replaceAll(",", "").replace("−", "-")) * (UNITS[m[2]] ?? 1);
};

// Tables sort by a click on a column's name, and long ones show the rows that
// hold a text.
const LONG = 8;
for (const table of document.querySelectorAll("table.sorts")) {
  const body = table.tBodies[0], rows = [...body.rows];
  if (rows.length < 2) continue;
  let column = 0;
  const heads = [...table.tHead.rows[0].cells].map(th => {
    const at = column;
    column += th.colSpan;
    return { th, at };
  });
  for (const { th, at } of heads) {
    if (th.textContent.trim() === "") continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...th.childNodes);
    th.append(button);
    button.addEventListener("click", () => {
      const texts = rows.map(row => row.cells[at].textContent), values = texts.map(amount);
      const words = th.classList.contains("name") || values.every(Number.isNaN);
      // Figures begin with the greatest, words with the first.
      const order = th.getAttribute("aria-sort") === (words ? "ascending" : "descending") ? (words ? "descending" : "ascending") : (words ? "ascending" : "descending");
      for (const head of heads) head.th.removeAttribute("aria-sort");
      th.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const compare = (i, j) => {
        if (words) return sign * (texts[i] < texts[j] ? -1 : texts[i] > texts[j] ? 1 : 0);
        const a = values[i], b = values[j]; // what is unknown stands last
        return Number.isNaN(a) || Number.isNaN(b) ? Number.isNaN(a) - Number.isNaN(b) : sign * (a - b);
      };
      body.append(...rows.map((_, i) => i).sort((i, j) => compare(i, j) || i - j).map(i => rows[i]));
    });
  }
  if (rows.length < LONG) continue;
  const label = document.createElement("label"), input = document.createElement("input"), count = document.createElement("output");
  label.className = "filter";
  input.type = "search";
  input.placeholder = "part of a name";
  label.append("Filter ", input, count);
  table.before(label);
  input.addEventListener("input", () => {
    const text = input.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !row.textContent.toLowerCase().includes(text);
      if (!row.hidden) shown++;
    }
    count.textContent = text === "" ? "" : `${shown} of ${rows.length}`;
  });
}

// What a link leads to may be folded.
const unfold = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null) return;
  for (let e = target.closest("details"); e !== null; e = e.parentElement.closest("details")) e.open = true;
  target.scrollIntoView({ block: target.tagName === "TR" ? "center" : "start" });
};
addEventListener("hashchange", unfold);
if (location.hash !== "") unfold();
