package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"

	"whet/internal/quantity"
)

// work is a comparison: whet beside another generator.
type work struct {
	id          string // as -only takes it
	target      string
	connections int
	engine      string // whet's; "" leaves it to whet
	secure      bool
	streams     int // of each connection, over HTTP/2 without TLS; 0: HTTP/1.1
	against     string

	// What is asked; 0 where nothing is.
	throughput float64 // at least so often the other's, and no interval below leastThroughput
	cpu        float64 // CPU per request: at most so much of the other's
	p50        bool    // of service time: no worse than the other's
}

// works are all comparisons, in the order of the table.
var works = []work{
	{id: "nginx/1", target: "nginx", connections: 1, against: "wrk", throughput: 1, cpu: 1, p50: true},
	{id: "nginx/64", target: "nginx", connections: 64, against: "wrk", throughput: 1, cpu: 0.78},
	{id: "nginx/256", target: "nginx", connections: 256, against: "wrk", throughput: 1, cpu: 0.88},
	{id: "nginx/1000", target: "nginx", connections: 1000, against: "wrk", throughput: 1, cpu: 0.88},
	{id: "nginx/64/tls", target: "nginx", connections: 64, secure: true, against: "wrk", throughput: 1, cpu: 0.75},
	{id: "nginx/64/epoll", target: "nginx", connections: 64, engine: "epoll", against: "wrk", throughput: 1.03, cpu: 0.85},
	{id: "nginx/64/io_uring", target: "nginx", connections: 64, engine: "io_uring", against: "wrk", throughput: 1.03, cpu: 0.8},
	{id: "nginx/1000/epoll", target: "nginx", connections: 1000, engine: "epoll", against: "wrk", throughput: 1.03, cpu: 0.85},
	{id: "nginx/1000/io_uring", target: "nginx", connections: 1000, engine: "io_uring", against: "wrk", throughput: 1.03, cpu: 0.8},
	{id: "net/http/1", target: "net/http", connections: 1, against: "wrk", p50: true},
	{id: "net/http/64/epoll", target: "net/http", connections: 64, engine: "epoll", against: "wrk", throughput: 1, cpu: 0.85},
	{id: "net/http/64/io_uring", target: "net/http", connections: 64, engine: "io_uring", against: "wrk", throughput: 1, cpu: 0.8},
	{id: "net/http/1000/epoll", target: "net/http", connections: 1000, engine: "epoll", against: "wrk", throughput: 1, cpu: 0.85},
	{id: "net/http/1000/io_uring", target: "net/http", connections: 1000, engine: "io_uring", against: "wrk", throughput: 1, cpu: 0.8},
	{id: "net/http/64/tls", target: "net/http", connections: 64, secure: true, against: "wrk", throughput: 1},
	{id: "nginx/64/hey", target: "nginx", connections: 64, against: "hey", throughput: 2.5},
	{id: "net/http/64/hey", target: "net/http", connections: 64, against: "hey", throughput: 2.5},
	{id: "nginx/8/h2/1", target: "nginx", connections: 8, streams: 1, against: "h2load"},
	{id: "nginx/8/h2/16", target: "nginx", connections: 8, streams: 16, against: "h2load"},
	{id: "nginx/8/h2/100", target: "nginx", connections: 8, streams: 100, against: "h2load"},
}

// missing returns the engines that cannot be had here; it says why.
func (b *bench) missing(ctx context.Context) ([]string, error) {
	t, err := b.start(ctx, "nginx", false)
	if err != nil {
		return nil, err
	}
	defer t.stop()
	var out []string
	for _, engine := range engines {
		var errs bytes.Buffer
		cmd := exec.CommandContext(ctx, b.whet, "load", "-json", "-engine", engine, "-c", "1", "-n", "10", t.url)
		cmd.Stderr = &errs
		document, _ := cmd.Output() // so short a run may well call itself not valid
		var s said
		if json.Unmarshal(document, &s) != nil || s.Generator.Engine != engine || s.Requests == 0 {
			fmt.Fprintf(os.Stderr, "without %s: %s\n", engine, bytes.TrimSpace(errs.Bytes()))
			out = append(out, engine)
		}
	}
	return out, ctx.Err()
}

// engines are the engines that are asked for by name.
var engines = []string{"epoll", "io_uring"}

// Pair is the rounds of one comparison: Whet[i] and Other[i] are of one round
// and one process of the target.
type Pair struct {
	ID    string `json:"id"`
	Whet  []Run  `json:"whet"`
	Other []Run  `json:"other"`
}

