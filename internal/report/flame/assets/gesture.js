// The page's own frame timer: opened with #frames, it makes one scripted
// gesture (into the graph, across it, and out again) and says how long each
// frame took, from one animation frame to the next, and how much of that was
// spent on laying out and painting. The numbers stand in the document's
// data-frames as JSON.
if (flameGraph !== null && location.hash === "#frames") {
  const intervals = [], work = [];
  let last = null, step = 0;
  const STEPS = 300;
  const tick = (now) => {
    if (last !== null) intervals.push(now - last);
    last = now;
    if (step === STEPS) {
      const sorted = (list) => [...list].sort((a, b) => a - b);
      const at = (list, q) => list[Math.min(list.length - 1, Math.floor(q * list.length))];
      const sum = (list) => ({ p50_ms: at(sorted(list), 0.5), p99_ms: at(sorted(list), 0.99), max_ms: Math.max(...list) });
      document.documentElement.dataset.frames = JSON.stringify({ nodes: flameGraph.tree.name.length, frames: intervals.length, interval: sum(intervals), work: sum(work) });
      return;
    }
    const begun = performance.now();
    const pane = flameGraph.pane, third = STEPS / 3;
    if (step < third) flameGraph.move(pane, 0.96, 0, 0.3);
    else if (step < 2 * third) flameGraph.move(pane, 1, step < 1.5 * third ? 0.03 : -0.03);
    else flameGraph.move(pane, 1 / 0.96, 0, 0.7);
    flameGraph.layout();
    work.push(performance.now() - begun);
    step++;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}
