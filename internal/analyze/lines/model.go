package lines

import (
	"cmp"
	"slices"

	"whet/internal/callstack"
	"whet/internal/format/compiler"
)

// Model is all that is known of the lines of a program.
type Model struct {
	Accounts  [NumKinds]Account
	Functions []*Function // those with samples, by weight, falling
	Decided   *Decisions
}

// Function is the lines of one function in one file.
type Function struct {
	Name  string
	File  string // as frames have it
	Start int    // its first line, 0 where that is unknown
	Costs Costs  // each sample once
	Lines []*Line

	weight float64
}

// Line is a source line of a function.
type Line struct {
	Number    int
	Costs     Costs
	Inlined   []Inlined           // calls that were inlined here, by cost, falling
	Decisions []compiler.Decision // of the compiler; Model.Decided reports whether they are known
}

// Inlined is a line of a function that was inlined. Its costs are the part of its
// own line's that belongs to this call.
type Inlined struct {
	Function, File string
	Line           int
	Costs          Costs
}

// call is an inlined line under the line that it was inlined into.
type call struct{ inlined, into callstack.Line }

// New combines the evidence. Several columns of one kind, from several traces for
// example, are summed.
func New(evidence []Evidence, decided *Decisions) *Model {
	m := &Model{Decided: decided}
	b := builder{of: m, functions: make(map[key]*Function), lines: make(map[callstack.Line]*Line), calls: make(map[call]*Costs)}
	for i := range evidence {
		b.add(&evidence[i])
	}
	b.finish()
	return m
}

type key struct{ function, file string }

type builder struct {
	of        *Model
	functions map[key]*Function
	lines     map[callstack.Line]*Line
	calls     map[call]*Costs
}

// placed reports whether a frame's line is known.
func placed(l callstack.Line) bool { return l.Function != "" && l.File != "" && l.Line > 0 }

func (b *builder) add(e *Evidence) {
	account := &b.of.Accounts[e.Kind]
	account.Known = true
	account.Total += e.Profile.Sum(e.Column, e.Keep)
	account.Unplaced += e.Profile.Sum(e.Column, e.Keep)
	for at, cost := range e.Profile.LineCosts(e.Column, e.Keep) {
		if !placed(at) {
			continue
		}
		account.Unplaced -= cost.Flat
		sum := &b.line(at).Costs[e.Kind]
		sum.Flat += cost.Flat
		sum.Cum += cost.Cum
	}
	b.addFunctions(e)
	b.addCalls(e)
}

func (b *builder) line(at callstack.Line) *Line {
	l := b.lines[at]
	if l == nil {
		l = &Line{Number: at.Line, Decisions: b.of.Decided.At(at.File, at.Line)}
		b.lines[at] = l
		f := b.function(key{at.Function, at.File})
		f.Lines = append(f.Lines, l)
	}
	return l
}

func (b *builder) function(k key) *Function {
	f := b.functions[k]
	if f == nil {
		f = &Function{Name: k.function, File: k.file}
		b.functions[k] = f
		b.of.Functions = append(b.of.Functions, f)
	}
	return f
}

// addFunctions counts each sample once for a function, however many of its lines
// are on the stack; and finds where functions begin.
func (b *builder) addFunctions(e *Evidence) {
	const between = "\x00" // in no name
	for i := range e.Profile.NumFrames() {
		f := e.Profile.Frame(callstack.FrameID(i))
		if known := b.functions[key{f.Function, f.File}]; known != nil && f.Start > 0 && (known.Start == 0 || f.Start < known.Start) {
			known.Start = f.Start
		}
	}
	keys := make(map[string]key)
	for name, cost := range e.Profile.Costs(e.Column, e.Keep, func(f *callstack.Frame) string {
		if !placed(callstack.Line{Function: f.Function, File: f.File, Line: f.Line}) {
			return ""
		}
		name := f.Function + between + f.File
		keys[name] = key{f.Function, f.File}
		return name
	}) {
		if k, ok := keys[name]; ok {
			sum := &b.function(k).Costs[e.Kind]
			sum.Flat += cost.Flat
			sum.Cum += cost.Cum
		}
	}
}

