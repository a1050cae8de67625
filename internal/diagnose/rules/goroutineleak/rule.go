package goroutineleak

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/symbolname"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "goroutine-leak",
		Title: "goroutines that never end",
		Doc: diagnose.Doc{
			What:   "Each iteration, request or turn of a program starts goroutines that do not end: their number rises as long as the target runs, or the runtime proves that nothing can wake them.",
			Why:    "Each keeps its stack, at least 2 KiB, and everything it references; the garbage collector and every goroutine profile have to visit all of them. The process grows until it is killed.",
			Silent: "Where no goroutine profile was recorded; for pools that are started once, however large; for goroutines that end later, such as those of b.RunParallel, of keep-alive connections and of timers; where the number stops rising before the end; for fewer than 20.",
			Fix:    "Give each goroutine a way to end: a context that is cancelled, a channel that is closed, a buffer of one for a reply that may find no receiver. Close the bodies of HTTP responses.",
			Before: "ch := make(chan result)\ngo func() { ch <- ask(q) }()\nselect {\ncase r := <-ch:\n\treturn r, nil\ncase <-ctx.Done():\n\treturn result{}, ctx.Err() // the goroutine waits forever\n}",
			After:  "ch := make(chan result, 1) // it can always send\ngo func() { ch <- ask(q) }()\nselect {\ncase r := <-ch:\n\treturn r, nil\ncase <-ctx.Done():\n\treturn result{}, ctx.Err()\n}",
		},
		Evidence: []diagnose.EvidenceKind{diagnose.EvidenceGoroutines, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		Find:     find,
	}
}

const (
	// fewest goroutines of a kind that make a leak.
	fewest = 20
	// fewestProven is the same where the runtime proves it.
	fewestProven = 5
	// ofTheRise is the share of the rise of all goroutines that a kind must have.
	ofTheRise = 0.1
	// fewestIterations and wholeMultiple: a benchmark too short to be watched
	// leaks where it leaves k goroutines for each of so many iterations, give or
	// take that share.
	fewestIterations = 20
	wholeMultiple    = 0.02
)

// kind is goroutines with one first function.
type kind struct {
	first   callstack.Frame
	count   []int64      // in each snapshot
	samples diagnose.Set // of the last
}

func find(s *diagnose.Subject) []diagnose.Claim {
	var out []diagnose.Claim
	proven := make(map[string]bool)
	if s.Proven != nil {
		for _, k := range kinds(s, []diagnose.Snapshot{*s.Proven}) {
			if n := k.count[0]; n >= fewestProven {
				proven[k.first.Function] = true
				out = append(out, claim(s, k, s.Proven, n, "the runtime's leak profile lists %s: nothing that could wake them is reachable"))
			}
		}
	}
	if len(s.Goroutines) == 0 {
		return out
	}
	last := &s.Goroutines[len(s.Goroutines)-1]
	for _, k := range kinds(s, s.Goroutines) {
		if n := left(s, k); n > 0 && !proven[k.first.Function] {
			out = append(out, claim(s, k, last, n, "%s with this first function were added while it ran"))
		}
	}
	return out
}

// kinds tells the goroutines of snapshots apart.
func kinds(s *diagnose.Subject, snapshots []diagnose.Snapshot) []*kind {
	byFirst := make(map[string]*kind)
	var out []*kind
	for i := range snapshots {
		snap := &snapshots[i]
		diagnose.EachBase(snap.Classified, snap.Column, func(sample *callstack.Stacks, stack []callstack.FrameID) {
			f := first(s, snap, stack)
			if f == nil {
				return
			}
			k := byFirst[f.Function]
			if k == nil {
				k = &kind{first: *f, count: make([]int64, len(snapshots))}
				byFirst[f.Function] = k
				out = append(out, k)
			}
			k.count[i] += sample.Value(snap.Column)
			if i == len(snapshots)-1 {
				k.samples.Add(sample.Index())
				k.first = *f
			}
		})
	}
	slices.SortFunc(out, func(a, b *kind) int {
		n := len(snapshots) - 1
		return cmp.Or(cmp.Compare(b.count[n], a.count[n]), cmp.Compare(a.first.Function, b.first.Function))
	})
	return out
}

// first returns the outermost frame of the user's own code, as below a group's Go;
// without any, the goroutine's first function.
func first(s *diagnose.Subject, snap *diagnose.Snapshot, stack []callstack.FrameID) *callstack.Frame {
	if len(stack) == 0 {
		return nil
	}
	for i := len(stack) - 1; i >= 0; i-- {
		f := snap.Frame(stack[i])
		if pkg := symbolname.Package(f.Function); pkg == "testing" || f.Function == "main.main" || f.Function == "runtime.main" {
			return nil // the one that has always been there
		}
		if s.Own(f) {
			return f
		}
	}
	return snap.Frame(stack[len(stack)-1])
}

// left returns the number of leaked goroutines of a kind, 0 if unknown.
func left(s *diagnose.Subject, k *kind) int64 {
	n := len(k.count)
	end := k.count[n-1]
	added := end
	if n > 1 {
		added = end - k.count[0]
	}
	if added < fewest {
		return 0
	}
	if s.GoroutineCount.Known {
		if rise := s.GoroutineCount.Added(); rise < fewest || float64(added) < ofTheRise*rise {
			return 0
		}
		if s.Kind == recording.TargetBenchmark {
			return end // it began with none
		}
		return added
	}
	if s.Kind != recording.TargetBenchmark || s.Operations < fewestIterations {
		return 0
	}
	each := float64(end) / float64(s.Operations)
	if k := math.Round(each); k < 1 || math.Abs(each-k) > wholeMultiple*k+2/float64(s.Operations) {
		return 0
	}
	return end
}

