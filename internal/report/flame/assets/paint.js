// How frames look. By default the hue says whose package it is, the lightness
// which package, by a hash of its name: the same package has the same colour in
// every graph. The four hues are told apart with every common colour blindness
// (orange, blue, purple after Okabe and Ito, and grey), and each frame carries
// its name, so that colour is never the only sign. palette.go has the same.

const GROUPS = [
  { name: "your module", hue: 36, saturation: 88 },
  { name: "standard library", hue: 204, saturation: 68 },
  { name: "other modules", hue: 322, saturation: 42 },
  { name: "runtime", hue: 215, saturation: 9 },
  { name: "no package", hue: 50, saturation: 4 },
];

// The classic palettes: a colour, what the name's hash adds to each channel at
// most, and which half of the hash does.
const RAMPS = {
  hot: [[205, 0, 0], [50, 230, 55], [1, 0, 1]],
  mem: [[0, 190, 0], [0, 50, 210], [0, 1, 0]],
  io: [[80, 80, 190], [60, 60, 55], [0, 0, 1]],
  red: [[200, 50, 50], [55, 80, 80], [0, 0, 0]],
  green: [[50, 200, 50], [60, 55, 60], [0, 0, 0]],
  blue: [[80, 80, 205], [60, 60, 50], [0, 0, 0]],
  yellow: [[175, 175, 50], [55, 55, 20], [0, 0, 0]],
  purple: [[190, 80, 190], [65, 60, 65], [0, 0, 0]],
  aqua: [[50, 165, 165], [60, 55, 55], [0, 0, 0]],
  orange: [[190, 90, 0], [65, 65, 0], [0, 0, 0]],
};

const utf8 = new TextEncoder();

// hash is FNV-1a.
function hash(text) {
  let h = 0x811c9dc5;
  for (const b of utf8.encode(text)) h = Math.imul(h ^ b, 0x01000193) >>> 0;
  return h;
}

// annotated is the palette of one frame where it depends on the name: of stacks
// of wakers, and of virtual machines, whose profilers mark what is compiled,
// inlined or the kernel's.
function annotated(palette, name) {
  switch (palette) {
    case "wakeup": return "aqua";
    case "chain": return name.endsWith("_[w]") ? "aqua" : "blue";
    case "java": case "js": break;
    default: return palette;
  }
  if (name.endsWith("_[j]")) return "green";
  if (name.endsWith("_[i]")) return "aqua";
  if (name.endsWith("_[k]")) return "orange";
  if (name.includes("::")) return "yellow";
  if (name.includes(palette === "java" ? "/" : ".js")) return "green";
  return palette === "js" && name.includes(":") ? "aqua" : "red";
}

function rampColor(palette, name) {
  palette = annotated(palette, name);
  const h = hash(name), halves = [(h >>> 16) / 65536, (h & 65535) / 65536], [from, add, by] = RAMPS[palette];
  return from.map((c, i) => Math.floor(c + add[i] * halves[by[i]]));
}

// changeColor: red for more, blue for less, the stronger the larger.
function changeColor(change, largest, dark) {
  if (change === 0 || largest === 0) return dark ? [62, 66, 72] : [238, 238, 238];
  const s = Math.min(Math.abs(change) / largest, 1);
  if (dark) return change > 0 ? [Math.floor(96 + 110 * s), 58, 60] : [56, Math.floor(74 + 20 * s), Math.floor(104 + 120 * s)];
  const fade = Math.floor(225 - 130 * s);
  return change > 0 ? [255, fade, fade] : [fade, Math.min(255, fade + 20), 255];
}

// css prints a colour and says which ink can be read on it (relative luminance
// of about 0.1, where black and white have the same contrast).
function css([r, g, b]) {
  return { fill: `rgb(${r},${g},${b})`, light: 0.2126 * r + 0.7152 * g + 0.0722 * b < 110 };
}

