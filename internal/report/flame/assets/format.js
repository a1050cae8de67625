// Numbers as the rest of the page prints them: three significant digits and a
// unit. The program's own printer (package quantity) is the reference, and a
// test holds the two against each other.

const TIMES = [["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9]];
const SIZES = [["B", 1], ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30], ["TiB", 2 ** 40], ["PiB", 2 ** 50], ["EiB", 2 ** 60]];
const COUNTS = [["M", 1e6], ["G", 1e9], ["T", 1e12], ["P", 1e15], ["E", 1e18]];

function separate(text) {
  const [whole, fraction] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : grouped + "." + fraction;
}

function round3(v) {
  return v >= 1000 ? Math.round(v) : Number(v.toPrecision(3));
}

function significant(v) {
  const r = round3(v);
  if (r >= 1e9) return r.toExponential(2).replace(/e\+(\d)$/, "e+0$1");
  const decimals = r >= 100 ? 0 : r >= 10 ? 1 : r >= 1 ? 2 : r >= 0.1 ? 3 : r >= 0.01 ? 4 : 5;
  return separate(r.toFixed(decimals));
}

function scaled(v, units, step, print) {
  let i = 0;
  while (i + 1 < units.length && round3(v / units[i][1]) >= step) i++;
  return print(v / units[i][1]) + " " + units[i][0];
}

function trimZeros(text) {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

// count prints a number of things, whole or not.
function count(n) {
  if (!Number.isInteger(n) && n < 999999.5) return n < 0.001 ? "<0.001" : trimZeros(significant(n));
  return n < 1e6 ? separate(String(n)) : scaled(n, COUNTS, 1000, significant);
}

// formatValue prints a value of a flame graph, which is never negative.
function formatValue(v, unit) {
  if (v === 0) return "0";
  switch (unit) {
    case "nanoseconds": return scaled(v, TIMES, 1000, significant);
    case "bytes": return scaled(v, SIZES, 1024, (x) => trimZeros(significant(x)));
    case "count": case "": return count(v);
  }
  return count(v) + " " + unit;
}

function percent(ratio) {
  const p = ratio * 100;
  if (p === 0) return "0 %";
  if (p < 0.1) return "<0.1 %";
  if (p >= 99.95 && p < 100 * (1 - 1e-9)) return ">99.9 %";
  return p.toFixed(1) + " %";
}

function frames(n) {
  return n === 1 ? "1 frame" : count(n) + " frames";
}
