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
