package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"whet/internal/quantity"
)

// Memory is what one generator held of memory while it ran.
type Memory struct {
	Target      string     `json:"target"`
	Generator   string     `json:"generator"`
	Connections int        `json:"connections"`
	Made        int64      `json:"made"`       // of them by whet's count; 0: not told
	PeakBytes   int64      `json:"peak_bytes"` // of resident memory, by the system's own count
	Course      []Resident `json:"course"`
	Run         Run        `json:"run"`
}

// Resident is a generator's resident memory at a moment since its start.
type Resident struct {
	AtNs  int64 `json:"at_ns"`
	Bytes int64 `json:"bytes"`
}

// at returns the last known size before a moment.
func (m *Memory) at(since time.Duration) int64 {
	var last int64
	for _, r := range m.Course {
		if r.AtNs <= int64(since) {
			last = r.Bytes
		}
	}
	return last
}

// watch follows the memory of a process until it ends, and returns then.
type watch struct {
	m     *Memory
	group sync.WaitGroup
}

// follow is for process.Command.Started.
func (w *watch) follow(pid int) {
	begin := time.Now()
	w.group.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for now := range tick.C {
			resident, peak, ok := memoryOf(pid)
			if !ok {
				return
			}
			w.m.PeakBytes = max(w.m.PeakBytes, peak)
			w.m.Course = append(w.m.Course, Resident{int64(now.Sub(begin)), resident})
		}
	})
}

// memoryOf reads /proc/PID/status; a process that has ended has no memory there.
// Peak is VmHWM, which begins anew with exec: the peak that wait4 tells counts
// from before it, and so at least what this program holds.
func memoryOf(pid int) (resident, peak int64, ok bool) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, 0, false
	}
	return readStatus(text)
}

func readStatus(text []byte) (resident, peak int64, ok bool) {
	for line := range bytes.Lines(text) {
		name, rest, _ := bytes.Cut(line, []byte(":"))
		f := bytes.Fields(rest)
		if len(f) != 2 || string(f[1]) != "kB" {
			continue
		}
		n, err := strconv.ParseInt(string(f[0]), 10, 64)
		if err != nil {
			continue
		}
		switch string(name) { // kB means KiB there
		case "VmRSS":
			resident = n << 10
		case "VmHWM":
			peak = n << 10
		}
	}
	return resident, peak, resident > 0 && peak > 0
}

// memory measures a generator against a target of its own.
func (b *bench) memory(ctx context.Context, name, generator string, connections int) (Memory, error) {
	m := Memory{Target: name, Generator: generator, Connections: connections}
	t, err := b.start(ctx, name, false)
	if err != nil {
		return m, err
	}
	defer t.stop()
	w := &watch{m: &m}
	b.started = w.follow
	switch generator {
	case "wrk":
		m.Run, err = b.wrk(ctx, t, connections)
	case "hey":
		m.Run, err = b.hey(ctx, t, connections)
	default:
		var s *said
		if m.Run, s, err = b.ours(ctx, t, connections); err == nil {
			m.Made = s.Made
		}
	}
	b.started = nil
	w.group.Wait()
	if err != nil {
		return m, err
	}
	fmt.Fprintf(os.Stderr, "  memory: %s, %s connections to %s for %v: %s at most, %s after 5 s, %s at the end; %s/s, %d failed, %d connections made\n", generator, quantity.Count(float64(connections)), name, b.length,
		quantity.Bytes(float64(m.PeakBytes)), quantity.Bytes(float64(m.at(5*time.Second))), quantity.Bytes(float64(m.at(time.Hour))), quantity.Count(m.Run.PerSecond), m.Run.Failed, m.Made)
	return m, nil
}
