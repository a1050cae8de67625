package legacy

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
)

// wide lets every fixture pass.
var wide = callstack.Limits{MaxBytes: 1 << 30, MaxMemory: 2 << 30}

// plain is a profile written out, so that both implementations compare.
type plain struct {
	Types, Mappings []string
	Period          string
	Duration        int64
	Drop, Keep      string
	Samples         []string
}

func theirs(g *google.Profile) plain {
	out := plain{Duration: g.DurationNanos, Drop: g.DropFrames, Keep: g.KeepFrames}
	for _, t := range g.SampleType {
		out.Types = append(out.Types, t.Type+"/"+t.Unit)
	}
	out.Period = fmt.Sprint(g.Period, g.PeriodType.Type, "/", g.PeriodType.Unit)
	for _, m := range g.Mapping {
		out.Mappings = append(out.Mappings, fmt.Sprintf("%#x-%#x@%#x %s %s", m.Start, m.Limit, m.Offset, m.File, m.BuildID))
	}
	for _, s := range g.Sample {
		line := fmt.Sprint(s.Value)
		for _, l := range s.Location {
			m := callstack.NoMapping
			if l.Mapping != nil {
				m = callstack.MappingID(l.Mapping.ID - 1)
			}
			line += fmt.Sprintf(" %#x in %d", l.Address, m)
		}
		if b, ok := s.NumLabel["bytes"]; ok {
			line += fmt.Sprint(" bytes ", b)
		}
		out.Samples = append(out.Samples, line)
	}
	return out
}

func ours(p *callstack.Profile) plain {
	out := plain{Duration: p.Duration, Drop: p.DropFrames, Keep: p.KeepFrames}
	for _, t := range p.Types {
		out.Types = append(out.Types, t.String())
	}
	out.Period = fmt.Sprint(p.Period, p.PeriodType.Type, "/", p.PeriodType.Unit)
	for _, m := range p.Mappings {
		out.Mappings = append(out.Mappings, fmt.Sprintf("%#x-%#x@%#x %s %s", m.Start, m.Limit, m.Offset, m.File, m.BuildID))
	}
	columns := make([]int, len(p.Types))
	for i := range columns {
		columns[i] = i
	}
	each(p, func(path []callstack.LocationID, labels []callstack.Label, values []int64) {
		line := fmt.Sprint(values)
		for _, id := range slices.Backward(path) {
			line += fmt.Sprintf(" %#x in %d", p.Locations[id].Address, p.Locations[id].Mapping)
		}
		for _, l := range labels {
			if l.Key == "bytes" && l.Str == "" {
				line += fmt.Sprint(" bytes ", []int64{l.Num})
			}
		}
		out.Samples = append(out.Samples, line)
	})
	return out
}

// each goes through all samples, of which a cursor leaves out those that are
// zero.
func each(p *callstack.Profile, f func(path []callstack.LocationID, labels []callstack.Label, values []int64)) {
	values := make([][]int64, len(p.Types))
	for t := range p.Types {
		values[t] = make([]int64, p.Len())
		for c := p.Cursor(t); c.Next(); {
			values[t][c.Index()] = c.Value(0)
		}
	}
	for c := p.Cursor(); c.Next(); {
		row := make([]int64, len(p.Types))
		for t := range row {
			row[t] = values[t][c.Index()]
		}
		f(c.Path, p.Labels(c.LabelSet()), row)
	}
}

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// withoutNames takes the comments out of which Read has names, so that it
// cannot make one location of inlined frames: pprof passes over them.
func withoutNames(data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("#\t0x")) {
			out = append(out, line...)
		}
	}
	return out
}

// compare holds data against pprof's own reading.
func compare(t *testing.T, data []byte) *callstack.Profile {
	t.Helper()
	g, err := google.ParseData(data)
	if err != nil {
		t.Fatalf("google/pprof: %v", err)
	}
	p, err := Read(data, wide)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(theirs(g), ours(p)); d != "" {
		t.Fatalf("-google/pprof +whet:\n%.3000s", d)
	}
	return p
}

// TestFixturesAsPprof compares profiles of programs of 2011 to 2017, and the
// texts of a program of today, with pprof's reading.
func TestFixturesAsPprof(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	names, err := filepath.Glob("testdata/*.*prof*")
	if err != nil || len(names) < 9 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data := load(t, filepath.Base(name))
			if !Is(data[:min(512, len(data))]) {
				t.Error("Is does not know it")
			}
			p := compare(t, data)
			warnings := strings.Join(p.Warnings, "; ")
			if p.Len() == 0 || !strings.Contains(warnings, "addresses only") || strings.Contains(warnings, "end mark") != strings.HasSuffix(name, ".prof") {
				t.Errorf("%d samples, warnings: %s", p.Len(), warnings)
			}
		})
	}
	for _, kind := range []string{"heap", "mutex", "block", "threadcreate", "goroutine_1k"} {
		t.Run(kind, func(t *testing.T) {
			name := "text/" + kind + ".debug1.txt"
			if kind == "goroutine_1k" {
				name += ".gz"
			}
			data := load(t, name)
			if !Is(data[:min(512, len(data))]) {
				t.Error("Is does not know it")
			}
			compare(t, withoutNames(data))
		})
	}
}

