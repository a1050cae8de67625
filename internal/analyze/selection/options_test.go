package selection

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
	"whet/internal/format/profile"
)

// profiles are real ones, with the reader's tests.
const profiles = "../../format/profile/testdata"

func fixture(t testing.TB, name string) *callstack.Profile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(profiles, name))
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Read(bytes.NewReader(data), int64(len(data)), profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// thinned reads a fixture with both readers, every n-th sample of it, so that
// pprof runs on it in some milliseconds.
func thinned(t testing.TB, name string, n int) (*callstack.Profile, *google.Profile) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(profiles, name))
	if err != nil {
		t.Fatal(err)
	}
	g, err := google.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	if n > 1 {
		var some []*google.Sample
		for i := 0; i < len(g.Sample); i += n {
			some = append(some, g.Sample[i])
		}
		g.Sample = some
		g = g.Compact()
	}
	return read(t, g), g
}

// read packs what google's package holds.
func read(t interface {
	Helper()
	Fatal(...any)
}, g *google.Profile) *callstack.Profile {
	t.Helper()
	var b bytes.Buffer
	if err := g.WriteUncompressed(&b); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Read(bytes.NewReader(b.Bytes()), int64(b.Len()), profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// single are options by themselves; combined with each other where they set
// different fields.
var single = []Options{
	{},
	{Focus: `runtime`}, {Focus: `ServeHTTP|gcBgMarkWorker|compile/internal/ssa`}, {Focus: `matches nothing`}, {Focus: `server\.go|/malloc\.go`},
	{Ignore: `runtime\.`}, {Ignore: `json|park|noder`}, {Ignore: `matches nothing`},
	{Hide: `^runtime\.`}, {Hide: `mallocgc|/http/|^sync|ssa\.`}, {Hide: `matches nothing`}, {Hide: `.`},
	{Show: `^(runtime|net/http|main|cmd/compile)`}, {Show: `matches nothing`}, {Show: `\.go$`},
	{ShowFrom: `http|ssagen|systemstack`}, {ShowFrom: `matches nothing`}, {ShowFrom: `Serve|gc\.`},
	{PruneFrom: `mallocgc|Read$|park|Unlock`}, {PruneFrom: `^net/http|^cmd/compile`}, {PruneFrom: `matches nothing`},
	{NoInlines: true}, {AllFrames: true},
	{Granularity: "filefunctions"}, {Granularity: "files"}, {Granularity: "lines"}, {Granularity: "addresses"},
	{Granularity: "lines", ShowColumns: true}, {Granularity: "addresses", NoInlines: true}, {Granularity: "addresses", NoInlines: true, ShowColumns: true},
	{Mean: true}, {SampleIndex: "0"}, {SampleIndex: "1"}, {SampleIndex: "1", Mean: true},
	{RelativePercentages: true}, {DivideBy: 3},
	{TagFocus: `endpoint`}, {TagFocus: `matches nothing`}, {TagFocus: `endpoint:/,:`}, {TagFocus: `endpoint=/api,search`}, {TagFocus: `bytes=100:4kb`}, {TagFocus: `:64kb`}, {TagFocus: `1kb:`}, {TagFocus: `48`},
	{TagIgnore: `search|render`}, {TagIgnore: `bytes=1024`}, {TagIgnore: `10:2`},
	{TagShow: `endpoint|bytes`}, {TagShow: `matches nothing`}, {TagHide: `e`}, {TagHide: `matches nothing`},
	{TagRoot: []string{"endpoint"}}, {TagRoot: []string{"bytes", "", "worker"}}, {TagLeaf: []string{"endpoint", "bytes"}}, {TagLeaf: []string{"matches nothing"}},
}

// together merges two options; ok is false where both set a field.
func together(a, b Options) (out Options, ok bool) {
	out = a
	from, to := reflect.ValueOf(b), reflect.ValueOf(&out).Elem()
	for i := range from.NumField() {
		if from.Field(i).IsZero() {
			continue
		}
		if !to.Field(i).IsZero() {
			return out, false
		}
		to.Field(i).Set(from.Field(i))
	}
	return out, true
}

// TestSelectsWhatPprofSelects compares stacks, values, labels, totals and
// warnings for every fixture with each option and with some pairs of them, in
// turns. All combinations meet in TestAnyProfileAnyOptions.
func TestSelectsWhatPprofSelects(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	fixtures := []struct {
		name  string
		every int
	}{
		{"compile_stdcmd_merged.cpu.pb.gz", 197}, {"httpsrv_labels.cpu.pb.gz", 17}, {"http.heap.pb.gz", 3}, {"http.allocs.pb.gz", 3},
		{"http.block.pb.gz", 1}, {"http.mutex.pb.gz", 5}, {"http.goroutine.pb.gz", 1}, {"goroutine_1k.pb.gz", 29},
	}
	for f, fixture := range fixtures {
		t.Run(fixture.name, func(t *testing.T) {
			p, g := thinned(t, fixture.name, fixture.every)
			for _, o := range single {
				same(t, map[string]*google.Profile{"p": g}, map[string]Role{"p": Measured}, []Source{{Profile: p}}, o)
			}
			for i, a := range single {
				for j := range i {
					if o, ok := together(a, single[j]); ok && (i*31+j)%(8*len(fixtures)) == f {
						same(t, map[string]*google.Profile{"p": g}, map[string]Role{"p": Measured}, []Source{{Profile: p}}, o)
					}
				}
			}
		})
	}
}

// same compares one selection with pprof's.
func same(t *testing.T, profiles map[string]*google.Profile, roles map[string]Role, sources []Source, o Options) {
	t.Helper()
	s, err := New(sources, o)
	unit := "minimum"
	if err == nil {
		unit = s.Type.Unit
	}
	if o.Unit != "" {
		unit = o.Unit
	}
	o.Unit, o.RawPaths = unit, true
	if err == nil {
		s, err = New(sources, o)
	}
	total := len(roles) > 1 || o.Mean || o.RelativePercentages || o.DivideBy != 0 || o.SampleIndex != "" // else it is the profile's
	want, wantErr := pprofs(t, profiles, arguments(o, unit, roles), total)
	if (err != nil) != (wantErr != nil) {
		t.Errorf("%+v: %v, pprof: %v", o, err, wantErr)
		return
	}
	if err != nil {
		return
	}
	got := ours(s, unit)
	if !total {
		got.Total = ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-pprof +whet):\n%.3000s", said(o), diff)
	}
}

// said returns the fields that are set.
func said(o Options) (out string) {
	v := reflect.ValueOf(o)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			out += fmt.Sprintf("%s=%v ", v.Type().Field(i).Name, v.Field(i))
		}
	}
	return out
}
