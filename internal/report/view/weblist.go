package view

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/format/compiler"
	"whet/internal/quantity"
	"whet/internal/source"
	"whet/internal/symbol"
)

// ForWeblist returns the options that pprof forces for weblist: all addresses with
// their inlined calls.
func ForWeblist(o selection.Options) selection.Options {
	o.Granularity, o.ObjectNames, o.NoInlines = "addresses", true, false
	return o
}

// Weblist is the source of functions with the instructions of each line.
type Weblist struct {
	Head
	Functions []WebFunction
}

// WebFunction is a function in a file, its inlined copies included.
type WebFunction struct {
	Function  string
	File      string
	Flat, Cum int64 // of its instructions, each counted once
	Missing   string
	Lines     []WebLine
}

// WebLine is a line of source.
type WebLine struct {
	Number       int
	Text         string
	Flat, Cum    int64
	Gap          bool // lines before it are left out
	Beyond       bool // the file has no such line
	Decisions    []compiler.Decision
	Instructions []WebInstruction
}

// WebInstruction is an instruction that a line became.
type WebInstruction struct {
	Address   uint64 // in the binary; without one, the profile's
	Text      string // "" where there is no binary
	File      string // of the innermost call
	Line      int
	Flat, Cum int64
	Apart     bool // it does not follow the instruction before it
	// Calls are those inlined between the line and the instruction, the
	// outermost first.
	Calls []WebCall
}

// WebCall is an inlined call.
type WebCall struct {
	Function string
	File     string
	Line     int // within the call
	Text     string
}

// webGap is how far apart lines of one function are before those between them
// are left out.
const webGap = 20

// maxWebFunctions bounds a page: of a large program, all functions with samples
// have millions of instructions.
const maxWebFunctions = 200

// maxWebRows bounds it, too: of instructions and of the inlined calls that they
// lie in, which stand under each of these calls. maxWebCalls is more than Go's
// compiler inlines into each other.
const (
	maxWebRows  = 200_000
	maxWebCalls = 64
)

// webInstruction is an instruction with all its frames, innermost first.
type webInstruction struct {
	address uint64
	size    uint64
	text    string
	frames  []symbol.Frame
	sum     callgraph.Costs
}

// NewWeblist lists the functions of a selection, which was made by ForWeblist,
// that match.
func NewWeblist(s *selection.Selection, l CodeOptions, o Options) (*Weblist, error) {
	v := &Weblist{Head: newHead(s, &o)}
	places := newAddressTable(s)
	wanted := places.wanted(l.Match)
	if len(wanted) == 0 {
		return nil, fmt.Errorf("no function with a sample matches \"%s\"", expression(l.Match))
	}
	c := newCode(s, l.Binary, &v.Head)
	if err := errors.Join(c.failures...); err != nil {
		v.warn("without assembly: %v", err)
	}
	instructions, err := places.instructions(c, wanted)
	if err != nil {
		return nil, err
	}
	v.fill(instructions, wanted, newOnce(s, wanted), &l)
	if len(v.Functions) == 0 {
		return nil, fmt.Errorf("no function with a sample matches \"%s\"", expression(l.Match))
	}
	return v, nil
}

func expression(re *regexp.Regexp) string {
	if re == nil {
		return ""
	}
	return re.String()
}

// fill puts instructions under every line of a wanted function that they come
// from: one within inlined calls stands under each of the calls.
func (v *Weblist) fill(instructions []webInstruction, wanted map[string]bool, once *uniqueCosts, l *CodeOptions) {
	type under struct{ instruction, frame int } // of which frame the line is
	type function struct {
		lines map[int][]under
		sum   callgraph.Costs
		last  int // the instruction that sum counted last
	}
	functions := make(map[routineKey]*function)
	var order []routineKey
	for i := range instructions {
		in := &instructions[i]
		for j, f := range in.frames {
			if !wanted[f.Function] {
				continue
			}
			k := routineKey{f.Function, f.File}
			at := functions[k]
			if at == nil {
				at = &function{lines: make(map[int][]under), last: -1}
				functions[k] = at
				order = append(order, k)
			}
			at.lines[f.Line] = append(at.lines[f.Line], under{i, j})
			if at.last != i {
				at.last = i
				at.sum.Add(&in.sum)
			}
		}
	}
	v.Functions = make([]WebFunction, 0, len(order))
	for _, k := range order {
		f := functions[k]
		if f.sum.Cum == 0 {
			continue // only its neighbours have samples
		}
		w := WebFunction{Function: k.function, File: k.file}
		once.limit(&f.sum, lineKey{k, wholeFunction})
		w.Flat, w.Cum = f.sum.FlatValue(), f.sum.CumValue()
		v.Functions = append(v.Functions, w)
	}
	slices.SortStableFunc(v.Functions, func(a, b WebFunction) int {
		return cmp.Or(cmp.Compare(magnitude(b.Cum), magnitude(a.Cum)), cmp.Compare(a.Function, b.Function), cmp.Compare(a.File, b.File))
	})
	if n := len(v.Functions); n > maxWebFunctions {
		v.warn("%s functions match, the %d with the highest cost are shown: narrow the expression to see others", quantity.Count(float64(n)), maxWebFunctions)
		v.Functions = v.Functions[:maxWebFunctions]
	}
	rows, deep, left := 0, 0, 0
	for i := range v.Functions {
		w := &v.Functions[i]
		k := routineKey{w.Function, w.File}
		f := functions[k]
		costs := make(map[int]*WebLine, len(f.lines))
		for _, n := range slices.Sorted(maps.Keys(f.lines)) {
			unders := f.lines[n]
			one := &WebLine{Number: n, Decisions: l.Decided.At(k.file, n)}
			var all callgraph.Costs
			for i, u := range unders {
				in := &instructions[u.instruction]
				all.Add(&in.sum)
				calls := in.frames[:u.frame]
				if n := len(calls) - maxWebCalls; n > 0 {
					calls = calls[n:] // those nearest to the line
					deep++
				}
				if rows += 1 + len(calls); rows > maxWebRows {
					left++
					continue
				}
				out := WebInstruction{Address: in.address, Text: in.text, File: in.frames[0].File, Line: in.frames[0].Line}
				out.Flat, out.Cum = in.sum.FlatValue(), in.sum.CumValue()
				out.Apart = i > 0 && instructions[unders[i-1].instruction].address+instructions[unders[i-1].instruction].size != in.address
				out.Calls = v.calls(calls, l)
				one.Instructions = append(one.Instructions, out)
			}
			once.limit(&all, lineKey{k, n})
			one.Flat, one.Cum = all.FlatValue(), all.CumValue()
			costs[n] = one
		}
		v.addSource(w, costs, l)
	}
	if deep > 0 {
		v.warn("%s instructions lie within more than %d inlined calls: those nearest to the line are shown", quantity.Count(float64(deep)), maxWebCalls)
	}
	if left > 0 {
		v.warn("%s instructions are left out, but counted in their lines: narrow the expression to see them", quantity.Count(float64(left)))
	}
}

