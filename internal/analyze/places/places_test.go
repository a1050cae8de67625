package places

import (
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whet/internal/callstack"
)

// In these tests a function whose name begins with "m." is own code, with
// "t." a test's, and each has its name's length for a line.
func roleOf(f *callstack.Frame) Role {
	switch {
	case strings.HasPrefix(f.Function, "m."):
		return Own
	case strings.HasPrefix(f.Function, "t."):
		return Test
	case strings.HasPrefix(f.Function, "s."):
		return Support
	}
	return Foreign
}

type stack struct {
	root string // functions, root first, divided by spaces
	n    int64
}

func profileOf(stacks ...stack) *callstack.Frames {
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for _, s := range stacks {
		var ids []callstack.Frame
		for _, fn := range strings.Fields(s.root) {
			ids = append([]callstack.Frame{callstack.Frame{Function: fn, File: "x.go", Line: len(fn)}}, ids...)
		}
		b.AddFrames(ids, nil, s.n)
	}
	return b.Frames()
}

// The innermost own line is charged, once however often it recurs, with what is
// below it; what has none is the tests' where one of theirs is on the stack,
// else the outermost package's.
func TestCharge(t *testing.T) {
	c := Charge(profileOf(
		stack{"t.Bench m.outer m.inner fmt.Sprint runtime.mallocgc", 5},
		stack{"t.Bench m.outer m.inner", 3},
		stack{"t.Bench m.outer m.outer", 7},
		stack{"t.Bench m.outer t.callback sort.Sort", 2},
		stack{"t.Bench encoding/json.Marshal", 11},
		stack{"t.Bench m.outer s.observer runtime.memmove", 4},
		stack{"net/http.(*conn).serve bufio.(*Reader).fill syscall.read", 13},
		stack{"runtime.goexit runtime.mcall", 17},
	), 0, nil, roleOf)
	if c.Total != 62 || c.Tests != 15 || !maps.Equal(c.Packages, map[string]int64{"net/http": 13, "runtime": 17}) {
		t.Errorf("total %d, tests %d, packages %v", c.Total, c.Tests, c.Packages)
	}
	inner, outer := c.Lines[Line{"m.inner", "x.go", 7}], c.Lines[Line{"m.outer", "x.go", 7}]
	if len(c.Lines) != 2 || inner == nil || outer == nil || inner.Value != 8 || outer.Value != 9 {
		t.Fatalf("lines %v", c.Lines)
	}
	if !maps.Equal(inner.Callees, map[string]int64{"fmt.Sprint": 5, "": 3}) || !maps.Equal(outer.Callees, map[string]int64{"": 7, "t.callback": 2}) {
		t.Errorf("callees %v and %v", inner.Callees, outer.Callees)
	}
	if !maps.Equal(inner.Kinds, map[Kind]int64{Allocation: 5, Instructions: 3}) || !maps.Equal(outer.Kinds, map[Kind]int64{Instructions: 7, Sorting: 2}) {
		t.Errorf("kinds %v and %v", inner.Kinds, outer.Kinds)
	}
	if at, ok := c.Of(0); !ok || at.Function != "m.inner" {
		t.Errorf("the first sample is charged to %v, %v", at, ok)
	}
	if at, ok := c.Of(4); ok {
		t.Errorf("a sample of the tests' is charged to %v", at)
	}
}

// Nothing is lost and nothing charged twice: lines, tests and packages sum to
// the profile, and callees and kinds each to their line.
func TestChargeConserves(t *testing.T) {
	names := []string{"m.a", "m.bb", "t.test", "s.support", "fmt.Sprint", "runtime.mallocgc", "runtime.memmove", "runtime.asyncPreempt", "net/http.Serve", "x", "syscall.Syscall", "internal/runtime/maps.(*Map).Get"}
	rapid.Check(t, func(t *rapid.T) {
		var stacks []stack
		for range rapid.IntRange(0, 20).Draw(t, "samples") {
			fns := rapid.SliceOfN(rapid.SampledFrom(names), 0, 6).Draw(t, "stack")
			stacks = append(stacks, stack{strings.Join(fns, " "), rapid.Int64Range(0, 1000).Draw(t, "n")})
		}
		p := profileOf(stacks...)
		c := Charge(p, 0, nil, roleOf)
		sum := c.Tests
		for _, v := range c.Packages {
			sum += v
		}
		for at, cost := range c.Lines {
			sum += cost.Value
			var callees, kinds int64
			for _, v := range cost.Callees {
				callees += v
			}
			for _, v := range cost.Kinds {
				kinds += v
			}
			if callees != cost.Value || kinds != cost.Value {
				t.Fatalf("%v has %d, its callees %d, its kinds %d", at, cost.Value, callees, kinds)
			}
		}
		if sum != p.Total(0) || c.Total != p.Total(0) {
			t.Fatalf("%d charged, %d said, %d in the profile", sum, c.Total, p.Total(0))
		}
	})
}

