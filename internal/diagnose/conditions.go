package diagnose

import (
	"fmt"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/analyze/wall"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/symbolname"
)

const (
	// throttledShare of the wall time held back by the control group: from a
	// tenth on, what else there is to see is seen in a program that is stopped
	// again and again.
	throttledShare = 0.1
	// waitsShare of the time of requests: what they wait for most of the time
	// is what they take long for.
	waitsShare = 0.5
	// fewInside is so few requests inside the target at a time, on average, that
	// nothing there is in anyone's way.
	fewInside = 0.1
)

// conditionsVerdict judges a program or a service by more than its profiles.
// It is asked first, and in this order, each kind spoiling what follows it:
//
//  1. throttled: the control group stopped the target;
//  2. idle: a service had next to nothing to do;
//  3. lock-, downstream-, network- or disk-bound, or waiting for anything else:
//     requests wait most of their time, or a program does;
//  4. generator-bound: the load generator took the CPU that the target left.
//
// Being on a processor, waiting for one, and helping the collector are not
// waits: those are for the profiles to judge. What is unknown decides nothing.
func conditionsVerdict(subjects []*Subject, lock string) (Verdict, bool) {
	for _, s := range subjects {
		if s.Run == nil || s.isBenchmark() {
			continue
		}
		for _, judge := range []func(*Subject, string) (Verdict, bool){throttled, idle, waitsInside, generatorBound} {
			if v, ok := judge(s, lock); ok {
				return v, true
			}
		}
	}
	return Verdict{}, false
}

func throttled(s *Subject, _ string) (Verdict, bool) {
	run := s.Run
	if run.ThrottledNs == nil || run.WallNs <= 0 || float64(*run.ThrottledNs) < throttledShare*float64(run.WallNs) {
		return Verdict{}, false
	}
	return Verdict{Kind: Throttled, Text: fmt.Sprintf("Throttled: the control group (cgroup) withheld %s of CPU time, summed over processors, in %s; raise its CPU limit or reduce the load, and measure again",
		quantity.Nanoseconds(float64(*run.ThrottledNs)), quantity.Nanoseconds(float64(run.WallNs)))}, true
}

// busy returns the share of the CPU time that the target may use which it used.
func (r *Conditions) busy() (share float64, known bool) {
	if r.TargetCPUNs == nil || r.WallNs <= 0 || r.Cores <= 0 {
		return 0, false
	}
	return float64(*r.TargetCPUNs) / (float64(r.WallNs) * float64(r.Cores)), true
}

// inside returns the number of requests that were inside the target on average (Little 1961:
// the time of all requests by the time they were watched). It is unknown where
// the traces show no handler.
func (r *Conditions) inside() (requests float64, known bool) {
	if r.Wall == nil || r.Wall.CoveredNs <= 0 {
		return 0, false
	}
	var ns int64
	for i := range r.Wall.Groups {
		if g := &r.Wall.Groups[i]; serves(g) {
			ns += g.Total()
			known = true
		}
	}
	return float64(ns) / float64(r.Wall.CoveredNs), known
}

// serves reports whether a group is requests that the program is there for.
func serves(g *wall.Group) bool { return g.Handler && !hot.Measures(g.Name) }

func idle(s *Subject, _ string) (Verdict, bool) {
	busy, known := s.Run.busy()
	if s.Kind != recording.TargetService || !known || busy >= idleBelow {
		return Verdict{}, false
	}
	inside, known := s.Run.inside()
	if !known || inside >= fewInside {
		return Verdict{}, false
	}
	return Verdict{Kind: Idle, Text: fmt.Sprintf("Idle: the target used %s of the CPU time it may use, with %.2f requests in flight on average; raise the load (-c) to see what limits it",
		quantity.Percent(busy), inside)}, true
}

// waits are the parts of a time that its owner neither ran nor could have run.
type waits struct {
	by       map[VerdictKind]int64 // Waiting: for channels, conditions, sleep, and what is not told apart
	all      int64                 // the whole time, waits and the rest
	where    map[wall.State]string
	heaviest map[wall.State]int64 // of the group that where is taken from
}

