package app

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	loadformat "whet/internal/format/load"
	"whet/internal/format/profile"
	"whet/internal/recording"
	"whet/internal/typed/typedtest"
)

// benchmarksOf are the benchmarks that are measured of a case's stages.
var benchmarksOf = map[string]string{
	"visits": "Reused", "havlak": "Find", "stats": "Name|Advance", "avatar": "Draw|Handler",
	"gateway": "Call/1KB|Call/100KB|Session", "ingest": "Bulk/4.9MB",
}

// serviceLoad is what a case's server is asked for.
type serviceLoad struct {
	path        string
	concurrency int
	flags       []string
	body        func() []byte // of a POST
}

var loadsOf = map[string]serviceLoad{
	"visits": {path: "/hello?name=Ann&color=teal", concurrency: 64},
	"stats": {path: "/advance/orders", concurrency: 64,
		flags: []string{"-H", "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"}},
	"avatar":  {path: "/avatar/Ann%20Lee", concurrency: 64},
	"gateway": {path: "/call", concurrency: 64, body: order},
	"ingest":  {path: "/ingest", concurrency: 4, body: documents},
}

// order returns a call of the gateway, of about 1 KB and without a session.
func order() []byte {
	b := []byte(`{"header":{"businessName":"shop-checkout","qua":{"v":"7.1.20","os":"linux","model":"M221","lang":"en-GB","net":"wifi","channel":"store"},"trace":"8c51e2a07b3d94f6"},"payload":{"customer":{"id":60417,"mail":"c60417@example.com","vip":false},"lines":[`)
	for i := range 5 {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"sku":"TC-%05d","title":"Cup with a lid","quantity":%d,"price":%d.50,"weight":0.%d,"tags":["new","gift"],"gift":true}`, 40_318+7*i, 1+i, 12+i, 351+i)
	}
	return append(b, `],"coupon":null,"note":"please ring twice and leave it with the neighbours"}}`...)
}

// documents are lines for ingest, 4.9 MB of them.
func documents() []byte {
	const size = 4_900_000
	b := make([]byte, 0, size)
	for i := 0; ; i++ {
		line := fmt.Sprintf(`{"type":"%s","time":"2026-11-20T10:%02d:%02dZ","level":"info","host":"web-%d","status":%d,"path":"/orders/%d","text":"answered after %d ms"}`+"\n",
			[]string{"app", "web", "audit"}[i%3], i/60%60, i%60, i%7, 200+i%5, 100_000+i*37%900_000, 1+i*i%400)
		if len(b)+len(line) > size {
			return b
		}
		b = append(b, line...)
	}
}

// buildWhet builds the program as users have it: with the race detector it
// would take the machine from what it measures.
func buildWhet(t *testing.T) string {
	t.Helper()
	whet := filepath.Join(t.TempDir(), "whet")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", whet, "./cmd/whet")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return whet
}

// measure runs whet tune on a row's stage and returns the recording. It takes
// times as many samples as the rules need at the least.
func (r *stageRow) measure(t *testing.T, whet string, times int) string {
	t.Helper()
	times *= max(1, r.times)
	out := filepath.Join(t.TempDir(), r.name()+".whet")
	args := []string{"tune", "-json", "-no-binary", "-o", out}
	switch stage := "./casebook/" + r.study + "/" + r.stage; r.way {
	case asBenchmark:
		bench := r.bench
		if bench == "" {
			bench = benchmarksOf[r.study]
		}
		args = append(args, "-bench", bench, "-run", "^$", "-samples", strconv.Itoa(times*300), "-budget", fmt.Sprint(time.Duration(times)*time.Minute), stage)
	case underLoad:
		args = append(args, r.load(t, times)...)
	case asCommand:
		count := times
		if r.stage == "best" {
			count *= 25 // each takes 160 ms
		}
		args = append(args, "-count", strconv.Itoa(count), "-budget", "4m", "./casebook/cmd/casebook", "--", "-case", r.study, "-stage", r.stage)
	}
	cmd := exec.CommandContext(t.Context(), whet, args...)
	var errs bytes.Buffer // and what a command prints
	cmd.Dir, cmd.Stderr = root, &errs
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath"))
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("whet %s: %v\n%s", strings.Join(args, " "), err, errs.Bytes())
	}
	var doc diagnosis
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, w := range doc.Warnings {
		t.Log("warning:", w)
	}
	if r.way == underLoad && (doc.Service.Requests == 0 || len(doc.Service.Errors) != 0) {
		t.Fatalf("%d requests, errors %v", doc.Service.Requests, doc.Service.Errors)
	}
	return out
}

// load returns what drives a row's stage as a service.
func (r *stageRow) load(t *testing.T, times int) []string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	of := loadsOf[r.study]
	args := append([]string{"-c", strconv.Itoa(of.concurrency), "-d", fmt.Sprint(time.Duration(times) * 12 * time.Second), "-warmup", "1s"}, of.flags...)
	if of.body != nil {
		body := filepath.Join(t.TempDir(), "body")
		if err := os.WriteFile(body, of.body(), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "-m", "POST", "-body", "@"+body)
	}
	return append(args, "http://"+address+of.path, "--", "./casebook/cmd/casebook", "-case", r.study, "-stage", r.stage, "-addr", address, "-pprof-addr", "")
}

// keep writes what diagnose reads of a recording to another. Of that the same
// must be said, figure by figure.
func keep(t *testing.T, whole, dir string) {
	t.Helper()
	if err := thin(t, whole, dir); err != nil {
		t.Fatal(err)
	}
	var findings [2]struct{ Findings []any }
	for i, of := range []string{whole, dir} {
		if err := json.Unmarshal(said(t, of, "-all"), &findings[i]); err != nil {
			t.Fatal(err)
		}
	}
	if whole, thinned := fmt.Sprint(findings[0]), fmt.Sprint(findings[1]); whole != thinned {
		t.Errorf("of the whole recording is said\n%s\nand of what is kept of it\n%s", whole, thinned)
	}
	t.Logf("%s has %d bytes", dir, sizeOf(t, dir))
	if err := namesNoDirectory(dir); err != nil {
		t.Error(err)
	}
}

// isTable reports whether a file is of a case's table of tests.
func isTable(file string) bool { return strings.HasSuffix(path.Dir(file), "test") }

// typesOf returns the typed view of a recording's packages but the tables of tests, with
// the files that they are made of. Of what they import it holds what they use.
func typesOf(t *testing.T, rec *recording.Recording) (view []byte, files []string) {
	t.Helper()
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, s := range rec.Sources {
		if dir := "./" + path.Dir(s.Path); s.Module == rec.Build.Module && !isTable(s.Path) && !slices.Contains(patterns, dir) {
			patterns = append(patterns, dir)
		}
	}
	pkgs, err := packages.Load(&packages.Config{Mode: typedtest.Mode, Context: t.Context(), Dir: here, Tests: rec.Kind == recording.TargetBenchmark}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool { return p.ForTest != "" && p.ForTest != rec.Build.Package })
	view, abs := typedtest.View(t, pkgs, func(file string) string { return rec.Build.Module + "/" + relative(t, here, file) })
	for _, file := range abs {
		files = append(files, relative(t, here, file))
	}
	return view, files
}

func relative(t *testing.T, dir, file string) string {
	t.Helper()
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

// thin writes what diagnose reads of a recording: not the traces, metrics and
// compiler's notes that a report shows beside it, no source but that of the
// casebook, and of the cases' test tables only what was run.
func thin(t *testing.T, from, to string) error {
	t.Helper()
	rec, err := recording.Open(from)
	if err != nil {
		return err
	}
	defer rec.Close()
	w, err := recording.Create(to, rec.Origin)
	if err != nil {
		return err
	}
	defer w.Discard()
	w.Manifest = rec.Manifest
	m := &w.Manifest
	m.Artifacts, m.Sources = nil, nil
	m.Command, m.Host.CPU, m.Host.Kernel = nil, "", "" // README.md says what they were
	service, err := loadformat.ServicePart.Of(m)
	if err != nil {
		return err
	}
	if service != nil {
		service.Pprof = "" // a socket in a temporary directory
	}
	loops := &hot.Loops{}
	for _, s := range rec.Sources {
		if s.Module != rec.Build.Module {
			continue
		}
		text, _, err := rec.Source(s.Frame)
		if err == nil {
			err = loops.AddFile(s.Frame, text)
		}
		if err != nil {
			return err
		}
	}
	ran := make(map[string]bool) // files of the measured code
	for _, a := range rec.Artifacts {
		switch a.Kind {
		case recording.KindCPU, recording.KindAllocs, recording.KindMutex, recording.KindBlock:
		default:
			continue
		}
		if a.Part != "" {
			continue
		}
		data, err := rec.Read(a)
		if err != nil {
			return err
		}
		if data, err = thinProfile(data, a.Kind, rec.Kind, loops, ran); err != nil {
			return fmt.Errorf("%s: %w", a.Path, err)
		}
		if err := w.Write(a, data); err != nil {
			return err
		}
	}
	view, files := typesOf(t, rec)
	for _, s := range rec.Sources {
		if isTable(s.Path) && ran[s.Frame] {
			files = append(files, s.Path)
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err == nil {
			err = w.AddSource(recording.Source{Frame: m.Build.Module + "/" + file, Path: file, Module: m.Build.Module}, text)
		}
		if err != nil {
			return err
		}
	}
	if err := w.Write(recording.Artifact{Path: "build/types.bin", Kind: recording.KindTypes}, view); err != nil {
		return err
	}
	_, err = w.Finish(time.Duration(rec.EndNs), rec.Partial)
	return err
}

// thinProfile leaves out the binary's name and addresses, and of allocations
// what the measured code did not make and what is still in use.
func thinProfile(data []byte, kind, target string, loops *hot.Loops, ran map[string]bool) ([]byte, error) {
	p, err := profile.ReadFrames(data, profile.DefaultLimits())
	if err != nil {
		return nil, err
	}
	classes := hot.ClassifyProgram(p)
	if target == recording.TargetBenchmark {
		classes = hot.Classify(p, loops)
	}
	base := classes.Keep(hot.Base)
	var columns []int
	if kind == recording.KindAllocs {
		for _, name := range []string{"alloc_objects", "alloc_space"} {
			i, err := p.TypeIndex(name)
			if err != nil {
				return nil, err
			}
			columns = append(columns, i)
		}
	} else {
		for i := range p.Types {
			columns = append(columns, i)
		}
	}
	var types []callstack.ValueType
	for _, c := range columns {
		types = append(types, p.Types[c])
	}
	b := callstack.NewBuilder(types...)
	for s := p.Stacks(nil); s.Next(); {
		i := s.Index()
		if kind == recording.KindAllocs && !base(i) {
			continue
		}
		var stack []callstack.Frame
		for _, id := range s.Stack {
			frame := p.Frame(id)
			if base(i) {
				ran[frame.File] = true
			}
			stack = append(stack, *frame)
		}
		var values []int64
		for _, c := range columns {
			values = append(values, s.Value(c))
		}
		b.AddFrames(stack, s.Labels(), values...)
	}
	thinned := b.Profile()
	thinned.PeriodType, thinned.Period, thinned.TimeNanos, thinned.Duration = p.PeriodType, p.Period, p.TimeNanos, p.Duration
	var out bytes.Buffer
	err = profile.Write(&out, thinned)
	return out.Bytes(), err
}

// namesNoDirectory reports a file that names a directory of this machine.
func namesNoDirectory(dir string) error {
	here, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				return err
			}
			if data, err = io.ReadAll(z); err != nil {
				return errors.Join(err, z.Close())
			}
		}
		for _, of := range []string{here, home, os.TempDir(), strings.TrimSpace(string(goroot))} {
			if bytes.Contains(data, []byte(of+string(filepath.Separator))) {
				return fmt.Errorf("%s names %s, a directory of this machine", name, of)
			}
		}
		return nil
	})
}
