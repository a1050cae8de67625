package stringcopy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "string-copy",
		Title: "strings built and copied",
		Doc: diagnose.Doc{
			What:   "A statement concatenates strings or converts between string and []byte (or []rune), which allocates and copies.",
			Why:    "A string cannot change: + allocates a new one and copies every part, and a conversion copies the bytes so that neither side sees the other's changes. In a loop that grows one string, the copying grows with the square of its length.",
			Silent: "For conversions that the compiler does without a copy (m[string(b)], comparisons, range); for strings.Builder, strings.Join and append, which copy once; for a string that is returned or stored and built in memory that is not allocated per call (an array, a slice that stays on the stack, pooled memory, a buffer in a field): that one copy is the least a string costs, and with runes only their encoding counts; for an exported function whose purpose is to return its argument or a field of its receiver converted; inside a log statement that the rule logging covers; where a conversion or concatenation is worth less than 5 % of the time, whatever its share of the bytes; for the bytes of a statement that also allocates otherwise, such as one that sets an element of a map; for sums of numbers.",
			Fix:    "Use strings.Builder or append to a reused []byte in place of +, io.WriteString or a WriteString method in place of Write([]byte(s)), m[string(b)] in the index expression itself, and bytes in place of []rune.",
			Before: "for _, p := range parts { s += p }",
			After:  "var b strings.Builder\nfor _, p := range parts { b.WriteString(p) }\ns := b.String()",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

// operation is a sort of copy.
type operation uint8

const (
	none operation = iota
	concat
	toString
	toBytes
)

func (o operation) String() string {
	return [...]string{"", "concatenation", "[]byte to string", "string to []byte"}[o]
}

// operationOf classifies a runtime function.
func operationOf(fn string) operation {
	name, ok := strings.CutPrefix(fn, "runtime.")
	if !ok {
		return none
	}
	switch {
	case strings.HasPrefix(name, "concatstring"), strings.HasPrefix(name, "concatbyte"):
		return concat
	case name == "slicebytetostring", name == "slicerunetostring", name == "intstring":
		return toString
	case name == "stringtoslicebyte", name == "stringtoslicerune":
		return toBytes
	}
	return none
}

const bufferString = "bytes.(*Buffer).String"

// copier knows the functions of the standard library that do nothing but make
// a copy, so that their caller is the place.
func copier(fn string) operation {
	switch fn {
	case bufferString, "strings.Clone":
		return toString
	case "io.WriteString":
		return toBytes
	}
	return none
}

type statement struct {
	diagnose.Statement
	function string
	shape    shape
	ops      [toBytes + 1]bool
	via      string // the copier called, if any
	cost     diagnose.Sets
	block    diagnose.Set // of the CPU samples: making the new block, not filling it
}

type finder struct {
	s  *diagnose.Subject
	at map[diagnose.SourceLine]*statement
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	f := &finder{s: s, at: make(map[diagnose.SourceLine]*statement)}
	// The CPU profile comes first: it knows what a statement does.
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		st := f.attribute(c, sample, stack)
		if st == nil {
			return
		}
		st.cost.Of(s, c).Add(sample.Index())
		if c == s.CPU && slices.ContainsFunc(stack, func(id callstack.FrameID) bool {
			return strings.HasPrefix(c.Frame(id).Function, "runtime.mallocgc")
		}) {
			st.block.Add(sample.Index())
		}
	})
	for _, st := range f.at {
		if st.cost.CPU.Len()+st.cost.Allocs.Len() == 0 {
			continue
		}
		if c, ok := f.claim(st); ok {
			claims = append(claims, c)
		}
	}
	return claims
}

// attribute finds the statement of a sample: the runtime's copy directly below
// an own frame, or below a copier that the own frame calls. An allocation profile
// leaves the runtime's frames out: there, the leaf is the own frame itself, or the
// copier.
func (f *finder) attribute(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) *statement {
	at := len(stack) - 2
	for at >= 0 && operationOf(c.Frame(stack[at]).Function) == none {
		at--
	}
	op := none
	if at >= 0 {
		op = operationOf(c.Frame(stack[at]).Function)
	} else if c == f.s.CPU {
		return nil
	}
	at, via := at+1, ""
	if fn := c.Frame(stack[at]).Function; copier(fn) != none && at+1 < len(stack) {
		at, via = at+1, fn
		if op == none {
			op = copier(fn)
		}
	}
	if !f.s.Own(c.Frame(stack[at])) {
		return nil
	}
	st := f.statement(c.Frame(stack[at]))
	if op == none {
		copies := st.ops != [toBytes + 1]bool{} || st.shape.concat || st.shape.converts
		if !copies || st.shape.allocates || st.shape.boxes && diagnose.BoxSized(sample.Labels()) {
			return nil
		}
		return st
	}
	st.ops[op], st.via = true, cmp.Or(via, st.via)
	return st
}

