package diagnose

import (
	"whet/internal/finding"
)

// EvidenceKind names one kind of input that a rule reads.
type EvidenceKind string

const (
	EvidenceCPU        EvidenceKind = "cpu"       // Subject.CPU
	EvidenceAllocs     EvidenceKind = "allocs"    // Subject.Allocs
	EvidenceMutex      EvidenceKind = "mutex"     // Subject.Mutex
	EvidenceBlock      EvidenceKind = "block"     // Subject.Block
	EvidenceGoroutines EvidenceKind = "goroutine" // Subject.Goroutines or Subject.Proven
	EvidenceHeap       EvidenceKind = "heap"      // Subject.Heap
	EvidenceTrace      EvidenceKind = "trace"     // Subject.Trace
	EvidenceSource     EvidenceKind = "source"    // Subject.Source
	EvidenceCalls      EvidenceKind = "calls"     // Subject.Program
)

func (k EvidenceKind) isProfile() bool {
	return k == EvidenceCPU || k == EvidenceAllocs || k == EvidenceMutex || k == EvidenceBlock || k == EvidenceGoroutines || k == EvidenceHeap || k == EvidenceTrace
}

func (k EvidenceKind) known() bool {
	return k.isProfile() || k == EvidenceSource || k == EvidenceCalls
}

// Rule is a kind of problem that whet can find.
type Rule struct {
	ID    string // kebab-case, names the cause: "fmt-format"
	Title string // one line, without a figure
	Doc   Doc
	// Evidence is the rule's input. The rule is applied if at least one of the
	// profiles named here was recorded; it handles missing source or calls itself,
	// as its Doc.Silent says.
	Evidence []EvidenceKind
	// Essential are those of them without which the rule finds nothing: it
	// is applied only if all of these were recorded.
	Essential []EvidenceKind
	// MinSamples is the number of base samples in the CPU profile that a
	// claim on CPU time requires. Allocations are counted, not sampled
	// (memprofilerate=1), and need no minimum.
	MinSamples int
	// Covers names rules whose claims are part of this rule's: one that lies
	// inside a statement this rule claims is not repeated.
	Covers []string
	// Outranks names rules whose claims are dropped where this one has a finding:
	// its advice is the better one. Below the threshold their claims stay.
	Outranks []string
	// Find claims places. It changes nothing in the subject.
	Find func(*Subject) []Claim
	// At explains the cost of one of the first hot places, where no other rule
	// does, and claims it if the cost could be avoided. A rule has Find
	// or At, or both.
	At func(*Subject, *Spot) Judgement
	// Beside names rules whose findings mean the same as At's claims. A rule
	// with such a list is also applied to hot places that have a finding of another
	// rule; nil: it is not.
	Beside []string
}

// Doc explains a rule to its user. No part may be empty.
type Doc struct {
	What   string // what is claimed
	Why    string // why it costs
	Silent string // when the rule reports nothing although one might expect it to
	Fix    string // what to change
	Before string // an example, Go source
	After  string // the same, fixed
}

// Claim is a rule's claim about one location of one benchmark.
type Claim struct {
	Place Location
	// Cost holds the samples that belong to the place; the figures are
	// computed from it.
	Cost Samples
	// Avoidable is the part of Cost that the remedy removes; the threshold is
	// applied to it. The zero value means all of Cost.
	Avoidable Samples
	// Removed is the removed share of Avoidable, if the remedy removes a part of each
	// sample: one of ten calls remains, a smaller block is allocated. The zero
	// value means all of it.
	Removed Removed
	// Wait is the part of the time, in [0,1], that is lost at the place beside the
	// base's samples there: of requests, of the span of a trace or of the
	// processors, which wait or work for the garbage collector, as the evidence says. The
	// rule has computed it; it counts for the threshold as a share of time does.
	Wait       float64
	Confidence finding.Confidence // as far as the rule can tell; the runner may lower it
	Why        string
	Remedy     string
	Evidence   []finding.Evidence
	Fixable    bool
	// InTime is set if bytes alone make no finding: the claim has to be worth
	// the threshold of the time, including the garbage collector's work for its bytes.
	InTime bool
	// Leak describes a leak, in a claim of one; else nil. The rule alone decides
	// about such a claim, not a share of time or bytes.
	Leak *finding.Leak
	// Row names the row of knowledge that it rests on; "" none.
	Row string
	// Held is set in a claim about a lock that is held too long: the lines that
	// run while it is held. The heaviest claim about work done there takes over
	// the lock's delay: see takeOver.
	Held []Location
}

// Removed is the removed share of the time and the bytes of samples.
type Removed struct{ Time, Bytes float64 }

// Location is the location of a statement of the user's own code.
type Location struct {
	Function string // as the linker names it
	File     string // as the profile's frames have it
	Line     int    // first line of the statement
	EndLine  int    // last line, at least Line
}

// Samples selects samples of each profile by index. A nil function selects
// none. Samples outside the base are left out by the runner.
type Samples struct {
	CPU, Allocs, Mutex Keep
}

func (s Samples) empty() bool { return s.CPU == nil && s.Allocs == nil && s.Mutex == nil }

// avoidable returns the part of the cost that the remedy removes.
func (c *Claim) avoidable() Samples {
	if c.Avoidable.empty() {
		return c.Cost
	}
	return c.Avoidable
}

// Set is a set of samples by index, for rules that build one while they walk a
// profile. The zero value is empty.
type Set struct{ in map[int]struct{} }

// Add puts sample i into the set.
func (s *Set) Add(i int) {
	if s.in == nil {
		s.in = make(map[int]struct{})
	}
	s.in[i] = struct{}{}
}

// Len returns the number of samples in the set, each counted once whatever
// its values.
func (s *Set) Len() int { return len(s.in) }

// Keep selects the set's samples.
func (s *Set) Keep() Keep {
	if len(s.in) == 0 {
		return nil
	}
	return s.Has
}

// Threshold is the smallest share of CPU time, allocated bytes or delay that
// makes a claim a finding. It is the same for every rule and every program.
const Threshold = 0.05

// MinCPUSamples is the number of base samples of a CPU profile that a rule should
// require unless it has a reason of its own: with 200, a place with 5 % has
// 10 samples, give or take 3 (the standard deviation of a binomial count).
const MinCPUSamples = 200
