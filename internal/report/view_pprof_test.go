package report

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/driver"
	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
	"whet/internal/format/profile"
)

// profiles are real ones, with the reader's tests.
const profiles = "../format/profile/testdata"

// pprof runs the pprof program in this process and returns what it prints.
func pprof(t *testing.T, p *google.Profile, args ...string) (string, error) {
	t.Helper()
	out := &memory{}
	set := &flags{FlagSet: flag.NewFlagSet("pprof", flag.ContinueOnError)}
	set.SetOutput(io.Discard)
	set.args = append(args, "-output=out", "-symbolize=none", "fixture")
	err := driver.PProf(&driver.Options{Flagset: set, Fetch: fetcher{p}, Writer: out, UI: &quiet{}, Obj: noTools{}})
	return out.String(), err
}

type memory struct{ bytes.Buffer }

func (m *memory) Open(string) (io.WriteCloser, error) { return m, nil }
func (m *memory) Close() error                        { return nil }

type fetcher struct{ p *google.Profile }

func (f fetcher) Fetch(string, time.Duration, time.Duration) (*google.Profile, string, error) {
	return f.p.Copy(), "", nil
}

type flags struct {
	*flag.FlagSet
	args []string
}

func (f *flags) ExtraUsage() string   { return "" }
func (f *flags) AddExtraUsage(string) {}
func (f *flags) StringList(name, def, usage string) *[]*string {
	return &[]*string{f.String(name, def, usage)}
}
func (f *flags) Parse(func()) []string {
	if err := f.FlagSet.Parse(f.args); err != nil {
		panic(err) // the test named a flag that pprof does not have
	}
	return f.Args()
}

type quiet struct{}

func (*quiet) ReadLine(string) (string, error)     { return "", io.EOF }
func (*quiet) Print(...any)                        {}
func (*quiet) PrintErr(...any)                     {}
func (*quiet) IsTerminal() bool                    { return false }
func (*quiet) WantBrowser() bool                   { return false }
func (*quiet) SetAutoComplete(func(string) string) {}

// noTools spares pprof the search for objdump and the like.
type noTools struct{}

func (noTools) Open(string, uint64, uint64, uint64, string) (driver.ObjFile, error) {
	return nil, io.EOF
}
func (noTools) Disasm(string, uint64, uint64, bool) ([]driver.Inst, error) { return nil, io.EOF }

// both reads a fixture with both readers.
func both(t *testing.T, name string) (*callstack.Profile, *google.Profile) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(profiles, name))
	if err != nil {
		t.Fatal(err)
	}
	return bothFrom(t, data)
}

