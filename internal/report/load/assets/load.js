// The page is drawn without a script; this one says what lies under the mouse
// or the finger.

const time = ns => {
  const [unit, size] = ns >= 1e9 ? ["s", 1e9] : ns >= 1e6 ? ["ms", 1e6] : ns >= 1e3 ? ["µs", 1e3] : ["ns", 1];
  return `${+(ns / size).toPrecision(3)} ${unit}`;
};
const whole = n => n.toLocaleString("en-US");
const second = s => `${+s.toFixed(3)}`;

// The last of ascending bounds that is not above v.
const below = (bounds, v) => {
  let i = 0;
  while (i + 2 < bounds.length && bounds[i + 1] <= v) i++;
  return i;
};

for (const map of document.querySelectorAll(".heat")) {
  const data = JSON.parse(map.querySelector(".heat-data").textContent);
  const plot = map.querySelector(".map"), tip = map.querySelector(".heat-tip");
  const { seconds, times, cells } = data;
  const from = seconds[0], to = seconds[seconds.length - 1];
  const low = Math.log(times[0]), high = Math.log(times[times.length - 1]);
  const say = event => {
    const box = plot.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width, y = 1 - (event.clientY - box.top) / box.height;
    if (x < 0 || x > 1 || y < 0 || y > 1) return;
    const column = below(seconds, from + x * (to - from)), row = below(times, Math.exp(low + y * (high - low)));
    const [first, ...counts] = cells[column];
    const all = counts.reduce((a, b) => a + b, 0), here = counts[row - first] || 0;
    tip.textContent = `${second(seconds[column])} to ${second(seconds[column + 1])} s, ${time(times[row])} to ${time(times[row + 1])}: ` +
      `${whole(here)} of ${whole(all)} requests`;
  };
  plot.addEventListener("pointermove", say);
  plot.addEventListener("pointerdown", say);
  plot.addEventListener("pointerleave", () => { tip.textContent = ""; });
}

// Beside the names of a chart's lines stand their values under the mouse, and
// at which place.
for (const block of document.querySelectorAll(".read-data")) {
  const lane = block.closest(".lane"), plot = lane.querySelector(".plot"), name = lane.querySelector(".lane-name");
  const { lines } = JSON.parse(block.textContent);
  const say = (parent, kind) => {
    const e = document.createElement(kind);
    e.className = "read";
    parent.append(e);
    return e;
  };
  const items = [...name.querySelectorAll("li")];
  const values = items.length ? items.map(li => say(li, "output")) : [say(name, "output")];
  const place = say(name, "output");
  const mark = document.createElementNS(plot.namespaceURI, "line");
  mark.setAttribute("class", "under");
  mark.setAttribute("y2", "100%");
  const nearest = (at, x) => {
    let best = 0;
    for (let i = 1; i < at.length; i++) if (Math.abs(at[i] - x) < Math.abs(at[best] - x)) best = i;
    return best;
  };
  const read = event => {
    const box = plot.getBoundingClientRect(), x = (event.clientX - box.left) / box.width * 1440;
    lines.forEach((line, i) => {
      const k = nearest(line.at, x);
      if (values[i]) values[i].textContent = " " + line.values[k];
      if (i === 0) {
        place.textContent = line.places[k];
        mark.setAttribute("x1", `${line.at[k] / 14.4}%`);
        mark.setAttribute("x2", `${line.at[k] / 14.4}%`);
        plot.append(mark);
      }
    });
  };
  plot.addEventListener("pointermove", read);
  plot.addEventListener("pointerdown", read);
  plot.addEventListener("pointerleave", () => {
    for (const e of [...values, place]) e.textContent = "";
    mark.remove();
  });
}
