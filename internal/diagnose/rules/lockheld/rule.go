package lockheld

import (
	"cmp"
	"go/ast"
	"slices"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
)

// minSamples is less than other rules ask for, and decides about nothing: a
// lock held across slow I/O leaves the CPU idle, and the waits are what is
// claimed. With fewer the finding says that its share of CPU time is rough.
const minSamples = 20

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "lock-held",
		Title: "a lock held across logging, encoding or I/O",
		Doc: diagnose.Doc{
			What:   "A function logs, formats, encodes, writes or reads while it holds a sync.Mutex or RWMutex for which other goroutines wait.",
			Why:    "Only one goroutine at a time runs a critical section. Work in it takes time from all that wait, however many processors there are, and a write that blocks holds up every one of them.",
			Silent: "In sequential benchmarks and wherever no mutex profile was recorded or nobody waited; for locks that guard only cheap work (maps, counters, appending), however contended: there the lock itself has to be split or replaced, see lock-contention; where logging, encoding and I/O take less than a quarter of the CPU time under the lock; where a lock guards a writer of the same struct for one Write, unless CPU samples show that the Write takes long; for sync.Once, sync.Map and the locks inside libraries; where workers hold the lock while they wait for their next job (Accept, receiving, a shared scanner); without source.",
			Fix:    "Copy the needed data under the lock, unlock, then log, encode or write. If the lock guards the writer itself, prepare the bytes first and hold it for one Write, or pass them to one goroutine that writes.",
			Before: "s.mu.Lock()\ndefer s.mu.Unlock()\ns.n[name]++\nlog.Printf(\"%s: %d\", name, s.n[name])",
			After:  "s.mu.Lock()\ns.n[name]++\nn := s.n[name]\ns.mu.Unlock()\nlog.Printf(\"%s: %d\", name, n)",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceMutex, diagnose.EvidenceBlock, diagnose.EvidenceCPU, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		Essential:  []diagnose.EvidenceKind{diagnose.EvidenceMutex},
		MinSamples: minSamples,
		Outranks:   []string{"lock-contention", "idle-behind-lock"},
		Find:       find,
	}
}

// contendedSection is a critical section with the samples of the goroutines that
// waited for it.
type contendedSection struct {
	*section
	name     string // of the function, as the linker has it
	delay    diagnose.Set
	unlocked map[int]bool // lines that were charged
}

type finder struct {
	s        *diagnose.Subject
	sections map[*ast.FuncDecl][]*section
	order    []*contendedSection
	rest     []*Lock // of which no section was found
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	f := newFinder(s)
	for _, c := range f.order {
		if claim, ok := f.claim(c); ok {
			claims = append(claims, claim)
		}
	}
	return claims
}

// newFinder puts the waits of a subject's mutex profile to the critical
// sections that others waited for, in the order of the source: none where none
// were recorded, or where one goroutine did all the work.
func newFinder(s *diagnose.Subject) *finder {
	f := &finder{s: s, sections: make(map[*ast.FuncDecl][]*section)}
	if s.Mutex != nil && (s.Mutex.Parallel || s.CPU != nil && s.CPU.Parallel) {
		diagnose.EachBase(s.Mutex, s.MutexCol, f.charge)
	}
	slices.SortFunc(f.order, func(a, b *contendedSection) int {
		return cmp.Or(cmp.Compare(a.function.File, b.function.File), cmp.Compare(a.lock.first, b.lock.first))
	})
	return f
}

// callersUp is how far from the Unlock the section is looked for: through a
// literal or a wrapper, an unlocking helper, and a helper of that.
const callersUp = 4

// charge finds the critical section that a stack of the mutex profile unlocks.
func (f *finder) charge(sample *callstack.Stacks, stack []callstack.FrameID) {
	i, unlocks := 0, false
	for ; i < len(stack); i++ {
		fn := f.s.Mutex.Frame(stack[i]).Function
		sym := symbolname.Parse(fn)
		if sym.Package != "sync" && sym.Package != "internal/sync" && sym.Package != "runtime" {
			break
		}
		if sym.Package == "sync" {
			if !isLockType(sym.Receiver) {
				return // a Once, a Map, a Cond, a Pool
			}
			unlocks = true // also in what Unlock calls, as for the last reader
		}
	}
	if !unlocks {
		return
	}
	for _, id := range stack[i:min(i+callersUp, len(stack))] {
		frame := f.s.Mutex.Frame(id)
		if !f.s.Own(frame) {
			break
		}
		if s := f.unlockedAt(frame.File, frame.Line); s != nil {
			f.note(s, frame).delay.Add(sample.Index())
			return
		}
	}
	f.leave(sample.Index(), stack[i:])
}

// unlockedAt returns the section that an Unlock on a line ends. A deferred one
// is charged to the line where the function returns.
func (f *finder) unlockedAt(file string, line int) *section {
	fn, pkg := f.s.FunctionAt(file, line), f.s.PackageOf(file)
	if fn == nil || pkg == nil {
		return nil
	}
	sections, ok := f.sections[fn.Node]
	if !ok {
		sections = sectionsOf(fn, pkg)
		f.sections[fn.Node] = sections
	}
	for _, s := range slices.Backward(sections) {
		if slices.ContainsFunc(s.unlocks, func(l lines) bool { return l.has(line) }) {
			return s
		}
	}
	var best *section
	for _, s := range sections {
		if s.deferred && fn.Line(s.around.Pos()) <= line && line <= fn.Line(s.around.End()) && s.lock.first <= line {
			if best != nil {
				return nil // two of them: the line does not say which
			}
			best = s
		}
	}
	return best
}

func (f *finder) note(s *section, frame *callstack.Frame) *contendedSection {
	i := slices.IndexFunc(f.order, func(c *contendedSection) bool { return c.section == s })
	if i < 0 {
		i = len(f.order)
		f.order = append(f.order, &contendedSection{section: s, name: symbolname.Package(frame.Function) + "." + s.function.Name, unlocked: make(map[int]bool)})
	}
	f.order[i].unlocked[frame.Line] = true
	return f.order[i]
}

// place returns the place of the Lock statement.
func (c *contendedSection) place() diagnose.Location {
	return diagnose.Location{Function: c.name, File: c.function.File, Line: c.lock.first, EndLine: c.lock.last}
}
