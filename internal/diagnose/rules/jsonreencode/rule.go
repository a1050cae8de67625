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
		Title: "JSON decoded only to be encoded again",
		Doc: diagnose.Doc{
			What:   "JSON is decoded into any (a variable, maps and slices of it, or a field of a struct), by encoding/json or another library, and the program only encodes the decoded value, or a part of it, again.",
			Why:    "Decoding into any allocates a map, a string or a boxed number for every value, and encoding sorts the keys of every map again, only to produce the same JSON.",
			Silent: "When the decoded value is read or changed, or passed to code whose source is not available; when it is of concrete types; when it reaches anything but an encoder of the same package; for the scanning of the input, which remains; for packages other than encoding/json where a field is encoded with the surrounding struct.",
			Fix:    "Use json.RawMessage for the part that is passed on, or the bytes themselves for all of it (json.Valid checks them, json.Compact and json.Indent format them). Decode into a local variable and check allocations: a struct that escapes to the heap can cost more than this saves. Libraries for other formats mostly have a raw type of their own.",
			Before: "var msg struct { ID int; Payload any }\njson.Unmarshal(data, &msg)\nout, err := json.Marshal(msg.Payload)",
			After:  "var msg struct { ID int; Payload json.RawMessage }\njson.Unmarshal(data, &msg)\nout := msg.Payload",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

// trip is a value's way from text to text.
type trip struct {
	*flow
	function                  string
	decode, encode, avoidable diagnose.Sets
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	f := &finder{s: s, flows: make(map[[2]diagnose.SourceLine]*trip)}
	// Decoding comes first: it tells which encoding belongs to it.
	s.EachSample(f.decoded)
	if len(f.order) > 0 {
		s.EachSample(f.encoded)
	}
	slices.SortFunc(f.order, func(a, b *trip) int { return cmp.Compare(a.in, b.in) })
	for _, t := range f.order {
		if c, ok := f.claim(t); ok {
			claims = append(claims, c)
		}
	}
	return claims
}

type finder struct {
	s *diagnose.Subject
	// flows are by a decoding statement, and the caller of its function, which may
	// be what hands the value on; nil: the value is used otherwise.
	flows map[[2]diagnose.SourceLine]*trip
	order []*trip
}

func (f *finder) decoded(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
	at := f.calls(c, stack, isDecoder)
	if at < 0 {
		return
	}
	frame := c.Frame(stack[at])
	k := [2]diagnose.SourceLine{{File: frame.File, Line: frame.Line}}
	var caller *callstack.Frame
	if at+1 < len(stack) && f.s.Own(c.Frame(stack[at+1])) {
		caller = c.Frame(stack[at+1])
		k[1] = diagnose.SourceLine{File: caller.File, Line: caller.Line}
	}
	t, known := f.flows[k]
	if !known {
		if fl, found := follow(f.s, frame, caller, c.Frame(stack[at-1]).Function); found {
			t = f.same(fl)
		}
		f.flows[k] = t
	}
	if t == nil {
		return
	}
	t.function = frame.Function
	t.decode.Of(f.s, c).Add(sample.Index())
	if t.avoidsDecoding(c, stack[:at], c == f.s.Allocs) {
		t.avoidable.Of(f.s, c).Add(sample.Index())
	}
}

// same returns the trip of a flow that is known by another line of its
// statement, or a new one.
func (f *finder) same(fl *flow) *trip {
	for _, t := range f.order {
		if t.At() == fl.At() && t.in == fl.in {
			return t
		}
	}
	t := &trip{flow: fl}
	f.order = append(f.order, t)
	return t
}

func (f *finder) encoded(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
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
		if !slices.ContainsFunc(stack[at:], func(id callstack.FrameID) bool { return c.Frame(id).Function == t.in }) {
			continue
		}
		t.encode.Of(f.s, c).Add(sample.Index())
		if t.avoidsEncoding(c, stack[:at]) {
			t.avoidable.Of(f.s, c).Add(sample.Index())
		}
		return
	}
}

// calls finds the innermost frame of the user's own that calls a function.
func (f *finder) calls(c *hot.Classified, stack []callstack.FrameID, is func(string) bool) int {
	at := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return f.s.Own(c.Frame(id)) })
	if at < 1 || !is(c.Frame(stack[at-1]).Function) {
		return -1
	}
	return at
}

func (f *finder) claim(t *trip) (diagnose.Claim, bool) {
	s := f.s
	cost := t.decode.Samples().Union(t.encode.Samples())
	if t.encode.Len() == 0 || t.avoidable.Len() == 0 {
		return diagnose.Claim{}, false // it may be encoded on another path
	}
	c := diagnose.Claim{
		Place: t.Place(t.function), Cost: cost, Avoidable: t.avoidable.Samples(), Confidence: finding.High,
		Why: fmt.Sprintf("%s is decoded into maps and interfaces, and the program only encodes it again (%s).", t.name, t.encodedAt(s)),
	}
	if t.pkg != standard || len(t.encodes) > 1 || t.chain {
		c.Confidence = finding.Medium
	}
	changes := " What changes: keys keep their order, duplicate keys stay, and numbers keep their digits."
	switch {
	case t.whole && t.bare && t.pkg == standard:
		c.Remedy = "Hand the bytes on unchanged: json.Valid checks them, json.Compact and json.Indent reformat them. As part of a larger value, hold them as a json.RawMessage."
	case t.whole && t.bare:
		c.Remedy = fmt.Sprintf("Hand the bytes on unchanged, or hold them as %s.", rawType(t.pkg))
	default:
		c.Remedy = fmt.Sprintf("Declare %s as %s, which keeps its bytes unchanged.", t.part, rawType(t.pkg))
		if !t.whole && !t.typed {
			changes += " With a struct in place of the map, names match in any letter case, and duplicate members are merged."
		}
	}
	c.Remedy += " Decode into a local variable and check allocations: a struct that escapes can cost more." + changes
	c.Evidence = f.evidence(t, c)
	return c, true
}

func (f *finder) evidence(t *trip, c diagnose.Claim) (out []finding.Evidence) {
	s := f.s
	if c.Cost.CPU != nil {
		out = append(out, finding.Evidence{Kind: "cpu", Text: fmt.Sprintf("%d of %d base samples decode, %d encode; %d of them create or encode %s",
			s.CPUSamples(t.decode.CPU.Keep()), s.BaseCPUSamples(), s.CPUSamples(t.encode.CPU.Keep()), s.CPUSamples(c.Avoidable.CPU), t.what())})
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
		return "the values that are passed on"
	case t.whole:
		return "the values that are passed on, or scan the input, which this profile does not tell apart"
	}
	return "values: all but those of the fields that the program reads are avoidable"
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
