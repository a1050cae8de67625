package repeated

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/typed"
)

// Search describes the calls that a rule looks for.
type Search struct {
	// Function reports whether a function, by its linker name, is one of the
	// rule's.
	Function func(name string) bool
	// Fixed returns the reason why the call of such a function does the same each
	// time; the zero value if it does not. Its Param is the deciding parameter.
	Fixed func(c typed.Site) typed.FixedArgument
	// Part reports whether a sample belongs to the place's cost, and whether its
	// work would go away with the call; below are the frames from the leaf to
	// the function itself. Nil means both, for every sample.
	Part func(c *hot.Classified, below []callstack.FrameID) (cost, avoidable bool)
}

// CallSite is a statement with such a call.
type CallSite struct {
	At       diagnose.Statement
	Function string
	Names    []string // of the functions called, in order
	// Values are the texts of the fixed arguments that are known, in order.
	Values []string
	// By is the weakest reason for any of the calls, Of the largest number of
	// elements.
	By typed.FixedBy
	Of int
	// Handed: the fixed argument comes from the function's callers.
	Handed bool

	Cost, Avoidable diagnose.Samples
	cost, avoidable diagnose.Sets
	again           bool // a caller of the place lies in a loop of its own
	blocks          map[kind]int64
	calls           int64 // see count; 0: not known
	agreed          bool
	subject         *diagnose.Subject
}

type finder struct {
	s      *diagnose.Subject
	search *Search
	at     map[diagnose.SourceLine]*judged
	order  []*CallSite
	// Of each frame of the profile at hand: stacks repeat them.
	once   []bool // see onlyOnce
	called []bool // see Search.Function
}

// judged is what is known of a statement's calls, by function.
type judged struct {
	diagnose.Statement
	calls map[string][]typed.FixedArgument
	place *CallSite
}

// Find returns the places in order, whether the calls are repeated or not.
func Find(s *diagnose.Subject, search Search) []*CallSite {
	f := &finder{s: s, search: &search, at: make(map[diagnose.SourceLine]*judged)}
	var at *hot.Classified
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		if c != at {
			at = c
			f.traits(c)
		}
		f.sample(c, sample, stack)
	})
	slices.SortFunc(f.order, func(a, b *CallSite) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.First, b.At.First))
	})
	for _, p := range f.order {
		p.Cost = p.cost.Samples()
		p.count()
		if p.Avoidable = p.Spared(&p.avoidable); p.Avoidable.CPU == nil && p.Avoidable.Allocs == nil {
			p.Avoidable.CPU = new(diagnose.Set).Has // none: the zero value stands for all
		}
	}
	return f.order
}

// traits reads what the functions' names say of a profile's frames.
func (f *finder) traits(c *hot.Classified) {
	f.once, f.called = nil, nil
	for id := range c.NumFrames() {
		fn := c.Frame(callstack.FrameID(id)).Function
		f.once, f.called = append(f.once, onlyOnce(fn)), append(f.called, f.search.Function(fn))
	}
}

func (f *finder) sample(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
	p, at := f.attribute(c, stack)
	if p == nil {
		return
	}
	cost, avoidable := true, true
	if f.search.Part != nil {
		cost, avoidable = f.search.Part(c, stack[:at])
	}
	if !cost {
		return
	}
	p.cost.Of(f.s, c).Add(sample.Index())
	if avoidable {
		p.avoidable.Of(f.s, c).Add(sample.Index())
	}
	if c == f.s.Allocs {
		n, size := f.s.Blocks(sample)
		p.blocks[kind{fmt.Sprint(stack[:at]), size}] += n
	}
}

// attribute finds the outermost own frame that makes such a call, at an index
// of the stack.
func (f *finder) attribute(c *hot.Classified, stack []callstack.FrameID) (*CallSite, int) {
	for at := len(stack) - 1; at > 0 && !f.once[stack[at]]; at-- {
		frame := c.Frame(stack[at])
		if !f.called[stack[at-1]] || !f.s.Own(frame) || f.s.Loops.InBenchmark(frame.File, frame.Line) {
			continue
		}
		if p := f.place(c, stack, at, c.Frame(stack[at-1]).Function); p != nil {
			return p, at
		}
	}
	return nil, 0
}

// onlyOnce knows what runs its callee once in the life of a process.
func onlyOnce(fn string) bool {
	return strings.HasPrefix(fn, "runtime.doInit") || fn == "sync.(*Once).doSlow" || fn == "sync.(*Once).Do" ||
		strings.HasPrefix(fn, "sync.OnceFunc") || strings.HasPrefix(fn, "sync.OnceValue")
}

