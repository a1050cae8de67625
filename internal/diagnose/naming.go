package diagnose

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// heaviest names the deepest function that holds most of the base: among the
// functions whose cum is at least half of it, the one with the smallest cum,
// so that the callers that only pass the work on drop out, as adapters do which
// call what they were handed. Own functions
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
		if e.foreign <= foreign && !e.adapter() && ratio(e.cum, base) >= least && (best == nil || cmp.Or(order(e, best), cmp.Compare(best.depth, e.depth), cmp.Compare(e.name, best.name)) < 0) {
			best = e
		}
	}
	if best == nil {
		return "", 0
	}
	return brief(symbolname.Elide(best.name)), ratio(best.cum, base)
}

// namedShare is what a function that may be named holds.
type namedShare struct {
	name    string
	cum     int64
	depth   int64 // sum over samples of frames below the root, to break ties
	foreign int   // 1: it is none of the user's
	onward  int64 // of cum, what it calls through a value or an interface
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
		calls := make(map[*callstack.Frame]bool) // of functions that were handed to them
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
				if j == 0 || OfRuntime(c.Frame(stack[j-1]).Function) {
					continue
				}
				onward, known := calls[f]
				if !known {
					onward = s.dynamic(f)
					calls[f] = onward
				}
				if onward {
					e.onward += v
				}
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

// mostBound is how many functions a verdict names where benchmarks differ.
const mostBound = 3

// bottleneckShare is a function that is the bottleneck of benchmarks; its name is
// "" for benchmarks whose time is spread.
type bottleneckShare struct {
	name       string
	share      float64 // of the benchmark with the most
	samples    int64
	benchmarks []string
}

// cpuBound says where the CPU time goes: in the function that holds most of it or,
// where benchmarks with as many samples as are needed differ in that, in which of
// which.
func cpuBound(subjects []*Subject, need int64) string {
	if bounds := apart(subjects, need); len(bounds) > 1 {
		return boundsText(bounds)
	}
	if fn, share := heaviest(subjects, byCPU); fn != "" {
		return fmt.Sprintf("CPU-bound in %s (%s of CPU)", fn, quantity.Percent(share))
	}
	text := "CPU-bound, spread over many functions"
	if fn, share := mostOwn(subjects); fn != "" {
		text += fmt.Sprintf(", most of it in calls from %s (%s)", fn, quantity.Percent(share))
	}
	return text
}

// apart returns the bottlenecks of benchmarks, each judged by itself, those with most
// samples first.
func apart(subjects []*Subject, need int64) (out []bottleneckShare) {
	for _, s := range subjects {
		if !s.isBenchmark() || s.CPU == nil || s.BaseCPUSamples() < need {
			continue
		}
		fn, share := heaviest([]*Subject{s}, byCPU)
		i := slices.IndexFunc(out, func(b bottleneckShare) bool { return b.name == fn })
		if i < 0 {
			i = len(out)
			out = append(out, bottleneckShare{name: fn})
		}
		b := &out[i]
		b.share = max(b.share, share)
		b.samples += s.BaseCPUSamples()
		b.benchmarks = append(b.benchmarks, s.Benchmark)
		slices.Sort(b.benchmarks)
	}
	slices.SortFunc(out, func(a, b bottleneckShare) int {
		return cmp.Or(cmp.Compare(b.samples, a.samples), cmp.Compare(a.name, b.name))
	})
	return out
}

func boundsText(bounds []bottleneckShare) string {
	var in []string
	spread, more := "", 0
	for _, b := range bounds {
		of := b.benchmarks[0]
		if n := len(b.benchmarks) - 1; n > 0 {
			of += fmt.Sprintf(" and %d more", n)
		}
		switch {
		case b.name == "":
			spread = of
		case len(in) == mostBound:
			more += len(b.benchmarks)
		default:
			in = append(in, fmt.Sprintf("%s (%s of %s)", b.name, quantity.Percent(b.share), of))
		}
	}
	text := "CPU-bound in " + strings.Join(in, ", ")
	if more > 0 {
		text += fmt.Sprintf(", in others in %s", quantity.Plural(more, "benchmark"))
	}
	if spread != "" {
		text += ", spread over many functions in " + spread
	}
	return text
}

// onlyHandsOn is the part of a function's cum from which it does nothing but call
// what it was handed.
const onlyHandsOn = 0.9

// adapter reports whether a function only calls on: nearly all of its time is that
// of functions which it calls through a value or an interface, as a middleware does
// its next handler, or a walk its callback. They hold the work, or nobody does.
func (e *namedShare) adapter() bool { return float64(e.onward) >= onlyHandsOn*float64(e.cum) }

// dynamic reports whether a frame's line calls a function value or a method of an
// interface.
func (s *Subject) dynamic(f *callstack.Frame) bool {
	return s.Program != nil && slices.ContainsFunc(s.Program.Sites(f.File, f.Line, f.Line), func(site typed.Site) bool {
		fn := site.In.Function(site.CallExpr)
		return fn == nil && site.Callee() == "" || fn != nil && fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type())
	})
}
