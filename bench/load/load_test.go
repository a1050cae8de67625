package main

import (
	"strings"
	"testing"
	"time"

	"whet/bench/ledger/tabletest"
)

// The table of the README is what the kept samples give, and empty before there
// are some.
func TestTableIsOfItsSamples(t *testing.T) {
	tabletest.Check(t, "load", "load", kept)
}

// What wrk 4.1.0, hey 0.1.4 and h2load 1.52.0 print.
const (
	wrkSaid = `Running 1s test @ http://127.0.0.1:8081/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   459.92us   80.01us   2.81ms   92.43%
    Req/Sec   137.90k     4.53k  142.34k    81.82%
  Latency Distribution
     50%  453.00us
     75%  470.00us
     90%  498.00us
     99%    1.26ms
  150753 requests in 1.10s, 28.90MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
  Non-2xx or 3xx responses: 5
Requests/sec: 137084.62
Transfer/sec:     26.28MB
`
	heySaid = `
Summary:
  Total:	1.0028 secs
  Slowest:	0.0251 secs
  Requests/sec:	25713.6270

Latency distribution:
  10% in 0.0008 secs
  50% in 0.0019 secs
  99% in 0.0107 secs

Status code distribution:
  [200]	25000 responses
  [503]	7 responses

Error distribution:
  [3]	Get "http://127.0.0.1:1/": dial tcp 127.0.0.1:1: connect: connection refused
`
	h2loadSaid = `starting benchmark...
spawning thread #0: 1 total client(s). 10 total requests

finished in 2.04s, 36508.13 req/s, 1.43MB/s
requests: 73030 total, 73041 started, 73030 done, 73016 succeeded, 14 failed, 11 errored, 3 timeout
status codes: 73016 2xx, 0 3xx, 0 4xx, 3 5xx
traffic: 2.86MB (3000000) total, 1.1MB (1150000) headers (space savings 91.67%), 1.2MB (1250000) data
                     min         max         mean         sd        +/- sd
time for request:       53us      1.29ms       219us        88us    88.00%
`
)

func TestReadTools(t *testing.T) {
	var wrk, hey, h2load Run
	if err := readH2load(&h2load, h2loadSaid); err != nil {
		t.Fatal(err)
	}
	if want := (Run{Requests: 73016, PerSecond: 36508.13, Failed: 14}); h2load != want {
		t.Errorf("h2load: %+v, want %+v", h2load, want)
	}
	if err := readWrk(&wrk, wrkSaid); err != nil {
		t.Fatal(err)
	}
	if want := (Run{Requests: 150753, PerSecond: 137084.62, P50Ns: 453_000, P99Ns: 1_260_000, Failed: 15}); wrk != want {
		t.Errorf("wrk: %+v, want %+v", wrk, want)
	}
	if err := readHey(&hey, heySaid); err != nil {
		t.Fatal(err)
	}
	if want := (Run{Requests: 25007, PerSecond: 25713.627, P50Ns: 1_900_000, P99Ns: 10_700_000, Failed: 10}); hey != want {
		t.Errorf("hey: %+v, want %+v", hey, want)
	}
	for name, read := range map[string]func(*Run, string) error{"wrk": readWrk, "hey": readHey, "h2load": readH2load} {
		if err := read(new(Run), "unable to connect"); err == nil {
			t.Errorf("%s: what is no summary was read", name)
		}
	}
}

func TestReadStatus(t *testing.T) {
	resident, peak, ok := readStatus([]byte("Name:\twhet\nVmPeak:\t 1200000 kB\nVmHWM:\t   65536 kB\nVmRSS:\t   40960 kB\nThreads:\t7\n"))
	if !ok || resident != 40<<20 || peak != 64<<20 {
		t.Errorf("resident %d, peak %d, %v", resident, peak, ok)
	}
	if _, _, ok := readStatus([]byte("Name:\twhet\nState:\tZ (zombie)\n")); ok {
		t.Error("a process that has ended has memory")
	}
}

