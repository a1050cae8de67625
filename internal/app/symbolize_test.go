package app

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"

	google "github.com/google/pprof/profile"
)

// bareProfile is a profile of this test's own goroutines with nothing but
// addresses, and the names that they had.
func bareProfile(t *testing.T, change func(*google.Profile)) (path string) {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 0); err != nil {
		t.Fatal(err)
	}
	p, err := google.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range p.Location {
		l.Line = nil
	}
	for _, m := range p.Mapping {
		m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames = false, false, false, false
	}
	p.Function = nil
	if change != nil {
		change(p)
	}
	b.Reset()
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return file(t, "bare.pb.gz", b.String())
}

// TestNamesOfAddresses: names come from the program that is named, or from
// that which the profile names if it is the same build, and from no other.
func TestNamesOfAddresses(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	compiler := filepath.Join(goToolDir(t), "compile")
	const named = "whet/internal/app.TestNamesOfAddresses"
	moved := func(p *google.Profile) { p.Mapping[0].File = "/nowhere/" + filepath.Base(self) }
	other := func(p *google.Profile) { p.Mapping[0].BuildID = "0123456789abcdef" }
	anonymous := func(p *google.Profile) { moved(p); p.Mapping[0].BuildID = "" }
	for _, c := range []struct {
		name   string
		change func(*google.Profile)
		args   []string
		named  bool
		says   string
	}{
		{"where it was", nil, nil, true, ""},
		{"where it was, but none asked for", nil, []string{"-symbolize=none"}, false, "no function names"},
		{"named", moved, []string{self}, true, ""},
		{"moved and not named", moved, nil, false, "name the program"},
		{"another build where it was", other, nil, false, "name the program"},
		{"another program named", nil, []string{compiler}, false, "build id"},
		{"no build id, named", anonymous, []string{self}, true, ""},
		{"a build id of another, given", anonymous, []string{"-buildid=0123", self}, false, "build id"},
	} {
		out, errs, code := whet(t, "", append(append([]string{"top", "-json", "-nodefraction=0"}, c.args...), bareProfile(t, c.change))...)
		var d struct{ Warnings []string }
		if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitDone {
			t.Errorf("%s: exit code %d, %v, %s", c.name, code, err, errs)
			continue
		}
		said := strings.Join(d.Warnings, "; ")
		if strings.Contains(out, named) != c.named || !strings.Contains(said, c.says) || c.says == "" && said != "" {
			t.Errorf("%s: named is %v, want %v; warnings %q, want %q", c.name, strings.Contains(out, named), c.named, said, c.says)
		}
	}
}

func goToolDir(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOTOOLDIR").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
