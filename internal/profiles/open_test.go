package profiles

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whet/internal/analyze/selection"
	"whet/internal/format/profile"
	"whet/internal/recording"
)

// TestOpen: a profile is the same from a file and the standard input, beside it
// lies what it is compared with, and what is no profile is called what it is.
func TestOpen(t *testing.T) {
	const text = "main.main;main.work 3\nmain.main 2\n"
	dir := t.TempDir()
	file := filepath.Join(dir, "cpu.folded")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var nothing Options
	for _, operand := range []string{file, "-"} {
		f := nothing
		f.Base = []string{file}
		s, err := f.Open(t.Context(), []string{operand}, strings.NewReader(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Sources) != 2 || s.Sources[0].Profile.Len() != 2 || s.Sources[0].Profile.Total(0) != 5 || s.Sources[1].Role != selection.Base {
			t.Errorf("%s: %+v", operand, s.Sources)
		}
		s.Close()
	}
	w, err := recording.Create(filepath.Join(dir, "r.whet"), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	path, err := w.Finish(time.Second, "")
	if err != nil {
		t.Fatal(err)
	}
	for operand, want := range map[string]string{path: "has no cpu profile: it has none", file + "x": "no profile", dir: "not a recording", "": "no profile"} {
		if _, err := nothing.Open(t.Context(), []string{operand}, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", operand, err, want)
		}
	}
}

// TestOpenInPart: several files that are read for one sample type, or added up as they
// are read, give what they give when each is read whole.
func TestOpenInPart(t *testing.T) {
	file := func(name string) string { return filepath.Join("../format/profile/testdata", name+".pb.gz") }
	heap, allocs, cpu, labels := file("http.heap"), file("http.allocs"), file("compile_stdcmd_merged.cpu"), file("httpsrv_labels.cpu")
	for name, c := range map[string]struct {
		operands, base, diff []string
		index                string
		partial              bool
	}{
		"sum":         {operands: []string{heap, heap}, partial: true},
		"difference":  {operands: []string{heap}, base: []string{allocs}, index: "alloc_space", partial: true},
		"nothing":     {operands: []string{labels}, base: []string{labels}, partial: true},
		"several":     {operands: []string{labels, cpu}, base: []string{cpu, labels, labels}, index: "0", partial: true},
		"beside":      {operands: []string{allocs}, diff: []string{heap}, index: "alloc_objects", partial: true},
		"other types": {operands: []string{heap}, base: []string{cpu}},
		"defaults":    {operands: []string{heap}, base: []string{allocs}}, // of one it is another column
	} {
		t.Run(name, func(t *testing.T) {
			open := func(f Options) *Set {
				f.Base, f.DiffBase = c.base, c.diff
				s, err := f.Open(t.Context(), c.operands, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(s.Close)
				return s
			}
			whole, part, sum := open(Options{}), open(Options{Want: profile.Want{Only: profile.Stacks, Column: c.index}}), open(Options{Sum: true})
			if part.Sources[0].Profile.Partial() != c.partial {
				t.Errorf("read in part: %v", !c.partial)
			}
			want, err := walked(whole, selection.Options{SampleIndex: c.index, SumsOnly: true})
			got, partErr := walked(part, selection.Options{SampleIndex: c.index, SumsOnly: true})
			if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (partErr == nil) {
				t.Errorf("%v, whole %v (-whole +in part):\n%s", partErr, err, diff)
			}
			if err != nil || len(c.diff) > 0 {
				return
			}
			if len(sum.Sources) != 1 {
				t.Errorf("%d sources were not added up", len(sum.Sources))
			}
			if want, got := written(t, whole), written(t, sum); !bytes.Equal(want, got) {
				t.Errorf("the sum is another: %d bytes, want %d", len(got), len(want))
			}
		})
	}
}

// TestOpenStandardInput: - is the standard input beside a file of this name, too, and is
// read once.
func TestOpenStandardInput(t *testing.T) {
	name, err := filepath.Abs("../format/profile/testdata/http.heap.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("-", []byte("no profile"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []Options{{Sum: true}, {Want: profile.Want{Only: profile.Stacks}}} {
		s, err := f.Open(t.Context(), []string{"-", name}, bytes.NewReader(data), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if len(s.Sources) != 2 || s.Sources[0].Profile.Total(3) != s.Sources[1].Profile.Total(3) {
			t.Errorf("%+v: %d sources", f, len(s.Sources))
		}
	}
}

// walked lists what a selection has, sample by sample, in any order.
func walked(s *Set, o selection.Options) (out []string, err error) {
	sel, err := selection.New(s.Sources, o)
	if err != nil {
		return nil, err
	}
	for w := sel.Walk(); w.Next(); {
		text := fmt.Sprint(w.Value, w.Source())
		for _, step := range w.Path {
			text += " " + sel.Nodes[step.Node].Name
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return append(out, fmt.Sprint(sel.Total, sel.Samples, sel.Type)), nil
}

func written(t *testing.T, s *Set) []byte {
	t.Helper()
	sel, err := selection.New(s.Sources, selection.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := profile.Write(&out, sel.Selected()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
