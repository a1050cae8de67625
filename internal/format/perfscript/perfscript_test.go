package perfscript

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/callstack"
	"whet/internal/format/profile"
)

// wide lets every fixture pass.
var wide = callstack.Limits{MaxBytes: 1 << 30, MaxMemory: 2 << 30}

func read(t testing.TB, name string) *callstack.Profile {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if !Is(data[:min(512, len(data))]) {
		t.Errorf("%s: Is does not know it", name)
	}
	p, err := Read(data, wide)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// flat sums samples and periods by event and leaf, as lines of perf report.
func flat(p *callstack.Profile) []string {
	sums := make(map[string][2]int64)
	for column := range p.Types {
		event, i := strings.TrimSuffix(p.Types[column].Type, "_samples"), column%2
		for c := p.Cursor(column); c.Next(); {
			leaf := c.Path[len(c.Path)-1]
			kind, name := '.', fmt.Sprintf("%#x", p.Locations[leaf].Address)
			if m := p.Locations[leaf].Mapping; m != callstack.NoMapping && strings.HasPrefix(p.Mappings[m].File, "[kernel") {
				kind = 'k'
			}
			if l := p.Lines(leaf); len(l) > 0 {
				name = p.Functions[l[0].Function].Name
			}
			key := fmt.Sprintf("%s: [%c] %s", event, kind, name)
			s := sums[key]
			s[i] += c.Value(0)
			sums[key] = s
		}
	}
	var out []string
	for key, s := range sums {
		out = append(out, fmt.Sprintf("%s %d %d", key, s[0], s[1]))
	}
	slices.Sort(out)
	return out
}

// TestAsReport compares samples and periods by event and symbol with what perf
// report says of the same recording.
func TestAsReport(t *testing.T) {
	data, err := os.ReadFile("testdata/several.report.txt")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`^ +(\d+) +(\d+)  (\[.\] \S+) *$`)
	title := regexp.MustCompile(`^# Samples: (\d+)  of event '(.*)'$`)
	event := ""
	var want []string
	totals := make(map[string]string)
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		if m := title.FindStringSubmatch(line); m != nil {
			event = m[2]
			totals[event] = m[1]
		} else if m := row.FindStringSubmatch(line); m != nil {
			want = append(want, fmt.Sprintf("%s: %s %s %s", event, m[3], m[1], m[2]))
		}
	}
	slices.Sort(want)
	for _, name := range []string{"several.txt", "leaves.txt"} {
		p := read(t, name)
		if d := cmp.Diff(want, flat(p)); d != "" {
			t.Errorf("%s: -perf report +whet:\n%s", name, d)
		}
		if got := p.Types[p.DefaultType].Type; got != "cpu-clock" { // page faults come first
			t.Errorf("%s: the default is %s", name, got)
		}
		if len(p.Types) != 6 || len(p.Warnings) > 0 {
			t.Errorf("%s: columns %v, warnings %q", name, p.Types, p.Warnings)
		}
		for column, typ := range p.Types {
			if event, ok := strings.CutSuffix(typ.Type, "_samples"); ok && fmt.Sprint(p.Total(column)) != totals[event] {
				t.Errorf("%s: %d samples of %s, want %s", name, p.Total(column), event, totals[event])
			}
			if typ.Type == "cpu-clock" && typ.Unit != "nanoseconds" || typ.Type == "page-faults" && typ.Unit != "count" {
				t.Errorf("column %v", typ)
			}
		}
	}
}

// paths returns the samples' frames, root first, by name or address.
func paths(p *callstack.Profile) []string {
	var out []string
	for c := p.Cursor(); c.Next(); {
		var names []string
		for _, id := range c.Path {
			lines := p.Lines(id)
			if len(lines) == 0 {
				names = append(names, fmt.Sprintf("%#x", p.Locations[id].Address))
			}
			for i, l := range slices.Backward(lines) {
				name := p.Functions[l.Function].Name
				if i < len(lines)-1 {
					name += " (inlined)"
				}
				names = append(names, name)
			}
		}
		out = append(out, strings.Join(names, ";"))
	}
	return out
}

