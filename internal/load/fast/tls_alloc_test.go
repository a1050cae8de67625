//go:build linux

package fast

import (
	"crypto/tls"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Over TLS the loop allocates nothing for a request either. crypto/tls does: a
// block of 24 bytes for each record that it reads, in (*tls.Conn).readFromUntil.
// (With the race detector its pools forget what they hold, and it makes that anew:
// only what it makes for each record is looked at here.)
func TestTLSAllocations(t *testing.T) {
	server, client := certified(t)
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	serveAll(t, l, hello)
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	defer func() { runtime.MemProfileRate = rate }()
	const requests = 3000
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		config := client.Clone()
		config.MinVersion, config.MaxVersion = version, version
		j := secured(job(t, l.Addr().String()), config)
		j.Connections, j.Loops, j.Requests = 4, 1, requests
		before := loopAllocations()
		r, _ := drive(t, j)
		wantKinds(t, r, requests, nil)
		after := loopAllocations()
		var ours int64
		for who, now := range after {
			n := now.sub(before[who])
			if n.objects == 0 {
				continue
			}
			switch {
			case strings.HasPrefix(who, "whet/"):
				ours += n.objects
			case who == "crypto/tls.(*Conn).readFromUntil" && (n.objects > requests+100 || n.bytes != 24*n.objects):
				t.Errorf("%s: %d blocks with %d bytes in %s for %d requests", tls.VersionName(version), n.objects, n.bytes, who, requests)
			}
		}
		// Four connections and their handshakes take some thirty.
		if ours > 100 {
			t.Errorf("%s: %d allocations of our own for %d requests, in some of %v", tls.VersionName(version), ours, requests, slices.Sorted(maps.Keys(after)))
		}
	}
}

// blocks are allocations.
type blocks struct{ objects, bytes int64 }

func (b blocks) sub(o blocks) blocks { return blocks{b.objects - o.objects, b.bytes - o.bytes} }

// loopAllocations returns those that were made by a loop's thread so far, by the
// function that made them.
func loopAllocations() map[string]blocks {
	for range 3 { // a profile is two collections old
		runtime.GC()
	}
	records := make([]runtime.MemProfileRecord, 1<<16)
	n, ok := runtime.MemProfile(records, true)
	if !ok {
		panic("more places allocate than were thought of")
	}
	all := make(map[string]blocks)
	for _, r := range records[:n] {
		who, within := "", false
		for frames := runtime.CallersFrames(r.Stack()); ; {
			f, more := frames.Next()
			if who == "" && !strings.HasPrefix(f.Function, "runtime.") {
				who = f.Function
			}
			within = within || strings.HasSuffix(f.Function, "fast.(*loop).run")
			if !more {
				break
			}
		}
		if within {
			b := all[who]
			all[who] = blocks{b.objects + r.AllocObjects, b.bytes + r.AllocBytes}
		}
	}
	return all
}
