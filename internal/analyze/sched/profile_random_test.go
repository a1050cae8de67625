package sched

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"testing"

	"whet/internal/format/exectrace"
)

// Types of a trace's events, as internal/trace/tracev2 of Go numbers them.
const (
	evEventBatch = 1 + iota
	evStacks
	evStack
	evStrings
	evString
	evFrequency     = 8
	evProcStatus    = 13
	evGoCreate      = 14
	evGoStart       = 16
	evGoDestroy     = 17
	evGoStop        = 19
	evGoBlock       = 20
	evGoUnblock     = 21
	evSyscallBegin  = 22
	evSyscallEnd    = 23
	evGoStatus      = 25
	evGoStatusStack = 48
	evSync          = 50
	evSnapshot      = 51
	evEndGeneration = 52
)

// randomTrace returns a trace of one thread on which some goroutines run in turn, in a
// few generations. Now and then a generation says nothing of a goroutine that waits, or
// finds it in another state: as if events were lost.
func randomTrace(random *rand.Rand) []byte {
	const thread = 9
	type goroutine struct {
		state, seq uint64 // as GoStatus has it: 1 runnable, 2 running, 3 in a call, 4 waiting
	}
	data := []byte("go 1.26 trace\x00\x00\x00")
	put := func(to []byte, typ byte, values ...uint64) []byte {
		to = append(to, typ)
		for _, v := range values {
			to = binary.AppendUvarint(to, v)
		}
		return to
	}
	generation := uint64(0)
	batch := func(thread, time uint64, content []byte) {
		data = append(put(data, evEventBatch, generation, thread, time, uint64(len(content))), content...)
	}
	live, last, now := map[uint64]*goroutine{}, uint64(0), uint64(1e9)
	for generation = 1; generation <= 5; generation++ {
		batch(^uint64(0), now, put(put([]byte{evSync}, evFrequency, 1e9), evSnapshot, 0, 1, 1, 1))
		begin := now
		content := put(nil, evProcStatus, 1, 0, 1)
		running := uint64(0)
		stated := map[uint64]bool{}
		for id := uint64(1); id <= last; id++ {
			g := live[id]
			if g == nil {
				continue
			}
			if g.seq = 0; g.state == 4 || g.state == 1 {
				switch random.IntN(10) {
				case 0:
					continue
				case 1:
					g.state = 1 + 3*random.Uint64N(2)
				}
			}
			on := ^uint64(0)
			if g.state == 2 || g.state == 3 {
				on, running = thread, id
			}
			if stated[id] = true; random.IntN(2) == 0 {
				content = put(content, evGoStatusStack, 1, id, on, g.state, 1+random.Uint64N(3))
			} else {
				content = put(content, evGoStatus, 1, id, on, g.state)
			}
			now++
		}
		for range random.IntN(60) {
			d := 1 + random.Uint64N(1000)
			now += d
			stack := random.Uint64N(4)
			if g := live[running]; g == nil {
				id := 1 + random.Uint64N(last+1)
				switch g := live[id]; {
				case g != nil && !stated[id]:
					now -= d
				case g != nil && g.state == 1:
					g.state, running = 2, id
					g.seq++
					content = put(content, evGoStart, d, id, g.seq)
				case g != nil:
					g.state = 1
					g.seq++
					content = put(content, evGoUnblock, d, id, g.seq, stack)
				default:
					last++
					live[last], stated[last] = &goroutine{state: 1}, true
					content = put(content, evGoCreate, d, last, stack, stack)
				}
			} else if g.state == 3 {
				g.state = 2
				content = put(content, evSyscallEnd, d)
			} else {
				switch random.IntN(6) {
				case 0:
					content, g.state = put(content, evSyscallBegin, d, 1, stack), 3
				case 1:
					content, g.state, running = put(content, evGoStop, d, 1, stack), 1, 0
				case 2:
					delete(live, running)
					content, running = put(content, evGoDestroy, d), 0
				default:
					content, g.state, running = put(content, evGoBlock, d, 1+random.Uint64N(4), stack), 4, 0
				}
			}
		}
		batch(thread, begin, content)
		now += random.Uint64N(3) - 1 // the next one may begin with the last event of this one, or before
		strings, stacks := []byte{evStrings}, []byte{evStacks}
		for i, reason := range []string{"network", "chan receive", "sleep", "main.f"} {
			strings = append(put(strings, evString, uint64(i+1), uint64(len(reason))), reason...)
		}
		for i := range uint64(3) {
			stacks = put(stacks, evStack, i+1, 1, i, 4, 4)
			stacks = binary.AppendUvarint(stacks, i+7)
		}
		batch(^uint64(0), begin, strings)
		batch(^uint64(0), begin, stacks)
		data = append(data, evEndGeneration)
	}
	return data
}

// TestBlockedOfRandom holds profiles added up by generations against those of the events
// in order, over random traces.
func TestBlockedOfRandom(t *testing.T) {
	stacks := 0
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 1))
		data := randomTrace(random)
		o := Options{Limits: exectrace.DefaultLimits()}
		if seed%4 == 3 {
			o.FromNs = 1 + random.Int64N(20_000)
			o.ToNs = o.FromNs + 1 + random.Int64N(40_000)
		}
		each, _, eachErr := BlockedEach(bytes.NewReader(data), o)
		for b := range Blocking(numBlocks) {
			want := plainBlocked(t, data, o, b)
			p, _, err := Blocked(bytes.NewReader(data), o, b)
			if err != nil {
				if o.FromNs == 0 || len(want) > 0 {
					t.Fatalf("seed %d: %v", seed, err)
				}
				continue
			}
			if got := sumsOf(p); !maps.Equal(got, want) {
				t.Fatalf("seed %d: %s:\n got %v\nwant %v", seed, b, got, want)
			}
			if eachErr != nil || !maps.Equal(sumsOf(each[b]), want) {
				t.Fatalf("seed %d: %s in one reading with the others: %v", seed, b, eachErr)
			}
			stacks += len(want)
		}
	}
	if stacks < 1000 {
		t.Errorf("%d stacks in all", stacks)
	}
}
