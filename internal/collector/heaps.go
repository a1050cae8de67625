package collector

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	analyze "whet/internal/analyze/gc"
	"whet/internal/callstack"
	"whet/internal/format/profile"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/report/gc"
	"whet/internal/report/page"
	"whet/internal/symbolname"
)

// heap is a heap profile at a moment.
type heap struct {
	atNs   int64
	frames *callstack.Frames
	column int
}

func readHeap(data []byte) (*heap, error) {
	frames, err := profile.ReadFrames(data, profile.DefaultLimits())
	if err != nil {
		return nil, err
	}
	column, err := frames.TypeIndex("inuse_space")
	if err != nil {
		return nil, err
	}
	return &heap{frames: frames, column: column}, nil
}

// keptHeaps returns the earliest and the latest heap profile that a recording has of the
// process whose log starts with the artifact log; otherwise why is what it lacks. Of a
// service they stand in the allocs profiles, each after a collection.
func keptHeaps(rec *recording.Recording, log *recording.Artifact) (before, after *heap, why string, err error) {
	for _, kind := range []string{recording.KindHeap, recording.KindAllocs} {
		var kept []recording.Artifact
		for _, a := range rec.Artifacts {
			if a.Kind != kind || a.Benchmark != log.Benchmark || kind == recording.KindAllocs && a.Part == "" {
				continue
			}
			if kind == recording.KindAllocs {
				a.StartNs = a.EndNs // it counts from the beginning of the process
			}
			// What is of another run than the log is of another process.
			if a.StartNs >= log.StartNs && a.StartNs <= log.EndNs {
				kept = append(kept, a)
			}
		}
		if len(kept) < 2 {
			continue
		}
		slices.SortStableFunc(kept, func(a, b recording.Artifact) int { return cmp.Compare(a.StartNs, b.StartNs) })
		var ends [2]*heap
		for i, a := range []recording.Artifact{kept[0], kept[len(kept)-1]} {
			data, err := rec.Read(a)
			if err != nil {
				return nil, nil, "", err
			}
			if ends[i], err = readHeap(data); err != nil {
				return nil, nil, "", fmt.Errorf("read %s: %w", a.Path, err)
			}
			ends[i].atNs = a.StartNs - log.StartNs
		}
		return ends[0], ends[1], "", nil
	}
	return nil, nil, "the recording does not have two heap profiles of this process", nil
}

// site is where memory was allocated.
type site struct {
	function, file string
	line           int
}

// use is what a site has in use, and the stack of most of it.
type use struct {
	bytes   [2]int64 // before and after
	most    int64
	callers []string
	owner   *callstack.Frame // the innermost that is not of the standard library; nil: there is none
}

// defaultPeriod is how many bytes a sample of a heap profile stands for, as the runtime has
// it unless it is told otherwise.
const defaultPeriod = 512 << 10

