package folded

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whet/internal/callstack"
)

// wide lets every fixture pass.
var wide = callstack.Limits{MaxBytes: 1 << 30, MaxMemory: 2 << 30}

// written returns the samples of p, root first, with all that a folded stack can
// say of them.
func written(p *callstack.Profile) []string {
	values := make([][]int64, len(p.Types))
	for t := range p.Types {
		values[t] = make([]int64, p.Len())
		for c := p.Cursor(t); c.Next(); {
			values[t][c.Index()] = c.Value(0)
		}
	}
	var out []string
	for c := p.Cursor(); c.Next(); {
		var line strings.Builder
		for _, id := range c.Path {
			lines := p.Lines(id)
			for i, l := range slices.Backward(lines) {
				fmt.Fprintf(&line, "%q", p.Functions[l.Function].Name)
				if i < len(lines)-1 {
					line.WriteString(" inlined")
				}
				line.WriteString("; ")
			}
			if m := p.Locations[id].Mapping; m != callstack.NoMapping {
				line.WriteString("in " + p.Mappings[m].File + "; ")
			}
		}
		for t := range p.Types {
			fmt.Fprintf(&line, " %d", values[t][c.Index()])
		}
		out = append(out, line.String())
	}
	return out
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
		warning    string
	}{
		{"plain", "main;f;g 12\nmain 3\n", []string{`"main"; "f"; "g";  12`, `"main";  3`}, ""},
		{"no newline, blanks, returns", "\n  main;f 12\r\n\nmain 3", []string{`"main"; "f";  12`, `"main";  3`}, ""},
		{"blanks in names", "java;void foo(int, char *) const;[lib with blank.so] 7\n", []string{`"java"; "void foo(int, char *) const"; "[lib with blank.so]";  7`}, ""},
		{"marks", "main;read_[k];x_[j] 1\n", []string{`"main"; "read"; in [kernel.kallsyms]; "x"; in [jit];  1`}, ""},
		{"inlined", "main;f;g_[i];h_[i];k 1\n", []string{`"main"; "f"; "g" inlined; "h" inlined; "k";  1`}, ""},
		{"inlined in the kernel", "f_[k];g_[i] 1\n", []string{`"f"; "g" inlined; in [kernel.kallsyms];  1`}, ""},
		{"inlined into nothing", "f_[i];g 1\n", []string{`"f"; "g";  1`}, ""},
		{"a mark alone", "_[k];g_[x] 1\n", []string{`"<unknown>"; in [kernel.kallsyms]; "g_[x]";  1`}, ""},
		{"two marks", "f_[k]_[i];g _[j]_[i];h_[i]_[k] 1\n", []string{`"f"; "g" inlined; "h"; in [kernel.kallsyms];  1`}, ""},
		{"blanks around names", "a ; b;c ;  1\n", []string{`"a"; "b"; "c";  1`}, ""},
		{"waker stacks", "a;b;--;c;d 5\n", []string{`"a"; "b"; "--"; "c"; "d";  5`}, ""},
		{"empty frames", "a;;b 5\n", []string{`"a"; "<unknown>"; "b";  5`}, ""},
		{"differential", "main;f 5 7\nmain;g 0 3\n", []string{`"main"; "f";  5 7`, `"main"; "g";  0 3`}, ""},
		{"a number in one name", "main;f 5 7\nmain;g 3\n", []string{`"main"; "f 5";  7`, `"main"; "g";  3`}, ""},
		{"no stack", "12\nmain 3\n", []string{`"main";  3`}, "line 1 is not a folded stack"},
		{"no count", "a;b\nc;d x\nmain 3\n", []string{`"main";  3`}, "2 lines are not folded stacks and were left out, the first of them line 1"},
		{"decimals", "a 0.4\nb 0.4\nc 0.4\nd 0.4\ne 2.9\n", []string{`"a";  0`, `"b";  1`, `"c";  0`, `"d";  1`, `"e";  3`}, "rounded"},
		{"decimals that are none", "a 4.0\nb 5.\n", []string{`"a";  4`, `"b";  5`}, ""},
		{"negative", "a -4\nb 5\n", []string{`"a";  -4`, `"b";  5`}, "1 sample has a negative value"},
		{"all digits", "1;2 3\n", []string{`"1"; "2";  3`}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := Read([]byte(test.text), wide)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, written(p)); d != "" {
				t.Error(d)
			}
			if said := strings.Join(p.Warnings, "; "); test.warning == "" && said != "" || !strings.Contains(said, test.warning) {
				t.Errorf("warnings %q, want %q", said, test.warning)
			}
		})
	}
}

