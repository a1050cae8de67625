package gc

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/sweep"
)

// Sweep is the result of a sweep of settings.
type Sweep struct {
	Command string
	// PerOperation: times are those of an operation of the command's benchmarks, the
	// geometric mean of several.
	PerOperation bool
	Result       *sweep.Result
}

// word returns a setting's figure as its variable has it.
func word(v int64, print func(float64) string) string {
	if v == sweep.Off {
		return "off"
	}
	return print(float64(v))
}

func percentWord(s sweep.Setting) string {
	return word(int64(s.Percent), func(v float64) string { return strconv.Itoa(int(v)) })
}

func limitWord(s sweep.Setting) string { return word(s.LimitBytes, quantity.Bytes) }

// Variables returns a setting for a shell.
func Variables(s sweep.Setting) string {
	text := "GOGC=" + percentWord(s)
	switch limit := s.LimitBytes; {
	case limit == sweep.Off:
	case limit%(1<<20) == 0:
		text += fmt.Sprintf(" GOMEMLIMIT=%dMiB", limit>>20)
	default:
		text += fmt.Sprintf(" GOMEMLIMIT=%d", limit)
	}
	return text
}

// usual returns the point of Go's own setting; nil: it was not tried.
func (s *Sweep) usual() *sweep.Point {
	for i := range s.Result.Points {
		if p := &s.Result.Points[i]; p.Percent == 100 && p.LimitBytes == sweep.Off {
			return p
		}
	}
	return nil
}

// shown returns the points in the order of their memory.
func (s *Sweep) shown() []sweep.Point {
	out := slices.Clone(s.Result.Points)
	slices.SortStableFunc(out, func(a, b sweep.Point) int {
		if a.PeakBytes != b.PeakBytes {
			return int(max(min(a.PeakBytes-b.PeakBytes, 1), -1))
		}
		return int(max(min(a.Time-b.Time, 1), -1))
	})
	return out
}

// times returns the least and the greatest time of a point's runs.
func times(p *sweep.Point) (least, most time.Duration) {
	least = math.MaxInt64
	for _, r := range p.Runs {
		least, most = min(least, r.Time), max(most, r.Time)
	}
	return least, most
}

func peaks(p *sweep.Point) (least, most int64) {
	least = math.MaxInt64
	for _, r := range p.Runs {
		least, most = min(least, r.PeakBytes), max(most, r.PeakBytes)
	}
	return least, most
}

// what is measured, in a word.
func (s *Sweep) what() string {
	if s.PerOperation {
		return "time an operation"
	}
	return "time"
}

// about returns a line on how it was measured.
func (s *Sweep) about() string {
	r := s.Result
	runs := 0
	for _, p := range r.Points {
		runs += len(p.Runs)
	}
	text := fmt.Sprintf("%s, %s in random order, %v", quantity.Plural(len(r.Points), "setting"), quantity.Plural(runs, "run"), r.Spent.Round(time.Second/10))
	if !math.IsNaN(r.NoiseRatio) {
		text += fmt.Sprintf("; runs deviate by %s", quantity.Percent(r.NoiseRatio))
	}
	if r.Drift != 0 {
		text += fmt.Sprintf("; the figures are corrected for a change of the machine's speed by %s", quantity.Percent(r.Drift))
	}
	return text
}

// choices are sentences on the settings worth choosing from.
func (s *Sweep) choices() []string {
	usual := s.usual()
	var out []string
	for _, p := range s.shown() {
		if !p.Choice {
			continue
		}
		text := fmt.Sprintf("%s: %s, %s", Variables(p.Setting), span(int64(p.Time)), size(p.PeakBytes))
		if usual != nil && usual.Setting != p.Setting && usual.PeakBytes > 0 {
			text += fmt.Sprintf(" (%s of the time and %s of the memory of Go's own setting)",
				quantity.Percent(p.Time.Seconds()/usual.Time.Seconds()), quantity.Percent(float64(p.PeakBytes)/float64(usual.PeakBytes)))
		} else if usual != nil {
			text += " (Go's own setting)"
		}
		out = append(out, text)
	}
	return out
}

// WriteSweepText writes a sweep for a terminal.
func WriteSweepText(w io.Writer, s *Sweep, o page.TextOptions) error {
	t := page.NewText(o)
	t.Line(t.Paint(page.Bold, printable.Line(s.Command)), "  ", t.Paint(page.Dim, "sweep of the collector's settings"))
	t.Hang(2, "", 0, s.about())
	t.Warnings(s.Result.Warnings)
	t.Heading("Settings to choose from", "no other setting is better in both time and memory")
	for _, c := range s.choices() {
		t.Hang(2, "", 0, c)
	}
	t.Heading("Settings", "by resident memory at its peak")
	table := [][]string{{"GOGC", "GOMEMLIMIT", s.what(), "runs from", "to", "peak", "from", "to", "runs", ""}}
	for _, p := range s.shown() {
		note := ""
		switch {
		case p.Choice:
			note = "choose"
		case p.Front:
			note = "front"
		}
		least, most := times(&p)
		low, high := peaks(&p)
		table = append(table, []string{percentWord(p.Setting), limitWord(p.Setting), span(int64(p.Time)), span(int64(least)), span(int64(most)), size(p.PeakBytes), size(low), size(high), strconv.Itoa(len(p.Runs)), note})
	}
	t.Labelled(table)
	return t.Flush(w, "the sweep")
}

// WriteSweepJSON writes the document whet/gc-sweep/1.
func WriteSweepJSON(w io.Writer, s *Sweep) error {
	r := s.Result
	off := func(v int64) any {
		if v == sweep.Off {
			return nil
		}
		return v
	}
	return document.Write(w, document.Object{document.Begin(document.GCSweep, r.Warnings),
		"command", s.Command, "per_operation", s.PerOperation, "complete", r.Complete, "spent_ns", int64(r.Spent),
		"noise_ratio", document.Number(r.NoiseRatio), "drift_ratio", document.Number(r.Drift),
		"points", document.Each(s.shown(), func(p *sweep.Point) document.Object {
			return document.Object{"gogc", off(int64(p.Percent)), "memlimit_bytes", off(p.LimitBytes), "time_ns", int64(p.Time), "peak_bytes", positive(p.PeakBytes),
				"front", p.Front, "choice", p.Choice, "refined", p.Refined,
				"runs", document.Each(p.Runs, func(r *sweep.Run) document.Object {
					return document.Object{"time_ns", int64(r.Time), "peak_bytes", positive(r.PeakBytes)}
				})}
		})})
}