// The figures of the tables are those of the samples, worked out here by hand,
// and reports anything unreached.
func TestRender(t *testing.T) {
	run := func(perSecond float64, cpuNs, p50 int64) Run {
		return Run{Engine: "epoll", WallNs: 5e9, CPUNs: cpuNs, TargetCPUNs: 4e9, Requests: 1_000_000, PerSecond: perSecond, P50Ns: p50}
	}
	s := &Samples{
		LengthNs: int64(5 * time.Second), Verb: true, Versions: []string{"wrk 4.1.0"},
		Pairs: []Pair{
			{ID: "nginx/64/epoll", // ratios of throughput 1.1, 1.05, 1.2; of CPU 0.8, 0.5, 0.75
				Whet:  []Run{run(110_000, 4e9, 1), run(105_000, 2e9, 1), run(120_000, 3e9, 1)},
				Other: []Run{run(100_000, 5e9, 1), run(100_000, 4e9, 1), run(100_000, 4e9, 1)}},
			{ID: "nginx/1", // 20.9 µs is no worse than 20 µs cut off
				Whet:  []Run{run(40_000, 4e9, 20_900)},
				Other: []Run{run(40_000, 4e9, 20_000)}},
			{ID: "net/http/1",
				Whet:  []Run{run(40_000, 4e9, 21_000)},
				Other: []Run{run(40_000, 4e9, 20_000)}},
		},
		Opens: []Open{{Target: "nginx", Peak: 120_001, Rate: 60_000, Run: run(60_000, 2e9, 1), LateP999Ns: 800_000, LateMaxNs: 2e6, Due: 300_000, InTime: 299_600}},
		Memory: []Memory{
			{Target: "nginx", Generator: "whet", Connections: manyConnections, Made: 10_001, PeakBytes: 65 << 20, Run: Run{Failed: 3}},
			{Target: "nginx", Generator: "wrk", Connections: manyConnections, PeakBytes: 200 << 20},
			{Target: "net/http", Generator: "whet", Connections: manyConnections, Made: 9_999, PeakBytes: 20 << 20},
			{Target: "net/http", Generator: "wrk", Connections: manyConnections, PeakBytes: 50 << 20},
		},
		Course:      []Memory{{Target: "nginx", Generator: "whet", Course: []Resident{{4e9, 20 << 20}, {6e9, 30 << 20}, {60e9, 20 << 20}}, Run: Run{WallNs: 60e9}}},
		Allocations: []Allocations{{Engine: "epoll", Mallocs: 50, Requests: 500_000}},
	}
	s.Pairs[0].Whet[2].Invalid = true
	text := render(s)
	for _, want := range []string{
		"| nginx, 64 | epoll | wrk | 110,000 | 100,000 | 1.100 (1.050 to 1.200) | 3.00 µs | 4.00 µs | 0.750 (0.500 to 0.800) |",
		"| 60.0 %, 80.0 % | 80.0 %, 80.0 % | CPU ≤ 0.85, throughput ≥ 1.03, interval ≥ 1.00 | yes |",
		"interval ≥ 0.97, p50 no worse | yes |", "| p50 no worse | **no** |",
		"| nginx | 60,000/s |", "| 99.866 % |", "99.9 % in their second | **no** |",
		"| 65 MiB | 200 MiB | < 64 MiB | **no** |", "at least 9,999 were made | 20 MiB | 50 MiB | < 64 MiB | **no** |", "| 20 MiB, 20 MiB |  | no growth | yes |",
		"| 50 (0.00010 a request) |  | 0 a request | yes |",
		"3 rounds, 5s a run", "in 1 run whet said itself", "3 requests failed",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, w := range works {
		if w.throughput == 0 && w.cpu == 0 && !w.p50 && w.against != "h2load" {
			t.Errorf("nothing is asked of %s", w.id)
		}
		if find(w.id).id != w.id {
			t.Errorf("%s is not found", w.id)
		}
	}
}
