// Package work costs what is known beforehand: of the CPU time of each Step,
// A takes 30 parts of 100, B 20 and C 50.
package work

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"
)

// Unit is a hundredth of a step's work in the mean. Steps differ, because equal
// ones of some milliseconds fall into step with the profiler's clock of ten.
const Unit = 20_000

func Step() uint64 {
	unit := Unit/2 + rand.IntN(Unit)
	return A(30*unit) + B(20*unit) + C(50*unit)
}

//go:noinline
func A(rounds int) uint64 {
	x := uint64(1)
	for range rounds {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

//go:noinline
func B(rounds int) uint64 {
	x := uint64(2)
	for range rounds {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

//go:noinline
func C(rounds int) uint64 {
	x := uint64(3)
	for range rounds {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// Planted is what a program suffers beside its work.
type Planted struct {
	Log   io.Writer  // gets a line for each event: "NAME BEGAN TOOK", in nanoseconds
	Gate  sync.Mutex // held for a while: the stall
	lock  sync.Mutex
	ready chan struct{}
	stop  chan struct{}
	done  sync.WaitGroup
}

// Begin starts the events: one forced collection after gc, and one stall of
// half a second after stall.
func Begin(log io.Writer, gc, stall time.Duration) *Planted {
	p := &Planted{Log: log, ready: make(chan struct{}), stop: make(chan struct{})}
	p.done.Go(p.hold)
	p.done.Go(p.wait)
	p.done.Go(p.leak)
	p.done.Go(func() {
		if p.sleep(gc) {
			began := time.Now()
			runtime.GC()
			p.say("forced-gc", began, time.Since(began))
		}
	})
	p.done.Go(func() {
		if p.sleep(stall) {
			p.Gate.Lock()
			began := time.Now()
			p.sleep(500 * time.Millisecond)
			p.Gate.Unlock()
			p.say("stall", began, time.Since(began))
		}
	})
	return p
}

func (p *Planted) End() {
	close(p.stop)
	p.done.Wait()
}

// say tells what a machine made of an event: a busy one is late with all of them.
func (p *Planted) say(event string, began time.Time, took time.Duration) {
	fmt.Fprintf(p.Log, "%s %d %d\n", event, began.UnixNano(), took)
}

func (p *Planted) sleep(d time.Duration) bool {
	select {
	case <-p.stop:
		return false
	case <-time.After(d):
		return true
	}
}

// hold keeps a lock for 200 ms of each second.
func (p *Planted) hold() {
	defer close(p.ready)
	for {
		p.lock.Lock()
		p.ready <- struct{}{}
		on := p.sleep(200 * time.Millisecond)
		p.lock.Unlock()
		if !on || !p.sleep(800*time.Millisecond) {
			return
		}
	}
}

// wait wants the lock when it is held.
func (p *Planted) wait() {
	for range p.ready {
		began := time.Now()
		p.lock.Lock()
		took := time.Since(began)
		p.lock.Unlock()
		p.say("wait", began, took)
	}
}

// leak starts ten goroutines a second that never end.
func (p *Planted) leak() {
	for began := time.Now(); p.sleep(100 * time.Millisecond); began = time.Now() {
		go forever()
		p.say("leak", began, time.Since(began))
	}
}

func forever() { select {} }
