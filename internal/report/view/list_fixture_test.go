package view

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/source"
)

const listed = `^(runtime\.(mallocgc|gopark|mapaccess.*|mcall)|net/http\..*|encoding/json\..*|slices\..*|main\..*|.*regAllocState.*)$`

// library returns the standard library's source under a name in which pprof finds
// none of the directories it guesses by.
func library(t *testing.T) string {
	t.Helper()
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "standard-library")
	if err := os.Symlink(filepath.Join(strings.TrimSpace(string(goroot)), "src"), root); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestListIsThatOfPprof compares listings of every fixture under combinations
// of options. Where whet differs on purpose:
//
//   - with -mean, pprof's listing (and no other text of it) prints sums of what
//     it calls means; whet prints means. These are not compared.
//   - a source that is not there: pprof's error has other words and it lists no
//     lines; whet lists those that hold something.
//   - lines after the end of the file, and lines before the function's first,
//     which line tables do have: pprof leaves them out, so that its lines do not
//     add up; whet lists them.
func TestListIsThatOfPprof(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	root := library(t)
	texts := source.New(source.Options{SourcePath: root})
	routines := 0
	for n, name := range fixtures(t) {
		s := readFixture(t, name)
		for i, a := range combinations {
			// Every combination with some of the fixtures: the race detector
			// makes all with all a matter of a quarter of a minute.
			if a.Mean || !thorough(name, i) || i > 0 && (i+n)%3 != 0 {
				continue
			}
			a.SourcePath = root
			want, wantErr := s.pprof("-list="+listed, &a)
			a.Options = ForList(a.Options)
			v, err := NewList(s.selection(t, &a), CodeOptions{Match: regexp.MustCompile(listed), Source: texts.Text}, a.view())
			if (err != nil) != (wantErr != nil) {
				t.Errorf("%s %+v: %v, pprof: %v", name, a, err, wantErr)
			}
			if err != nil || wantErr != nil {
				continue
			}
			routines += len(v.Routines)
			theirs, ours := alike(t, want, v)
			if d := cmp.Diff(theirs, ours); d != "" {
				t.Errorf("%s %+v (-pprof +whet):\n%.3000s", name, a, d)
			}
		}
	}
	if routines < 500 {
		t.Errorf("%d routines were compared", routines)
	}
}

// alike takes away what differs on purpose.
func alike(t *testing.T, want string, v *List) (theirs, ours []string) {
	t.Helper()
	v.Warnings = nil
	for i := range v.Routines {
		r := &v.Routines[i]
		if r.Missing != "" {
			r.Missing, r.Lines = "no source", nil
		}
		r.Lines = slices.DeleteFunc(r.Lines, func(l ListLine) bool { return l.Beyond || l.Before })
	}
	var got bytes.Buffer
	if err := v.Write(&got); err != nil {
		t.Fatal(err)
	}
	theirs, ours = strings.Split(want, "ROUTINE"), strings.Split(got.String(), "ROUTINE")
	if len(theirs) != len(ours) {
		return theirs, ours
	}
	for i := range theirs {
		lines := strings.SplitAfter(theirs[i], "\n")
		if len(lines) > 3 && strings.HasPrefix(lines[2], " Error: ") {
			theirs[i] = lines[0] + lines[1] + " Error: no source\n" + strings.Join(lines[3:], "")
		}
	}
	return theirs, ours
}
