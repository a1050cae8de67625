package load

import (
	"math/bits"
	"net"
	"time"

	"whet/internal/load/engine"
)

// target describes the processes that respond, if they run on this machine.
type target struct {
	known  bool // where they run: here or elsewhere
	here   bool
	own    bool // this process answers itself
	pids   []int
	ours   processors // that this process may use
	theirs processors // that they may use, where they are here
}

// processors is a set of processors.
type processors [16]uint64

func (p *processors) add(n int) {
	if n >= 0 && n < len(p)*64 {
		p[n/64] |= 1 << (n % 64)
	}
}

func (p processors) has(n int) bool { return n >= 0 && n < len(p)*64 && p[n/64]>>(n%64)&1 == 1 }

func (p processors) count() (n int) {
	for _, word := range p {
		n += bits.OnesCount64(word)
	}
	return n
}

func (p processors) both(q processors) processors {
	for i := range p {
		p[i] &= q[i]
	}
	return p
}

func (p processors) either(q processors) processors {
	for i := range p {
		p[i] |= q[i]
	}
	return p
}

// isHere reports whether an address is one of this machine. A name is looked up
// and not waited for long.
func isHere(a engine.Address) (here, known bool) {
	if a.Network == "unix" {
		return true, true
	}
	host, _, err := net.SplitHostPort(a.Dial)
	if err != nil {
		return false, false
	}
	if host == "localhost" {
		return true, true
	}
	ip := net.ParseIP(host)
	if ip == nil {
		return false, false // looking it up is the engine's affair
	}
	if ip.IsLoopback() || ip.IsUnspecified() {
		return true, true
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return false, false
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.Equal(ip) {
			return true, true
		}
	}
	return false, true
}

// mostTargets is the number of addresses that are looked for: each takes a look at all of
// this machine's sockets.
const mostTargets = 32

// findTarget looks where the addresses lead. Anything but one answer for all of
// them is unknown.
func findTarget(addresses []engine.Address) target {
	var t target
	if len(addresses) > mostTargets {
		return t
	}
	for i, a := range addresses {
		here, known := isHere(a)
		if !known || i > 0 && here != t.here {
			return target{}
		}
		t.known, t.here = true, here
	}
	var ok bool
	if t.ours, ok = ownProcessors(); !ok || t.here && !t.find(addresses) {
		return target{}
	}
	return t
}

// usage is the total time of processors, and the used part of it.
type usage struct{ used, all time.Duration }

// used returns the processor time that they have used so far; negative: unknown.
func (t *target) used() time.Duration {
	if len(t.pids) == 0 || t.own {
		return -1
	}
	var sum time.Duration
	for _, pid := range t.pids {
		cpu := processTime(pid)
		if cpu < 0 {
			return -1
		}
		sum += cpu
	}
	return sum
}
