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

	"whet/internal/cli"
)

// bareProfile returns a profile of this test's own goroutines with nothing but
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
	if testing.Short() {
		t.Skip("runs the whole program")
	}
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
		{"moved and not named", moved, nil, false, "give the profile's program"},
		{"another build where it was", other, nil, false, "give the profile's program"},
		{"another program named", nil, []string{compiler}, false, "build id"},
		{"no build id, named", anonymous, []string{self}, true, ""},
		{"a build id of another, given", anonymous, []string{"-buildid=0123", self}, false, "build id"},
	} {
		out, errs, code := whet(t, "", append(append([]string{"top", "-json", "-nodefraction=0"}, c.args...), bareProfile(t, c.change))...)
		var d struct{ Warnings []string }
		if err := json.Unmarshal([]byte(out), &d); err != nil || code != cli.ExitDone {
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

// TestNamesFromWhereBinariesAreKept: below PPROF_BINARY_PATH, laid out as pprof
// has it, and of libraries where the profile says, each by its own build id.
func TestNamesFromWhereBinariesAreKept(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	compiler := filepath.Join(goToolDir(t), "compile")
	base := filepath.Base(self)
	var id string
	gone := func(p *google.Profile) {
		id = p.Mapping[0].BuildID
		p.Mapping[0].File = "/nowhere/" + base
	}
	anonymous := func(p *google.Profile) { gone(p); p.Mapping[0].BuildID = "" }
	astray := func(p *google.Profile) { gone(p); p.Mapping[0].File, p.Mapping[0].BuildID = "/../../"+base, "" }
	library := func(p *google.Profile) {
		own := *p.Mapping[0]
		own.ID = 2
		*p.Mapping[0] = google.Mapping{ID: 1, Start: 1 << 50, Limit: 1<<50 + 4096, File: compiler}
		p.Mapping = append(p.Mapping[:1], append([]*google.Mapping{&own}, p.Mapping[1:]...)...)
		for i, m := range p.Mapping {
			m.ID = uint64(i + 1)
		}
		for _, l := range p.Location {
			if l.Mapping == p.Mapping[0] {
				l.Mapping = &own
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(*google.Profile)
		at     func() string // below the directory
		args   []string
		named  bool
	}{
		{"by build id and name", gone, func() string { return filepath.Join(id, base) }, nil, true},
		{"by half of the build id", gone, func() string { return filepath.Join(id[:2], id[2:]+".debug") }, nil, true},
		{"by path and build id", gone, func() string { return filepath.Join("nowhere", base, id) }, nil, true},
		{"by name", gone, func() string { return base }, nil, true},
		{"by path", anonymous, func() string { return filepath.Join("nowhere", base) }, nil, true},
		{"under another name", gone, func() string { return "other" }, nil, false},
		{"outside", astray, func() string { return filepath.Join("..", "..", base) }, nil, false},
		{"a library of the program that is named", library, func() string { return "other" }, []string{compiler}, true},
	} {
		root := t.TempDir()
		dir := filepath.Join(root, "a", "b")
		t.Setenv("PPROF_BINARY_PATH", filepath.Join(root, "none")+string(filepath.ListSeparator)+dir)
		profile := bareProfile(t, c.change)
		kept := filepath.Join(dir, c.at())
		if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(self, kept); err != nil {
			data, err := os.ReadFile(self)
			if err == nil {
				err = os.WriteFile(kept, data, 0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		out, errs, code := whet(t, "", append(append([]string{"top", "-nodefraction=0"}, c.args...), profile)...)
		if named := strings.Contains(out, "app.TestNamesFromWhereBinariesAreKept"); code != cli.ExitDone || named != c.named {
			t.Errorf("%s: named is %v, want %v; exit code %d, %s%.600s", c.name, named, c.named, code, errs, out)
		}
	}
}
