//go:build go1.26

package agent

import (
	"runtime"
	"sync"
)

// rates are the rates of the runtime's profiles; nil is unknown, or to be left
// alone.
type rates struct {
	BlockRateNs    *int64 `json:"block_rate_ns"`
	MutexFraction  *int64 `json:"mutex_fraction"`
	MemProfileRate *int64 `json:"mem_profile_rate"`
}

// dials sets the rates and remembers how they were.
type dials struct {
	mu       sync.Mutex
	block    *int64 // as the agent set it last
	mutex    *int64
	mutexOld int // as it was before the agent set it first
	memory   *int64
	memOld   int
}

// set applies the rates that are given and returns those in force before.
func (d *dials) set(r rates) rates {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.read()
	if r.BlockRateNs != nil {
		runtime.SetBlockProfileRate(int(*r.BlockRateNs))
		d.block = clone(r.BlockRateNs)
	}
	if r.MutexFraction != nil {
		old := runtime.SetMutexProfileFraction(int(*r.MutexFraction))
		if d.mutex == nil {
			d.mutexOld = old
		}
		d.mutex = clone(r.MutexFraction)
	}
	if r.MemProfileRate != nil {
		if d.memory == nil {
			d.memOld = runtime.MemProfileRate
		}
		runtime.MemProfileRate = int(*r.MemProfileRate)
		d.memory = clone(r.MemProfileRate)
	}
	return before
}

// now returns the rates in force.
func (d *dials) now() rates {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.read()
}

func (d *dials) read() rates {
	mutex, memory := int64(runtime.SetMutexProfileFraction(-1)), int64(runtime.MemProfileRate)
	return rates{BlockRateNs: clone(d.block), MutexFraction: &mutex, MemProfileRate: &memory}
}

// restore undoes what set did, except where the program has set another value
// since. Of the block rate that cannot be known: it goes to 0, the runtime's
// default.
func (d *dials) restore() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.block != nil {
		runtime.SetBlockProfileRate(0)
	}
	if d.mutex != nil && int64(runtime.SetMutexProfileFraction(-1)) == *d.mutex {
		runtime.SetMutexProfileFraction(d.mutexOld)
	}
	if d.memory != nil && int64(runtime.MemProfileRate) == *d.memory {
		runtime.MemProfileRate = d.memOld
	}
	d.block, d.mutex, d.memory = nil, nil, nil
}

func clone(p *int64) *int64 {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