func claim(s *diagnose.Subject, k *kind, snap *diagnose.Snapshot, n int64, said string) diagnose.Claim {
	started, sure := startedAt(s, &k.first)
	c := diagnose.Claim{
		Place: started, Confidence: finding.High,
		Leak: s.LeftBehind(finding.LeakGoroutines, n, s.Operations),
		Why:  "A goroutine that never ends keeps its stack and everything it references. Nothing frees them: the process grows with every operation.",
	}
	number := quantity.Plural(int(n), "goroutine")
	text := fmt.Sprintf(said, number)
	if per := c.Leak.PerOperation; per != nil {
		text += fmt.Sprintf(", %s for each %s", quantity.Count(*per), s.Iteration())
	}
	c.Evidence = append(c.Evidence, finding.Evidence{Kind: "goroutine", Text: text + ": " + k.first.Function})
	if r := s.GoroutineCount; r.Added() > 0 {
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "metrics", Text: fmt.Sprintf("the number of goroutines rose steadily from %s to %s over %s",
			quantity.Count(math.Round(r.From)), quantity.Count(math.Round(r.To)), quantity.Nanoseconds(float64(r.Ns)))})
	}
	at, waits := stand(s, snap, &k.samples)
	c.Evidence = append(c.Evidence, finding.Evidence{Kind: "goroutine", Text: "they are at " + at})
	if !sure {
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "source", Text: "their go statement is not known: the finding is at their first function"})
		c.Confidence = finding.Medium
	}
	if waits != nil && waits.what == sleeping {
		c.Confidence = finding.Medium
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "goroutine", Text: "they are asleep, and may end after the run"})
	}
	c.Remedy = remedy(&k.first, waits)
	return c
}

func remedy(f *callstack.Frame, waits *wait) string {
	switch {
	case strings.HasPrefix(f.Function, "net/http.(*persistConn)."):
		return "These are connections of an HTTP client whose response bodies were not read to the end and closed: close every response's Body, and use one client for all requests."
	case waits != nil && waits.remedy != "":
		return waits.remedy
	}
	return "Give each of them a way to end: a context that is cancelled, a channel that is closed, a deadline."
}

// wait is what a goroutine waits for, by the beginnings of the functions' names that
// it waits in.
type wait struct {
	in     []string
	what   string
	remedy string
}

const sleeping = "sleeping"

var waits = []*wait{
	{[]string{"runtime.chansend"}, "sending on a channel", "Nobody receives what they send. Give the channel a buffer of one for each sender, or select on a context that is cancelled when nobody waits for the value any more."},
	{[]string{"runtime.chanrecv"}, "receiving from a channel", "Nobody sends on or closes the channel. Close it after the last value is sent, or select on a context that is cancelled."},
	{[]string{"runtime.selectgo", "runtime.block"}, "in a select", "None of the cases of their select becomes ready. Add a case for a context, and cancel it."},
	{[]string{"sync.(*Mutex).", "sync.(*RWMutex).", "internal/sync.(*Mutex)."}, "waiting for a lock", "They wait for a lock that is never released. Unlock it on every return path, for example with defer."},
	{[]string{"time.Sleep"}, sleeping, ""},
	{[]string{"sync.(*WaitGroup).Wait"}, "waiting for a WaitGroup", ""},
	{[]string{"sync.(*Cond).Wait"}, "waiting for a condition", ""},
	{[]string{"internal/poll.runtime_pollWait"}, "waiting for the network", ""},
}

// waitOf returns what the innermost function of a stack that waits waits for; nil where none
// does.
func waitOf(snap *diagnose.Snapshot, stack []callstack.FrameID) *wait {
	for _, id := range stack {
		fn := snap.Frame(id).Function
		if i := slices.IndexFunc(waits, func(w *wait) bool {
			return slices.ContainsFunc(w.in, func(prefix string) bool { return strings.HasPrefix(fn, prefix) })
		}); i >= 0 {
			return waits[i]
		}
	}
	return nil
}

// stand says where most of some goroutines are, and what they wait for; nil: that is
// not known.
func stand(s *diagnose.Subject, snap *diagnose.Snapshot, samples *diagnose.Set) (text string, waits *wait) {
	type spot struct {
		text  string
		waits *wait
	}
	number := make(map[spot]int64)
	var all int64
	for sample := snap.Stacks(samples.Has); sample.Next(); {
		at := spot{waits: waitOf(snap, sample.Stack)}
		at.text = standing(s, snap, sample.Stack, at.waits)
		number[at] += sample.Value(snap.Column)
		all += sample.Value(snap.Column)
	}
	if len(number) == 0 {
		return "an unknown location", nil
	}
	best := slices.MinFunc(slices.Collect(maps.Keys(number)), func(a, b spot) int {
		return cmp.Or(cmp.Compare(number[b], number[a]), cmp.Compare(a.text, b.text))
	})
	if number[best] < all {
		best.text += fmt.Sprintf(" (%s of them)", quantity.Percent(float64(number[best])/float64(all)))
	}
	return best.text, best.waits
}

// standing returns the innermost place of the user's own on a stack, or else that of the
// innermost function that is neither the runtime's nor made for measuring.
func standing(s *diagnose.Subject, snap *diagnose.Snapshot, stack []callstack.FrameID, waits *wait) string {
	f := s.Innermost(snap.Classified, stack, func(fn string) bool { return !hot.Measures(fn) && !diagnose.OfRuntime(fn) })
	if f == nil {
		f = snap.Frame(stack[0])
	}
	file := f.File
	if s.Source != nil {
		file = s.Source.Display(file)
	}
	text := fmt.Sprintf("%s:%d (%s)", file, f.Line, f.Function)
	if waits != nil {
		text += ", " + waits.what
	}
	return text
}
