package goroutines

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/callstack"
	"whet/internal/format/legacy"
	"whet/internal/format/profile"
)

// wide lets every fixture pass.
var wide = callstack.Limits{MaxBytes: 1 << 30, MaxMemory: 2 << 30}

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".txt.gz") {
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

// written returns the samples, one for each goroutine, leaf first, sorted. Frames
// that drop says are left out.
func written(p *callstack.Profile, drop func(name string) bool, labels bool) []string {
	var out []string
	for c := p.Cursor(0); c.Next(); {
		var line strings.Builder
		if labels {
			labels := p.Labels(c.LabelSet())
			slices.SortFunc(labels, func(a, b callstack.Label) int { return strings.Compare(a.Key, b.Key) })
			for _, l := range labels {
				fmt.Fprintf(&line, "%s=%s", l.Key, l.Str)
				if l.Str == "" {
					fmt.Fprintf(&line, "%d%s", l.Num, l.Unit)
				}
				line.WriteString("; ")
			}
		}
		for _, id := range slices.Backward(c.Path) {
			lines := p.Lines(id)
			if len(lines) == 0 && !drop("") {
				fmt.Fprintf(&line, "\n\t%#x", p.Locations[id].Address)
			}
			for i, l := range lines {
				if f := p.Functions[l.Function]; !drop(f.Name) {
					fmt.Fprintf(&line, "\n\t%s %s:%d", shape.ReplaceAllString(f.Name, "[...]"), f.File, l.Line)
					if i < len(lines)-1 && !drop(p.Functions[lines[i+1].Function].Name) {
						line.WriteString(" inlined")
					}
				}
			}
		}
		for range c.Value(0) {
			out = append(out, line.String())
		}
	}
	slices.Sort(out)
	return out
}

// shape is what a dump prints as [...].
var shape = regexp.MustCompile(`\[go\.shape\..*\]`)

func all(string) bool { return false }

// hidden are the frames that the runtime leaves out of a dump: its own, and
// those that the compiler makes for go statements; and the addresses that
// debug=1 does not name.
func hidden(name string) bool {
	return name == "" || strings.HasPrefix(name, "runtime.") || strings.Contains(name, ".gowrap")
}

// writer is the goroutine that wrote the dumps: it was at another line each
// time.
func writer(sample string) bool { return strings.Contains(sample, "runtime/pprof.(*Profile).WriteTo") }

// TestThreeForms compares a dump with the profiles that the same program wrote
// in the same moment with debug=0 and debug=1: as many goroutines, with the
// same names, files, lines, and the same frames inlined.
func TestThreeForms(t *testing.T) {
	read := func(name string) *callstack.Profile {
		t.Helper()
		data := load(t, name)
		var p *callstack.Profile
		var err error
		switch {
		case strings.HasSuffix(name, ".pb.gz"):
			p, err = profile.Read(bytes.NewReader(data), int64(len(data)), profile.DefaultLimits())
		case strings.Contains(name, "debug1"):
			p, err = legacy.Read(data, wide)
		default:
			p, err = Read(data, wide)
		}
		if err != nil {
			t.Fatal(name, err)
		}
		return p
	}
	for _, name := range []string{"goroutine_1k", "states"} {
		t.Run(name, func(t *testing.T) {
			text, binary, beside := "testdata/"+name+".debug2.txt", name+".pb.gz", "../../legacy/testdata/text/"
			if name == "goroutine_1k" {
				text += ".gz"
				binary = beside + binary
			}
			dump, pb := read(strings.TrimPrefix(text, "testdata/")), read(binary)
			if dump.Types[0] != pb.Types[0] || dump.PeriodType != pb.PeriodType || dump.Period != pb.Period {
				t.Errorf("%v each %d %v, want %v each %d %v", dump.Types, dump.Period, dump.PeriodType, pb.Types, pb.Period, pb.PeriodType)
			}
			if dump.Total(0) != pb.Total(0) {
				t.Errorf("%d goroutines, want %d", dump.Total(0), pb.Total(0))
			}
			skip := func(s string) bool { return writer(s) || strings.Contains(s, "main.deep dump/") }
			want, got := slices.DeleteFunc(written(pb, hidden, false), skip), slices.DeleteFunc(written(dump, hidden, false), skip)
			if d := cmp.Diff(want, got); d != "" || len(got) < 8 {
				t.Errorf("%d goroutines; -debug=0 +debug=2:\n%.3000s", len(got), d)
			}
			if name != "goroutine_1k" {
				return
			}
			one := read(beside + name + ".debug1.txt.gz")
			if one.Total(0) != dump.Total(0) || one.Types[0] != dump.Types[0] {
				t.Errorf("debug=1 has %d %v, debug=2 %d %v", one.Total(0), one.Types, dump.Total(0), dump.Types)
			}
			if d := cmp.Diff(slices.DeleteFunc(written(one, hidden, false), skip), got); d != "" {
				t.Errorf("-debug=1 +debug=2:\n%.3000s", d)
			}
		})
	}
}

// TestStates reads what a header says.
func TestStates(t *testing.T) {
	p, err := Read(load(t, "states.debug2.txt"), wide)
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for _, s := range written(p, func(string) bool { return true }, true) {
		count[s]++
	}
	want := map[string]int{
		"state=running; ": 1,
		"created_by=main.main; state=chan receive; ":                          5,
		"created_by=main.main; state=sync.Mutex.Lock; ":                       1,
		"created_by=main.main; locked=to thread; state=select (no cases); ":   1,
		"created_by=main.main; state=chan receive; tier=2; user=a \"b\", c; ": 1,
		"created_by=main.main; state=chan receive (nil chan); ":               1,
	}
	if d := cmp.Diff(want, count); d != "" {
		t.Error(d)
	}
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "1 goroutine's stack, which is too deep") {
		t.Errorf("warnings %q", p.Warnings)
	}
	deep := slices.IndexFunc(written(p, all, false), func(s string) bool { return strings.Contains(s, "main.deep dump/") })
	if s := written(p, all, false)[deep]; strings.Count(s, "main.deep ") != 100 || strings.Count(s, elided) != 1 {
		t.Errorf("%d frames and %d marks, want 50 at each end and 1 between them", strings.Count(s, "main.deep "), strings.Count(s, elided))
	}
}