func newWaits() *waits {
	return &waits{by: make(map[VerdictKind]int64), where: make(map[wall.State]string), heaviest: make(map[wall.State]int64)}
}

func (w *waits) add(g *wall.Group) {
	ns := func(st wall.State) int64 { return g.Ns[st] }
	answers := g.DownstreamNs // lies in Network, Select and Channel
	network := max(ns(wall.Network)-g.SocketNs, 0)
	w.by[LockBound] += ns(wall.Lock)
	w.by[DownstreamBound] += answers
	w.by[DiskBound] += g.DiskNs
	// Where answers are waited for on channels too, nobody knows how much of
	// Network is theirs: all that can be, so that none is counted twice.
	w.by[NetworkBound] += max(network-answers, 0)
	w.by[Waiting] += max(ns(wall.Channel)+ns(wall.Select)-max(answers-network, 0), 0)
	w.by[Waiting] += ns(wall.Sync) + ns(wall.Sleep) + ns(wall.Other) + max(ns(wall.Syscall)-g.DiskNs, 0)
	w.all += g.Total()
	for st := range wall.State(wall.NumStates) {
		if v := ns(st); v > w.heaviest[st] && g.Where[st] != "" {
			w.heaviest[st], w.where[st] = v, g.Where[st]
		}
	}
}

// waitKinds are the sorts of waits: what each is called, what is waited for, and in
// which states.
var waitKinds = []struct {
	kind        VerdictKind
	name, doing string
	states      []wall.State
}{
	{Waiting, "Waiting", "waiting for other goroutines, timers or system calls", []wall.State{wall.Channel, wall.Select, wall.Sync, wall.Sleep, wall.Syscall, wall.Other}},
	{DiskBound, "Disk-bound", "in system calls on files", []wall.State{wall.Syscall}},
	{NetworkBound, "Network-bound", "waiting on connections", []wall.State{wall.Network}},
	{DownstreamBound, "Downstream-bound", "waiting for replies to its own requests", []wall.State{wall.Network, wall.Select, wall.Channel}},
	{LockBound, "Lock-bound", "waiting for a lock", []wall.State{wall.Lock}},
}

// place returns where the heaviest of some states mostly was.
func (w *waits) place(states []wall.State) string {
	best, where := int64(0), ""
	for _, st := range states {
		if w.heaviest[st] > best {
			best, where = w.heaviest[st], w.where[st]
		}
	}
	return where
}

func waitsInside(s *Subject, lock string) (Verdict, bool) {
	if s.Run.Wall == nil {
		return Verdict{}, false
	}
	w := newWaits()
	of, served := "the time of requests", s.Kind == recording.TargetService
	// A program waits if it leaves the CPU alone. Goroutines that wait for each
	// other say nothing about what the program waits for, and so count only where
	// nothing else does.
	if !served && !s.Run.leavesCPU() {
		return Verdict{}, false
	}
	for i := range s.Run.Wall.Groups {
		if g := &s.Run.Wall.Groups[i]; served && serves(g) || !served && !listens(g) && !hot.Measures(g.Name) {
			w.add(g)
		}
	}
	whole := w.all
	if !served {
		whole, of = s.Run.Wall.CoveredNs, "the wall time"
		w.by[Waiting] = 0
	}
	most, total := &waitKinds[0], int64(0)
	for i := range waitKinds {
		k := &waitKinds[i]
		total += w.by[k.kind]
		if w.by[k.kind] > w.by[most.kind] {
			most = k
		}
	}
	share := ratio(w.by[most.kind], whole)
	if whole <= 0 || served && ratio(total, whole) < waitsShare || !served && share < waitsShare {
		return Verdict{}, false
	}
	said := fmt.Sprintf("%s of %s is spent %s", quantity.Percent(share), of, most.doing)
	if share > 1 {
		said = fmt.Sprintf("on average %.1f goroutines are %s", share, most.doing)
	}
	v := Verdict{Kind: most.kind, Text: most.name + ": " + said}
	if v.Kind == LockBound && lock != "" {
		return v.at(lock), true
	}
	if where := w.place(most.states); where != "" {
		v.Text += ", most of it in " + brief(where)
	}
	return v, true
}