// round adds one round to a pair: a target of its own, driven by both in an
// order drawn by lot.
func (b *bench) round(ctx context.Context, w *work, p *Pair) error {
	t, err := b.start(ctx, w.target, w.secure)
	if err != nil {
		return err
	}
	defer t.stop()
	if err := b.warm(ctx, t, w.connections); err != nil {
		return err
	}
	if w.streams > 0 {
		t.url = t.h2
	}
	runs := make([]Run, 2)
	for _, i := range rand.Perm(2) {
		switch {
		case i == 0:
			var args []string
			if w.engine != "" {
				args = append(args, "-engine", w.engine)
			}
			if w.streams > 0 {
				args = append(args, "-h2c", "-streams", strconv.Itoa(w.streams))
			}
			runs[i], _, err = b.ours(ctx, t, w.connections, args...)
		case w.against == "hey":
			runs[i], err = b.hey(ctx, t, w.connections)
		case w.against == "h2load":
			runs[i], err = b.h2load(ctx, t, w.connections, w.streams)
		default:
			runs[i], err = b.wrk(ctx, t, w.connections)
		}
		if err != nil {
			return err
		}
	}
	p.Whet, p.Other = append(p.Whet, runs[0]), append(p.Other, runs[1])
	fmt.Fprintf(os.Stderr, "  %s: whet %s, %s %s\n", w.id, said1(&runs[0], w.target), w.against, said1(&runs[1], w.target))
	return nil
}

// said1 returns a round's line about one generator.
func said1(r *Run, target string) string {
	s := fmt.Sprintf("%s/s, %s of CPU a request (%s of its processor, %s %s), p50 %s", quantity.Count(r.PerSecond), quantity.Nanoseconds(r.cpuPerRequest()),
		quantity.Percent(r.share(r.CPUNs)), target, quantity.Percent(r.share(r.TargetCPUNs)), times(float64(r.P50Ns)))
	if r.Failed > 0 {
		s += fmt.Sprintf(", %d failed", r.Failed)
	}
	if r.Invalid {
		s += ", not valid by its own word"
	}
	return s
}

// warm lets a new target touch its memory, and is not counted.
func (b *bench) warm(ctx context.Context, t *target, connections int) error {
	_, _, err := b.drive(ctx, t, 0, "wrk", "-t1", "-c", strconv.Itoa(connections), "-d", "1s", t.url)
	return err
}

// Open is a run of an open loop at half of what a closed one reached just
// before.
type Open struct {
	Target string  `json:"target"`
	Peak   float64 `json:"peak_per_s"`
	Rate   float64 `json:"rate_per_s"`
	Run    Run     `json:"run"`
	// How much later requests were sent than they could have been.
	LateP50Ns  int64 `json:"late_p50_ns"`
	LateP99Ns  int64 `json:"late_p99_ns"`
	LateP999Ns int64 `json:"late_p999_ns"`
	LateMaxNs  int64 `json:"late_max_ns"`
	// Due requests, and those of them that were sent in the second they were due
	// in.
	Due    int64 `json:"due"`
	InTime int64 `json:"sent_in_second"`
}

func (b *bench) open(ctx context.Context, name string) (Open, error) {
	o := Open{Target: name}
	t, err := b.start(ctx, name, false)
	if err != nil {
		return o, err
	}
	defer t.stop()
	if err := b.warm(ctx, t, 64); err != nil {
		return o, err
	}
	peak, _, err := b.ours(ctx, t, 64)
	if err != nil {
		return o, err
	}
	o.Peak = peak.PerSecond
	o.Rate = float64(int(o.Peak / 2))
	run, s, err := b.ours(ctx, t, 64, "-rate", strconv.Itoa(int(o.Rate)))
	if err != nil {
		return o, err
	}
	o.Run = run
	o.LateP50Ns, o.LateP99Ns, o.LateP999Ns, o.LateMaxNs = s.Lateness.P50, s.Lateness.P99, s.Lateness.P999, s.Lateness.Max
	for _, second := range s.Seconds {
		o.Due, o.InTime = o.Due+second.Due, o.InTime+second.InTime
	}
	fmt.Fprintf(os.Stderr, "  open/%s: half of %s/s: %s; late p50 %s, p99.9 %s, most %s; %s of %s sent in their second\n", name, quantity.Count(o.Peak), said1(&run, name),
		quantity.Nanoseconds(float64(o.LateP50Ns)), quantity.Nanoseconds(float64(o.LateP999Ns)), quantity.Nanoseconds(float64(o.LateMaxNs)),
		quantity.Count(float64(o.InTime)), quantity.Count(float64(o.Due)))
	return o, nil
}

// Allocations are the allocations of one run of package load in its middle third.
type Allocations struct {
	Target   string `json:"target"`
	Engine   string `json:"engine"`
	Mallocs  uint64 `json:"mallocs"`
	Requests int64  `json:"requests"`
}

func (b *bench) allocations(ctx context.Context, name, engine string) (Allocations, error) {
	a := Allocations{Target: name, Engine: engine}
	t, err := b.start(ctx, name, false)
	if err != nil {
		return a, err
	}
	defer t.stop()
	_, s, err := b.whetLoad(ctx, t, true, 64, "-engine", engine)
	if err != nil {
		return a, err
	}
	a.Mallocs, a.Requests = s.Mallocs, s.MallocsOver
	fmt.Fprintf(os.Stderr, "  allocations/%s/%s: %d in %s requests\n", name, engine, a.Mallocs, quantity.Count(float64(a.Requests)))
	return a, nil
}
