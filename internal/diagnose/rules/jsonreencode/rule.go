package jsonreencode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "json-reencode",
		Title: "decoded only to be encoded again",
		Doc: diagnose.Doc{
			What:   "JSON is decoded into any (a variable, maps and slices of it, or a field of a struct), by encoding/json or another library, and what was decoded, or a part of it, is used for nothing but encoding it again.",
			Why:    "Decoding into any makes a map, a string or a boxed number for every value of the text, and encoding sorts the keys of every map again, only to end with the same text.",
			Silent: "When the decoded value is looked at or changed, or handed to code whose source is not at hand; when it is of concrete types; when something else than an encoder of the same package takes it; about scanning the text, which stays; for packages other than encoding/json where a field is encoded with the struct around it.",
			Fix:    "json.RawMessage for the part that is handed on, or the bytes themselves where it is all of them (json.Valid checks, json.Compact and json.Indent lay them out). Decode into a local variable and check allocations: a struct that escapes to the heap can cost more than it saves. Libraries for other forms than JSON mostly have a raw type of their own.",
			Before: "var msg struct { ID int; Payload any }\njson.Unmarshal(data, &msg)\nout, err := json.Marshal(msg.Payload)",
			After:  "var msg struct { ID int; Payload json.RawMessage }\njson.Unmarshal(data, &msg)\nout := msg.Payload",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

// trip is one value's way from text to text.
type trip struct {
	flow
	function string
	cpu, mem samples
}

type samples struct{ decode, encode, avoidable diagnose.Set }

func find(s *diagnose.Subject) []diagnose.Claim {
	f := &finder{s: s, flows: make(map[key]*trip)}
	// Decoding comes first: it tells which encoding belongs to it.
	diagnose.EachBase(s.CPU, s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) { f.decoded(s.CPU, sample.Index(), stack) })
	diagnose.EachBase(s.Allocs, s.AllocCol, func(sample *callstack.Stacks, stack []callstack.FrameID) { f.decoded(s.Allocs, sample.Index(), stack) })
	if len(f.order) == 0 {
		return nil
	}
	diagnose.EachBase(s.CPU, s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) { f.encoded(s.CPU, sample.Index(), stack) })
	diagnose.EachBase(s.Allocs, s.AllocCol, func(sample *callstack.Stacks, stack []callstack.FrameID) { f.encoded(s.Allocs, sample.Index(), stack) })
	slices.SortFunc(f.order, func(a, b *trip) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.First, b.First), cmp.Compare(a.in, b.in))
	})
	var claims []diagnose.Claim
	for _, t := range f.order {
		if c, ok := f.claim(t); ok {
			claims = append(claims, c)
		}
	}
	return claims
}

type finder struct {
	s     *diagnose.Subject
	flows map[key]*trip // nil: the value is used otherwise
	order []*trip
}

// key is a decoding statement, and the caller of its function, which may be
// what hands the value on.
type key struct {
	file         string
	line         int
	caller       string
	callerAtLine int
}

func (f *finder) decoded(c *hot.Classified, i int, stack []callstack.FrameID) {
	at := f.calls(c, stack, isDecoder)
	if at < 0 {
		return
	}
	frame := c.Frame(stack[at])
	k := key{file: frame.File, line: frame.Line}
	var caller *callstack.Frame
	if at+1 < len(stack) && f.s.Own(c.Frame(stack[at+1])) {
		caller = c.Frame(stack[at+1])
		k.caller, k.callerAtLine = caller.File, caller.Line
	}
	t, ok := f.flows[k]
	if !ok {
		if fl, found := follow(f.s, frame, caller, c.Frame(stack[at-1]).Function); found {
			t = f.same(fl)
		}
		f.flows[k] = t
	}
	if t == nil {
		return
	}
	if t.function == "" || frame.Function < t.function {
		t.function = frame.Function
	}
	set := t.of(c == f.s.Allocs)
	set.decode.Add(i)
	if t.avoidsDecoding(c, stack[:at], c == f.s.Allocs) {
		set.avoidable.Add(i)
	}
}

// same returns the trip of a flow that is known by another line of its
// statement, or a new one.
func (f *finder) same(fl flow) *trip {
	for _, t := range f.order {
		if t.File == fl.File && t.First == fl.First && t.in == fl.in {
			return t
		}
	}
	t := &trip{flow: fl}
	f.order = append(f.order, t)
	return t
}

func (f *finder) encoded(c *hot.Classified, i int, stack []callstack.FrameID) {
	at := f.calls(c, stack, isEncoder)
	if at < 0 {
		return
	}
	frame := c.Frame(stack[at])
	st := f.s.Statement(frame.File, frame.Line)
	for _, t := range f.order {
		if !slices.Contains(t.encodes, st.At()) || symbolname.Package(c.Frame(stack[at-1]).Function) != t.pkg {
			continue
		}
		// A function that encodes may be called with other values too.
		if !slices.ContainsFunc(stack[at:], func(id callstack.FrameID) bool {
			fr := c.Frame(id)
			return fr.File == t.home.file && t.home.first <= fr.Line && fr.Line <= t.home.last
		}) {
			continue
		}
		set := t.of(c == f.s.Allocs)
		set.encode.Add(i)
		if t.avoidsEncoding(c, stack[:at]) {
			set.avoidable.Add(i)
		}
		return
	}
}

