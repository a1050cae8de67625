package legacy

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/callstack"
	"whet/internal/format/profile"
)

// written returns the samples of a profile with their frames, leaf first: those
// that lie at an address without a name are left out, and labels of the text's
// own. The lines are sorted.
func written(p *callstack.Profile) []string {
	var out []string
	each(p, func(path []callstack.LocationID, labels []callstack.Label, values []int64) {
		var line strings.Builder
		fmt.Fprint(&line, values)
		var names []string
		for _, l := range labels {
			if l.Str != "" {
				names = append(names, l.Key+"="+l.Str)
			}
		}
		slices.Sort(names)
		fmt.Fprint(&line, names)
		for _, id := range slices.Backward(path) {
			lines := p.Lines(id)
			for i, l := range lines {
				f := p.Functions[l.Function]
				if f.Name == "" {
					continue
				}
				fmt.Fprintf(&line, "\n\t%s %s:%d", f.Name, f.File, l.Line)
				if i < len(lines)-1 {
					line.WriteString(" inlined")
				}
			}
		}
		out = append(out, line.String())
	})
	slices.Sort(out)
	return out
}

// hidden takes the runtime's frames at the leaf from samples as written: the
// text has no names there, but where another stack has them.
func hidden(samples []string) []string {
	out := make([]string, len(samples))
	for i, s := range samples {
		head, rest, _ := strings.Cut(s, "\n")
		frames := strings.Split(rest, "\n")
		first := 0
		for first < len(frames) && (strings.HasPrefix(frames[first], "\truntime.") || strings.HasPrefix(frames[first], "\tinternal/runtime/")) {
			first++
		}
		if first == len(frames) {
			first = 0
		}
		out[i] = strings.Join(append([]string{head}, frames[first:]...), "\n")
	}
	slices.Sort(out)
	return out
}

// TestNamesAsProtobuf compares what the comments of a text say with the
// profile that the same program wrote in the same moment with debug=0: values,
// labels, names, files, lines, and what was inlined into what.
func TestNamesAsProtobuf(t *testing.T) {
	for _, test := range []struct {
		kind    string
		inlined string // frame that must be seen
	}{
		{"goroutine_1k", ""},
		{"heap", "main.keep gen/main.go:17 inlined"},
		{"mutex", "sync.(*Mutex).Unlock sync/mutex.go:65 inlined"},
		{"block", "sync.(*Mutex).Lock sync/mutex.go:46 inlined"},
	} {
		t.Run(test.kind, func(t *testing.T) {
			text := "text/" + test.kind + ".debug1.txt"
			if test.kind == "goroutine_1k" {
				text += ".gz"
			}
			p, err := Read(load(t, text), wide)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Warnings) > 0 {
				t.Error(p.Warnings)
			}
			data := load(t, "text/"+test.kind+".pb.gz")
			want, err := profile.Read(bytes.NewReader(data), int64(len(data)), profile.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			// The one that was written first is in the other: as a goroutine at
			// another line, and with allocations that are not counted yet.
			writer := func(s string) bool { return strings.Contains(s, "runtime/pprof.(*Profile).WriteTo") }
			got, wanted := slices.DeleteFunc(written(p), writer), slices.DeleteFunc(written(want), writer)
			if test.kind != "heap" {
				got, wanted = hidden(got), hidden(wanted)
			}
			if len(got) < 3 {
				t.Errorf("%d samples", len(got))
			}
			if d := cmp.Diff(wanted, got); d != "" {
				t.Errorf("-debug=0 +debug=1:\n%.3000s", d)
			}
			if !strings.Contains(strings.Join(got, "\n"), test.inlined) {
				t.Errorf("no frame %s in it", test.inlined)
			}
		})
	}
}

// TestRecursionThroughInlining reads stacks in which f was inlined into g, and
// g calls g: the entry alone does not tell who is inlined into whom. The second
// stack was cut below f, so that f looks like a function of its own there.
func TestRecursionThroughInlining(t *testing.T) {
	const frames = `#	0x1005	main.f+0x5	/x.go:1
#	0x1010	main.g+0x10	/x.go:2
#	0x1005	main.f+0x5	/x.go:1
#	0x1010	main.g+0x10	/x.go:2
#	0x2010	main.main+0x10	/x.go:3
`
	p, err := Read([]byte("goroutine profile: total 2\n1 @ 0x1006 0x1011 0x1006 0x1011 0x2011 0x9\n"+frames+
		"\n1 @ 0x1011 0x1006\n#	0x1010	main.g+0x10	/x.go:2\n#	0x1005	main.f+0x5	/x.go:1\n"), wide)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"[1][]\n\tmain.f /x.go:1 inlined\n\tmain.g /x.go:2\n\tmain.f /x.go:1 inlined\n\tmain.g /x.go:2\n\tmain.main /x.go:3",
		"[1][]\n\tmain.g /x.go:2\n\tmain.f /x.go:1",
	}
	if d := cmp.Diff(want, written(p)); d != "" {
		t.Error(d)
	}
}

// TestExpandedAddress reads rows of one address, as an old Go printed those of
// frames that it expanded, beside rows of one address that are recursion.
func TestExpandedAddress(t *testing.T) {
	p, err := Read([]byte("goroutine profile: total 1\n1 @ 0x1006 0x1006 0x2011\n"+
		"#\t0x1005\tmain.f+0x5\t/x.go:1\n#\t0x1005\tmain.g+0x5\t/x.go:2\n#\t0x1005\tmain.f+0x5\t/x.go:1\n#\t0x1005\tmain.g+0x5\t/x.go:2\n#\t0x2010\tmain.main+0x10\t/x.go:3\n"), wide)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"[1][]\n\tmain.f /x.go:1 inlined\n\tmain.g /x.go:2\n\tmain.f /x.go:1 inlined\n\tmain.g /x.go:2\n\tmain.main /x.go:3"}
	if d := cmp.Diff(want, written(p)); d != "" {
		t.Error(d)
	}
}

// TestRoots leaves out the address after the last name, which is where the
// goroutine ends, but not one that the text says has no name, nor one that the
// comments do not reach, nor anything without comments.
func TestRoots(t *testing.T) {
	const f, main = "#\t0x1005\tmain.f+0x5\t/x.go:1\n", "#\t0x2010\tmain.main+0x10\t/x.go:3\n"
	p, err := Read([]byte("goroutine profile: total 4\n"+
		"1 @ 0x1006 0x2011 0x3001\n"+f+main+
		"\n1 @ 0x1006 0x5001\n"+f+"#\t0x5000\n"+
		"\n1 @ 0x1006 0x6001 0x7001\n"+f+
		"\n1 @ 0x1006 0x8001\n"), wide)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"[1] 0x1005 in 0 0x2010 in 0",
		"[1] 0x1005 in 0 0x5000 in 0",
		"[1] 0x1005 in 0 0x6000 in 0 0x7000 in 0",
		"[1] 0x1005 in 0 0x8000 in 0",
	}
	if d := cmp.Diff(want, ours(p).Samples); d != "" {
		t.Error(d)
	}
}