// addCalls charges inlined lines to the lines that they were inlined into.
func (b *builder) addCalls(e *Evidence) {
	p := e.Profile
	lineOf := func(id callstack.FrameID) callstack.Line {
		f := p.Frame(id)
		return callstack.Line{Function: f.Function, File: f.File, Line: f.Line}
	}
	type pair [2]callstack.FrameID
	type sum struct {
		callstack.Cost
		last int // 1 + the sample that counted it last
	}
	sums := make(map[pair]*sum)
	for s := p.Stacks(e.Keep, e.Column); s.Next(); {
		v, i := s.Value(e.Column), s.Index()
		for j := 0; j+1 < len(s.Stack); j++ {
			if !p.Frame(s.Stack[j]).Inlined {
				continue
			}
			k := pair{s.Stack[j], s.Stack[j+1]}
			one := sums[k]
			if one == nil {
				one = &sum{}
				sums[k] = one
			}
			if j == 0 {
				one.Flat += v
			}
			if one.last != i+1 {
				one.last = i + 1
				one.Cum += v
			}
		}
	}
	for k, one := range sums {
		c := call{lineOf(k[0]), lineOf(k[1])}
		if !placed(c.inlined) || !placed(c.into) || one.Cost == (callstack.Cost{}) {
			continue
		}
		if b.calls[c] == nil {
			b.calls[c] = &Costs{}
		}
		b.calls[c][e.Kind].Flat += one.Flat
		b.calls[c][e.Kind].Cum += one.Cum
	}
}

// finish puts all in an order that lasts.
func (b *builder) finish() {
	m := b.of
	for c, costs := range b.calls {
		if l := b.lines[c.into]; l != nil {
			l.Inlined = append(l.Inlined, Inlined{Function: c.inlined.Function, File: c.inlined.File, Line: c.inlined.Line, Costs: *costs})
		}
	}
	for _, l := range b.lines {
		slices.SortFunc(l.Inlined, func(x, y Inlined) int {
			return cmp.Or(cmp.Compare(m.Weight(&y.Costs), m.Weight(&x.Costs)), cmp.Compare(x.Function, y.Function), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
		})
	}
	for _, f := range m.Functions {
		slices.SortFunc(f.Lines, func(x, y *Line) int { return cmp.Compare(x.Number, y.Number) })
		f.weight = m.Weight(&f.Costs)
	}
	slices.SortFunc(m.Functions, func(x, y *Function) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(y.Costs[CPU].Cum, x.Costs[CPU].Cum), cmp.Compare(x.Name, y.Name), cmp.Compare(x.File, y.File))
	})
}

// Share returns the part of a kind's total that passes through; 0 where that is not
// known.
func (m *Model) Share(k Kind, c *Costs) float64 {
	if m.Accounts[k].Total == 0 {
		return 0
	}
	return float64(c[k].Cum) / float64(m.Accounts[k].Total)
}

// waiting reports whether a kind is of goroutines that may have nothing to do: most
// of a server's wait for the next request, and cost nobody anything.
func (k Kind) waiting() bool { return k >= Block }

// Weight returns the largest share of a costly kind: processors, memory and other
// goroutines' time. Waiting counts for a thousandth, so that it decides only if there
// is nothing else.
func (m *Model) Weight(c *Costs) float64 {
	most := 0.0
	for k := range Kind(NumKinds) {
		share := m.Share(k, c)
		if k.waiting() {
			share /= 1000
		}
		most = max(most, share)
	}
	return most
}

// Most returns the largest share of any kind.
func (m *Model) Most(c *Costs) float64 {
	most := 0.0
	for k := range Kind(NumKinds) {
		most = max(most, m.Share(k, c))
	}
	return most
}
