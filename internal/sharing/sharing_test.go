package sharing

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"whet/internal/recording"
)

const (
	home = "/home/annabel"
	host = "annabels-laptop"
	line = "secretFormula := 42"
)

// planted returns a recording that holds the names wherever one may be.
func planted(t *testing.T) *recording.Recording {
	t.Helper()
	w, err := recording.Create(filepath.Join(t.TempDir(), "run.whet"), time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	m := &w.Manifest
	m.Kind, m.Target, m.Command = recording.TargetService, "http://ann:pw@"+host+":8080/pay?token=x", []string{"tune", "-o", home + "/run.whet", "http://" + host + ":8080/pay"}
	m.Build = recording.Build{Package: "example.com/shop/pay", Module: "example.com/shop", OwnModules: []string{"example.com/shop"},
		Args: []string{"-key", home + "/key.pem"}, Flags: []string{"-overlay=" + home + "/o.json"}, Settings: []string{"-ldflags=-X main.by=" + host, "GOARCH=amd64", "vcs.revision=abc"}}
	m.Warnings = []string{"read " + home + "/shop/go.mod: it is odd", "on " + host + " the load was high"}
	m.Unknown = []recording.Unknown{{What: "mutex", Why: "http://" + host + ":6060/debug/pprof/mutex is empty", How: "set it"}}
	for frame, display := range map[string]string{home + "/shop/pay/pay.go": "pay/pay.go", "/usr/local/go/src/runtime/malloc.go": "GOROOT/src/runtime/malloc.go"} {
		if err := w.AddSource(recording.Source{Frame: frame, Path: display, Module: "example.com/shop"}, []byte("package pay\n"+line+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	for path, a := range map[string]struct{ kind, text string }{
		"build/x.test":      {recording.KindBinary, home},
		"trace/0.trace":     {recording.KindTrace, home},
		"build/types.bin":   {recording.KindTypes, home},
		"build/c.txt":       {recording.KindDiagnostics, line},
		"build/d.diff":      {recording.KindDiff, line},
		"target/output.txt": {recording.KindOutput, host},
		"gc/1.txt":          {recording.KindGC, "gc 1 @0.01s 0%: 0+0+0 ms clock\n"},
		"bench/1.txt":       {recording.KindBench, "pkg: example.com/shop/pay\nBenchmarkPay-2 10 2 ns/op\n"},
		"metrics/1.jsonl":   {recording.KindMetrics, `{"t_ns":1,"goroutines":5}` + "\n" + `{"t_ns":18446744073709551615}` + "\n"},
		"load/run.json":     {recording.KindLoadRun, `{"url":"http://` + host + `:8080/pay","errors":[{"first":"dial tcp 10.0.0.7:80: ` + home + `/sock"}],"n":12345678901234567890}`},
		"findings.json":     {recording.KindFindings, `{"findings":[{"file":"` + home + `/shop/pay/yaccpar","line":2,"text":"` + home + `/shop/pay is slow on ` + host + `"}]}`},
		"cpu.pb.gz":         {recording.KindCPU, profileOf(t)},
		"broken.pb.gz":      {recording.KindHeap, "no profile: " + home},
	} {
		if err := w.Write(recording.Artifact{Path: path, Kind: a.kind}, []byte(a.text)); err != nil {
			t.Fatal(err)
		}
	}
	path, err := w.Finish(time.Second, "")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rec.Close() })
	return rec
}

func profileOf(t *testing.T) string {
	t.Helper()
	mapping := &profile.Mapping{ID: 1, File: home + "/shop/pay.test", BuildID: "b1"}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}}, PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1,
		Mapping: []*profile.Mapping{mapping}, Comments: []string{"taken on " + host},
	}
	for i, f := range []struct{ name, file string }{
		{"example.com/shop/pay.Pay", home + "/shop/pay/pay.go"}, {"runtime.mallocgc", "/usr/local/go/src/runtime/malloc.go"}, {"main.annabels", "/tmp/build/main.go"}, {"example.com/shop/pay.parse", home + "/shop/pay/yaccpar"},
	} {
		fn := &profile.Function{ID: uint64(i + 1), Name: f.name, SystemName: f.name, Filename: f.file}
		loc := &profile.Location{ID: uint64(i + 1), Mapping: mapping, Address: uint64(i + 1), Line: []profile.Line{{Function: fn, Line: int64(10 + i)}}}
		p.Function, p.Location = append(p.Function, fn), append(p.Location, loc)
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{loc}, Value: []int64{int64(100 * (i + 1))}, Label: map[string][]string{"node": {host}, "route": {"/pay/now"}}})
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCopy plants names and a line of source and looks for them in every byte of the
// copy, unpacked. What is left says the same.
func TestCopy(t *testing.T) {
	rec := planted(t)
	out := filepath.Join(t.TempDir(), "shared.whet")
	copied, err := Copy(rec, out, []string{home, host, "/home/ann"})
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(copied.Path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		for _, bad := range []string{home, host, line, "annabels-", "ann:pw", "key.pem\"", "10.0.0.7", "/usr/local"} {
			if bytes.Contains(unpacked(data), []byte(bad)) {
				t.Errorf("%s holds %q:\n%s", name, bad, unpacked(data))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := recording.Open(copied.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	var kinds []string
	texts := make(map[string]string)
	for _, a := range shared.Artifacts {
		data, err := shared.Read(a)
		if err != nil {
			t.Error(err)
		}
		kinds, texts[a.Kind] = append(kinds, a.Kind), string(data)
	}
	if len(kinds) != 6 {
		t.Errorf("the copy holds %q, and left out %q", kinds, copied.LeftOut)
	}
	for kind, want := range map[string]string{
		recording.KindLoadRun:  `{"errors":[{"first":"dial tcp host: …/sock"}],"n":12345678901234567890,"url":"http://host/pay"}` + "\n",
		recording.KindMetrics:  `{"t_ns":1,"goroutines":5}` + "\n" + `{"t_ns":18446744073709551615}` + "\n",
		recording.KindFindings: `{"findings":[{"file":"pay/yaccpar","line":2,"text":"…/pay is slow on …"}]}` + "\n",
	} {
		if texts[kind] != want {
			t.Errorf("%s: %q, want %q", kind, texts[kind], want)
		}
	}
	if got := shared.Build; got.Module != "example.com/shop" || len(got.Args) != 0 || fmt.Sprint(got.Settings) != "[GOARCH=amd64 vcs.revision=abc]" {
		t.Errorf("build %+v", got)
	}
	if _, s, err := shared.Source("pay/pay.go"); err == nil || s.Path != "pay/pay.go" {
		t.Errorf("source %+v, %v", s, err)
	}
	p, err := profile.ParseData([]byte(texts[recording.KindCPU]))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Sample {
		l := s.Location[0]
		got = append(got, fmt.Sprintf("%s %s:%d %d %s %s", l.Line[0].Function.Name, l.Line[0].Function.Filename, l.Line[0].Line, s.Value[0], s.Label["node"], s.Label["route"]))
	}
	want := []string{
		"example.com/shop/pay.Pay pay/pay.go:10 100 […] [/pay/now]",
		"runtime.mallocgc GOROOT/src/runtime/malloc.go:11 200 […] [/pay/now]",
		"main.annabels …/main.go:12 300 […] [/pay/now]",
		"example.com/shop/pay.parse pay/yaccpar:13 400 […] [/pay/now]", // of a line directive
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || p.Mapping[0].File != "pay.test" || p.Comments[0] != "taken on …" {
		t.Errorf("profile %q, of %q, %q", got, p.Mapping[0].File, p.Comments)
	}
}

// TestNameInTheManifest: where a name can't be taken out, nothing is written.
func TestNameInTheManifest(t *testing.T) {
	rec := planted(t)
	rec.Build.Package = "example.com/shop " + host + " x"
	dir := t.TempDir()
	if _, err := Copy(rec, filepath.Join(dir, "shared.whet"), []string{home, host}); err == nil || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func FuzzProfile(f *testing.F) {
	f.Add([]byte("2\x05a/b.go"))
	f.Add([]byte{0x32, 0})
	c := newCleaner(nil, []string{home, host})
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := c.profile(data)
		if err != nil {
			return
		}
		again, err := c.profile(out)
		if err != nil || !bytes.Equal(again, out) {
			t.Errorf("cleaned twice: %q, %q, %v", out, again, err)
		}
	})
}
