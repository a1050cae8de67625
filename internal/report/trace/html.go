package trace

import (
	"bytes"
	"compress/flate"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"

	"whet/internal/analyze/sched"
	"whet/internal/printable"
	"whet/internal/report/page"
	"whet/internal/symbolname"
	"whet/internal/timeline"
)

//go:embed assets
var assets embed.FS

// maxPage bounds a page, in bytes.
const maxPage = 20 << 20

// The contract with the page's script. Times are nanoseconds of the trace.
type jsonTimeline struct {
	From    int64          `json:"from"`
	To      int64          `json:"to"`
	Starts  []string       `json:"starts"`  // start functions; 0 is unknown
	Classes []string       `json:"classes"` // start functions with a colour of their own; 0 is the others
	Class   []int          `json:"class"`   // of starts
	Places  []string       `json:"places"`  // 0 is unknown
	States  []string       `json:"states"`
	Counts  map[int]course `json:"counts"` // goroutines by state; a state without any is left out
	Heap    course         `json:"heap,omitempty"`
	Goal    course         `json:"goal,omitempty"`
	Marks   []int64        `json:"marks"` // from, to, and so on
	Stops   []int64        `json:"stops"`
	Reasons []string       `json:"reasons"` // of stops
	Reason  []int          `json:"reason"`
	Windows []int64        `json:"windows"` // from, to: where intervals are known
	Procs   []jsonProc     `json:"procs"`
	IDs     []int64        `json:"ids"`   // of goroutines with intervals
	Start   []int          `json:"start"` // of each
	Lengths []int          `json:"lengths"`
	Moments []jsonMoment   `json:"moments"`
	Focus
	// Intervals is base64 of deflated varints. For each interval of each goroutine in
	// turn: its state; from when, since the beginning of the goroutine's interval
	// before it, or of the timeline; for how long; its place; of running the processor,
	// else the goroutine that ended it, plus 1, and that one's place.
	Intervals string `json:"intervals"`
}

type jsonProc struct {
	Number int32    `json:"number"`
	Levels []string `json:"levels"` // base64 of deflated pairs of bytes: fill and class
}

type jsonMoment struct {
	From      int64  `json:"from"`
	To        int64  `json:"to"`
	Text      string `json:"text"`
	Goroutine int64  `json:"goroutine,omitempty"`
}

// course is written with three digits.
type course []float64

func (c course) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range c {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, v, 'g', 4, 64)
	}
	return append(b, ']'), nil
}

// WriteHTML writes the page as one file that loads nothing from elsewhere: the
// conclusions and a timeline to move in. A page is at most 20 MiB: where single
// intervals would not fit, there are fewer, and it says where they are.
func WriteHTML(w io.Writer, d *Drawing) error {
	for {
		var b bytes.Buffer
		if err := writeHTML(&b, d); err != nil {
			return err
		}
		if b.Len() <= maxPage || len(d.Timeline.Intervals) == 0 {
			_, err := w.Write(b.Bytes())
			return err
		}
		d = &Drawing{Page: d.Page, Moments: d.Moments, Focus: d.Focus, Timeline: half(d.Timeline), places: d.places}
	}
}

// half keeps the intervals of the first half of each window.
func half(t *timeline.Timeline) *timeline.Timeline {
	h := *t
	h.Windows, h.Intervals = nil, nil
	for _, w := range t.Windows {
		h.Windows = append(h.Windows, timeline.Window{FromNs: w.FromNs, ToNs: w.FromNs + (w.ToNs-w.FromNs)/2})
	}
	for _, i := range t.Intervals {
		if slices.ContainsFunc(h.Windows, func(w timeline.Window) bool { return i.FromNs < w.ToNs && i.ToNs > w.FromNs }) {
			h.Intervals = append(h.Intervals, i)
		}
	}
	if len(h.Intervals) == len(t.Intervals) {
		h.Windows, h.Intervals = nil, nil
	}
	return &h
}

func writeHTML(w io.Writer, d *Drawing) error {
	p, r := d.Page, d.Page.Result
	data, err := json.Marshal(timelineData(d))
	if err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	v := struct {
		page.Shell
		Facts       []page.Fact
		Warnings    []string
		Conclusions []string
		Part        string
		Data        template.JS
	}{Shell: page.NewShell(p.Name, page.KitStyle()+page.Asset(assets, "timeline.css"), page.Asset(assets, "timeline.js")), Data: template.JS(data)}
	v.Facts = []page.Fact{
		{Name: "Go", Value: r.GoVersion},
		{Name: "Span", Value: ns(r.SpanNs)},
		{Name: "Events", Value: count(r.Events)},
		{Name: "Goroutines", Value: count(r.Goroutines.Before+r.Goroutines.Created) + ", at most " + count(r.Goroutines.Most) + " at a time"},
		{Name: "Processors", Value: fmt.Sprintf("%d, GOMAXPROCS %d", len(r.Procs), r.GOMAXPROCS)},
	}
	if w := p.window(); w != "" {
		v.Facts = append(v.Facts, page.Fact{Name: "Window", Value: w})
	}
	for _, w := range r.Warnings {
		v.Warnings = append(v.Warnings, printable.Line(w))
	}
	for _, c := range Conclusions(r) {
		v.Conclusions = append(v.Conclusions, printable.Line(c))
	}
	v.Part = part(r, d.Timeline)
	return page.Write(w, assets, "timeline.html", v)
}