func bothFrom(t *testing.T, data []byte) (*callstack.Profile, *google.Profile) {
	t.Helper()
	g, err := google.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Read(data, profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p, g
}

func written(t *testing.T, g *google.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := g.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var fixtureNames = []string{
	"compile_stdcmd_merged.cpu.pb.gz", "httpsrv_labels.cpu.pb.gz", "http.heap.pb.gz", "http.allocs.pb.gz",
	"http.block.pb.gz", "http.mutex.pb.gz", "http.goroutine.pb.gz", "goroutine_1k.pb.gz",
}

func TestTopPrintsWhatPprofPrints(t *testing.T) {
	for _, name := range fixtureNames {
		t.Run(name, func(t *testing.T) {
			p, g := both(t, name)
			for column := range p.Types {
				for _, nodes := range []int{0, 7} {
					sameTop(t, p, g, column, false, nodes)
					sameTop(t, p, g, column, true, nodes)
				}
			}
		})
	}
}

func sameTop(t *testing.T, p *callstack.Profile, g *google.Profile, column int, cum bool, nodes int) {
	t.Helper()
	// Every option is named: pprof keeps them for the next run in a process.
	args := []string{"-top", fmt.Sprint("-sample_index=", column), "-nodecount=-1", "-flat"}
	if nodes > 0 {
		args[2] = fmt.Sprint("-nodecount=", nodes)
	}
	if cum {
		args[3] = "-cum"
	}
	want, err := pprof(t, g, args...)
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultTopOptions(p)
	o.Column, o.Cum, o.NodeCount, o.Zone = column, cum, nodes, time.Local
	v, err := NewTop(p, o)
	if err != nil {
		t.Fatal(err)
	}
	v.Warnings = nil
	var got bytes.Buffer
	if err := WriteTop(&got, v); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("%v (-pprof +whet):\n%s", args, diff)
	}
}

func TestListPrintsWhatPprofPrints(t *testing.T) {
	root := filepath.Join(t.TempDir(), "standard-library")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	// Under another name: pprof guesses at paths where it is "src".
	if err := os.Symlink(filepath.Join(strings.TrimSpace(string(goroot)), "src"), root); err != nil {
		t.Fatal(err)
	}
	source := func(file string) ([]byte, error) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(root, file)
		}
		return os.ReadFile(file)
	}
	for _, c := range []struct{ fixture, match string }{
		{"compile_stdcmd_merged.cpu.pb.gz", `^runtime\.(mallocgc|scanobject|mapaccess.*)$`},
		{"compile_stdcmd_merged.cpu.pb.gz", `^cmd/compile/internal/ssa\.\(\*regAllocState\)`},
		{"compile_stdcmd_merged.cpu.pb.gz", `^slices\.`},
		{"httpsrv_labels.cpu.pb.gz", `^encoding/json\.`},
		{"httpsrv_labels.cpu.pb.gz", `^main\.`},
		{"http.allocs.pb.gz", `^net/http\.`},
		{"http.mutex.pb.gz", `^sync\.`},
		{"goroutine_1k.pb.gz", `^runtime\.gopark$`},
	} {
		p, g := both(t, c.fixture)
		sameList(t, p, g, p.DefaultType, c.match, source, root)
	}
}

// sameList compares all of a listing but the sources that are not there: pprof
// says so in other words, and leaves the lines out.
func sameList(t *testing.T, p *callstack.Profile, g *google.Profile, column int, match string, source func(string) ([]byte, error), root string) {
	t.Helper()
	want, wantErr := pprof(t, g, "-list="+match, fmt.Sprint("-sample_index=", column), "-source_path="+root)
	v, err := NewList(p, ListOptions{Column: column, Match: regexp.MustCompile(match), Source: source})
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("%s: %v, pprof: %v", match, err, wantErr)
	}
	if err != nil {
		return
	}
	v.Warnings = nil
	for i := range v.Routines {
		if v.Routines[i].Missing != "" {
			v.Routines[i].Missing, v.Routines[i].Lines = "no source", nil
		}
		for j, l := range v.Routines[i].Lines {
			if l.Beyond {
				v.Routines[i].Lines = v.Routines[i].Lines[:j]
				break
			}
		}
	}
	var got bytes.Buffer
	if err := WriteList(&got, v); err != nil {
		t.Fatal(err)
	}
	theirs, ours := strings.Split(want, "ROUTINE"), strings.Split(got.String(), "ROUTINE")
	if len(theirs) < 2 || len(theirs) != len(ours) {
		t.Fatalf("%s: pprof lists %d functions, whet %d", match, len(theirs)-1, len(ours)-1)
	}
	for i := range theirs {
		lines := strings.SplitAfter(theirs[i], "\n")
		if len(lines) > 3 && strings.HasPrefix(lines[2], " Error: ") {
			theirs[i] = lines[0] + lines[1] + " Error: no source\n"
		}
		// pprof lists nothing where the line lies before its function's
		// first line, as the compiler's line tables have it at times.
		if i > 0 && len(lines) == 3 {
			lines = strings.SplitAfter(ours[i], "\n")
			ours[i] = lines[0] + lines[1]
		}
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("-list %s -sample_index=%d (-pprof +whet):\n%.3000s", match, column, diff)
	}
}
