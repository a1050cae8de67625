package legacy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
	"whet/internal/format/profile"
)

// theirNames and ourNames are the frames of each sample, leaf first.
func theirNames(g *google.Profile) (out []string) {
	for _, s := range g.Sample {
		line := ""
		for _, l := range s.Location {
			for _, at := range l.Line {
				line += fmt.Sprintf("%s %s:%d; ", at.Function.Name, at.Function.Filename, at.Line)
			}
		}
		out = append(out, line)
	}
	return out
}

func ourNames(p *callstack.Profile) (out []string) {
	for c := p.Cursor(); c.Next(); {
		line := ""
		for _, id := range slices.Backward(c.Path) {
			for _, at := range p.Lines(id) {
				f := p.Functions[at.Function]
				line += fmt.Sprintf("%s %s:%d; ", f.Name, f.File, at.Line)
			}
		}
		out = append(out, line)
	}
	return out
}

const javaNames = "\n0x1 com.example.Store.put (Store.java:17)\n  0x2 com.example.Main.main (Main.java:-1)\n0x3 read (/lib/x86/libc.so)\n" +
	"0x4 GC\n0x5 0x5 generated stub/JIT\n0x77 nobody.uses (X.java:1)\nno location\n"

// TestJava reads profiles of Java programs as google/pprof does.
func TestJava(t *testing.T) {
	var cpu []byte
	for _, w := range []uint64{0, 3, 1, 10000, 0, 5, 3, 1, 3, 2, 2, 1, 4, 1, 2, 5, 2, 0, 1, 0} {
		cpu = binary.LittleEndian.AppendUint64(cpu, w)
	}
	for name, text := range map[string]string{
		"heap": "--- heapz 1 ---\nformat = java\nresolution=bytes\n  7048 1 @ 0x1 0x2\n 900000   3 @ 0x3 0x1 0x2\n 16 1 @ 0x4\n48 2 @ 0x5 0x2\n" + javaNames,
		"contention": "--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 100\nms since reset = 6019923\n" +
			"1 1 @ 0x1 0x2\n 14 2 @ 0x3 0x2\n 2 2 @ 0x4\n" + javaNames,
		"contention without a period": "--- contentionz 1 ---\nformat = java\nresolution = microseconds\n3 2 @ 0x1 0x2\n" + javaNames,
		"cpu":                         string(cpu) + javaNames,
	} {
		t.Run(name, func(t *testing.T) {
			if !Is([]byte(text)) {
				t.Error("Is does not know it")
			}
			p := compare(t, []byte(text))
			g, err := google.ParseData([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(theirNames(g), ourNames(p)); d != "" {
				t.Errorf("-google/pprof +whet:\n%s", d)
			}
			if len(p.Warnings) > 0 || p.Len() < 1 || len(p.Functions) < 2 {
				t.Errorf("%d samples, %d functions, warnings %q", p.Len(), len(p.Functions), p.Warnings)
			}
		})
	}
	for text, want := range map[string]string{
		"--- heapz 1 ---\nformat = java\n7048 1 @ 0x1\n": "names no resolution",
		"--- heapz 1 ---\nformat = cobol\n":              `unknown format "cobol"`,
		"--- contentionz 1 ---\nformat = java\nresolution = x\nsampling period = 9000000000000000000\n2 2 @ 0x1\n":        "overflows an int64",
		"--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = often\n2 2 @ 0x1\n":           "not a number",
		"--- heapz 1 ---\nformat = java\nresolution = bytes\n99999999999999999999 1 @ 0x1\n1 0 @ 0x1\n0x1 f (F.java:1)\n": "no line after the first",
	} {
		if _, err := Read([]byte(text), wide); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	// An address without a name stays one.
	p, err := Read([]byte("--- heapz 1 ---\nformat = java\nresolution = bytes\n7048 1 @ 0x9\n"), wide)
	if err != nil || p.Locations[0].Address != 9 || len(p.Mappings) > 0 {
		t.Error(p, err)
	}
}

// FuzzJava holds the reader of Java's profiles to these promises: an error is one
// line; no stack is deeper than whet reads; and the model
// survives pprof's format.
func FuzzJava(f *testing.F) {
	for _, head := range []string{
		"--- heapz 1 ---\nformat = java\nresolution=bytes\n  7048 1 @ 0x1 0x2\n 900000   3 @ 0x3 0x1 0x2\n",
		"--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 100\nms since reset = 6019923\n1 1 @ 0x1 0x2\n",
		"--- heapz 1 ---\nformat = java\nresolution = bytes\n5 1 @" + strings.Repeat(" 0x1", callstack.MaxDepth+1) + "\n7 1 @ 0x2\n",
	} {
		f.Add([]byte(head), []byte(javaNames))
	}
	limits := callstack.Limits{MaxBytes: 1 << 20, MaxMemory: 1 << 24}
	f.Fuzz(func(t *testing.T, samples, names []byte) {
		p, err := Read(slices.Concat(samples, names), limits)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		for c := p.Cursor(); c.Next(); {
			if len(c.Path) > callstack.MaxDepth {
				t.Fatalf("a stack of %d", len(c.Path))
			}
		}
		var out bytes.Buffer
		if err := profile.Write(&out, p); err != nil {
			t.Fatal(err)
		}
		again, err := profile.Read(bytes.NewReader(out.Bytes()), int64(out.Len()), profile.DefaultLimits())
		if err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
		for column := range p.Types {
			if p.Total(column) != again.Total(column) {
				t.Errorf("%v is %d, written and read %d", p.Types[column], p.Total(column), again.Total(column))
			}
		}
	})
}
