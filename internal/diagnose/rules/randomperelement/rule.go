package randomperelement

import (
	"fmt"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/symbolname"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "random-per-element",
		Title: "a random number drawn for each character",
		Doc: diagnose.Doc{
			What:   "A loop that builds a random string draws a number for each character.",
			Why:    "A draw yields 63 random bits or more, and a character of an alphabet of 64 takes 6 of them: the rest is discarded. Each draw from a shared source takes a lock, or looks up the thread's source; crypto/rand calls the kernel or runs a cipher.",
			Silent: "For numbers, words and elements of other lists; for shuffles; for a character drawn outside a loop or conditionally; where one number already yields several characters; for alphabets of more than 256 characters; without type information.",
			Fix:    "Take several characters from each number, and discard values beyond the alphabet, so that all characters stay equally likely. Keep the source.",
			Before: "for i := range id {\n\tid[i] = letters[rand.Intn(len(letters))] // 62 of them\n}",
			After:  "for i, bits, left := 0, rand.Int63(), 10; i < len(id); bits, left = bits>>6, left-1 {\n\tif left == 0 {\n\t\tbits, left = rand.Int63(), 10\n\t}\n\tif n := int(bits & 63); n < len(letters) {\n\t\tid[i] = letters[n]\n\t\ti++\n\t}\n}",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		Essential:  []diagnose.EvidenceKind{diagnose.EvidenceCPU},
		MinSamples: diagnose.MinCPUSamples,
		Covers:     []string{"general-function"},
		Find:       find,
	}
}

// site is a statement that makes a character of a random number.
type site struct {
	diagnose.Statement
	shape
	function string
	secret   bool // crypto/rand draws
	cpu      diagnose.Set
}

type finder struct {
	s  *diagnose.Subject
	at map[diagnose.SourceLine]*site // nil: the statement is none
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	f := &finder{s: s, at: make(map[diagnose.SourceLine]*site)}
	diagnose.EachBase(s.CPU, s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		if st, secret := f.site(s.CPU, stack); st != nil {
			st.cpu.Add(sample.Index())
			st.secret = st.secret || secret
		}
	})
	for _, st := range f.at {
		if st != nil && st.cpu.Len() > 0 {
			claims = append(claims, f.claim(st))
		}
	}
	return claims
}

// wrappers is how many functions of the user's own may lie between the loop and
// what draws.
const wrappers = 4

// site finds the statement for which a sample draws a random number: that of
// the innermost frame of the user's own which lies in a loop.
func (f *finder) site(c *hot.Classified, stack []callstack.FrameID) (st *site, secret bool) {
	drawn, own := false, 0
	for _, id := range stack {
		frame := c.Frame(id)
		if !f.s.Own(frame) {
			switch symbolname.Package(frame.Function) {
			case "crypto/rand":
				drawn, secret = true, true
			case "math/rand", "math/rand/v2":
				drawn = true
			default:
				if own > 0 {
					return nil, false // a library's own business
				}
			}
			continue
		}
		if !drawn || f.s.Loops.InBenchmark(frame.File, frame.Line) {
			return nil, false
		}
		if at := f.s.Statement(frame.File, frame.Line); at.Loop != nil {
			return f.known(at, frame.Function), secret
		}
		if own++; own > wrappers {
			return nil, false
		}
	}
	return nil, false
}

func (f *finder) known(at diagnose.Statement, function string) *site {
	st, ok := f.at[at.At()]
	if !ok {
		if sh, ok := f.shapeOf(at); ok {
			st = &site{Statement: at, shape: sh, function: function}
		}
		f.at[at.At()] = st
	}
	if st != nil {
		st.function = min(st.function, function)
	}
	return st
}

const (
	inOneCall   = "Read the random bytes of the whole string in one call of crypto/rand's Read, and take a character from the low bits of each; discard values beyond the alphabet, so that all characters stay equally likely, and read more if too few remain. Keep crypto/rand: values from a predictable source are no secret."
	ofEachDraw  = "Take several characters from each number: 6 bits number up to 64 of them, so that the 63 of one Int63 give ten. Discard values beyond the alphabet, so that all characters stay equally likely. The source can stay the same."
	withoutRune = " If the alphabet is ASCII, a string and a []byte serve in place of runes, and need no encoding."
)

func (f *finder) claim(st *site) diagnose.Claim {
	s := f.s
	keep := st.cpu.Keep()
	most := 256
	if st.perDraw == ofSmall {
		most = 64
	}
	remedy := ofEachDraw
	if st.secret {
		remedy = inOneCall
	}
	if st.runes {
		remedy += withoutRune
	}
	spared := 1 - 1/float64(st.perDraw)
	return diagnose.Claim{
		Place:      st.Place(st.function),
		Cost:       diagnose.Samples{CPU: keep},
		Removed:    diagnose.Removed{Time: spared, Bytes: spared},
		Confidence: finding.High,
		Why:        fmt.Sprintf("Each round of the loop draws a random number for one character: one draw of 63 bits is enough for %d characters of an alphabet of up to %d.", st.perDraw, most),
		Remedy:     remedy,
		Evidence:   s.CPUEvidence(keep, fmt.Sprintf("draw random numbers for this statement; one of %d draws would remain", st.perDraw)),
	}
}
