package legacy

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
	"whet/internal/format/profile"
)

// refusedHere are the reasons to refuse what google/pprof accepts: it lets sums
// wrap round, and has no limits.
var refusedHere = []string{"overflows an int64", "too large", "292 years"}

// differsHere are warnings of what google/pprof reads otherwise: it fills a
// stack that was cut off with the address 0.
var differsHere = []string{"in the middle of a stack"}

func has(parts []string, in ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool {
		return slices.ContainsFunc(in, func(s string) bool { return strings.Contains(s, part) })
	})
}

// quietly returns what google/pprof refuses and Read takes as it stands: lines
// longer than 64 KiB, stacks of no addresses, and comments in front of any kind
// of text, which google/pprof knows in front of counts.
func quietly(data []byte) bool {
	if first, _, _ := bytes.Cut(data, []byte("\n")); isComment(string(first)) {
		return true
	}
	for line := range bytes.Lines(data) {
		if len(line) >= 64<<10 || bytes.HasSuffix(bytes.TrimSpace(line), []byte("@")) {
			return true
		}
	}
	return false
}

// FuzzRead holds Read to these promises: what google/pprof accepts, it accepts
// with the same samples, but for refusedHere; where google/pprof refuses, it
// says what it left out; names change nothing but names; and the model it
// makes survives pprof's format.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"playflame_f2949ed.prof.cpu", "playflame_01ae2f3.prof.mem", "text/heap.debug1.txt", "text/mutex.debug1.txt", "text/threadcreate.debug1.txt"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("goroutine profile: total 1\n1 @ 0x401000 0x5000\n# labels: {\"a\":\"b\"}\n#\t0x400fff\tmain.f+0x1\t/x.go:1\n--- Memory map: ---\n0401000-0402000 r-xp 00001000 08:01 12 /bin/p\n"))
	f.Add([]byte("--- threadz 1 ---\n\n--- Thread 7f (name: a/1) stack: ---\n 0x10 0x0f\n--- Thread 7e (name: b/2) stack: ---\n [same as previous thread]\n"))
	limits := callstack.Limits{MaxBytes: 1 << 20, MaxMemory: 1 << 24}
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, _ := cpuHeader(data); h.java || bytes.Contains(data, []byte("java")) || bytes.Contains(data, []byte("--- heapz")) {
			return // TestJava compares these: google/pprof drops the addresses that have no names
		}
		p, err := Read(data, limits)
		bare, bareErr := Read(withoutNames(data), limits)
		if (err == nil) != (bareErr == nil) {
			t.Fatalf("with names: %v; without: %v", err, bareErr)
		}
		g, googleErr := google.ParseData(withoutNames(data))
		if _, err := google.ParseUncompressed(withoutNames(data)); err == nil {
			return // a protocol buffer by chance
		}
		if googleErr == nil {
			switch {
			case err != nil && !has(refusedHere, err.Error()):
				t.Fatalf("google/pprof accepts it, whet says: %v", err)
			case err == nil && !has(differsHere, bare.Warnings...):
				if d := cmp.Diff(theirs(g), ours(bare), cmpopts.EquateEmpty()); d != "" {
					t.Fatalf("-google/pprof +whet:\n%.3000s", d)
				}
			}
		}
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		if googleErr != nil && len(bare.Warnings) == 0 && !quietly(data) {
			t.Errorf("accepted without a warning, google/pprof says: %v", googleErr)
		}
		if p.Len() != bare.Len() {
			t.Errorf("%d samples, without names %d", p.Len(), bare.Len())
		}
		for column := range p.Types {
			if p.Total(column) != bare.Total(column) {
				t.Errorf("%v is %d, without names %d", p.Types[column], p.Total(column), bare.Total(column))
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
		if d := cmp.Diff(measured(p), measured(again), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("-read +read again:\n%.3000s", d)
		}
	})
}

// measured is all there is of a profile but samples that are zero in every
// column, which are not written.
func measured(p *callstack.Profile) [2]any {
	zero := func(s string) bool { return strings.Trim(s[:strings.IndexByte(s, ']')], "[0 ") == "" }
	out := ours(p)
	out.Samples = slices.DeleteFunc(out.Samples, zero)
	return [2]any{out, slices.DeleteFunc(written(p), zero)}
}