// TestFields reads one recording with other choices of fields: the stacks are
// the same.
func TestFields(t *testing.T) {
	want := read(t, "several.txt")
	for _, name := range []string{"ipsym.txt", "commtid.txt", "commevent.txt", "ns.txt"} {
		p := read(t, name)
		if d := cmp.Diff(paths(want), paths(p)); d != "" || len(p.Warnings) > 0 {
			t.Errorf("%s: warnings %q; -several.txt +it:\n%.2000s", name, p.Warnings, d)
		}
		switch name {
		case "ipsym.txt", "commtid.txt":
			if fmt.Sprint(p.Types) != "[samples/count]" || p.Total(0) != int64(want.Len()) {
				t.Errorf("%s: %v, %d", name, p.Types, p.Total(0))
			}
		default:
			if d := cmp.Diff(want.Types, p.Types); d != "" || p.Total(1) != want.Total(1) {
				t.Errorf("%s: %s, %d", name, d, p.Total(1))
			}
		}
	}
	// From the first time to the last, in microseconds and in nanoseconds.
	if d := read(t, "ns.txt").Duration; d/1000 < want.Duration/1000-1 || d/1000 > want.Duration/1000+1 || d == 0 {
		t.Errorf("it took %d ns, or %d", d, want.Duration)
	}
}

// labels returns the labels of all samples, each set once.
func labels(p *callstack.Profile) []string {
	var out []string
	for c := p.Cursor(); c.Next(); {
		line := ""
		for _, l := range p.Labels(c.LabelSet()) {
			line += l.Key + "=" + l.Str
			if l.Str == "" {
				line += strconv.FormatInt(l.Num, 10)
			}
			line += " "
		}
		out = append(out, line)
	}
	return slices.Compact(out)
}

// TestInlined reads the file made by hand.
func TestInlined(t *testing.T) {
	p := read(t, "inlined.txt")
	want := []string{
		"0x0;0x7f1234567891;0x7f1234567890;operator new(unsigned long);loop(unsigned int);twice<int, (kind)1> (inlined);mix (inlined)",
		"loop(unsigned int);twice<int, (kind)1> (inlined);mix (inlined)",
		"entry_SYSCALL_64",
		"swapper [idle]",
	}
	if d := cmp.Diff(want, paths(p)); d != "" || len(p.Warnings) > 0 {
		t.Error(d, p.Warnings)
	}
	if d := cmp.Diff([]string{"comm=Web Content pid=4711 tid=4712 ", "comm=kworker/0:1-eve tid=9 ", "comm=:-1 "}, labels(p)); d != "" {
		t.Error(d)
	}
	if got := fmt.Sprint(p.Types, p.DefaultType, p.Total(0), p.Total(1), p.Duration); got != "[samples/count cycles:u/count] 1 4 500010 2000000000" {
		t.Error(got)
	}
	var files []string
	for _, m := range p.Mappings {
		files = append(files, m.File)
	}
	if d := cmp.Diff([]string{"/tmp/perf-4711.map", "/usr/bin/a program (deleted)", "[kernel.kallsyms]"}, slices.Sorted(slices.Values(files))); d != "" {
		t.Error(d)
	}
}

func TestSourceLines(t *testing.T) {
	p := read(t, "srcline.txt")
	c := p.Cursor()
	if !c.Next() {
		t.Fatal("no samples")
	}
	var got []string
	for _, id := range c.Path {
		for _, l := range p.Lines(id) {
			f := p.Functions[l.Function]
			got = append(got, fmt.Sprintf("%s %s:%d", f.Name, f.File, l.Line))
		}
	}
	if d := cmp.Diff([]string{"__libc_start_call_main libc-start.c:74", "loop c.c:2"}, got); d != "" || len(p.Warnings) > 0 {
		t.Error(d, p.Warnings)
	}
}

func TestTracepoint(t *testing.T) {
	p := read(t, "sched.txt")
	if fmt.Sprint(p.Types) != "[samples/count]" || p.Len() != 7 && p.Total(0) != int64(p.Len()) || !strings.HasSuffix(paths(p)[0], ";schedule;__schedule") {
		t.Error(p.Types, p.Len(), paths(p)[0])
	}
	if d := cmp.Diff("comm=w tid=26000 ", labels(p)[0]); d != "" {
		t.Error(d)
	}
}

