package readercontention

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
)

const (
	// least is the share of the CPU time that the two functions must take: beside more
	// work under the lock they do not matter, however many read.
	least = 0.1
	// severalProcessors is how many of them must be busy on average for readers of a
	// program or a service to meet.
	severalProcessors = 1.2
	// writers is the part of the readers' time that Lock and Unlock may take: where many
	// write, a copy for each write is no remedy.
	writers = 0.05
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "reader-contention",
		Title: "readers contending for an RWMutex",
		Doc: diagnose.Doc{
			What:   "A tenth of the CPU time or more is spent in RLock and RUnlock of one sync.RWMutex, which goroutines on several processors read-lock and almost nobody write-locks.",
			Why:    "Each RLock and RUnlock adds to one counter. Its cache line belongs to one processor at a time and moves between them, so that reading gets slower with more processors, not faster.",
			Silent: "Where one goroutine reads, or hardly more than one processor is busy; where Lock and Unlock take a twentieth of the time of RLock and RUnlock or more; for locks of which there are many, one in each element of a slice, an array or a map, or reached through a call; without type information; for readers waiting for a writer, see lock-contention.",
			Fix:    "Publish the data through an atomic.Pointer to an immutable value: readers load it, and a writer stores a changed copy. A sync.Map suits keys that are set once; with many writers, split the data under several locks.",
			Before: "s.mu.RLock()\nroute := s.routes[path]\ns.mu.RUnlock()",
			After:  "routes := *s.routes.Load() // s.routes is an atomic.Pointer[map[string]Route]\nroute := routes[path]",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		Essential:  []diagnose.EvidenceKind{diagnose.EvidenceCPU},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

// reader is a function of the user's own that reads under a lock.
type reader struct {
	frame   *callstack.Frame
	samples diagnose.Set
}

func find(s *diagnose.Subject) (out []diagnose.Claim) {
	if !several(s) {
		return nil
	}
	type function struct{ name, file string }
	readers := make(map[function]*reader)
	var order []*reader
	var reading, writing int64
	diagnose.EachBase(s.CPU, s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		v := sample.Value(s.CPUColumn)
		if slices.ContainsFunc(stack, func(id callstack.FrameID) bool { return isWrite(s.CPU.Frame(id).Function) }) {
			writing += v
		}
		at := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return !beneath(s.CPU.Frame(id).Function) })
		if at < 0 || !isRead(s.CPU.Frame(stack[at]).Function) {
			return
		}
		reading += v
		for _, id := range stack[at+1:] {
			f := s.CPU.Frame(id)
			if !s.Own(f) {
				continue
			}
			k := function{f.Function, f.File}
			if readers[k] == nil {
				readers[k] = &reader{frame: f}
				order = append(order, readers[k])
			}
			readers[k].samples.Add(sample.Index())
			return
		}
	})
	if float64(writing) >= writers*float64(reading) {
		return nil
	}
	for _, r := range order {
		keep := r.samples.Keep()
		if s.CPUShare(keep) < least {
			continue
		}
		place, name, ok := shared(s, r.frame)
		if !ok {
			continue
		}
		out = append(out, diagnose.Claim{
			Place: place, Cost: diagnose.Samples{CPU: keep}, Confidence: finding.Medium,
			Why:    fmt.Sprintf("%s of the CPU time goes into counting the readers of %s, in a cache line that all processors write: readers on several processors slow each other down, though none of them waits.", quantity.Percent(s.CPUShare(keep)), name),
			Remedy: fmt.Sprintf("Publish the data guarded by %s through an atomic.Pointer: readers load it without a lock, and a writer stores a changed copy. If keys are only added, use a sync.Map.", name),
			Evidence: append(s.CPUEvidence(keep, "are in RLock and RUnlock themselves, called here"), finding.Evidence{Kind: "cpu", Text: fmt.Sprintf(
				"%s in Lock and Unlock of any RWMutex: almost nobody writes", quantity.Percent(float64(writing)/float64(max(reading+writing, 1))))}),
		})
	}
	return out
}

// several reports whether goroutines run on more than one processor at once.
func several(s *diagnose.Subject) bool {
	if s.Procs == 1 {
		return false
	}
	if s.CPU.Parallel && s.Kind != "program" && s.Kind != "service" {
		return true
	}
	// Not the collector's workers, which run beside a lone reader, too.
	return s.CPU.Duration > 0 && float64(s.CPU.Sums(s.CPUColumn)[hot.Base]) >= severalProcessors*float64(s.CPU.Duration)
}

func isRead(function string) bool {
	return function == "sync.(*RWMutex).RLock" || function == "sync.(*RWMutex).RUnlock"
}

func isWrite(function string) bool {
	return function == "sync.(*RWMutex).Lock" || function == "sync.(*RWMutex).Unlock"
}

// beneath knows what the counter is added to with, and where a goroutine is stopped.
func beneath(function string) bool {
	return strings.HasPrefix(function, "sync/atomic.") || strings.HasPrefix(function, "internal/runtime/atomic.") || strings.HasPrefix(function, "runtime.asyncPreempt")
}
