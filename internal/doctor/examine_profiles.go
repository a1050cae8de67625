package doctor

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"sync"
	"time"
	"unsafe"

	"whet/internal/format/profile"
	"whet/internal/printable"
)

// Each of these instruments is tried on whet itself: the runtime is the one
// that the measured programs have, and what the machine allows or forbids
// (signals, timers) holds for both.

// profileSpinning keeps one goroutine busy for d of CPU time under the CPU
// profiler. On a busy machine that takes longer; after four times d it gives
// up.
func profileSpinning(d time.Duration) ([]byte, time.Duration, error) {
	var buf bytes.Buffer
	if err := pprof.StartCPUProfile(&buf); err != nil {
		return nil, 0, err
	}
	h := fnv.New64a()
	block := make([]byte, 64<<10)
	start, before := time.Now(), cpuTime()
	used := time.Duration(0)
	for used < d && time.Since(start) < 4*d {
		h.Write(block)
		used = cpuTime() - before
	}
	pprof.StopCPUProfile()
	return buf.Bytes(), used, nil
}

// tickPeriod is the one that runtime/pprof asks the system for.
const tickPeriod = 10 * time.Millisecond

// cpuProfile compares the ticks that arrived with the CPU time that the system
// counted. A quarter of a second should give 25; the first attempt may meet a
// bad moment, so there is a second, longer one.
func (x *examiner) cpuProfile(context.Context) instrument {
	const help = "measure on a machine that delivers SIGPROF timers: some sandboxes and emulators do not"
	var last instrument
	for _, d := range []time.Duration{250 * time.Millisecond, 500 * time.Millisecond} {
		data, used, err := x.profileCPU(d)
		if err != nil {
			return absent(help, "%v", err)
		}
		p, err := profile.ReadFrames(data, profile.DefaultLimits())
		if err != nil {
			return absent(help, "the profile cannot be read: %v", err)
		}
		samples, err := p.TypeIndex("samples")
		if err != nil {
			return absent(help, "the profile cannot be read: %v", err)
		}
		ticks, period := p.Total(samples), time.Duration(p.Period)
		wanted := int64(used / tickPeriod)
		detail := fmt.Sprintf("%d samples in %v of CPU time, one every %v", ticks, used.Round(time.Millisecond), period)
		switch {
		case wanted < 10:
			last = degraded("try again while less is running", "%s: the machine is too busy for a longer test", detail)
		case ticks == 0:
			last = absent(help, "no sample in %v of CPU time", used.Round(time.Millisecond))
		case ticks < wanted/2:
			last = degraded(help, "%s: %d were due", detail, wanted)
		case period != tickPeriod:
			return degraded("nothing; a profile then needs a different time for the same number of samples", "%s", detail)
		default:
			return works("%s", detail)
		}
	}
	return last
}

// profiled are the objects that the allocation profile has to find again.
type profiled [4]int64

//go:noinline
func allocateProfiled(n int) []*profiled {
	out := make([]*profiled, n)
	for i := range out {
		out[i] = new(profiled)
	}
	return out
}

func (x *examiner) allocProfile(context.Context) instrument {
	const n = 1000
	before := recordedObjects()
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	kept := allocateProfiled(n)
	runtime.MemProfileRate = rate
	objects := recordedObjects() - before
	runtime.KeepAlive(kept)
	if objects != n {
		return degraded("report the Go version", "%d of %d allocations were recorded", objects, n)
	}
	return works("all of %d allocations recorded", n)
}

// recordedObjects counts the objects of allocateProfiled in the allocation
// profile.
func recordedObjects() int64 {
	runtime.GC() // what is allocated shows up to two collections later
	runtime.GC()
	records := make([]runtime.MemProfileRecord, 64)
	for {
		count, ok := runtime.MemProfile(records, true)
		if ok {
			records = records[:count]
			break
		}
		records = make([]runtime.MemProfileRecord, count+64)
	}
	var objects int64
	for _, r := range records {
		if r.AllocObjects > 0 && r.AllocBytes/r.AllocObjects == int64(unsafe.Sizeof(profiled{})) && allocatedBy(r.Stack(), "whet/internal/doctor.allocateProfiled") {
			objects += r.AllocObjects
		}
	}
	return objects
}

// allocatedBy reports whether function is the one that allocated: the first
// of the stack outside the runtime, whose own allocator stands before it.
func allocatedBy(stack []uintptr, function string) bool {
	for frames, more := runtime.CallersFrames(stack), true; more; {
		var frame runtime.Frame
		if frame, more = frames.Next(); !strings.HasPrefix(frame.Function, "runtime.") {
			return frame.Function == function
		}
	}
	return false
}

func (x *examiner) blockProfile(context.Context) instrument {
	runtime.SetBlockProfileRate(1)
	defer runtime.SetBlockProfileRate(0)
	return delayRecorded("block", "a wait on a channel", func() {
		c := make(chan struct{})
		go func() {
			time.Sleep(time.Millisecond)
			close(c)
		}()
		<-c
	})
}

func (x *examiner) mutexProfile(context.Context) instrument {
	before := runtime.SetMutexProfileFraction(1)
	defer runtime.SetMutexProfileFraction(before)
	return delayRecorded("mutex", "a wait for a lock", func() {
		var mu sync.Mutex
		done := make(chan struct{})
		mu.Lock()
		go func() {
			mu.Lock()
			defer mu.Unlock()
			close(done)
		}()
		time.Sleep(time.Millisecond) // long enough, nearly always, for the other to wait
		mu.Unlock()
		<-done
	})
}

// delayRecorded repeats a wait until the named profile has grown.
func delayRecorded(name, what string, wait func()) instrument {
	p := pprof.Lookup(name)
	for before, try := p.Count(), 0; try < 20; try++ {
		wait()
		if p.Count() > before {
			return works("%s was recorded", what)
		}
	}
	return absent("report the Go version", "%s was not recorded", what)
}

func (x *examiner) executionTrace(context.Context) instrument {
	var buf bytes.Buffer
	if err := trace.Start(&buf); err != nil {
		return absent("report the Go version", "%v", err)
	}
	done := make(chan struct{})
	go close(done)
	<-done
	trace.Stop()
	// Every trace begins with its format, "go 1.26 trace".
	if !bytes.HasPrefix(buf.Bytes(), []byte("go 1.")) || buf.Len() <= 16 {
		return absent("report the Go version", "%d bytes that are not a trace", buf.Len())
	}
	head, _, _ := bytes.Cut(buf.Bytes(), []byte(" trace"))
	return works("%s", fmt.Sprintf("%d bytes in the format of %s", buf.Len(), printable.Message(string(head))))
}
