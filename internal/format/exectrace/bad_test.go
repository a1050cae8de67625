package exectrace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// testTrace builds a trace in the newest format.
type testTrace struct {
	data       []byte
	generation uint64
}

func build() *testTrace {
	return &testTrace{data: []byte("go 1.26 trace\x00\x00\x00")}
}

// begin begins a generation, with a clock whose ticks are nanoseconds.
func (b *testTrace) begin(ns uint64) *testTrace {
	b.generation++
	content := []byte{evSync}
	content = append(numbersOf(content, evFrequency, 1e9), evClockSnapshot)
	for _, v := range []uint64{0, 5e9, 1.7e9, 0} {
		content = binary.AppendUvarint(content, v)
	}
	return b.batch(noThread, ns, content)
}

func (b *testTrace) batch(thread, ns uint64, content []byte) *testTrace {
	b.data = append(b.data, evEventBatch)
	for _, v := range []uint64{b.generation, thread, ns, uint64(len(content))} {
		b.data = binary.AppendUvarint(b.data, v)
	}
	b.data = append(b.data, content...)
	return b
}

func (b *testTrace) end() *testTrace {
	b.data = append(b.data, evEndOfGeneration)
	return b
}

// numbersOf appends an event.
func numbersOf(to []byte, typ byte, values ...uint64) []byte {
	to = append(to, typ)
	for _, v := range values {
		to = binary.AppendUvarint(to, v)
	}
	return to
}

// entries writes a table whose entries one function makes.
func (b *testTrace) entries(typ byte, n int, entry func(to []byte, i int) []byte) *testTrace {
	content := []byte{typ}
	for i := range n {
		if content = entry(content, i); len(content) > maxBatch-2*maxString || i == n-1 {
			b.batch(noThread, 0, content)
			content = []byte{typ}
		}
	}
	return b
}

// runs says that goroutine 1 runs on processor 0 and the thread.
func runs(to []byte, thread uint64) []byte {
	to = numbersOf(to, evProcStatus, 1, 0, uint64(procRunning))
	return numbersOf(to, evGoStatus, 1, 1, thread, 2)
}

