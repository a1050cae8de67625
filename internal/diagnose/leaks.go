package diagnose

import (
	"fmt"

	"whet/internal/analyze/hot"
	"whet/internal/finding"
	"whet/internal/quantity"
)

// Snapshot is a profile of a state at one moment: the existing goroutines,
// or the live objects.
type Snapshot struct {
	AtNs int64
	*hot.Classified
	Column int // goroutines, or inuse_space
}

// Rise is the rise of a quantity while its target ran.
type Rise struct {
	Known    bool    // it was watched, often enough and for long enough
	Steady   bool    // it rose from the beginning to the end, and still did at the end
	From, To float64 // medians of the first and the last part
	Ns       int64   // that were watched
}

// Added returns the rise, or 0 if it was not steady.
func (r Rise) Added() float64 {
	if !r.Known || !r.Steady {
		return 0
	}
	return max(r.To-r.From, 0)
}

// LeftBehind returns the leak of n objects of a kind over some operations.
func (s *Subject) LeftBehind(kind string, n, operations int64) *finding.Leak {
	l := &finding.Leak{Kind: kind, Count: n, Operations: operations}
	if operations > 0 {
		per := float64(n) / float64(operations)
		l.PerOperation = &per
	}
	return l
}

// leaked puts the first leak before a verdict's words: whatever the time goes
// to, a program that grows until it dies has that to mend first.
func (v Verdict) leaked(findings []finding.Finding) Verdict {
	if len(findings) == 0 || findings[0].Leak == nil {
		return v
	}
	f := &findings[0]
	what, done := "Heap growth", "allocated"
	if f.Leak.Kind == finding.LeakGoroutines {
		what, done = "Goroutine leak", "started"
	}
	v.Text = fmt.Sprintf("%s: %s, %s at %s:%d (%s). %s", what, leakText(f.Leak), done, brief(f.File), f.Line, brief(f.Function), v.Text)
	return v
}

// leakText describes the amount leaked.
func leakText(l *finding.Leak) string {
	text, count := quantity.Bytes(float64(l.Count)), quantity.Bytes
	if l.Kind == finding.LeakGoroutines {
		text, count = quantity.Plural(int(l.Count), "goroutine"), quantity.Count
	}
	if l.PerOperation != nil {
		text += fmt.Sprintf(", %s for each operation", count(*l.PerOperation))
	}
	return text
}