func TestColumns(t *testing.T) {
	p, err := Read([]byte("a 1 2\n"), wide)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(p.Types, p.DefaultType); got != "[before/count after/count] 1" {
		t.Error(got)
	}
	if p, err = Read([]byte("a 1\n"), wide); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(p.Types, p.DefaultType); got != "[samples/count] 0" {
		t.Error(got)
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "has no stacks"},
		{"\n\n", "has no stacks"},
		{"x\nhello world\n", "line 1: not a folded stack"},
		{"a 9223372036854775807\nb 1\n", "line 2: the sum of the counts overflows an int64"},
		{"a -9223372036854775808\n", "overflows an int64"},
		{"a 99999999999999999999\n", "overflows an int64"},
		{"a 9223372036854775807.5\n", "overflows an int64"},
	} {
		if _, err := Read([]byte(test.text), wide); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.text, err, test.want)
		}
	}
	if _, err := Read([]byte("a;b;c 1\n"), callstack.Limits{MaxBytes: 100, MaxMemory: 700}); err == nil {
		t.Error("three functions in 700 bytes of memory: no error")
	}
	if _, err := Read([]byte("a;b;c 1\n"), callstack.Limits{MaxBytes: 7, MaxMemory: 1 << 20}); err == nil {
		t.Error("8 bytes where 7 are allowed: no error")
	}
}

func TestIs(t *testing.T) {
	long := strings.Repeat("package.function;", 40)[:512]
	for head, want := range map[string]bool{
		"main;f 12\n": true, "\n main 3\n": true, "swapper;start_kernel_[k];x 1": true, "a;b 5 7\n": true, long: true,
		"garbage\nmain;f 12\nmain;g 3\n": true, "main;f\n\nmain;f 12\nmain;g 3\nx\nmain 7\n": true,
		"garbage\nmain;f 12\n": false, "a table\nx 1\ny 2\nz 3\n": false, "garbage\nmain;f 12\nmain;g 3\n\x00": false,
		"": false, "12\n": false, "hello world\n": false, "\x1f\x8b\x08\x00;a 1\n": false, "goroutine 1 [running]:\n": false,
		"goroutine profile: total 12\n":              true, // whoever asks must ask the others first
		"heap profile: 1: 2 [3: 4] @ heap/1048576\n": false, `{"$schema":"x"}`: false, "w 1 2.000000: 12 cycles: \n": false,
	} {
		if Is([]byte(head)) != want {
			t.Errorf("Is(%q) = %v", head, !want)
		}
	}
}

// TestSumsOfDecimals holds the sums to what the rounding promises.
func TestSumsOfDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s sum
		var exact float64
		var got int64
		for range rapid.IntRange(1, 200).Draw(t, "lines") {
			text := rapid.StringMatching(`-?[0-9]{1,4}(\.[0-9]{0,3})?`).Draw(t, "count")
			var f float64
			fmt.Sscan(text, &f)
			v, _, ok := s.add([]byte(text))
			if !ok {
				t.Fatalf("%s is refused", text)
			}
			exact += f
			got += v
			if math.Abs(exact-float64(got)) > 0.5+1e-9 {
				t.Fatalf("the sum is %d, want %g", got, exact)
			}
		}
	})
}