// uniqueCosts are the cum of lines and functions by the profile's own frames, which
// count a sample once. The sum over their instructions counts it as often as the
// function recurses.
type uniqueCosts struct {
	ids  map[lineKey]int32
	sums []callgraph.Costs
}

type lineKey struct {
	routineKey
	line int
}

const wholeFunction = -1

func newOnce(s *selection.Selection, wanted map[string]bool) *uniqueCosts {
	o := &uniqueCosts{ids: make(map[lineKey]int32)}
	for _, line := range []func(*selection.Node) int{
		func(n *selection.Node) int { return n.Line },
		func(*selection.Node) int { return wholeFunction },
	} {
		group := make([]int32, len(s.Nodes))
		groups := 0
		for i := range s.Nodes {
			group[i] = callgraph.NoGroup
			n := &s.Nodes[i]
			if !wanted[n.Name] {
				continue
			}
			k := lineKey{routineKey{n.Name, n.File}, line(n)}
			id, ok := o.ids[k]
			if !ok {
				id = int32(len(o.sums) + groups)
				o.ids[k] = id
				groups++
			}
			group[i] = id - int32(len(o.sums))
		}
		by, _ := callgraph.Sum(s, group, groups, nil)
		o.sums = append(o.sums, by...)
	}
	return o
}

// limit takes recursion out of a sum over instructions.
func (o *uniqueCosts) limit(s *callgraph.Costs, k lineKey) {
	if id, ok := o.ids[k]; ok && magnitude(o.sums[id].Cum) < magnitude(s.Cum) {
		s.Cum, s.CumDivisor = o.sums[id].Cum, o.sums[id].CumDivisor
	}
}

// calls returns the inlined calls among frames, innermost first.
func (v *Weblist) calls(frames []symbol.Frame, l *CodeOptions) []WebCall {
	var out []WebCall
	for _, f := range slices.Backward(frames) {
		c := WebCall{Function: f.Function, File: f.File, Line: f.Line}
		if l.Source != nil && f.File != "" {
			c.Text = v.sourceLine(l.Source, f.File, f.Line)
		}
		out = append(out, c)
	}
	return out
}

// addSource puts the lines in order, with those around them.
func (v *Weblist) addSource(w *WebFunction, costs map[int]*WebLine, l *CodeOptions) {
	var text *source.Text
	var err error
	switch {
	case w.File == "":
		w.Missing = "its file is unknown"
	case l.Source == nil:
		w.Missing = "no source found"
	default:
		if text, err = l.Source(w.File); err != nil {
			w.Missing, text = err.Error(), nil
		}
	}
	numbers := slices.Sorted(maps.Keys(costs))
	if text != nil {
		v.doubt(text, numbers[len(numbers)-1])
	}
	next := max(1, numbers[0]-listMargin) // the first line not listed yet
	for i, n := range numbers {
		gap := false
		if n > 0 && n-next > webGap {
			next, gap = n-listMargin, true
		}
		for ; next < n; next++ {
			if one, ok := text.Line(next); ok {
				w.Lines = append(w.Lines, WebLine{Number: next, Text: one, Gap: gap})
				gap = false
			}
		}
		line := *costs[n]
		one, ok := text.Line(n)
		line.Text, line.Gap = one, gap
		line.Beyond = text != nil && !ok && n > 0
		w.Lines = append(w.Lines, line)
		next = max(next, n+1)
		end := n + listMargin
		if i+1 < len(numbers) {
			if numbers[i+1]-next <= webGap {
				continue
			}
		}
		for ; next <= end; next++ {
			if one, ok := text.Line(next); ok {
				w.Lines = append(w.Lines, WebLine{Number: next, Text: one})
			}
		}
	}
}

// base returns a file's own name.
func base(file string) string {
	return path.Base(strings.ReplaceAll(file, `\`, "/"))
}