// grown tells who allocated what two heaps differ by.
func grown(before, after *heap) *gc.Grown {
	g := &gc.Grown{FromNs: before.atNs, ToNs: after.atNs, PeriodBytes: cmp.Or(max(before.frames.Period, after.frames.Period), defaultPeriod)}
	sites := make(map[site]*use)
	for i, h := range []*heap{before, after} {
		for s := h.frames.Stacks(nil, h.column); s.Next(); {
			bytes := s.Value(h.column)
			if i == 0 {
				g.BeforeBytes += bytes
			} else {
				g.AfterBytes += bytes
			}
			at := site{}
			if len(s.Stack) > 0 {
				f := h.frames.Frame(s.Stack[0])
				at = site{f.Function, f.File, f.Line}
			}
			u := sites[at]
			if u == nil {
				u = new(use)
				sites[at] = u
			}
			u.bytes[i] += bytes
			if i == 1 && bytes > u.most {
				u.most, u.callers, u.owner = bytes, nil, nil
				for depth, id := range s.Stack {
					f := h.frames.Frame(id)
					if depth > 0 {
						u.callers = append(u.callers, f.Function)
					}
					if u.owner == nil && !standard(f.Function) {
						u.owner = f
					}
				}
			}
		}
	}
	for at, u := range sites {
		more := u.bytes[1] - u.bytes[0]
		if more <= 0 {
			g.OtherBytes += more
			continue
		}
		place := gc.GrownPlace{Function: at.function, File: at.file, Line: at.line, BeforeBytes: u.bytes[0], AfterBytes: u.bytes[1], Callers: u.callers}
		if u.owner != nil {
			place.Owner = &gc.Caller{Function: u.owner.Function, File: u.owner.File, Line: u.owner.Line}
		}
		g.Places = append(g.Places, place)
	}
	slices.SortFunc(g.Places, func(a, b gc.GrownPlace) int {
		return cmp.Or(cmp.Compare(b.More(), a.More()), cmp.Compare(a.Function, b.Function), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	const most = 100
	for _, rest := range g.Places[min(most, len(g.Places)):] {
		g.OtherBytes += rest.More()
	}
	g.Places = g.Places[:min(most, len(g.Places))]
	return g
}

// standard reports whether a function is the runtime's, or of the standard library.
func standard(function string) bool {
	pkg := symbolname.Package(function)
	return pkg == "" || symbolname.Standard(pkg)
}

// A place is spoken of where it has a megabyte and a twentieth of the heap more, and three
// times what drawing the samples explains: v bytes, of v/period samples, have the standard
// deviation √(v·period).
const (
	leastGrown = 1 << 20
	grownPart  = 0.05
	deviations = 3
)

func speaks(g *gc.Grown, l *gc.GrownPlace) bool {
	more := float64(l.More())
	return more >= leastGrown && more >= grownPart*float64(g.BeforeBytes) &&
		more > deviations*math.Sqrt((float64(l.BeforeBytes)+float64(l.AfterBytes))*float64(g.PeriodBytes))
}

// conclude adds to what is concluded who allocated what grew between two heap profiles.
func conclude(p *gc.Page) {
	g := p.Grown
	if g == nil {
		return
	}
	list := p.Result.Conclusions
	i := slices.IndexFunc(list, func(c analyze.Conclusion) bool { return c.Kind == analyze.Growing })
	total := fmt.Sprintf("in two heap profiles, %s in use at %s and %s at %s", quantity.Bytes(float64(g.BeforeBytes)), quantity.Nanoseconds(float64(g.FromNs)), quantity.Bytes(float64(g.AfterBytes)), quantity.Nanoseconds(float64(g.ToNs)))
	k := slices.IndexFunc(g.Places, func(l gc.GrownPlace) bool { return speaks(g, &l) })
	if k < 0 || g.AfterBytes <= g.BeforeBytes {
		if i >= 0 {
			list[i].Evidence = append(list[i].Evidence, total+": no line grew by more than sampling explains")
		}
		return
	}
	l := &g.Places[k]
	who := fmt.Sprintf("%s (%s)", symbolname.Short(l.Function), page.FileLine(l.File, l.Line))
	if o := l.Owner; o != nil && (o.Function != l.Function || o.Line != l.Line) {
		who += fmt.Sprintf(", for %s (%s)", symbolname.Short(o.Function), page.FileLine(o.File, o.Line))
	}
	share := fmt.Sprintf("%s more of what %s allocated", quantity.Bytes(float64(l.More())), who)
	if i >= 0 {
		list[i].Text += " There is " + share + "."
		list[i].Evidence = append(list[i].Evidence, total)
		list[i].Remedy = "Find out what retains the allocations of this line and release them: delete from the map, cut the slice, bound the cache."
		return
	}
	p.Result.Conclusions = append(list, analyze.Conclusion{
		Kind: analyze.GrownHeap, FromNs: g.FromNs, ToNs: g.ToNs,
		Text:     fmt.Sprintf("The live heap grew in %s: there is %s.", quantity.Nanoseconds(float64(g.ToNs-g.FromNs)), share),
		Evidence: []string{total},
		Remedy:   "Two moments do not show that the growth continues: watch for longer (a URL with -seconds). If it does, find out what retains the allocations of this line.",
	})
}
