package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"

	"whet/internal/analyze/sched"
	"whet/internal/format/exectrace"
	"whet/internal/report/page"
	"whet/internal/timeline"
)

// Drawing is a trace on a line of time.
type Drawing struct {
	Page     *Page
	Timeline *timeline.Timeline
	Moments  []Moment // to choose from
	Focus    Focus
	places   *sched.Result // the result of the reading that made the timeline
}

// Focus is the part that a drawing shows; the zero value is the whole.
type Focus struct {
	Mark  []int64 `json:"mark,omitempty"`  // from, to: shaded
	Of    string  `json:"of,omitempty"`    // what is marked
	Pins  []int64 `json:"pins,omitempty"`  // goroutines to be shown first
	First int     `json:"first,omitempty"` // the moment that is shown at first, from 1 on
	Rows  int     `json:"rows,omitempty"`  // of goroutines that are seen at once; 0: as many as fit a page
}

// MostIntervals is the largest number of intervals on the page of a trace: they take
// about half of it.
const MostIntervals = 600_000

// Draw reads a trace once more, knowing what is worth a look. p has its result, by the
// same options; at most so many intervals are kept, around some moments, or from the
// beginning on if there are none.
func Draw(src exectrace.Source, o sched.Options, p *Page, around []Moment, most int) (*Drawing, error) {
	r := p.Result
	b := timeline.New(timeline.Options{
		Window:  timeline.Window{FromNs: r.FromNs, ToNs: r.FromNs + r.SpanNs},
		Classes: Classes(r), States: sched.NumStates, Procs: len(r.Procs),
		Keep: Keep(r, around, most), Most: most,
	})
	o.Path, o.Observe = false, b.Add
	seen, err := sched.Analyze(src, o)
	if err != nil {
		return nil, err
	}
	return &Drawing{Page: p, Timeline: b.Finish(), Moments: around, places: seen}, nil
}

// Part returns the drawing as part of another page: what stands there, its style and its
// script.
func Part(d *Drawing) (html template.HTML, style, script string, err error) {
	data, err := json.Marshal(timelineData(d))
	if err != nil {
		return "", "", "", fmt.Errorf("write HTML: %w", err)
	}
	var b bytes.Buffer
	v := struct {
		Part string
		Data template.JS
	}{"", template.JS(data)}
	var known int64
	for _, w := range d.Timeline.Windows {
		known += w.ToNs - w.FromNs
	}
	if all := d.Timeline.ToNs - d.Timeline.FromNs; known < all {
		v.Part = fmt.Sprintf("The page shows single goroutines for %s of %s, shaded in the strip; more would not fit.", ns(known), ns(all))
	}
	if err := page.Write(&b, assets, "trace-timeline", v); err != nil {
		return "", "", "", err
	}
	return template.HTML(b.String()), page.Asset(assets, "timeline.css"), page.Asset(assets, "timeline.js"), nil
}