// Theme holds the colours for light or dark.
class Theme {
  constructor(dark) {
    this.dark = dark;
    this.inks = { dark: "#191a1c", light: "#f4f2ee" };
    this.hatch = dark ? "rgba(255,255,255,.30)" : "rgba(0,0,0,.28)";
    this.block = dark ? "#34373c" : "#e4e2dd";
    this.focus = dark ? "#ffffff" : "#000000";
    this.hit = { fill: dark ? "#f5d90a" : "#ffe629", light: false };
    this.blocks = { fill: this.block, light: dark };
    this.cache = new Map();
  }

  // legend is the middle colour of a group.
  legend(group) { return this.mix(group, 2, 0); }

  mix(group, step, turn) {
    const g = GROUPS[group];
    const lightness = this.dark ? 30 + step * 4 : 66 + step * 4.5;
    const saturation = this.dark ? g.saturation * 0.62 : g.saturation;
    return `hsl(${g.hue + turn} ${saturation}% ${lightness}%)`;
  }

  // fill returns {fill, light} for a frame.
  fill(palette, data, id) {
    const key = palette === "package" ? -1 - data.package[id] : id;
    let c = this.cache.get(key);
    if (c === undefined || c.palette !== palette) {
      if (palette === "package") {
        const pkg = data.package[id], h = hash(data.packages[pkg]);
        c = { fill: this.mix(data.groups[pkg], h % 5, ((h >>> 8) % 13) - 6), light: this.dark };
      } else {
        const color = rampColor(palette, data.names[id]);
        c = css(this.dark ? color.map((v) => Math.floor(v * 0.72)) : color);
      }
      c.palette = palette;
      this.cache.set(key, c);
    }
    return c;
  }
}

// hatching is the pattern of blocks that stand for several frames.
function hatching(context, theme) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const t = tile.getContext("2d");
  t.fillStyle = theme.block;
  t.fillRect(0, 0, 8, 8);
  t.strokeStyle = theme.hatch;
  t.lineWidth = 1.2;
  t.beginPath();
  for (const x of [-8, 0, 8]) {
    t.moveTo(x, 8);
    t.lineTo(x + 8, 0);
  }
  t.stroke();
  return context.createPattern(tile, "repeat");
}

// Labels fits names into frames, measuring each text once.
class Labels {
  constructor(context) {
    this.context = context;
    this.widths = new Map();
    this.cuts = new Map();
  }

  width(text) {
    let w = this.widths.get(text);
    if (w === undefined) {
      if (this.widths.size > 50000) this.widths.clear();
      w = this.context.measureText(text).width;
      this.widths.set(text, w);
    }
    return w;
  }

  // fit returns the name, else the name without the path of its package, else
  // the name without its package, else without its receiver, else the
  // beginning of that, else nothing.
  fit(name, room) {
    if (room < 14) return "";
    if (name.length < 200 && this.width(name) <= room) return name;
    const bracket = name.search(/[[(]/);
    const slash = bracket === 0 ? -1 : name.lastIndexOf("/", bracket < 0 ? name.length : bracket);
    const short = slash < 0 ? name : name.slice(slash + 1);
    if (short.length < 200 && this.width(short) <= room) return short;
    const dot = short.indexOf(".");
    let own = dot > 0 && (bracket < 0 || dot < short.length - name.length + bracket + 1) ? short.slice(dot + 1) : short;
    if (own.length < 200 && this.width(own) <= room) return own;
    own = own.replace(/^\(\*[^)]*\)\./, "");
    if (own.length < 200 && this.width(own) <= room) return own;
    // Cut to whole pixels' room, so that the same cut is found again in the
    // next frame of a gesture.
    const key = own.slice(0, 200) + " " + Math.floor(room / 4);
    let cut = this.cuts.get(key);
    if (cut === undefined) {
      if (this.cuts.size > 20000) this.cuts.clear();
      const fits = Math.floor(room / 4) * 4;
      let lo = 0, hi = Math.min(own.length, 200);
      while (lo < hi) {
        const mid = (lo + hi + 1) >> 1;
        if (this.context.measureText(own.slice(0, mid) + "…").width <= fits) lo = mid; else hi = mid - 1;
      }
      cut = lo < 2 ? "" : own.slice(0, lo) + "…";
      this.cuts.set(key, cut);
    }
    return cut;
  }
}