// TestHeaders reads headers that other programs print.
func TestHeaders(t *testing.T) {
	for line, want := range map[string]string{
		"goroutine 7 [IO wait, 12 minutes]:":                                        "state=IO wait; wait=12minutes; ",
		"goroutine 7 [syscall, 2 minutes, locked to thread]:":                       "locked=to thread; state=syscall; wait=2minutes; ",
		"goroutine 7 [chan receive (durable), 1 minutes, synctest bubble 3]:":       "bubble=3; state=chan receive (durable); wait=1minutes; ",
		"goroutine 7 gp=0xc000 m=3 mp=0xc001 [running, locked to thread]:":          "locked=to thread; state=running; ",
		"goroutine 7 [runnable (scan)]:":                                            "state=runnable; ",
		"goroutine 7 [chan send (leaked)]:":                                         "state=chan send (leaked); ",
		"goroutine 7 [select labels:{\"a\": \"x, y\", \"b\": \"\\u2028\"}]:":        "a=x, y; b=\u2028; state=select; ",
		"goroutine 7 [GC worker (idle), 3 minutes, a thing of some later version]:": "state=GC worker (idle); wait=3minutes; ",
	} {
		p, err := Read([]byte(line+"\nmain.f()\n\t/x.go:1 +0x1\n"), wide)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := written(p, func(string) bool { return true }, true); !slices.Equal(got, []string{want}) || len(p.Warnings) > 0 {
			t.Errorf("%s: %q, want %q; warnings %q", line, got, want, p.Warnings)
		}
	}
}

// TestCrashes reads what surrounds goroutines in the output of programs that
// end.
func TestCrashes(t *testing.T) {
	p, err := Read(load(t, "panic.txt"), wide)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"state=running; \n\tmain.main dump/main.go:56"}, written(p, all, true)); d != "" || len(p.Warnings) > 0 {
		t.Error(d, p.Warnings)
	}
	if p, err = Read(load(t, "crash.txt"), wide); err != nil {
		t.Fatal(err)
	}
	samples := strings.Join(written(p, all, true), "\n")
	for _, s := range []string{"\n\truntime.gopanic runtime/panic.go:879\n\truntime.mapassign_faststr internal/", "created_by=runtime.gcenable; state=GC sweep wait; ", "runtime.goparkunlock runtime/proc.go:468 inlined\n\truntime.bgsweep"} {
		if !strings.Contains(samples, s) {
			t.Errorf("no %q in\n%.2000s", s, samples)
		}
	}
	if p.Total(0) != int64(bytes.Count(load(t, "crash.txt"), []byte("\ngoroutine "))) {
		t.Errorf("%d goroutines", p.Total(0))
	}
}