// plain reads a trace in every way and returns its events; what is said is in lines.
func plain(t *testing.T, data []byte) ([]describedEvent, Summary) {
	t.Helper()
	events, summary, err := read(t, data, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	check(t, events, summary)
	agreeInParts(t, data, DefaultLimits())
	for _, w := range summary.Warnings {
		if strings.Contains(w, "\n") || len(w) > 400 {
			t.Errorf("warning %q", w)
		}
	}
	return events, summary
}

// TestCutAnywhere cuts a trace of two threads and two generations after every byte. All events that
// are whole before the cut are read.
func TestCutAnywhere(t *testing.T) {
	b := build()
	var ends []int // where each event ends in the trace
	event := func(content []byte, typ byte, values ...uint64) []byte {
		content = numbersOf(content, typ, values...)
		ends = append(ends, len(content))
		return content
	}
	batch := func(thread, ns uint64, first int, content []byte) {
		b.batch(thread, ns, content)
		for i := first; i < len(ends); i++ {
			ends[i] += len(b.data) - len(content)
		}
	}
	for generation := range uint64(2) {
		now := 1e9 * (generation + 1)
		b.begin(now)
		for thread := range uint64(2) {
			first, content := len(ends), []byte(nil)
			content = event(content, evProcStatus, 1, thread, uint64(procRunning))
			content = event(content, evGoStatus, 1, 1+thread, 100+thread, 2)
			for i := range uint64(20) {
				content = event(content, evHeapAlloc, 300, 1000*i)
			}
			batch(100+thread, now+thread, first, content)
			first, content = len(ends), nil
			for range 20 {
				content = event(content, evUserLog, 200, 7, 1, 1, 0)
			}
			batch(100+thread, now+1e6+thread, first, content)
		}
		b.entries(evStrings, 1, func(to []byte, _ int) []byte { return append(numbersOf(to, evString, 1, 2), "ab"...) }).end()
	}
	whole := len(b.data)
	for size := headerSize; size < whole; size++ {
		want := 0
		for _, end := range ends {
			want += b2i(end <= size)
		}
		events, summary, err := read(t, b.data[:size], DefaultLimits())
		if err != nil {
			if want > 0 || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%d bytes: %v, and %d events are there", size, err, want)
			}
			continue
		}
		check(t, events, summary)
		atEnd := b.data[size-1] == evEndOfGeneration && want == len(ends)/2
		if len(events) != want || !atEnd && (len(summary.Warnings) == 0 || !strings.Contains(strings.Join(summary.Warnings, "\n"), "read only up to byte")) {
			t.Fatalf("%d bytes: %d events, want %d, %q", size, len(events), want, summary.Warnings)
		}
		if size%7 == 0 {
			agreeInParts(t, b.data[:size], DefaultLimits())
		}
	}
	if events, summary := plain(t, b.data); len(events) != len(ends) || len(summary.Warnings) > 0 {
		t.Errorf("%d events of the whole, want %d, %q", len(events), len(ends), summary.Warnings)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestBitFlips damages a trace in a few hundred ways.
func TestBitFlips(t *testing.T) {
	data := recordLittle(t)
	random := rand.New(rand.NewPCG(1, 2))
	spoken, events := 0, 0
	for range 300 {
		damaged := bytes.Clone(data)
		for range 1 + random.IntN(3) {
			damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
		}
		got, summary, err := read(t, damaged, DefaultLimits())
		if err != nil {
			if spoken++; strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
				t.Errorf("error %q", err)
			}
			continue
		}
		check(t, got, summary)
		agreeInParts(t, damaged, DefaultLimits())
		events += len(got)
		spoken += b2i(len(summary.Warnings) > 0)
	}
	if spoken < 50 || events == 0 {
		t.Errorf("%d of 300 damaged traces are said to be, %d events", spoken, events)
	}
}

// allocated returns what a function allocates in all.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestMillionStrings: of a table of a million strings those are kept that events name.
func TestMillionStrings(t *testing.T) {
	const n = 1e6
	b := build().begin(1e9)
	content := runs(nil, 100)
	for i := range uint64(1000) {
		content = numbersOf(content, evGoLabel, 1, 1+i*1000)
	}
	b.batch(100, 1e9, content).entries(evStrings, n, func(to []byte, i int) []byte {
		return fmt.Appendf(numbersOf(to, evString, uint64(i+1), 9), "s%08d", i)
	}).end()
	named := 0
	got := allocated(func() {
		summary, err := Read(bytes.NewReader(b.data), DefaultLimits(), func(b *Batch) error {
			for i := range b.Events {
				if e := &b.Events[i]; e.Kind == Label {
					if want := fmt.Sprintf("s%08d", named*1000); b.String(e.Name) != want {
						t.Fatalf("label %q, want %q", b.String(e.Name), want)
					}
					named++
				}
			}
			return nil
		})
		if err != nil || len(summary.Warnings) > 0 {
			t.Fatal(err, summary.Warnings)
		}
	})
	// The table itself has 14 MB; an index of 20 bytes an entry grows to its size.
	if named != 1000 || got > 150e6 {
		t.Errorf("%d labels, %d bytes allocated", named, got)
	}
	limits := DefaultLimits()
	limits.MaxStrings = 500
	if _, summary, err := read(t, b.data, limits); err != nil || len(summary.Warnings) != 1 || !strings.Contains(summary.Warnings[0], "limit of 500 reasons") {
		t.Errorf("%v, %q", err, summary.Warnings)
	}
}

// TestManyGoroutines: those that end leave nothing behind, and too many that live end
// the reading.
func TestManyGoroutines(t *testing.T) {
	const n = 300_000
	b := build().begin(1e9)
	batches := func(event func(to []byte, i uint64) []byte) {
		content, now := runs(nil, 100), uint64(1e9)
		for i := range uint64(n) {
			if content = event(content, i); len(content) > maxBatch-100 || i == n-1 {
				b.batch(100, now, content)
				content, now = nil, now+1e6
			}
		}
	}
	batches(func(to []byte, i uint64) []byte {
		to = numbersOf(to, evGoCreate, 1, 2+i, 0, 0)
		to = numbersOf(to, evGoStop, 1, 0, 0)
		to = numbersOf(to, evGoStart, 1, 2+i, 1)
		to = numbersOf(to, evGoDestroy, 1)
		return numbersOf(to, evGoStart, 1, 1, 1+i)
	})
	b.end()
	var summary Summary
	var err error
	// The events ahead take 4 MB, a goroutine nothing: 16 bytes each would be another 5.
	got := allocated(func() {
		summary, err = Read(bytes.NewReader(b.data), DefaultLimits(), func(*Batch) error { return nil })
	})
	if err != nil || len(summary.Warnings) > 0 || summary.Events != 2+5*n || got > 8e6 {
		t.Errorf("%v, %+v, %d bytes allocated", err, summary, got)
	}
	b = build().begin(1e9)
	batches(func(to []byte, i uint64) []byte { return numbersOf(to, evGoCreate, 1, 2+i, 0, 0) })
	b.end()
	limits := DefaultLimits()
	limits.MaxGoroutines = n / 3
	got = allocated(func() {
		summary, err = Read(bytes.NewReader(b.data), limits, func(*Batch) error { return nil })
	})
	if err != nil || len(summary.Warnings) != 1 || !strings.Contains(summary.Warnings[0], "limit of 100000 goroutines") || summary.Events < n/3 || got > 30e6 {
		t.Errorf("%v, %+v, %d bytes allocated", err, summary, got)
	}
	agreeInParts(t, b.data, limits)
}

// TestMillionEventsOfOne: one goroutine stops and starts half a million times.
func TestMillionEventsOfOne(t *testing.T) {
	const n = 500_000
	b := build().begin(1e9)
	content, now := runs(nil, 100), uint64(1e9)
	for i := range uint64(n) {
		content = numbersOf(content, evGoStop, 10, 0, 0)
		if content = numbersOf(content, evGoStart, 10, 1, 1+i); len(content) > maxBatch-100 || i == n-1 {
			b.batch(100, now, content)
			content, now = nil, now+20*(i+1)-(now-1e9)
		}
	}
	b.end()
	var ran, waited, last int64
	changes := 0
	summary, err := Read(bytes.NewReader(b.data), DefaultLimits(), func(b *Batch) error {
		for i := range b.Events {
			e := &b.Events[i]
			if e.Kind != Change || e.From == Unknown {
				continue
			}
			if changes++; e.To == Running {
				waited += e.TimeNs - last
			} else if e.From == Running {
				ran += e.TimeNs - last
			}
			last = e.TimeNs
		}
		return nil
	})
	// Each stop and start comes 10 ns after the event before.
	if err != nil || len(summary.Warnings) > 0 || changes != 2*n || waited != 10*n || ran < 10*n || ran > 10*n+10 {
		t.Errorf("%v, %+v: %d changes, ran %d ns, waited %d", err, summary, changes, ran, waited)
	}
}

// TestBackwards: times within a generation and from one to the next run backwards, by so many
// events that a generation is read again after those before it.
func TestBackwards(t *testing.T) {
	for _, n := range []int{10, maxFirsts - 2, maxFirsts, 3 * maxFirsts} {
		b := build()
		for generation := range uint64(3) {
			now := 9e9 - generation*1e9
			b.begin(now)
			content := runs(nil, 100)
			for i := range uint64(n) {
				content = numbersOf(content, evGoStop, 1, 0, 0)
				if content = numbersOf(content, evGoStart, 1, 1, 1+i); len(content) > maxBatch-100 || i == uint64(n)-1 {
					b.batch(100, now, content)
					content, now = nil, now-1000
				}
			}
			b.end()
		}
		events, summary := plain(t, b.data)
		if len(events) != 3*(2+2*n) || len(summary.Warnings) > 0 || summary.EndNs > int64(len(events))+3e9 {
			t.Errorf("%d: %d events, %+v", n, len(events), summary)
		}
	}
}

// TestClocksJump: a batch whose time is an hour or an age after the others is said to be.
func TestClocksJump(t *testing.T) {
	for _, jump := range []uint64{3600e9, 1 << 61, 1<<64 - 1} {
		b := build().begin(1e9).batch(100, 1e9, runs(nil, 100)).batch(100, jump, numbersOf(nil, evHeapAlloc, 1, 5)).end()
		b.begin(2e9).batch(100, 2e9, runs(nil, 100)).end()
		events, summary := plain(t, b.data)
		if len(events) != 5 || len(summary.Warnings) != 1 || !strings.Contains(summary.Warnings[0], "times jump by") || summary.EndNs < 1 {
			t.Errorf("%d: %d events, %+v", jump, len(events), summary)
		}
	}
	b := build().begin(1e9).batch(100, 1e9, runs(nil, 100)).end()
	b.begin(59e9).batch(100, 59e9, runs(nil, 100)).end()
	if events, summary := plain(t, b.data); len(events) != 4 || len(summary.Warnings) != 0 {
		t.Errorf("58 s: %d events, %+v", len(events), summary)
	}
	b.begin(200e9).batch(100, 200e9, runs(nil, 100)).end()
	if events, summary := plain(t, b.data); len(events) != 6 || len(summary.Warnings) != 1 {
		t.Errorf("141 s: %d events, %+v", len(events), summary)
	}
}

// TestNothingIn: generations without events are no events.
func TestNothingIn(t *testing.T) {
	for _, b := range []*testTrace{build(), build().begin(1e9).end(), build().begin(1e9).end().begin(2e9).end()} {
		if _, _, err := read(t, b.data, DefaultLimits()); err == nil || !strings.Contains(err.Error(), "has no events") {
			t.Errorf("%d bytes: %v", len(b.data), err)
		}
	}
}

// TestEntryZero: 0 names nothing, also where a damaged table has it.
func TestEntryZero(t *testing.T) {
	b := build().begin(1e9)
	content := numbersOf(runs(nil, 100), evGoStop, 1, 0, 0)
	b.batch(100, 1e9, content).entries(evStrings, 2, func(to []byte, i int) []byte {
		return append(numbersOf(to, evString, uint64(i), 2), "ab"...)
	}).end()
	events, _ := plain(t, b.data)
	for _, e := range events {
		if e.Name != "" {
			t.Errorf("event %+v", e)
		}
	}
}