func TestOdd(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
		warning    string
	}{
		{"no stacks", "w 12 [001] 1.000001: sched:x: a=1\n\nw 12 [001] 1.000002: sched:x: a=1\n", []string{"", ""}, "no sample has a stack"},
		{"one without", "w 12 1.000001: 7 cycles: \n\nw 12 1.000002: 7 cycles: \n\t1 f (x)\n", []string{"", "f"}, "1 sample has no stack"},
		{"a line of another kind", "w 12 1.000001: 7 cycles: \n\t1 f (x)\nhello\n\t2 g (x)\n", []string{"g;f"}, "line 3 has no known form"},
		{"cut", "w 12 1.000001: 7 cycles: \n\t1 f (x)\n\t2 g (", []string{"g (;f"}, "truncated"},
		{"blanks for tabs", "w 12 1.000001: 7 cycles: \n                1 f (x)\n                2 g (x)\n", []string{"g;f"}, ""},
		{"cut in a header", "w 12 1.000001: 7 cycles: \n\t1 f (x)\n\nw 12", []string{"f"}, "truncated"},
		{"a note between samples", "w 12 1.000001: 7 cycles: \n\t1 f (x)\n\nlost 12\n\nw 12 1.000002: 7 cycles: \n\t1 f (x)\n", []string{"f", "f"}, "line 4 has no known form"},
		{"carriage returns", "w 12 1.000001: 7 cycles: \r\n\t1 f (x)\r\n\r\n", []string{"f"}, ""},
		{"a name in front of the inlined end", "w 12 1.000001: 7 cycles: \n\t1 f (inlined)\n", []string{"f"}, ""},
		{"branches after a leaf", "w 12 1.000001: 7 cycles:  10 f+0x1 (x)  0x1/0x2/P/-/-/0  0x3/0x4/P/-/-/0 \n", []string{"f"}, ""},
		{"instructions", "w 12 1.000001: 7 cycles: \n\t10 f (x)\n\tf:\n\t0000000000000010\tinsn: 48 89\n", []string{"f"}, ""},
		{"no indentation", "w 12 1.000001: 7 cycles: \n401000 f(int, char)+0x1 (/bin/x)\n401100 g (inlined)\n401100 main (/bin/x)\n0 [unknown] ([unknown])\n\nadd 12 1.000002: 7 cycles: \n401000 f+0x1 (/bin/x)\n",
			[]string{"0x0;main;g (inlined);f(int, char)", "f"}, ""},
		{"no indentation, another line", "w 12 1.000001: 7 cycles: \n401000 f+0x1 (/bin/x)\nadd what you like\n", []string{"f"}, "line 3 has no known form"},
		{"a name of hexadecimal digits", "add 12 1.000001: 7 cycles:  401000 f+0x1 (/bin/x)\nadd 12 1.000002: 7 cycles:  401000 f+0x1 (/bin/x)\n", []string{"f", "f"}, ""},
		{"branches", "w 12 [000] 1.000001: 1 branches:u:   tr strt     0 [unknown] ([unknown]) =>   401000 f+0x0 (/bin/x)\n" +
			"w 12 [000] 1.000002: 1 branches:u:   call     401136 operator->(int)+0x10 (/bin/x) =>     401020 g+0x0 (/bin/x)\n" +
			"w 12 [000] 1.000003: 1 branches:u:     401136 f+0x10 (/bin/x)->401020 g+0x0 (/bin/x)\n",
			[]string{"0x0", "operator->(int)", "f"}, "3 samples are branches (A => B)"},
		{"branches without a header", "\t401136 f+0x10 (/bin/x) => 401020 g+0x0 (/bin/x)\n\t401020 g (/bin/x) => 401136 f (/bin/x)\n", []string{"f", "g"}, "2 samples are branches"},
		{"branches below a stack", "w 12 1.000001: 7 cycles: \n\t401000 f (x)\n  401136 f (x) => 401020 g (x)\n\t401020->401136\n", []string{"f"}, "2 lines below stacks are branches"},
		{"branches with names", "w 12 1.000001: 7 cycles: \n\t401000 f (x)\n f+0x1/g+0x2/P/-/-/3 g+0x1/f+0x2/M/-/-/3\n", []string{"f"}, ""},
		{"an arrow in a name", "w 12 1.000001: 7 cycles: \n\t401000 operator->+0x3 (x)\n", []string{"operator->"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := Read([]byte(test.text), wide)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, paths(p)); d != "" {
				t.Error(d)
			}
			if len(p.Types) > 2 {
				t.Errorf("columns %v", p.Types)
			}
			if said := strings.Join(p.Warnings, "; "); test.warning == "" && said != "" || !strings.Contains(said, test.warning) {
				t.Errorf("warnings %q, want %q", said, test.warning)
			}
		})
	}
}

