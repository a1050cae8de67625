package view

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/format/profile"
)

// TestCallgrindIsThatOfPprof compares byte by byte. In a difference pprof leaves
// the order of calls of v and -v to chance, and with it which name is met first.
func TestCallgrindIsThatOfPprof(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	forget(t)
	for f, name := range fixtures(t) {
		subject := readFixture(t, name)
		if strings.HasPrefix(name, "http.heap") {
			// The same functions in a second binary: they are told apart by number.
			second := *subject.theirs.Mapping[0]
			second.ID, second.File = uint64(len(subject.theirs.Mapping)+1), "/lib/second.so"
			subject.theirs.Mapping = append(subject.theirs.Mapping, &second)
			for i, l := range subject.theirs.Location {
				if i%2 == 0 {
					l.Mapping = &second
				}
			}
			var b bytes.Buffer
			if err := subject.theirs.Write(&b); err != nil {
				t.Fatal(err)
			}
			subject = newSubject(t, subject.theirs, b.Bytes())
		}
		for i := range combinations {
			a := &combinations[i]
			if i > 0 && (i+f)%stride(name) != 0 {
				continue
			}
			t.Run(fmt.Sprint(name, "/", i), func(t *testing.T) {
				want, err := subject.pprof("-callgrind", a)
				if err != nil {
					t.Fatal(err)
				}
				own := *a
				own.Options = ForCallgrind(a.Options)
				var b bytes.Buffer
				if err := NewCallgrind(subject.selection(t, &own), a.cum, own.view()).Write(&b); err != nil {
					t.Fatal(err)
				}
				got := b.String()
				if a.base != selection.Measured {
					want, got = spelledOut(want), spelledOut(got)
				}
				if want != got {
					t.Errorf("%+v (-pprof +whet):\n%.3000s", *a, cmp.Diff(strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")))
				}
				if strings.HasPrefix(name, "http.heap") && i == 0 && !strings.Contains(want, "/2]") {
					t.Error("no function is of two binaries")
				}
			})
		}
	}
}

// spelledOut writes names in place of their numbers, and sorts the calls of each
// node.
func spelledOut(text string) string {
	names := make(map[string]string) // by what they are of and their number
	var blocks [][]string            // of each node its own lines, then a call each
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimPrefix(line, "c"), "="); ok && strings.HasPrefix(value, "(") {
			number, name, first := strings.Cut(strings.TrimSuffix(value, "\n"), " ")
			if first {
				names[key+number] = name
			}
			line = strings.TrimSuffix(line, value) + names[key+number] + "\n"
		}
		last := len(blocks) - 1
		switch {
		case strings.HasPrefix(line, "cfl="):
			blocks[last] = append(blocks[last], line)
		case strings.HasPrefix(line, "cfn="), strings.HasPrefix(line, "calls="), strings.HasPrefix(line, "* *"):
			blocks[last][len(blocks[last])-1] += line
		default:
			blocks = append(blocks, []string{line})
		}
	}
	var out strings.Builder
	for _, b := range blocks {
		slices.Sort(b[1:])
		out.WriteString(strings.Join(b, ""))
	}
	return out.String()
}

// TestTopProfileIsThatOfPprof compares what topproto writes, as google's
// package reads it.
func TestTopProfileIsThatOfPprof(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	forget(t)
	for f, name := range fixtures(t) {
		subject := readFixture(t, name)
		for i := range combinations {
			a := &combinations[i]
			if i > 0 && (i+f)%stride(name) != 0 {
				continue
			}
			t.Run(fmt.Sprint(name, "/", i), func(t *testing.T) {
				theirs, err := subject.pprof("-topproto", a)
				if err != nil {
					t.Fatal(err)
				}
				var b bytes.Buffer
				top := NewTop(subject.selection(t, a), a.graph(callgraph.ForTop()), a.view())
				if err := profile.Write(&b, top.Profile()); err != nil {
					t.Fatal(err)
				}
				want, got := topRows(t, []byte(theirs)), topRows(t, b.Bytes())
				if a.ties("-topproto") {
					slices.Sort(want)
					slices.Sort(got)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%+v (-pprof +whet):\n%.3000s", *a, diff)
				}
			})
		}
	}
}

func topRows(t *testing.T, data []byte) (rows []string) {
	t.Helper()
	p, err := google.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	rows = append(rows, fmt.Sprint(p.PeriodType, p.Period, p.TimeNanos, p.DurationNanos, p.Comments, len(p.Mapping)))
	for _, v := range p.SampleType {
		rows = append(rows, v.Type+" in "+v.Unit)
	}
	for _, s := range p.Sample {
		l := s.Location[0]
		line := l.Line[0]
		rows = append(rows, fmt.Sprint(s.Value, l.Address, len(s.Location), len(l.Line), line.Line, line.Column, line.Function.Name, line.Function.SystemName, line.Function.Filename, line.Function.StartLine))
	}
	return rows
}

// TestCommentsAreAllPrinted: those beginning with # among them, one line each.
func TestCommentsAreAllPrinted(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	g := odd()
	g.Comments = []string{"#hidden", "shown", "two\nlines"}
	s := oddSubject(t, g)
	want, err := s.pprof("-comments", &optionSet{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteComments(&b, s.selection(t, &optionSet{})); err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(b.String(), `two\nlines`, "two\nlines"); got != want || strings.Count(b.String(), "\n") != 3 {
		t.Errorf("%q, pprof prints %q", b.String(), want)
	}
}
