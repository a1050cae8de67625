package collector

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	analyze "whet/internal/analyze/gc"
	"whet/internal/callstack"
	"whet/internal/cli"
	"whet/internal/format/profile"
	"whet/internal/recording"
	"whet/internal/report/gc"
)

// One allocation of a megabyte in e⁶⁴ is not sampled: of what leaks, heap profiles are
// exact.
func init() { runtime.MemProfileRate = 16 << 10 }

// leakyServer is a server with net/http/pprof that leaks between two heap profiles:
// when a request after the first asks it to collect.
type leakyServer struct {
	mu     sync.Mutex
	taken  bool
	leaked [][]byte
}

func (l *leakyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/heap") && r.FormValue("debug") == "" {
		l.mu.Lock()
		switch {
		case r.FormValue("gc") == "":
			l.taken = true
		case l.taken:
			l.leak()
		}
		l.mu.Unlock()
	}
	pprof.Index(w, r)
}

//go:noinline
func (l *leakyServer) leak() {
	for range 8 {
		l.leaked = append(l.leaked, make([]byte, 1<<20)) // the line that leaks
	}
}

// shownDoc is the part of whet/gc/1 that says what grows.
type shownDoc struct {
	Warnings    []string
	Conclusions []struct {
		Kind, Text string
		Evidence   []string
	}
	Grown *struct {
		Before int64 `json:"before_bytes"`
		After  int64 `json:"after_bytes"`
		Other  int64 `json:"other_bytes"`
		Period int64 `json:"period_bytes"`
		Places []struct {
			Function, File string
			Line           int
			Before         int64 `json:"before_bytes"`
			After          int64 `json:"after_bytes"`
			Callers        []string
			Owner          *struct{ Function string }
		}
	}
}

func runGC(t *testing.T, v *view, operand string) *shownDoc {
	t.Helper()
	var out bytes.Buffer
	v.asJSON, v.headers = true, cli.HeaderList{}
	if err := v.run(context.Background(), &cli.Env{Stdout: &out, Stderr: io.Discard}, []string{operand}); err != nil {
		t.Fatal(err)
	}
	d := new(shownDoc)
	if err := json.Unmarshal(out.Bytes(), d); err != nil {
		t.Fatal(err)
	}
	if g := d.Grown; g != nil {
		sum := g.Before + g.Other
		for _, l := range g.Places {
			sum += l.After - l.Before
		}
		if sum != g.After {
			t.Errorf("before, places and the rest add up to %d, after is %d", sum, g.After)
		}
	}
	return d
}

// TestLeakBehindURL: of a server that leaks, the function and the line are concluded, with
// the bytes that leaked, as the server counts them.
func TestLeakBehindURL(t *testing.T) {
	l := &leakyServer{leaked: make([][]byte, 0, 8)}
	srv := httptest.NewServer(l)
	defer srv.Close()
	d := runGC(t, &view{watch: 200 * time.Millisecond}, srv.URL+"/debug/pprof")
	if d.Grown == nil || len(d.Grown.Places) == 0 {
		t.Fatalf("%+v", d)
	}
	top := d.Grown.Places[0]
	if want := int64(len(l.leaked) << 20); top.After-top.Before != want || want == 0 {
		t.Errorf("%d bytes more, the server keeps %d", top.After-top.Before, want)
	}
	if !strings.HasSuffix(top.Function, "(*leakyServer).leak") || filepath.Base(top.File) != "heaps_test.go" || top.Owner == nil || top.Owner.Function != top.Function {
		t.Errorf("%+v", top)
	}
	c := d.Conclusions[len(d.Conclusions)-1]
	if c.Kind != analyze.GrownHeap || !strings.Contains(c.Text, "leak (") || !strings.Contains(c.Text, "heaps_test.go:55)") {
		t.Errorf("%+v", d.Conclusions)
	}
	runtime.KeepAlive(l)
}