// TestColumns names the columns of one event, of several, and without periods.
func TestColumns(t *testing.T) {
	const task, cycles = "w 12 1.000001: 7 task-clock:u: \n\t1 f (x)\n\n", "w 12 1.000001: 7 cycles: \n\t1 f (x)\n\n"
	for text, want := range map[string]string{
		task:                                 "[samples/count task-clock:u/nanoseconds] 1",
		cycles + task:                        "[cycles_samples/count cycles/count task-clock:u_samples/count task-clock:u/nanoseconds] 1",
		strings.ReplaceAll(cycles, "7 ", ""): "[samples/count] 0",
		strings.ReplaceAll(cycles+task, "7 ", ""): "[cycles_samples/count task-clock:u_samples/count] 0",
	} {
		p, err := Read([]byte(text), wide)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(p.Types, " ", p.DefaultType); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	sample := "w 12 1.000001: 9223372036854775807 cycles: \n\t1 f (x)\n\n"
	var many strings.Builder
	for i := range maxEvents + 1 {
		fmt.Fprintf(&many, "w 1 1.000001: event%d: \n\n", i)
	}
	for text, want := range map[string]string{
		"":                      "no samples",
		"# a comment\n\nx\ny\n": "no samples",
		sample + sample:         "line 6: the sum of its sample periods overflows an int64",
		many.String():           "more than 32 events",
		"w 1 1.000001: a: \n\t1 f\n\t2 g\n\t3 h\n": "need more memory",
	} {
		_, err := Read([]byte(text), callstack.Limits{MaxBytes: 1 << 20, MaxMemory: 700})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if _, err := Read([]byte(sample), callstack.Limits{MaxBytes: 9, MaxMemory: 1 << 20}); err == nil {
		t.Error("more bytes than are allowed: no error")
	}
}

func TestIs(t *testing.T) {
	for head, want := range map[string]bool{
		"w 1 1.000001: 12 cycles: \n\t1 f (x)\n":                        true,
		"w 1 1.000001: 12 cycles: ":                                     true,
		"w 1 1.000001: 12 cycles:   10 f (x)\n":                         true,
		"w 1 \n\t10 f+0x1\n":                                            true,
		"\t10 f\n":                                                      true,
		"# x\n#\nw 1/2 [000] 1.000001: cycles: ":                        true,
		"w 1 1.000001: 12 cycles: \n401000 f+0x1 (/bin/x)\n":            true,
		"w 1 1.000001: 1 branches:   401000 f (x) =>   402000 g (x)\n":  true,
		"w 1 \nadd f (x)\n":                                             false,
		"w 1 \nhello\n":                                                 false,
		"main;f 12\nmain;g 3\n":                                         false,
		"goroutine 1 [running]:\nmain.f()\n\t/x.go:1 +0x1\n":            false,
		"goroutine profile: total 3\n1 @ 0x1 0x2\n#\t0x1\tmain.f+0x1\n": false,
		"heap profile: 1: 2 [3: 4] @ heap/1\n1: 2 [3: 4] @ 0x1\n":       false,
		"--- mutex:\ncycles/second=1\n":                                 false,
		"":                                                              false,
		"\x1f\x8b\x08":                                                  false,
	} {
		if Is([]byte(head)) != want {
			t.Errorf("Is(%q) = %v", head, !want)
		}
	}
}

// FuzzRead holds Read to these promises: every column's sum is at least zero;
// there are as many samples as the columns that count them say; and the model
// survives pprof's format.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"inlined.txt", "srcline.txt", "sched.txt", "leaves.txt"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 2000)])
	}
	f.Add([]byte("w 12 1.000001: 7 cycles:u: \n401000 f (x)\n401100 f (x) => 401000 g (x)\n\nw 12 1.000002: 1 branches:   call 401000 f =>   402000 g (x)\n"))
	f.Add([]byte("w 12 1.000001: 7 cycles:u: \n\t1 f (inlined)\n\t1 g+0x1 (x)\n\nw 12 1.5: faults: \n\t10 f\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := callstack.Limits{MaxBytes: 1 << 20, MaxMemory: 1 << 24}
		e, _ := scanEvents(data)
		p, err := Read(data, limits)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		var samples int64
		for column := range p.Types {
			sum := p.Total(column)
			if sum < 0 {
				t.Errorf("%v sums to %d", p.Types[column], sum)
			}
			if !e.periods || column%2 == 0 {
				samples += sum
			}
		}
		if samples != int64(p.Len()) {
			t.Errorf("%d samples, counted %d", p.Len(), samples)
		}
		var out bytes.Buffer
		if err := profile.Write(&out, p); err != nil {
			t.Fatal(err)
		}
		again, err := profile.Read(bytes.NewReader(out.Bytes()), int64(out.Len()), profile.DefaultLimits())
		if err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
		if d := cmp.Diff([][]string{paths(p), flatAll(p)}, [][]string{paths(again), flatAll(again)}); d != "" {
			t.Errorf("-read +read again:\n%s", d)
		}
	})
}

// flatAll returns the columns' values.
func flatAll(p *callstack.Profile) []string {
	var out []string
	for column, t := range p.Types {
		for c := p.Cursor(column); c.Next(); {
			out = append(out, fmt.Sprintf("%v %d: %d %v", t, c.Index(), c.Value(0), len(c.Path)))
		}
	}
	return out
}
