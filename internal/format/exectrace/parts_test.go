package exectrace

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// partEvents is the events of a part with their numbers resolved.
type partEvents struct {
	t      testing.TB
	all    *[]describedEvent
	events []describedEvent
	stacks []int
	slots  map[uint64]int64
	most   int // events taken; then it ends the reading
}

var errEnough = errors.New("enough")

func (g *partEvents) Take(b *PartBatch) error {
	for _, e := range b.Events {
		if e.Kind == Change {
			if id, ok := g.slots[e.Value]; ok && id != e.Goroutine {
				g.t.Errorf("goroutines %d and %d have the number %d", id, e.Goroutine, e.Value)
			}
			if g.slots[e.Value] = e.Goroutine; e.To == Gone {
				delete(g.slots, e.Value)
			}
		}
		g.stacks = append(g.stacks, b.StackIndex(e.Stack), b.StackIndex(e.ActorStack))
		g.events = append(g.events, describedEvent{Event: e, Name: b.String(e.Name)})
	}
	if g.most > 0 && len(g.events) >= g.most {
		return errEnough
	}
	return nil
}

func (g *partEvents) Join(p *Part) {
	for i := range g.events {
		e := &g.events[i]
		e.TimeNs = p.TimeNs(e.TimeNs)
		e.Stack, e.ActorStack = p.Stack(p.StackID(g.stacks[2*i])), p.Stack(p.StackID(g.stacks[2*i+1]))
	}
	*g.all = append(*g.all, g.events...)
}

func readParts(t testing.TB, data []byte, limits Limits, ordered bool) ([]describedEvent, Summary, error) {
	t.Helper()
	var all []describedEvent
	summary, err := ReadParts(bytes.NewReader(data), limits, ordered, func() PartReader {
		return &partEvents{t: t, all: &all, slots: make(map[uint64]int64)}
	})
	return all, summary, err
}

// agreeInParts holds what the readers of parts are told against what Read tells.
func agreeInParts(t testing.TB, data []byte, limits Limits) {
	t.Helper()
	events, want, wantErr := read(t, data, limits)
	for _, ordered := range []bool{false, true} {
		parts, got, err := readParts(t, data, limits, ordered)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("ordered %t: error %v, not %v", ordered, err, wantErr)
		}
		if err != nil {
			continue
		}
		if got.Events != want.Events || got.EndNs != want.EndNs || got.MonoNs != want.MonoNs || got.WallNs != want.WallNs || !slices.Equal(got.Warnings, want.Warnings) {
			t.Fatalf("ordered %t: %+v\nnot %+v", ordered, got, want)
		}
		i := 0
		for n, e := range events {
			if e.Kind != Change && e.Kind != Sample {
				continue
			}
			if i == len(parts) {
				t.Fatalf("ordered %t: %d events are all", ordered, i)
			}
			p := parts[i]
			i++
			p.Value = 0
			p.Event.Stack, e.Event.Stack, p.Event.ActorStack, e.Event.ActorStack, p.Event.Name, e.Event.Name = 0, 0, 0, 0, 0, 0
			if p.From == Unknown {
				p.From = e.From // what the generation before says
			}
			if p.Event != e.Event || p.Name != e.Name || !equalStacks(p.Stack, e.Stack) || !equalStacks(p.ActorStack, e.ActorStack) {
				t.Fatalf("ordered %t: event %d:\n got %+v\nwant %+v", ordered, n, p, e)
			}
		}
		if i != len(parts) {
			t.Fatalf("ordered %t: %d events more", ordered, len(parts)-i)
		}
	}
}

func equalStacks(a, b *Stack) bool {
	return (a == nil) == (b == nil) && (a == nil || slices.Equal(frames(a), frames(b)))
}

func TestPartsAgree(t *testing.T) {
	agreeInParts(t, record(), DefaultLimits())
	agreeInParts(t, cutTrace(t), DefaultLimits())
}

// TestPartsEnd ends the reading from a part's reader.
func TestPartsEnd(t *testing.T) {
	var all []describedEvent
	summary, err := ReadParts(bytes.NewReader(cutTrace(t)), DefaultLimits(), true, func() PartReader {
		return &partEvents{t: t, all: &all, slots: make(map[uint64]int64), most: 1000}
	})
	if !errors.Is(err, errEnough) || len(all) < 1000 || len(all) > 3000 || summary.EndNs == 0 {
		t.Errorf("%v, %d events, %+v", err, len(all), summary)
	}
}
