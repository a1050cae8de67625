package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"whet/internal/callstack"
	"whet/internal/quantity"
)

// ListOptions say which functions a listing shows and where their source is.
type ListOptions struct {
	Column int            // sample type shown, an index into Profile.Types
	Match  *regexp.Regexp // functions to list, by name
	// Source returns the text of a frame's file; nil when none is at hand.
	Source func(frameFile string) ([]byte, error)
	// Modified returns when that file was last changed; nil when unknown.
	Modified func(frameFile string) (time.Time, bool)
	// Display returns a file's name for people; nil prints it as the profile
	// has it, like pprof.
	Display func(frameFile string) string
}

// ListView is the annotated source of functions, as pprof's list command has
// it.
type ListView struct {
	Head     ViewHead
	Routines []Routine
	Warnings []string
}

// Routine is one function in one file.
type Routine struct {
	Function string
	File     string // as the profile has it
	Display  string // for people
	Flat     int64
	Cum      int64 // counted once for a sample, however often the function recurses
	LinesCum int64 // sum of the lines' cum, which pprof's header shows: it counts recursion through several lines again
	Lines    []ListLine
	Missing  string // why there is no source: "" when there is
}

// ListLine is a line of source. Beyond the end of the file, and where the file
// is missing, only lines that hold something are listed.
type ListLine struct {
	Number    int
	Text      string
	Flat, Cum int64
	Beyond    bool // the file has no such line
}

// listMargin is how many lines stand around the hot ones: pprof's.
const listMargin = 5

// NewList lists the functions that match.
func NewList(p *callstack.Profile, o ListOptions) (*ListView, error) {
	if o.Match == nil {
		return nil, errors.New("list functions: no expression given")
	}
	head, err := newViewHead(p, o.Column, nil)
	if err != nil {
		return nil, err
	}
	pruned, err := p.Pruned()
	if err != nil {
		return nil, err
	}
	v := &ListView{Head: head, Warnings: slices.Clone(p.Warnings)}
	lines := newNodes(pruned, func(f *callstack.Frame) nodeKey {
		k := nodeKey{function: f.Function, line: f.Line, start: f.Start}
		if f.File != "" {
			k.file = filepath.Clean(f.File)
		}
		return k
	})
	lines.sum(pruned, o.Column)
	type routineKey struct{ function, file string }
	once := pruned.Costs(o.Column, nil, func(f *callstack.Frame) string {
		if f.File == "" {
			return f.Function + "\x00"
		}
		return f.Function + "\x00" + filepath.Clean(f.File)
	})
	groups := make(map[routineKey][]int)
	var order []routineKey
	for _, i := range lines.live() {
		k := routineKey{lines.keys[i].function, lines.keys[i].file}
		if k.function == "" || !o.Match.MatchString(k.function) {
			continue
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], i)
	}
	if len(order) == 0 {
		return nil, fmt.Errorf("no function with a sample matches %q", o.Match)
	}
	slices.SortFunc(order, func(a, b routineKey) int {
		return cmp.Or(strings.Compare(a.function, b.function), strings.Compare(a.file, b.file))
	})
	for _, k := range order {
		r := Routine{Function: k.function, File: k.file, Display: k.file, Cum: once[k.function+"\x00"+k.file].Cum}
		if o.Display != nil && k.file != "" {
			r.Display = o.Display(k.file)
		}
		for _, i := range groups[k] {
			r.Flat += lines.cost[i].Flat
			r.LinesCum += lines.cost[i].Cum
		}
		if r.LinesCum != r.Cum {
			v.Warnings = append(v.Warnings, fmt.Sprintf("%s calls itself through several lines: its cum of %s adds up the lines; counted once for each sample it is %s",
				r.Function, head.text(r.LinesCum, "minimum"), head.text(r.Cum, "minimum")))
		}
		v.annotate(&r, lines, groups[k], &o, p.TimeNanos)
		v.Routines = append(v.Routines, r)
	}
	return v, nil
}

// annotate fills in the lines of a routine.
func (v *ListView) annotate(r *Routine, lines *nodes, group []int, o *ListOptions, recorded int64) {
	costs := make(map[int]callstack.Cost)
	first, last, deepest := 0, 0, 0
	for n, i := range group {
		k := lines.keys[i]
		c := costs[k.line]
		c.Flat += lines.cost[i].Flat
		c.Cum += lines.cost[i].Cum
		costs[k.line] = c
		start := k.start
		if start == 0 || start > k.line { // line tables do put a line before its function
			start = k.line - listMargin
		}
		if n == 0 || start < first {
			first = start
		}
		last = max(last, k.line+listMargin)
		deepest = max(deepest, k.line)
	}
	first = max(first, 1)

	var text [][]byte
	switch {
	case r.File == "":
		r.Missing = "the profile does not say in which file it is"
	case o.Source == nil:
		r.Missing = "no source at hand"
	default:
		data, err := o.Source(r.File)
		if err != nil {
			r.Missing = err.Error()
			break
		}
		text = bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
		if deepest > len(text) {
			v.Warnings = append(v.Warnings, fmt.Sprintf("source differs from the profiled build: %s has %d lines, the profile names line %d", r.Display, len(text), deepest))
		} else if o.Modified != nil && recorded != 0 {
			if at, ok := o.Modified(r.File); ok && at.UnixNano() > recorded {
				v.Warnings = append(v.Warnings, fmt.Sprintf("source differs from the profiled build: %s was changed after the profile was taken", r.Display))
			}
		}
	}
	for n := first; n <= min(last, len(text)); n++ {
		c := costs[n]
		delete(costs, n)
		r.Lines = append(r.Lines, ListLine{Number: n, Text: string(bytes.TrimSuffix(text[n-1], []byte("\r"))), Flat: c.Flat, Cum: c.Cum})
	}
	// What is left has no text; listed all the same, so that the lines add up.
	begin := len(r.Lines)
	for n, c := range costs {
		r.Lines = append(r.Lines, ListLine{Number: n, Flat: c.Flat, Cum: c.Cum, Beyond: text != nil && n > len(text)})
	}
	slices.SortFunc(r.Lines[begin:], func(a, b ListLine) int { return a.Number - b.Number })
}