// TestOdd reads stacks that are not whole, and lines of other kinds.
func TestOdd(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
		warning    string
	}{
		{"another thread's", "goroutine 5 [running]:\n\tgoroutine running on other thread; stack unavailable\ncreated by main.f in goroutine 1\n\t/x.go:3 +0x1\n",
			[]string{"created_by=main.f; state=running; \n\t[stack unavailable] :0"}, ""},
		{"nothing below", "goroutine 5 [running]:\n", []string{"state=running; \n\t[stack unavailable] :0"}, ""},
		{"C", "goroutine 5 [syscall]:\nnon-Go function at pc=0x7f10\nmain._Cfunc_f()\n\t_cgo_gotypes.go:9 +0x1\n",
			[]string{"state=syscall; \n\t0x7f10\n\tmain._Cfunc_f _cgo_gotypes.go:9"}, ""},
		{"a thread's own stack", "goroutine 0 [idle]:\nruntime.futex()\n\t/f.s:1 +0x1\n\ngoroutine 1 [select]:\nmain.f(0x1, ...)\n\t/x.go:3 +0x1\n",
			[]string{"state=select; \n\tmain.f /x.go:3"}, ""},
		{"ancestors", "goroutine 5 [select]:\nmain.f()\n\t/x.go:3 +0x1\ncreated by main.g\n\t/x.go:4 +0x1\n[originating from goroutine 1]:\nmain.main(...)\n\t/x.go:9 +0x1\n",
			[]string{"created_by=main.g; state=select; \n\tmain.f /x.go:3"}, ""},
		{"Windows", "goroutine 5 [select]:\r\nmain.f()\r\n\tC:/a b/x.go:3 +0x1\r\n", []string{"state=select; \n\tmain.f C:/a b/x.go:3"}, ""},
		{"inlined", "goroutine 5 [select]:\nmain.f(...)\n\t/x.go:3\nmain.g(...)\n\t/x.go:4\nmain.h(0x1)\n\t/x.go:5 +0x1\n",
			[]string{"state=select; \n\tmain.f /x.go:3 inlined\n\tmain.g /x.go:4 inlined\n\tmain.h /x.go:5"}, ""},
		{"a line among them", "goroutine 5 [select]:\nmain.f()\nhello\n\t/x.go:3 +0x1\n", []string{"state=select; \n\tmain.f /x.go:3"}, "line 3 of the dump"},
		{"no place", "goroutine 5 [select]:\nmain.f()\nmain.g()\n\t/x.go:3 +0x1\nmain.h()\n", []string{"state=select; \n\tmain.f :0\n\tmain.g /x.go:3\n\tmain.h :0"}, "2 lines of the dump"},
		{"no line", "goroutine 5 [select]:\nmain.f()\n\t/x.go +0x1\n", []string{"state=select; \n\tmain.f :0"}, "line 3 of the dump"},
		{"cut in a name", "goroutine 5 [select]:\nmain.f()\n\t/x.go:3 +0x1\nmain.lon", []string{"state=select; \n\tmain.f /x.go:3\n\t[frames cut off] :0"}, "cut off"},
		{"cut in a place", "goroutine 5 [select]:\nmain.f()\n\t/x.go:1", []string{"state=select; \n\tmain.f :0\n\t[frames cut off] :0"}, "cut off"},
		{"cut in a header", "goroutine 5 [select]:\nmain.f()\n\t/x.go:1 +0x1\n\ngoroutine 6 [sel", []string{"state=select; \n\tmain.f /x.go:1"}, "cut off"},
		{"a damaged header", "goroutine 5 [select]:\nmain.f()\n\t/x.go:1 +0x1\n\ngoroutine 6 [sel\nmain.g()\n\t/x.go:2 +0x1\n", []string{"state=select; \n\tmain.f /x.go:1"}, "line 5 of the dump"},
		{"twice without a blank line", "goroutine 5 [select]:\nmain.f()\n\t/x.go:1 +0x1\ngoroutine 6 [select]:\nmain.f()\n\t/x.go:1 +0x1\n",
			[]string{"state=select; \n\tmain.f /x.go:1", "state=select; \n\tmain.f /x.go:1"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := Read([]byte(test.text), wide)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, written(p, all, true)); d != "" {
				t.Error(d)
			}
			if said := strings.Join(p.Warnings, "; "); test.warning == "" && said != "" || !strings.Contains(said, test.warning) {
				t.Errorf("warnings %q, want %q", said, test.warning)
			}
		})
	}
}