func (t *trip) of(allocs bool) *samples {
	if allocs {
		return &t.mem
	}
	return &t.cpu
}

// calls finds the innermost frame of the user's own that calls a function.
func (f *finder) calls(c *hot.Classified, stack []callstack.FrameID, is func(string) bool) int {
	for i := 1; i < len(stack); i++ {
		if f.s.Own(c.Frame(stack[i])) {
			if is(c.Frame(stack[i-1]).Function) {
				return i
			}
			return -1
		}
	}
	return -1
}

func (f *finder) claim(t *trip) (diagnose.Claim, bool) {
	s := f.s
	if t.cpu.encode.Len()+t.mem.encode.Len() == 0 || t.cpu.avoidable.Len()+t.mem.avoidable.Len() == 0 {
		return diagnose.Claim{}, false // it may be encoded on another path
	}
	none := func(int) bool { return false }
	join := func(a, b *diagnose.Set) diagnose.Keep {
		both := a.Without(&diagnose.Set{})
		both.Join(b)
		return both.Keep()
	}
	c := diagnose.Claim{
		Place:      t.Place(t.function),
		Cost:       diagnose.Samples{CPU: join(&t.cpu.decode, &t.cpu.encode), Allocs: join(&t.mem.decode, &t.mem.encode)},
		Avoidable:  diagnose.Samples{CPU: none, Allocs: none},
		Confidence: finding.High,
		Why:        fmt.Sprintf("%s is decoded into maps and interfaces, and the program does nothing with it but encode it again (%s).", t.name, t.encodedAt(s)),
	}
	if keep := t.cpu.avoidable.Keep(); keep != nil {
		c.Avoidable.CPU = keep
	}
	if keep := t.mem.avoidable.Keep(); keep != nil {
		c.Avoidable.Allocs = keep
	}
	if t.pkg != standard || len(t.encodes) > 1 || t.chain {
		c.Confidence = finding.Medium
	}
	changes := " What changes: keys keep their order, equal keys stay, and numbers keep their digits."
	switch {
	case t.whole && t.bare && t.pkg == standard:
		c.Remedy = "Hand the bytes on as they came: json.Valid checks them, json.Compact and json.Indent lay them out anew. Where they stand in a larger value, hold them as a json.RawMessage."
	case t.whole && t.bare:
		c.Remedy = fmt.Sprintf("Hand the bytes on as they came, or hold them as %s.", rawType(t.pkg))
	default:
		c.Remedy = fmt.Sprintf("Declare %s as %s, which keeps its bytes as they came.", t.part, rawType(t.pkg))
		if !t.whole && !t.typed {
			changes += " Where a struct takes the map's place, names match in any case, and members given twice are merged."
		}
	}
	c.Remedy += " Decode into a local variable and check allocations: a struct that escapes can cost more." + changes
	c.Evidence = f.evidence(t, c)
	return c, true
}

func (f *finder) evidence(t *trip, c diagnose.Claim) (out []finding.Evidence) {
	s := f.s
	if c.Cost.CPU != nil {
		out = append(out, finding.Evidence{Kind: "cpu", Text: fmt.Sprintf("%d of %d base samples decode, %d encode; %d of them make or encode %s",
			s.CPUSamples(t.cpu.decode.Keep()), s.BaseCPUSamples(), s.CPUSamples(t.cpu.encode.Keep()), s.CPUSamples(c.Avoidable.CPU), t.what())})
	}
	if s.AllocShare(c.Cost.Allocs) > 0 {
		_, perOp := s.AllocBytes(c.Cost.Allocs)
		text := fmt.Sprintf("%s of the base's allocated bytes, %s for the values", quantity.Percent(s.AllocShare(c.Cost.Allocs)), quantity.Percent(s.AllocShare(c.Avoidable.Allocs)))
		if perOp > 0 {
			text += fmt.Sprintf("; %.0f bytes per %s", perOp, s.Iteration())
		}
		out = append(out, finding.Evidence{Kind: "allocs", Text: text})
	}
	return append(out, finding.Evidence{Kind: "source", Text: "encoded at " + t.encodedAt(s)})
}

// what says which values the avoidable samples make: those of a package whose
// inside is not known are told by the runtime's functions.
func (t *trip) what() string {
	switch {
	case t.pkg == standard || t.typed:
		return "the values that are handed on"
	case t.whole:
		return "the values that are handed on, or scan the text, which this profile does not tell apart"
	}
	return "values: all of them can go but for those of the fields that are read"
}

func (t *trip) encodedAt(s *diagnose.Subject) string {
	var at []string
	for _, e := range t.encodes {
		file := e.File
		if s.Source != nil {
			file = s.Source.Display(file)
		}
		at = append(at, fmt.Sprintf("%s:%d", file, e.Line))
	}
	return strings.Join(at, ", ")
}
