package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/compare"
)

// study is what is measured of one case.
type study struct {
	name string
	// first, last published and best stage.
	stages [3]string
	// needs is what as many rounds take as settle the measures of a kind, about,
	// with the shortest slices, on the machine of the README's table.
	needs map[kind]time.Duration
	// measures are what is compared; the first is the case's headline.
	measures []measure
	// only are the kinds that are measured, whatever others there are; nil: all.
	only []kind
}

// measured reports whether a kind is.
func (s *study) measured(k kind) bool { return s.only == nil || slices.Contains(s.only, k) }

// The stages that are compared.
const (
	first = iota
	lastPublished
	best
)

// kind is how a measure is run.
type kind int

const (
	benchmarks kind = iota
	command
	service // under load
	uploads // a service that takes bodies in
)

// measure is one figure of a case.
type measure struct {
	text  string // what it is, in words
	kind  kind
	bench string // name of the benchmark
	unit  string
	// of is what is measured, best unless another is named, and against what it
	// is compared with, the first stage unless another is named.
	of, against string
	// published is the ratio that was published, bar the one that best is held
	// to; 0: there is none.
	published, bar float64
	counts         bool     // the allocations of the same runs are told too
	allocs         *float64 // the most of them that best is held to; nil: there is no such bar
}

// Best reaches its bar where the ratio is this much of it, and the lower end of
// the ratio's interval that.
const (
	enough    = 0.9
	enoughLow = 0.85
)

// What a slice shows.
const (
	nsPerOp     = compare.NsPerOp
	bytesPerOp  = compare.BytesPerOp
	allocsPerOp = compare.AllocsPerOp
	cpuNs       = compare.CPUNs
	wallNs      = compare.WallNs
	peakBytes   = compare.PeakBytes
	perSecond   = compare.RequestsPerSecond
	// What the generator of a service's load says of itself: what it used of its
	// processors' time, and 1 where it was the bottleneck.
	generatorShare = "generator-ratio"
	bottleneck     = "generator-bottleneck"
)

func studies() []study {
	return []study{
		{
			name: "visits", stages: [3]string{"original", "final", "best"},
			needs: map[kind]time.Duration{benchmarks: 4 * time.Second},
			measures: []measure{
				{text: "time per handler call, reused request", bench: "BenchmarkReused", unit: nsPerOp, published: 9.2, bar: 12, counts: true, allocs: new(0.0)},
				// Making the request costs two, which BenchmarkEmptyFresh shows.
				{text: "time per handler call, fresh request", bench: "BenchmarkFresh", unit: nsPerOp, counts: true, allocs: new(2.0)},
			},
		},
		{
			// 51 analyses of the published graph, its building included.
			name: "havlak", stages: [3]string{"original", "cached", "best"},
			needs: map[kind]time.Duration{command: 250 * time.Second},
			measures: []measure{
				{text: "CPU time of the command", kind: command, unit: cpuNs, published: 11, bar: 25},
				{text: "peak memory of the command", kind: command, unit: peakBytes, published: 3.7, bar: 11},
				{text: "wall time of the command", kind: command, unit: wallNs},
			},
		},
		{
			name: "stats", stages: [3]string{"original", "pool", "best"},
			needs: map[kind]time.Duration{benchmarks: 4 * time.Second},
			measures: []measure{
				{text: "time per tagged name", bench: "BenchmarkName", unit: nsPerOp, published: 5.6, bar: 13, counts: true, allocs: new(1.0)},
				{text: "time per call of /advance", bench: "BenchmarkAdvance", unit: nsPerOp, bar: 2.1, counts: true},
			},
		},
		{
			// The published headline, 25x, is lru-bytes; quiet, which also logs
			// nothing, reached 48x.
			name: "avatar", stages: [3]string{"original", "lrubytes", "best"},
			needs: map[kind]time.Duration{service: 60 * time.Second},
			measures: []measure{
				{text: "requests per second over loopback", kind: service, unit: perSecond, published: 25, bar: 22},
				{text: "of what a constant answer reaches", kind: service, unit: perSecond, against: constantStage, bar: 0.95},
			},
		},
		{
			name: "gateway", stages: [3]string{"original", "randbits", "best"},
			needs: map[kind]time.Duration{benchmarks: 6 * time.Second},
			measures: []measure{
				{text: "time per call, body of 1 KB", bench: "BenchmarkCall/1KB", unit: nsPerOp, published: 2.5, bar: 5, counts: true},
				{text: "allocations per call, body of 1 KB", bench: "BenchmarkCall/1KB", unit: allocsPerOp, bar: 3},
				{text: "time per call, body of 100 KB", bench: "BenchmarkCall/100KB", unit: nsPerOp, counts: true},
				{text: "time per session id", bench: "BenchmarkSession", unit: nsPerOp, counts: true},
			},
		},
		{
			name: "ingest", stages: [3]string{"original", "leaky", "best"},
			needs: map[kind]time.Duration{benchmarks: 8 * time.Second, uploads: 35 * time.Second},
			measures: []measure{
				{text: "taking in a body of 4.9 MB", bench: "BenchmarkTake/4.9MB", unit: nsPerOp, bar: 38, counts: true},
				{text: "taking in a body of exactly 5 MiB", bench: "BenchmarkTake/5MiB", unit: nsPerOp, bar: 38, counts: true},
				{text: "whole request of 4.9 MB, time", bench: "BenchmarkBulk/4.9MB", unit: nsPerOp},
				{text: "whole request of 4.9 MB, bytes allocated", bench: "BenchmarkBulk/4.9MB", unit: bytesPerOp, bar: 50, counts: true},
				{text: "peak memory of the server, bodies of 20 MB", kind: uploads, unit: peakBytes, of: "best, 20 MB", against: "original, 20 MB"},
				{text: "the same of best, flat from 100 KB to 20 MB", kind: uploads, unit: peakBytes, of: "best, 20 MB", against: "best, 100 KB", bar: 1},
			},
		},
	}
}

func caseNames() string {
	var names []string
	for _, s := range studies() {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// choose returns the case of a name, or all, with what is measured of them: all,
// or the services.
func choose(name, only string) ([]study, error) {
	all := studies()
	if name != "" {
		i := slices.IndexFunc(all, func(s study) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no case %q: the cases are %s", name, caseNames())
		}
		all = all[i : i+1]
	}
	switch only {
	case "":
		return all, nil
	case onlyServices:
	default:
		return nil, fmt.Errorf("-only %q: there is -only %s", only, onlyServices)
	}
	all = slices.DeleteFunc(all, func(s study) bool {
		return !slices.ContainsFunc(s.measures, func(m measure) bool { return m.kind == service || m.kind == uploads })
	})
	if len(all) == 0 {
		return nil, fmt.Errorf("-only %s: none is measured of case %s", only, name)
	}
	for i := range all {
		all[i].only = []kind{service, uploads}
	}
	return all, nil
}

// onlyServices measures what answers over loopback, and nothing else.
const onlyServices = "services"
