// How frames look. The hue says whose package it is, the lightness which
// package, by a hash of its name: the same package has the same colour in every
// report. The four hues are told apart with every common colour blindness
// (orange, blue, purple after Okabe and Ito, and grey), and each frame carries
// its name, so that colour is never the only sign.

const GROUPS = [
  { name: "your module", hue: 36, saturation: 88 },
  { name: "standard library", hue: 204, saturation: 68 },
  { name: "other modules", hue: 322, saturation: 42 },
  { name: "runtime", hue: 215, saturation: 9 },
  { name: "no package", hue: 50, saturation: 4 },
];

// hash is FNV-1a over UTF-16 units.
function hash(text) {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return h;
}

// Theme holds the colours for light or dark.
class Theme {
  constructor(dark) {
    this.dark = dark;
    this.text = dark ? "#f4f2ee" : "#191a1c";
    this.faint = dark ? "rgba(244,242,238,.62)" : "rgba(25,26,28,.62)";
    this.gap = dark ? "#1b1d20" : "#ffffff";
    this.hatch = dark ? "rgba(255,255,255,.30)" : "rgba(0,0,0,.28)";
    this.block = dark ? "#34373c" : "#e4e2dd";
    this.focus = dark ? "#ffffff" : "#000000";
    this.hit = dark ? "#f5d90a" : "#ffe629";
    this.hitText = "#191a1c";
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

  fill(pkg, group) {
    let c = this.cache.get(pkg);
    if (c === undefined) {
      const h = hash(pkg);
      c = this.mix(group, h % 5, ((h >>> 8) % 13) - 6);
      this.cache.set(pkg, c);
    }
    return c;
  }
}

// hatching is the pattern of blocks that stand for several frames.
function hatching(context, theme) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const t = tile.getContext("2d");
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
  }

  width(text) {
    let w = this.widths.get(text);
    if (w === undefined) {
      w = this.context.measureText(text).width;
      this.widths.set(text, w);
    }
    return w;
  }

  // fit returns the name, else the name without the path of its package, else
  // the name without its package, else the beginning of that, else nothing.
  fit(name, room) {
    if (room < 14) return "";
    if (this.width(name) <= room) return name;
    const bracket = name.search(/[[(]/);
    const slash = name.lastIndexOf("/", bracket < 0 ? name.length : bracket);
    const short = slash < 0 ? name : name.slice(slash + 1);
    if (this.width(short) <= room) return short;
    const dot = short.indexOf(".");
    const own = dot > 0 && (bracket < 0 || dot < short.length - name.length + bracket + 1) ? short.slice(dot + 1) : short;
    if (this.width(own) <= room) return own;
    let lo = 0, hi = Math.min(own.length, 200);
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (this.context.measureText(own.slice(0, mid) + "…").width <= room) lo = mid; else hi = mid - 1;
    }
    return lo < 2 ? "" : own.slice(0, lo) + "…";
  }
}