// part says what of the trace the page has in full; "" is all.
func part(r *sched.Result, t *timeline.Timeline) string {
	var known int64
	for _, w := range t.Windows {
		known += w.ToNs - w.FromNs
	}
	switch {
	case known >= r.SpanNs:
		return ""
	case known == 0:
		return fmt.Sprintf("The page shows processors in steps of %s and no goroutines, which would not fit: choose a part of the trace with -from and -to.", ns(t.BinNs))
	}
	return fmt.Sprintf("The page shows processors for the whole trace in steps of %s, but single goroutines only for %s of %s, shaded in the strip, around the moments below. Choose another part with -from and -to.", ns(t.BinNs), ns(known), ns(r.SpanNs))
}

// table numbers texts.
type table struct {
	of map[string]int
	to *[]string
}

func newTable(to *[]string, zero string) *table {
	*to = []string{zero}
	return &table{map[string]int{"": 0}, to}
}

func (t *table) number(text string) int {
	n, ok := t.of[text]
	if !ok {
		n = len(*t.to)
		t.of[text] = n
		*t.to = append(*t.to, printable.Line(text))
	}
	return n
}

func timelineData(of *Drawing) *jsonTimeline {
	r, t := of.Page.Result, of.Timeline
	d := &jsonTimeline{Focus: of.Focus, From: t.FromNs, To: t.ToNs, Counts: make(map[int]course), Heap: course(t.Heap), Goal: course(t.Goal),
		Marks: []int64{}, Stops: []int64{}, Reason: []int{}, Windows: []int64{}, IDs: []int64{}, Start: []int{}, Lengths: []int{}, Moments: []jsonMoment{}, Procs: []jsonProc{}}
	for s := range sched.State(sched.NumStates) {
		d.States = append(d.States, s.String())
		if slices.ContainsFunc(t.States[s], func(v float64) bool { return v > 1e-9 }) {
			d.Counts[int(s)] = course(t.States[s])
		}
	}
	starts, places, reasons := newTable(&d.Starts, "unknown start"), newTable(&d.Places, "unknown"), newTable(&d.Reasons, "unknown")
	for _, v := range t.Marks {
		d.Marks = append(d.Marks, v.FromNs, v.ToNs)
	}
	for _, v := range t.Stops {
		d.Stops, d.Reason = append(d.Stops, v.FromNs, v.ToNs), append(d.Reason, reasons.number(v.Reason))
	}
	for _, v := range t.Windows {
		d.Windows = append(d.Windows, v.FromNs, v.ToNs)
	}
	for _, m := range of.Moments {
		d.Moments = append(d.Moments, jsonMoment{m.FromNs, m.ToNs, printable.Line(m.Text), m.Goroutine})
	}
	for _, p := range t.Procs {
		j := jsonProc{Number: p.Number}
		for _, level := range p.Levels {
			b := make([]byte, 0, 2*len(level))
			for _, bin := range level {
				b = append(b, bin.Fill, bin.Class)
			}
			j.Levels = append(j.Levels, pack(b))
		}
		d.Procs = append(d.Procs, j)
	}
	at := make(map[uint32]int)
	placed := func(stack uint32) uint64 {
		n, ok := at[stack]
		if !ok {
			if f := of.places.PlaceOf(stack); f != nil {
				n = places.number(place(f))
			}
			at[stack] = n
		}
		return uint64(n)
	}
	var b []byte
	before := int64(0)
	for k := range t.Intervals {
		i := &t.Intervals[k]
		if last := len(d.IDs) - 1; last < 0 || d.IDs[last] != i.Goroutine {
			d.IDs, d.Start, d.Lengths = append(d.IDs, i.Goroutine), append(d.Start, 0), append(d.Lengths, 0)
			before = t.FromNs
		}
		last := len(d.IDs) - 1
		if d.Lengths[last]++; i.Start != "" {
			d.Start[last] = starts.number(symbolname.Short(i.Start))
		}
		from := max(i.FromNs, before)
		b = append(b, i.State)
		b = binary.AppendUvarint(b, uint64(from-before))
		b = binary.AppendUvarint(b, uint64(max(i.ToNs-from, 0)))
		b = binary.AppendUvarint(b, placed(i.Stack))
		if before = from; i.State == uint8(sched.Running) {
			b = binary.AppendUvarint(b, uint64(i.Proc+1))
			continue
		}
		b = binary.AppendUvarint(b, uint64(max(min(i.Waker, math.MaxInt64-1), -1)+1))
		b = binary.AppendUvarint(b, placed(i.WakerStack))
	}
	d.Intervals = pack(b)
	classes := Classes(r)
	d.Classes = make([]string, len(classes)+1)
	d.Classes[0] = "others"
	byShort := make(map[string]int)
	for start, c := range classes {
		d.Classes[c] = name(start)
		byShort[symbolname.Short(start)] = int(c)
	}
	d.Class = make([]int, len(d.Starts))
	for start, n := range starts.of {
		d.Class[n] = byShort[start]
	}
	return d
}

// pack deflates data for a page.
func pack(data []byte) string {
	var b bytes.Buffer
	z, _ := flate.NewWriter(&b, flate.DefaultCompression) // fails for a level that does not exist
	z.Write(data)
	z.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}