// WriteList prints the listing in pprof's layout, after the warnings there
// are.
func WriteList(w io.Writer, v *ListView) error {
	var b bytes.Buffer
	writeViewWarnings(&b, v.Warnings)
	h := &v.Head
	value := func(n int64) string { return h.text(n, "minimum") }
	orDot := func(n int64) string {
		if n == 0 {
			return "."
		}
		return value(n)
	}
	fmt.Fprintf(&b, "Total: %s\n", value(h.Total))
	for _, r := range v.Routines {
		if r.File == "" {
			fmt.Fprintf(&b, "No source information for %s\n", clean(r.Function))
			continue
		}
		fmt.Fprintf(&b, "ROUTINE ======================== %s in %s\n", clean(r.Function), clean(r.Display))
		fmt.Fprintf(&b, "%10s %10s (flat, cum) %s of Total\n", value(r.Flat), value(r.LinesCum), quantity.PprofPercent(r.LinesCum, h.Total))
		if r.Missing != "" {
			fmt.Fprintf(&b, " Error: %s\n", clean(r.Missing))
		}
		for _, l := range r.Lines {
			text := cleanSource(l.Text)
			if l.Beyond {
				text = " (the file has no such line)"
			}
			fmt.Fprintf(&b, "%10s %10s %6d:%s\n", orDot(l.Flat), orDot(l.Cum), l.Number, text)
		}
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write list: %w", err)
	}
	return nil
}

type jsonList struct {
	jsonView
	Functions []jsonRoutine `json:"functions"`
}

type jsonRoutine struct {
	jsonRow
	LinesCumNs    *int64         `json:"lines_cum_ns,omitempty"`
	LinesCumBytes *int64         `json:"lines_cum_bytes,omitempty"`
	LinesCumCount *int64         `json:"lines_cum_count,omitempty"`
	LinesCum      *int64         `json:"lines_cum,omitempty"`
	Missing       string         `json:"missing"` // why there is no source; "" when there is
	Lines         []jsonListLine `json:"lines"`
}

type jsonListLine struct {
	Line      int    `json:"line"`
	Text      string `json:"text"`
	Beyond    bool   `json:"beyond_end,omitempty"`
	FlatNs    *int64 `json:"flat_ns,omitempty"`
	FlatBytes *int64 `json:"flat_bytes,omitempty"`
	FlatCount *int64 `json:"flat_count,omitempty"`
	Flat      *int64 `json:"flat,omitempty"`
	CumNs     *int64 `json:"cum_ns,omitempty"`
	CumBytes  *int64 `json:"cum_bytes,omitempty"`
	CumCount  *int64 `json:"cum_count,omitempty"`
	Cum       *int64 `json:"cum,omitempty"`
}

// WriteListJSON prints the listing as the document whet/list/1. A function's
// cum is counted once for each sample, as in whet/top/1; what its lines add up
// to is lines_cum.
func WriteListJSON(w io.Writer, v *ListView) error {
	h := &v.Head
	j := jsonList{jsonView: newJSONView("list", h, v.Warnings), Functions: []jsonRoutine{}}
	for _, r := range v.Routines {
		row := jsonRoutine{Missing: r.Missing, Lines: []jsonListLine{}}
		row.Function, row.File = r.Function, r.Display
		row.FlatRatio, row.CumRatio = share(r.Flat, h.Total), share(r.Cum, h.Total)
		row.FlatNs, row.FlatBytes, row.FlatCount, row.Flat = byUnit(h.Unit, r.Flat)
		row.CumNs, row.CumBytes, row.CumCount, row.Cum = byUnit(h.Unit, r.Cum)
		row.LinesCumNs, row.LinesCumBytes, row.LinesCumCount, row.LinesCum = byUnit(h.Unit, r.LinesCum)
		for _, l := range r.Lines {
			line := jsonListLine{Line: l.Number, Text: l.Text, Beyond: l.Beyond}
			line.FlatNs, line.FlatBytes, line.FlatCount, line.Flat = byUnit(h.Unit, l.Flat)
			line.CumNs, line.CumBytes, line.CumCount, line.Cum = byUnit(h.Unit, l.Cum)
			row.Lines = append(row.Lines, line)
		}
		j.Functions = append(j.Functions, row)
	}
	return writeViewJSON(w, &j)
}
