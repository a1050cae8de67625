package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/recording"
	"whet/internal/symbolname"
)

// heaviest names the deepest function that holds most of the base: among the
// functions whose cum is at least half of it, the one with the smallest cum,
// so that the callers that only pass the work on drop out. Own functions
// outside the benchmark come first; where the measured code is all somebody
// else's, theirs.
func heaviest(subjects []*Subject, of func(*Subject) (*hot.Classified, int)) (string, float64) {
	return first(subjects, of, holds, func(a, b *namedShare) int { return cmp.Or(a.foreign-b.foreign, cmp.Compare(a.cum, b.cum)) }, 1)
}

// mostOwn names the user's own function that holds most of a service's CPU
// time, though less than half, and of those that hold the same the deepest: the
// handler with the most to do. What holds less than a tenth is none to name.
func mostOwn(subjects []*Subject) (string, float64) {
	services := func(s *Subject) (*hot.Classified, int) {
		if s.Kind != recording.TargetService {
			return nil, 0
		}
		return byCPU(s)
	}
	return first(subjects, services, worthNaming, func(a, b *namedShare) int { return cmp.Compare(b.cum, a.cum) }, 0)
}

// worthNaming is the share of the CPU time that a function has to hold to be
// named as that with the most of it.
const worthNaming = 0.1

// first names the first by order, and then the deepest, of the functions that hold so
// much of the base: the user's own, or with foreign 1 all.
func first(subjects []*Subject, of func(*Subject) (*hot.Classified, int), least float64, order func(a, b *namedShare) int, foreign int) (string, float64) {
	index, base := byFunction(subjects, of)
	var best *namedShare
	for _, e := range index {
		if e.foreign <= foreign && ratio(e.cum, base) >= least && (best == nil || cmp.Or(order(e, best), cmp.Compare(best.depth, e.depth), cmp.Compare(e.name, best.name)) < 0) {
			best = e
		}
	}
	if best == nil {
		return "", 0
	}
	return brief(best.name), ratio(best.cum, base)
}

// namedShare is what a function that may be named holds.
type namedShare struct {
	name    string
	cum     int64
	depth   int64 // sum over samples of frames below the root, to break ties
	foreign int   // 1: it is none of the user's
}

// byFunction adds up the base by the functions that may be named.
func byFunction(subjects []*Subject, of func(*Subject) (*hot.Classified, int)) (index map[string]*namedShare, base int64) {
	index = make(map[string]*namedShare)
	for _, s := range subjects {
		c, col := of(s)
		if c == nil {
			continue
		}
		base += s.baseTotal(c, col)
		EachBase(c, col, func(sample *callstack.Stacks, stack []callstack.FrameID) {
			v := sample.Value(col)
			seen := make(map[string]bool)
			for j, id := range stack {
				f := c.Frame(id)
				if seen[f.Function] || !s.nameable(f) {
					continue
				}
				seen[f.Function] = true
				e := index[f.Function]
				if e == nil {
					e = &namedShare{name: f.Function}
					if !s.Own(f) {
						e.foreign = 1
					}
					index[f.Function] = e
				}
				e.cum += v
				e.depth += v * int64(len(stack)-j)
			}
		})
	}
	return index, base
}

// nameable reports whether a function may be called the bottleneck: the
// runtime, package testing, tests and benchmarks themselves, and what hands
// requests to handlers may not.
func (s *Subject) nameable(f *callstack.Frame) bool {
	pkg := symbolname.Package(f.Function)
	return pkg != "" && pkg != "runtime" && pkg != "testing" && !strings.HasPrefix(pkg, "internal/runtime/") &&
		!handsOn(f.Function) && !s.OfTest(f.File, f.Line)
}

// handsOn knows the functions of servers that every request passes: below them
// is what it takes time for. What servers do for themselves, as reading a
// header, is not among them.
func handsOn(fn string) bool {
	return slices.ContainsFunc([]string{
		"net/http.(*conn).serve", "net/http.(*Server).", "net/http.serverHandler.", "net/http.(*timeoutHandler).",
		"net/http.HandlerFunc.", "net/http.(*ServeMux).ServeHTTP", "net/http.StripPrefix.", "net/http.initALPNRequest.",
		"net/http.(*http2serverConn).serve", "net/http.(*http2serverConn).runHandler", "net/http.(*http2Server).",
		"golang.org/x/net/http2.(*serverConn).serve", "golang.org/x/net/http2.(*serverConn).runHandler", "golang.org/x/net/http2.(*Server).",
		"google.golang.org/grpc.(*Server).", "google.golang.org/grpc/internal/transport.(*http2Server).HandleStreams",
	}, func(prefix string) bool { return strings.HasPrefix(fn, prefix) })
}