// leavesCPU reports whether a program is known to have used less than half a
// processor.
func (r *Conditions) leavesCPU() bool {
	return r.TargetCPUNs != nil && r.WallNs > 0 && float64(*r.TargetCPUNs) < busyBelow*float64(r.WallNs)
}

// listens reports whether a group's goroutines wait on connections for others
// to come, or read them for the goroutine that waits for the answer.
func listens(g *wall.Group) bool {
	at := strings.ToLower(symbolname.Parse(g.Where[wall.Network]).Name)
	return strings.HasPrefix(at, "accept") || strings.HasPrefix(g.Name, "net/http.(*persistConn).") || strings.HasPrefix(g.Name, "net/http.(*conn).") || strings.HasPrefix(g.Name, "net/http.(*Server).")
}

// generatorBound: the generator has all the CPU time it can get, its machine's
// or its own limit's; the target has not; and the generator takes more than the
// target does, and both more than everything else on the machine.
func generatorBound(s *Subject, _ string) (Verdict, bool) {
	run := s.Run
	busy, known := run.busy()
	if s.Kind != recording.TargetService || !known || run.GeneratorCPUNs == nil {
		return Verdict{}, false
	}
	generator := float64(*run.GeneratorCPUNs)
	if busy >= busyBelow || generator <= float64(*run.TargetCPUNs) || run.crowded() {
		return Verdict{}, false
	}
	said := fmt.Sprintf("Generator-bound: the load generator used %s of CPU time and the target %s, ",
		quantity.Nanoseconds(generator), quantity.Nanoseconds(float64(*run.TargetCPUNs)))
	switch {
	case run.machineFull():
		said += fmt.Sprintf("on a machine that was busy for %s; the target could serve more load: put the generator on another machine", quantity.Percent(*run.MachineBusy))
	case generator >= machineFull*float64(run.WallNs)*float64(run.GeneratorCores) && run.GeneratorCores > 0:
		said += fmt.Sprintf("which is nearly all of the %s it may use; the target could serve more load: give the generator more processors", quantity.Plural(run.GeneratorCores, "processor"))
	default:
		return Verdict{}, false
	}
	return Verdict{Kind: GeneratorBound, Text: said}, true
}

func (r *Conditions) machineFull() bool { return r.MachineBusy != nil && *r.MachineBusy >= machineFull }

// crowded reports whether the machine was full, and mostly of what is neither
// the target nor the load generator.
func (r *Conditions) crowded() bool {
	others, known := r.others()
	return known && r.GeneratorCPUNs != nil && r.machineFull() && 2*others > *r.MachineBusy*float64(r.MachineCores)
}

// others returns how many of the machine's processors were busy on average with what
// is neither the target nor the load generator.
func (r *Conditions) others() (cores float64, known bool) {
	if r.MachineBusy == nil || r.TargetCPUNs == nil || r.WallNs <= 0 || r.MachineCores <= 0 {
		return 0, false
	}
	own := *r.TargetCPUNs
	if r.GeneratorCPUNs != nil {
		own += *r.GeneratorCPUNs
	}
	return *r.MachineBusy*float64(r.MachineCores) - float64(own)/float64(r.WallNs), true
}

// otherWork returns the same if it exceeds half of a full machine: conclusions about
// time do not hold for an idle machine then.
func (s *Subject) otherWork() (cores float64, crowded bool) {
	cores, known := s.Run.others()
	if !known || s.Kind == recording.TargetService && s.Run.GeneratorCPUNs == nil || *s.Run.MachineBusy < machineCrowded {
		return 0, false
	}
	return cores, 2*cores > float64(s.Run.MachineCores)
}

// machineCrowded is the share of the machine's CPU time from which what else ran
// belongs into the verdict.
const machineCrowded = 0.95
