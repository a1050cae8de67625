package sched

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"testing"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
)

// cutTrace has several generations, and breaks off.
func cutTrace(t *testing.T) []byte {
	t.Helper()
	f, err := os.Open("../../format/exectrace/testdata/compile_cut.trace.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// plainBlocked adds up a blocking profile from all events in their order, without
// generations.
func plainBlocked(t *testing.T, data []byte, o Options, b Blocking) map[string]count {
	t.Helper()
	type interval struct {
		stack    string
		from, to int64
	}
	type goroutine struct {
		at    *interval
		ran   bool
		early []interval
	}
	all, sums := make(map[int64]*goroutine), make(map[string]count)
	book := func(of ...interval) {
		for _, i := range of {
			if ns := i.to - max(i.from, o.FromNs); ns > 0 {
				c := sums[i.stack]
				sums[i.stack] = count{c.n + 1, c.ns + ns}
			}
		}
	}
	_, err := exectrace.Read(bytes.NewReader(data), exectrace.DefaultLimits(), func(batch *exectrace.Batch) error {
		for i := range batch.Events {
			e := &batch.Events[i]
			if e.Kind != exectrace.Change || o.ToNs > 0 && e.TimeNs > o.ToNs {
				continue
			}
			g := all[e.Goroutine]
			if g == nil {
				g = &goroutine{}
				all[e.Goroutine] = g
			}
			if g.at != nil && e.To != e.From {
				if g.at.to = e.TimeNs; g.ran {
					book(*g.at)
				} else if e.To != exectrace.Running && e.TimeNs > o.FromNs {
					g.early = append(g.early, *g.at)
				}
				g.at = nil
			}
			if e.To == exectrace.Running {
				g.ran = true
			}
			reason := batch.String(e.Name)
			is := map[Blocking]bool{
				BlockedSched: e.To == exectrace.Runnable, BlockedSyscall: e.To == exectrace.Syscall,
				BlockedNetwork: e.To == exectrace.Waiting && reason == "network",
				BlockedSync:    e.To == exectrace.Waiting && (strings.HasPrefix(reason, "chan ") || strings.HasPrefix(reason, "sync") || reason == "select"),
			}[b]
			if is && g.at == nil {
				id := e.Stack
				if e.From == exectrace.Gone || e.From == exectrace.Waiting {
					id = e.ActorStack
				}
				key := ""
				if s := batch.Stack(id); s != nil {
					for _, f := range s.Frames {
						key += fmt.Sprintf("%s:%d ", f.Function, f.Line)
					}
				}
				g.at = &interval{stack: key, from: e.TimeNs}
			}
			if e.To == exectrace.Gone || e.To == exectrace.Unknown {
				if !g.ran {
					book(g.early...)
				}
				delete(all, e.Goroutine)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		if !g.ran {
			book(g.early...)
		}
	}
	return sums
}

func sumsOf(p *callstack.Frames) map[string]count {
	got := make(map[string]count)
	for at := p.Stacks(nil, 0, 1); at.Next(); {
		key := ""
		for _, id := range at.Stack {
			f := p.Frame(id)
			key += fmt.Sprintf("%s:%d ", f.Function, f.Line)
		}
		c := got[key]
		got[key] = count{c.n + at.Value(0), c.ns + at.Value(1)}
	}
	return got
}

// TestBlockedOverGenerations holds profiles that are added up a generation at a time, of
// which several are read at once, against those of the events in order.
func TestBlockedOverGenerations(t *testing.T) {
	data := cutTrace(t)
	for _, o := range []Options{{}, {FromNs: 900e6}, {FromNs: 300e6, ToNs: 1400e6}, {ToNs: 1100e6}} {
		o.Limits = exectrace.DefaultLimits()
		each, _, err := BlockedEach(bytes.NewReader(data), o)
		if err != nil {
			t.Fatal(err)
		}
		for b := range Blocking(numBlocks) {
			p, warnings, err := Blocked(bytes.NewReader(data), o, b)
			if err != nil || len(warnings) == 0 && o.ToNs == 0 {
				t.Fatalf("%s: %v, %q", b, err, warnings)
			}
			if shown := p.Types[p.DefaultType].Type; shown != "delay" {
				t.Errorf("%s: views show %s", b, shown)
			}
			want := plainBlocked(t, data, o, b)
			if got := sumsOf(p); !maps.Equal(got, want) || len(want) == 0 && b != BlockedNetwork {
				t.Errorf("%s, %d to %d ns: %d stacks, not %d", b, o.FromNs, o.ToNs, len(got), len(want))
			}
			if got := sumsOf(each[b]); !maps.Equal(got, want) {
				t.Errorf("%s, %d to %d ns, in one reading with the others: %d stacks, not %d", b, o.FromNs, o.ToNs, len(got), len(want))
			}
		}
	}
}

// TestBlockedAsked: windows, goroutines and tasks that are not there are reported.
func TestBlockedAsked(t *testing.T) {
	limits := exectrace.DefaultLimits()
	for _, o := range []Options{{Limits: limits, FromNs: 1e15}, {Limits: limits, Goroutines: []int64{1 << 50}}, {Limits: limits, Task: 1 << 50}} {
		if _, _, err := Blocked(bytes.NewReader(plantedTrace(t)), o, BlockedSched); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	limits.MaxEvents = 1000
	if _, warnings, err := Blocked(bytes.NewReader(plantedTrace(t)), Options{Limits: limits}, BlockedSched); err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "limit of 1000 events") {
		t.Errorf("%v, %q", err, warnings)
	}
	r := analyzePlanted(t)
	id := r.Kinds[0].LongestID
	o := Options{Limits: exectrace.DefaultLimits(), Goroutines: []int64{id}}
	one, _, err := Blocked(bytes.NewReader(plantedTrace(t)), o, BlockedSched)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := Blocked(bytes.NewReader(plantedTrace(t)), Options{Limits: o.Limits}, BlockedSched)
	if err != nil {
		t.Fatal(err)
	}
	some, whole := sumsOf(one), sumsOf(all)
	for key, c := range some {
		if c.n > whole[key].n || c.ns > whole[key].ns {
			t.Errorf("%s: %+v of one goroutine, %+v of all", key, c, whole[key])
		}
	}
	if len(some) == 0 || len(some) >= len(whole) {
		t.Errorf("%d stacks of one goroutine, %d of all", len(some), len(whole))
	}
}