// TestForms compares forms of the formats of which no fixture is at hand.
func TestForms(t *testing.T) {
	for name, text := range map[string]string{
		"gperftools heap": "heap profile:   1:  100 [ 3:  900] @ heap_v2/524288\n" +
			"  1: 100 [ 2: 200] @ 0x401000 0x402000\n  0: 0 [ 1: 700] @ 0x403000\n\n" +
			"MAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 08:01 1234  /bin/prog\n" +
			"00600000-00700000 rw-p 00000000 08:01 1234  /bin/prog\n" +
			"7f0000000000-7f0000100000 r-xp 00001000 08:01 5  /lib/libc-2.31.so\n",
		"unscaled": "heap profile: 2: 6 [0: 0] @ heapprofile\n2: 6 [0: 0] @ 0x1 0x2\n",
		"rate 1":   "heap profile: 2: 6 [0: 0] @ heap_v2/1\n2: 6 [0: 0] @ 0x1 0x2\n",
		"no rate":  "heap profile: 2: 6 [4: 8] @ heapz_v2\n2: 6 [4: 8] @ 0x1 0x2\n",
		"growth":   "heap profile: 2: 6 [2: 6] @ growthz\n2: 6 [2: 6] @ 0x1 0x2\n",
		"fragmentation": "heap profile: 2: 6 [2: 6] @ fragmentationz\n2: 6 [2: 6] @ 0x1 0x2\n--- Memory map: ---\n" +
			"build=/home/x\n  40000-80000: $build/prog (@400) abc123\n",
		"negative": "heap profile: 1: 1 [0: 0] @ heap/2048\n-1: -100 [0: 0] @ 0x10\n",
		"contentionz": "--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\nms since reset = 16502830\n" +
			"discarded samples = 0\n  19490304       27 @ 0x1000 0x2000\n    768   1 @ 0x3000\n--- Memory map: ---\n" +
			"  00001000-0000a000: /bin/p (deleted)\n",
		"contention without a clock": "--- contention:\n10 2 @ 0x1 0x2\n",
		"nothing discarded":          "--- mutex:\ncycles/second=1000000000\nsampling period=0\n\n# a comment\n10 2 @ 0x1 0x2\n",
		"own count":                  "my/things profile: total 3\n2 @ 0x10 0x20\n1 @ 0x30\n",
		"comments before it":         "# hello\n\ngoroutine profile: total 1\n1 @ 0x10\n--- Memory map: ---\n00000000-00001000 r-xp 00000000 00:00 0 /bin/x\n",
		"carriage returns":           "goroutine profile: total 1\r\n1 @ 0x10\r\n",
		"threadz": "--- threadz 1 ---\n\n--- Thread 7f794ab90940 (name: main/14748) stack: ---\n  PC: 0x00bc8f1c: helper(arg *)\n" +
			"  0x0040be31: main\n  0x7f794a32bf7d: __libc_start_main\n--- Thread 7f794a32b700 (name: thread/14752) stack: ---\n" +
			"  [same as previous thread]\n--- Thread 7f794a32b701 (name: thread/14753) stack: ---\n  0x10 0x0f\n--- Memory map: ---\n" +
			"00400000-00fcb000: /home/prog\n",
		"joined mappings": "goroutine profile: total 1\n1 @ 0x401000 0x5000\n--- Memory map: ---\n" +
			"I0102 10:00:00.000 1 file.cc:12] 7f00-8000 r-xp 00000000 08:01 5 /lib/libx.so.1\n" +
			"0401000-0402000 r-xp 00001000 08:01 12 /bin/p\n0402000-0403000 r-xp 00002000 08:01 12 /bin/p\n",
		"mappings that do not continue": "goroutine profile: total 1\n1 @ 0x402001\n--- Memory map: ---\n" +
			"400000-401000 r-xp 00000000 00:00 0 [vdso]\n0401000-0402000 r-xp 00001000 08:01 12 /bin/p\n0402000-0403000 r-xp 00005000 08:01 12 /bin/p\n",
		"part left out": "goroutine profile: total 1\n1 @ 0x7f0050 0x7f2050 0x9\n--- Memory map: ---\n7f1000-7f3000 r-xp 00001000 08:01 5 /bin/p\n",
		"huge pages":    "goroutine profile: total 1\n1 @ 0x400010\n--- Memory map: ---\n400000-500000 r-xp 00000000 00:01 5 /anon_hugepage\n500000-600000 r-xp 00000000 08:01 5 /lib/y.so\n",
	} {
		t.Run(name, func(t *testing.T) {
			if !Is([]byte(text)[:min(512, len(text))]) {
				t.Error("Is does not know it")
			}
			compare(t, []byte(text))
		})
	}
}