// TestCutAnywhere reads beginnings of a dump: the goroutines before the cut
// are those of the whole, and a cut within a line is reported.
func TestCutAnywhere(t *testing.T) {
	data := load(t, "states.debug2.txt")
	for n := 30; n < len(data); n += 17 {
		part := data[:n]
		p, err := Read(part, wide)
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		headers := bytes.Count(part, []byte("]:\n"))
		if p.Total(0) != int64(headers) {
			t.Fatalf("%d bytes: %d goroutines, want %d", n, p.Total(0), headers)
		}
		if said := strings.Contains(strings.Join(p.Warnings, "; "), "cut off"); said == bytes.HasSuffix(part, []byte("\n")) && !bytes.HasSuffix(part, []byte("\n\n")) {
			t.Fatalf("%d bytes, ending %q: warnings %q", n, part[n-20:], p.Warnings)
		}
	}
}

// TestBuffer says that a dump as large as runtime/pprof's buffer was cut, even
// where it ends with a line.
func TestBuffer(t *testing.T) {
	data := []byte("goroutine 5 [select]:\nmain.f()\n\t/x.go:1 +0x1\n\ngoroutine 6 [select]:\nmain.f()\n\t/x.go:1 +0x1\n")
	p, err := read(data, wide, len(data))
	if err != nil {
		t.Fatal(err)
	}
	if p.Total(0) != 2 || !strings.Contains(strings.Join(p.Warnings, ""), "64 MiB") || !strings.Contains(strings.Join(written(p, all, false), ""), cutOff) {
		t.Error(p.Total(0), p.Warnings)
	}
	if bufferSize != 67108864 { // runtime/pprof's writeGoroutineStacks
		t.Errorf("the buffer has %d bytes", bufferSize)
	}
}

func TestRefused(t *testing.T) {
	for _, text := range []string{"", "hello\n", "goroutine profile: total 3\n"} {
		if _, err := Read([]byte(text), wide); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v", text, err)
		}
	}
	three := []byte("goroutine 5 [select]:\nmain.f()\n\t/x.go:1 +0x1\nmain.g()\n\t/x.go:2 +0x1\nmain.h()\n\t/x.go:3 +0x1\n")
	if _, err := Read(three, callstack.Limits{MaxBytes: 1 << 20, MaxMemory: 700}); err == nil {
		t.Error("three functions in 700 bytes of memory: no error")
	}
	if _, err := Read(three, callstack.Limits{MaxBytes: 20, MaxMemory: 1 << 20}); err == nil {
		t.Error("more bytes than are allowed: no error")
	}
}

func TestIs(t *testing.T) {
	for head, want := range map[string]bool{
		"goroutine 1 [running]:\nmain.main()\n":                        true,
		"goroutine 1 [running]:":                                       true,
		"panic: x\n\ngoroutine 1 [running]:\nmain.main()\n":            true,
		"SIGQUIT: quit\nPC=0x1 m=0 sigcode=0\n\ngoroutine 0 [idle]:\n": true,
		"goroutine 1 [runn":                                            false,
		"goroutine profile: total 3\n1 @ 0x1\n":                        false,
		"main;f 12\n":                                                  false, "": false, "goroutines are cheap\n": false,
	} {
		if Is([]byte(head)) != want {
			t.Errorf("Is(%q) = %v", head, !want)
		}
	}
}

// FuzzRead holds Read to these promises: one goroutine for each header; no
// line of a goroutine is passed over unsaid; and the model survives pprof's
// format.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"panic.txt", "crash.txt"} {
		f.Add(load(f, name))
	}
	f.Add([]byte("goroutine 5 [select, 3 minutes, locked to thread]:\nmain.f(...)\n\t/x.go:3\nmain.g()\n\t/x.go:4 +0x1\n...5 frames elided...\ncreated by main.h in goroutine 1\n\t/x.go:9 +0x1\n\ngoroutine 6 [select labels:{\"a\": \"b\"}]:\nnon-Go function at pc=0x10\nmain.f()\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(data, callstack.Limits{MaxBytes: 1 << 20, MaxMemory: 1 << 24})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		var want int64
		for line := range bytes.Lines(data) {
			if h, ok := parseHeader(string(bytes.TrimRight(line, "\r\n"))); ok && h.id != "0" {
				want++
			}
		}
		if p.Total(0) != want {
			t.Errorf("%d goroutines, %d headers", p.Total(0), want)
		}
		var out bytes.Buffer
		if err := profile.Write(&out, p); err != nil {
			t.Fatal(err)
		}
		again, err := profile.Read(bytes.NewReader(out.Bytes()), int64(out.Len()), profile.DefaultLimits())
		if err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
		if d := cmp.Diff(written(p, all, true), written(again, all, true)); d != "" {
			t.Errorf("-read +read again:\n%s", d)
		}
	})
}