// profileOf returns a heap profile, one sample for each 512 KiB.
func profileOf(t *testing.T, inUse map[string]int64) []byte {
	t.Helper()
	b := callstack.NewBuilder(callstack.ValueType{Type: "inuse_space", Unit: "bytes"})
	main := callstack.Frame{Function: "main.main", File: "/src/main.go", Line: 9}
	for function, bytes := range inUse {
		stack := []callstack.Frame{{Function: function, File: "/src/" + function + ".go", Line: 5}}
		if strings.HasPrefix(function, "bytes.") {
			stack = append(stack, callstack.Frame{Function: "main.fill", File: "/src/fill.go", Line: 7})
		}
		b.AddFrames(append(stack, main), nil, bytes)
	}
	p := b.Frames().Profile
	p.PeriodType, p.Period = callstack.ValueType{Type: "space", Unit: "bytes"}, 512<<10
	var out bytes.Buffer
	if err := profile.Write(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const gcLog = "gc 1 @0.004s 2%: 0.037+0.29+0.068 ms clock, 0.074+0.069/0.050/0.055+0.13 ms cpu, 3->3->0 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)\n"

// recorded returns a recording of a program's log and heap profiles, second by second.
func recorded(t *testing.T, heaps ...map[string]int64) string {
	t.Helper()
	w, err := recording.Create(filepath.Join(t.TempDir(), "x.whet"), time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	add := func(a recording.Artifact, data []byte) {
		if err := w.Write(a, data); err != nil {
			t.Fatal(err)
		}
	}
	add(recording.Artifact{Path: "gc/log.txt", Kind: recording.KindGC, StartNs: 1e9, EndNs: 60e9}, []byte(gcLog))
	for i, inUse := range heaps {
		a := recording.Artifact{Path: "profiles/heap" + string(rune('a'+i)) + ".pb.gz", Kind: recording.KindHeap, StartNs: int64(i+2) * 1e9, EndNs: int64(i+2)*1e9 + 1}
		if i < len(heaps)-1 {
			a.Part = recording.PartBefore
		}
		add(a, profileOf(t, inUse))
	}
	path, err := w.Finish(time.Minute, "")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestGrowthInARecording: the first and the last heap profile are compared, the standard
// library's line is named with its caller's, and what a few samples more explain is not
// spoken of. A recording that has one profile says so.
func TestGrowthInARecording(t *testing.T) {
	const mib = 1 << 20
	grown := recorded(t,
		map[string]int64{"bytes.growSlice": 10 * mib, "main.cache": 5 * mib},
		map[string]int64{"bytes.growSlice": 90 * mib, "main.cache": 1 * mib},
		map[string]int64{"bytes.growSlice": 50 * mib, "main.cache": 4 * mib})
	d := runGC(t, new(view), grown)
	c := d.Conclusions[len(d.Conclusions)-1]
	if c.Kind != analyze.GrownHeap || c.Text != "The live heap grew in 2.00 s: there is 40 MiB more of what bytes.growSlice (/src/bytes.growSlice.go:5), for main.fill (/src/fill.go:7) allocated." {
		t.Errorf("%+v", c)
	}
	if c := d.Conclusions[0]; c.Kind != analyze.Forced || c.Text != "The program, or whet and package testing around each measurement, force 1 of 1 cycle." {
		t.Errorf("%+v", c)
	}
	if g := d.Grown; g.Before != 15*mib || g.After != 54*mib || g.Other != -1*mib || g.Period != 512<<10 {
		t.Errorf("%+v", g)
	}
	// √((10+14 MiB)·0.5 MiB) is 3.46 MiB, thrice that 10.4: 4 MiB more are chance.
	d = runGC(t, new(view), recorded(t, map[string]int64{"main.cache": 10 * mib}, map[string]int64{"main.cache": 14 * mib}))
	if d.Grown == nil || len(d.Grown.Places) != 1 || d.Conclusions[len(d.Conclusions)-1].Kind == analyze.GrownHeap {
		t.Errorf("chance: %+v", d)
	}
	// The same twice is no growth.
	d = runGC(t, new(view), recorded(t, map[string]int64{"main.cache": 99 * mib}, map[string]int64{"main.cache": 99 * mib}))
	if d.Grown == nil || len(d.Grown.Places) != 0 || d.Grown.Other != 0 || d.Conclusions[len(d.Conclusions)-1].Kind == analyze.GrownHeap {
		t.Errorf("the same: %+v", d)
	}
	d = runGC(t, new(view), recorded(t, map[string]int64{"main.cache": 99 * mib}))
	if d.Grown != nil || !strings.Contains(strings.Join(d.Warnings, "\n"), "does not have two heap profiles") {
		t.Errorf("one: %+v", d)
	}
}

// TestGrowthWithATrend: where the log shows that the heap grows, the line is part of that.
func TestGrowthWithATrend(t *testing.T) {
	g := &gc.Grown{BeforeBytes: 1 << 20, AfterBytes: 41 << 20, ToNs: 9e9, PeriodBytes: 512 << 10,
		Places: []gc.GrownPlace{{Function: "example.com/app/store.(*Store).Put", File: "/src/store.go", Line: 40, AfterBytes: 40 << 20}}}
	growing := func() *gc.Page {
		return &gc.Page{Grown: g, Result: &analyze.Result{Conclusions: []analyze.Conclusion{{Kind: analyze.Growing, Text: "The live heap grows until the end: so much."}}}}
	}
	p := growing()
	conclude(p)
	if c := p.Result.Conclusions; len(c) != 1 || c[0].Text != "The live heap grows until the end: so much. There is 40 MiB more of what store.(*Store).Put (/src/store.go:40) allocated." || len(c[0].Evidence) != 1 {
		t.Errorf("%+v", c)
	}
	g.Places = nil
	p = growing()
	conclude(p)
	if c := p.Result.Conclusions; len(c) != 1 || c[0].Text != "The live heap grows until the end: so much." || !strings.Contains(c[0].Evidence[0], "no line grew by more than sampling explains") {
		t.Errorf("%+v", c)
	}
}