func (f *finder) place(c *hot.Classified, stack []callstack.FrameID, at int, callee string) *CallSite {
	frame := c.Frame(stack[at])
	j := f.judge(frame, callee)
	fixed := slices.Clone(j.calls[callee])
	if len(fixed) == 0 {
		return nil
	}
	handed := false
	for k, x := range fixed {
		if x.By == typed.NotFixed && x.Param > 0 {
			fixed[k] = f.given(c, stack, at, x.Param)
			handed = true
		}
		if fixed[k].By == typed.NotFixed {
			return nil // samples do not tell the statement's calls apart
		}
	}
	p := j.place
	if p == nil {
		p = &CallSite{At: j.Statement, Function: frame.Function, By: typed.FixedConst, subject: f.s, blocks: make(map[kind]int64)}
		j.place, f.order = p, append(f.order, p)
	}
	p.Function = min(p.Function, frame.Function)
	p.Handed = p.Handed || handed
	p.again = p.again || f.inLoop(c, stack[at+1:])
	p.Names = insert(p.Names, callee)
	for _, x := range fixed {
		p.By, p.Of = min(p.By, x.By), max(p.Of, x.Of)
		if x.Value != nil {
			p.Values = insert(p.Values, *x.Value)
		}
	}
	return p
}

func insert(list []string, s string) []string {
	i, found := slices.BinarySearch(list, s)
	if found {
		return list
	}
	return slices.Insert(list, i, s)
}

// Weakest returns the weakest reason of a call whose arguments args must all be
// fixed; the zero value if one is not.
func Weakest(args []typed.FixedArgument) typed.FixedArgument {
	out := typed.FixedArgument{By: typed.FixedConst}
	for _, a := range args {
		switch {
		case a.By != typed.NotFixed:
			out.By, out.Of = min(out.By, a.By), max(out.Of, a.Of)
		case a.Param == 0 || out.Param != 0:
			return typed.FixedArgument{}
		default:
			out.Param = a.Param
		}
		if out.Value == nil {
			out.Value = a.Value
		}
	}
	if out.Param != 0 {
		return typed.FixedArgument{Param: out.Param}
	}
	return out
}

// judge decides about the calls of a frame's statement, once.
func (f *finder) judge(frame *callstack.Frame, callee string) *judged {
	at := f.s.StatementOf(frame, callee)
	j := f.at[at.At()]
	if j == nil {
		j = &judged{Statement: at, calls: make(map[string][]typed.FixedArgument)}
		for _, c := range f.s.Sites(at) {
			if name := c.Callee(); f.search.Function(name) {
				j.calls[name] = append(j.calls[name], f.search.Fixed(c))
			}
		}
		f.at[at.At()] = j
	}
	return j
}

// given returns what the caller of the own function at an index of the stack gives
// for a parameter of it.
func (f *finder) given(c *hot.Classified, stack []callstack.FrameID, at, param int) (out typed.FixedArgument) {
	if at+1 >= len(stack) {
		return typed.FixedArgument{}
	}
	caller, function := c.Frame(stack[at+1]), c.Frame(stack[at]).Function
	// What a test gives is constant because it is a test.
	if !f.s.Own(caller) || f.s.Loops.InBenchmark(caller.File, caller.Line) || strings.HasSuffix(caller.File, "_test.go") {
		return typed.FixedArgument{}
	}
	for _, call := range f.s.Sites(f.s.StatementOf(caller, function)) {
		if call.Callee() != function {
			continue
		}
		x := call.FixedAt(param - 1)
		if x.By < typed.FixedElement {
			return typed.FixedArgument{}
		}
		if out.By != typed.NotFixed {
			x.By, x.Of = min(out.By, x.By), max(out.Of, x.Of)
		}
		out = x
	}
	out.Param = 0
	return out
}

// Place makes a claim's place of it.
func (p *CallSite) Place() diagnose.Location { return p.At.Place(p.Function) }

// inLoop reports whether one of the own frames of a stack lies in a loop: not
// that of the benchmark.
func (f *finder) inLoop(c *hot.Classified, stack []callstack.FrameID) bool {
	return slices.ContainsFunc(stack, func(id callstack.FrameID) bool {
		frame := c.Frame(id)
		return f.s.Own(frame) && !f.s.Loops.InBenchmark(frame.File, frame.Line) && f.s.Statement(frame.File, frame.Line).Loop != nil
	})
}