// TestWrite writes what a profile of Go has and the scripts do not expect.
func TestWrite(t *testing.T) {
	b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	p := b.Profile()
	p.Mappings = []callstack.Mapping{{File: "/bin/x"}, {File: kernel}}
	place := func(m callstack.MappingID, address uint64, names ...string) callstack.LocationID {
		var lines []callstack.SourceLine
		for _, n := range names {
			lines = append(lines, callstack.SourceLine{Function: b.Function(callstack.Function{Name: n}), Line: 7})
		}
		return b.Location(m, address, false, lines...)
	}
	main, inline := place(0, 0x10, "main.main"), place(0, 0x20, "inner", "outer")
	generic, bare := place(0, 0x30, "main.f[go.shape.struct { A int; B int }]"), place(0, 0x40)
	sys, unnamed, nothing := place(1, 0xffff, "sys_read"), place(0, 0x50, ""), place(callstack.NoMapping, 0, "")
	add := func(v int64, leafFirst ...callstack.LocationID) { b.Add(leafFirst, nil, 1, v) }
	add(10, inline, main)
	add(5, inline, main) // one line with the one before
	add(0, main)         // no line
	add(1, main)
	add(2, generic, inline, main)
	add(3, bare, main)
	add(4, sys, main)
	add(6, unnamed, main)
	add(7, nothing)
	add(8)
	add(9)
	add(-9, sys, main)
	add(9, place(0, 1, "a\nb c"))
	var out, marked bytes.Buffer
	if err := Write(&out, p, 1); err != nil {
		t.Fatal(err)
	}
	if err := writeMarked(&marked, p, 1); err != nil {
		t.Fatal(err)
	}
	want := `main.main;outer;inner 15
main.main 1
main.main;outer;inner;main.f[go.shape.struct { A int: B int }] 2
main.main;0x40 3
main.main;sys_read 4
main.main;0x50 6
<unknown> 7
[no stack] 17
main.main;sys_read -9
a b c 9
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
	want = strings.ReplaceAll(strings.ReplaceAll(want, "inner", "inner_[i]"), "sys_read", "sys_read_[k]")
	if d := cmp.Diff(want, marked.String()); d != "" {
		t.Error(d)
	}
	if err := Write(failing{}, p, 1); err == nil {
		t.Error("a writer that fails: no error")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("disk full") }

// writeMarked writes a column with the scripts' marks, so that Read gets its model
// back: inlined frames end in _[i], those of the kernel in _[k], of generated code
// in _[j]. Neighbours with equal stacks are one line.
func writeMarked(w io.Writer, p *callstack.Profile, column int) error {
	marks := map[string]string{kernel: "_[k]", jit: "_[j]"}
	last, value := "", int64(0)
	flush := func() (err error) {
		if value != 0 {
			_, err = fmt.Fprintf(w, "%s %d\n", last, value)
		}
		return err
	}
	for c := p.Cursor(column); c.Next(); {
		var frames []string
		for _, id := range c.Path {
			l, lines := p.Locations[id], p.Lines(id)
			mark := ""
			if l.Mapping != callstack.NoMapping {
				mark = marks[p.Mappings[l.Mapping].File]
			}
			if len(lines) == 0 {
				frames = append(frames, fmt.Sprintf("0x%x%s", l.Address, mark))
			}
			for i, line := range slices.Backward(lines) {
				name := clean.Replace(p.Functions[line.Function].Name)
				switch {
				case name == "" && l.Address != 0:
					name = fmt.Sprintf("0x%x", l.Address)
				case name == "":
					name = unknown
				}
				if i < len(lines)-1 {
					mark = "_[i]"
				}
				frames = append(frames, name+mark)
			}
		}
		if len(c.Path) == 0 {
			frames = []string{"[no stack]"}
		}
		if line := strings.Join(frames, ";"); line != last {
			if err := flush(); err != nil {
				return err
			}
			last, value = line, 0
		}
		value += c.Value(0)
	}
	return flush()
}

// FuzzRead holds what is read to what writeMarked writes of it: read again, it
// is the same model, and its lines are those of the text, spelled out.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"main;f;g_[i] 12\nmain;h_[k] 3\n", "a 1 2\nb;c 3 4\n", "a;b 0.5\nc -7\n", "x y;z 1 2\nq 5\n\xff;b 3\n", "a;;b_[i] 1\n_[i] 2\n", "a 1\na 2\na_[j];b_[i] 3\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(data, callstack.Limits{MaxBytes: 1 << 20, MaxMemory: 1 << 24})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		var sum, lines int64
		for column := range p.Types {
			var out bytes.Buffer
			if err := writeMarked(&out, p, column); err != nil {
				t.Fatal(err)
			}
			sum += p.Total(column)
			one := only(written(p), len(p.Types), column)
			if len(one) == 0 {
				continue
			}
			again, err := Read(out.Bytes(), wide)
			if err != nil {
				t.Fatalf("what was written is refused: %v\n%q", err, out.String())
			}
			for c := range again.Types {
				lines += again.Total(c)
			}
			if len(again.Types) > 1 {
				// Every name at a leaf ends in a number: nothing tells them from
				// counts. A file of other names, too, is read as it was.
				return
			}
			if d := cmp.Diff(merged(one), merged(written(again))); d != "" {
				t.Errorf("column %d: -read +read again:\n%s\n%q", column, d, out.String())
			}
		}
		if sum != lines {
			t.Errorf("sums to %d, read again to %d", sum, lines)
		}
	})
}

// only keeps one column of samples as written, of those that are not zero.
func only(samples []string, columns, column int) []string {
	var out []string
	for _, s := range samples {
		i := strings.LastIndex(s, ";  ")
		values := strings.Fields(s[i+1:])
		if v := values[len(values)-columns+column]; v != "0" {
			out = append(out, s[:i]+";  "+v)
		}
	}
	return out
}

// merged adds up neighbours with equal stacks, as the writer does.
func merged(samples []string) []string {
	var out []string
	for i := 0; i < len(samples); {
		at := strings.LastIndexByte(samples[i], ' ')
		stack := samples[i][:at]
		var sum, v int64
		for ; i < len(samples) && samples[i][:strings.LastIndexByte(samples[i], ' ')] == stack; i++ {
			fmt.Sscan(samples[i][at+1:], &v)
			sum += v
		}
		if sum != 0 {
			out = append(out, fmt.Sprint(stack, " ", sum))
		}
	}
	return out
}