func (f *finder) statement(frame *callstack.Frame) *statement {
	at := f.s.Statement(frame.File, frame.Line)
	st := f.at[at.At()]
	if st == nil {
		st = &statement{Statement: at, function: frame.Function, shape: shapeOf(f.s, at)}
		f.at[at.At()] = st
	}
	st.function = min(st.function, frame.Function)
	return st
}

// claim returns ok false for the one copy that a result needs.
func (f *finder) claim(st *statement) (c diagnose.Claim, ok bool) {
	s := f.s
	c.Place = st.Place(st.function)
	c.Cost = st.cost.Samples()
	c.Why, c.Remedy, c.Confidence = st.advice()
	encoding := st.cost.CPU.Without(&st.block)
	what := ""
	switch r := st.result(s); {
	case !r.needed && isPurpose(s, st.Statement):
		return c, false
	case !r.needed || s.Allocs == nil:
	case !f.costsNothing(st, r.memory):
		if st.via == "" {
			c.Why = "The string is built in memory that is allocated on the heap too: two blocks for one string, and a copy."
			c.Remedy = "Use a strings.Builder (with Grow if the length is known), whose String does not copy, or build in an array or in reused memory, so that the string is the only block."
		}
	case r.runes && encoding.Len() > 0:
		c.Cost.Allocs = nil
		c.Avoidable.CPU = encoding.Keep()
		what = fmt.Sprintf("[]rune to string, of which %d encode", s.CPUSamples(encoding.Keep()))
		c.Why = "The string is built from runes, which are measured and encoded one by one."
		c.Remedy = "Build bytes in place of runes: converting a []byte to a string takes one copy, without encoding. Append non-ASCII characters with utf8.AppendRune."
	default:
		return c, false
	}
	// To keep a value in one form is much to ask for bytes that take no time.
	c.InTime = c.Confidence == finding.Medium && st.via == ""
	var ops []string
	for o := concat; o <= toBytes; o++ {
		if st.ops[o] {
			ops = append(ops, o.String())
		}
	}
	what = cmp.Or(what, strings.Join(ops, ", "), "concatenation or conversion")
	c.Evidence = append(s.CPUEvidence(c.Cost.CPU, "copy here: "+what), s.AllocEvidence(c.Cost.Allocs)...)
	return c, true
}

// result reads what the statement's strings are for, where it copies nothing
// else.
func (st *statement) result(s *diagnose.Subject) result {
	if st.shape.concat || st.ops[concat] || st.ops[toBytes] {
		return result{}
	}
	return resultOf(s, st.Statement)
}

// advice distinguishes what the copy is for.
func (st *statement) advice() (why, remedy string, confidence finding.Confidence) {
	sh := st.shape
	concatenates := st.ops[concat] || sh.concat && st.ops == [toBytes + 1]bool{}
	switch {
	case sh.growsInLoop && concatenates:
		return "A string grows by + in a loop: every round copies all of it again, so that the work grows with the square of its length.",
			"Use a strings.Builder (with Grow if the length is known) or append to a []byte, and convert to a string once after the loop.",
			finding.High
	case sh.beforeWrite && (st.ops[toBytes] || sh.converts):
		why = "A string is copied into a new []byte only to be written."
		if concatenates {
			why = "Strings are joined and then copied into a new []byte only to be written."
		}
		return why,
			"Append the parts to a reused []byte and Write that, or use io.WriteString if the writer has a WriteString method.",
			finding.High
	case st.via == "io.WriteString":
		return "The writer has no WriteString method, so io.WriteString copies the string into a new []byte.",
			"Give the writer a WriteString method, or append to a reused []byte and Write that.",
			finding.High
	case sh.lookup && !concatenates:
		return "A []byte is copied into a string only to be compared or looked up.",
			"Put the conversion into the expression itself (m[string(b)], string(b) == s): there the compiler does not copy.",
			finding.High
	case st.via == bufferString:
		return "The buffer's content is copied into a new string.",
			"Use a strings.Builder, whose String does not copy, or pass on the buffer's Bytes. If the buffer goes back to a pool, this copy is the price of reusing it, and only passing on or writing its Bytes avoids it.",
			finding.Medium
	case concatenates:
		return "Concatenation allocates a new string and copies every part into it.",
			"Append the parts to a reused []byte (append(b[:0], …)), pass them on unjoined, or, if it is constant, build the string once.",
			finding.Medium
	}
	return "The conversion allocates and copies all bytes.",
		"Use one type from end to end, append to a reused []byte, or convert once outside the hot path.",
		finding.Medium
}