// Stacks as the profiler of Go 1.26 writes them, below the line, root first.
func TestKinds(t *testing.T) {
	for below, want := range map[string]Kind{
		"":                     Instructions,
		"runtime.asyncPreempt": Instructions,
		"runtime.growslice runtime.mallocgc runtime.mallocgcSmallNoscan":                        Allocation,
		"runtime.growslice runtime.memmove":                                                     Moved,
		"runtime.growslice":                                                                     Allocation,
		"runtime.makeslice runtime.mallocgc runtime.mallocgcLarge runtime.memclrNoHeapPointers": Cleared,
		"runtime.newobject runtime.mallocgc runtime.deductAssistCredit runtime.gcAssistAlloc runtime.systemstack runtime.gcDrainN": Assist,
		"gcWriteBarrier runtime.wbBufFlush":                                             Assist,
		"runtime.mapassign_faststr internal/runtime/maps.(*Map).PutSlot aeshashbody":    Map,
		"runtime.mapaccess1_fast64":                                                     Map,
		"strconv.AppendInt strconv.formatBits":                                          Formatting,
		"fmt.Fprintf fmt.(*pp).doPrintf reflect.Value.String runtime.memmove":           Formatting,
		"reflect.Value.Call reflect.Value.call":                                         Reflection,
		"regexp.(*Regexp).MatchString regexp.(*machine).match":                          Regexp,
		"encoding/json.Marshal encoding/json.(*encodeState).marshal reflect.Value.Type": Encoding,
		"sort.Slice sort.pdqsort_func":                                                  Sorting,
		"slices.SortFunc[...] slices.pdqsortCmpFunc[...]":                               Sorting,
		"time.Now time.runtimeNow":                                                      Clock,
		"math/rand/v2.(*Rand).IntN math/rand/v2.(*Rand).uint64n":                        Random,
		"hash/crc32.Update hash/crc32.update":                                           Hashing,
		"crypto/sha256.Sum256 crypto/internal/fips140/sha256.blockAVX2":                 Hashing,
		"strings.IndexByte internal/bytealg.IndexByteString":                            Compared,
		"bytes.Equal memeqbody":                                                         Compared,
		"memeqbody":                                                                     Compared,
		"sync.(*Mutex).Lock internal/sync.(*Mutex).lockSlow runtime.semacquire1":        Lock,
		"runtime.chansend1 runtime.chansend runtime.lock2":                              Channel,
		"runtime.selectgo":                                                              Channel,
		"runtime.newproc runtime.systemstack runtime.newproc.func1":                     Start,
		"os.(*File).Write internal/poll.(*FD).Write syscall.write syscall.Syscall internal/runtime/syscall.Syscall6": SystemCall("write"),
		"os.(*File).Sync internal/poll.(*FD).Fsync syscall.Fsync syscall.Syscall":                                    SystemCall("fsync"),
		"golang.org/x/sys/unix.Madvise golang.org/x/sys/unix.Syscall":                                                SystemCall("madvise"),
		"github.com/a/b.Do github.com/a/b.loop":                                                                      Other,
		"github.com/a/b.Do runtime.memmove":                                                                          Moved,
	} {
		c := Charge(profileOf(stack{"m.line " + below, 1}), 0, nil, roleOf)
		for _, cost := range c.Lines {
			for kind := range cost.Kinds {
				if kind != want {
					t.Errorf("%s: %s, want %s", below, kind, want)
				}
			}
		}
	}
}

// Callees are called what the source calls them.
func TestCallees(t *testing.T) {
	for below, want := range map[string]string{
		"":                                   "",
		"runtime.asyncPreempt":               "",
		"fmt.Sprint runtime.growslice":       "fmt.Sprint",
		"runtime.growslice runtime.mallocgc": "append",
		"runtime.mapassign_faststr":          "map assignment",
		"runtime.mapaccess2":                 "map look-up",
		"internal/runtime/maps.(*Iter).Next": "map access",
		"runtime.concatstrings":              "string +",
		"runtime.slicebytetostring":          "string(bytes)",
		"runtime.memmove":                    "copy",
		"memeqbody":                          "memory compared",
		"runtime.convTstring":                "conversion to an interface",
		"runtime.somethingNew":               "runtime.somethingNew",
		"example.com/q.F[...]":               "example.com/q.F[...]",
	} {
		c := Charge(profileOf(stack{"m.line " + below, 1}), 0, nil, roleOf)
		for _, cost := range c.Lines {
			for callee := range cost.Callees {
				if callee != want {
					t.Errorf("%s: %q, want %q", below, callee, want)
				}
			}
		}
	}
}
