package benchmarks

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/document"
	"whet/internal/prove"
)

// few measures four rounds, which are too few for any verdict on times.
func few(cache string) func(*Options) {
	return func(o *Options) { o.Rounds, o.Cache = 4, cache }
}

func TestSecondRunIsPooled(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "whet", "prove")
	l := steady()
	first := l.mustProve(t, few(cache))
	if first.Run != 1 || first.Earlier != 0 || warned(first, "same question") {
		t.Errorf("run %d, %d earlier, warnings %q", first.Run, first.Earlier, first.Warnings)
	}
	s, err := l.prove(context.Background(), few(cache))
	if err != nil {
		t.Fatal(err)
	}
	series := s.outcome.Series[0]
	if s.Result.Run != 2 || s.Result.Earlier != 4 || series.Run != 2 || series.Earlier != 4 || len(series.Rounds) != 8 || !warned(s.Result, "this is run 2 of the same question: its rounds are pooled with the 4 rounds of earlier runs") {
		t.Errorf("run %d, %d earlier, %d rounds, warnings %q", s.Result.Run, s.Result.Earlier, len(series.Rounds), s.Result.Warnings)
	}
	if r := row(t, s.Result, "BenchmarkA", compare.NsPerOp); r.Rounds != 8 || r.RoundsEarlier != 4 || r.Iterations != row(t, first, "BenchmarkA", compare.NsPerOp).Iterations {
		t.Errorf("%d rounds, %d earlier, %d iterations", r.Rounds, r.RoundsEarlier, r.Iterations)
	}
	// The same seed in another run is another draw.
	var lots [2][]compare.Side
	for i, rounds := range [2][]compare.Round{series.Rounds[:4], series.Rounds[4:]} {
		for _, r := range rounds {
			lots[i] = append(lots[i], r.AgainOf)
		}
	}
	if slices.Equal(lots[0], lots[1]) {
		t.Errorf("both runs doubled %v: another seed may have them equal by chance", lots[0])
	}
	if third := l.mustProve(t, few(cache)); third.Run != 3 || third.Earlier != 8 {
		t.Errorf("run %d, %d earlier", third.Run, third.Earlier)
	}
	// Four rounds are too few by themselves, and twelve before them are not.
	if fourth := l.mustProve(t, few(cache)); fourth.Earlier != 12 || warned(fourth, "-rounds asks for") || !warned(first, "-rounds asks for") {
		t.Errorf("%d earlier, warnings %q, of the first run %q", fourth.Earlier, fourth.Warnings, first.Warnings)
	}
	if again := l.mustProve(t, few("")); again.Run != 1 || again.Earlier != 0 {
		t.Errorf("without a cache: run %d, %d earlier", again.Run, again.Earlier)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Each benchmark is a question of its own.
func TestQuestionsAreBenchmarks(t *testing.T) {
	cache := t.TempDir()
	l := steady()
	l.mustProve(t, few(cache))
	for side := range compare.Sides {
		p := l.packages[0]
		p.names[side] = append(p.names[side], "BenchmarkB")
		p.ns[side]["BenchmarkB"] = p.ns[side]["BenchmarkA"]
	}
	s, err := l.prove(context.Background(), few(cache))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := s.outcome.Series[0], s.outcome.Series[1]; a.Run != 2 || a.Earlier != 4 || b.Run != 1 || b.Earlier != 0 {
		t.Errorf("A: run %d, %d earlier; B: run %d, %d earlier", a.Run, a.Earlier, b.Run, b.Earlier)
	}
}

// A run that was interrupted after it showed something counts; a benchmark
// that failed keeps what it had.
func TestWhatCounts(t *testing.T) {
	cache := t.TempDir()
	l := steady()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if _, err := l.prove(ctx, func(o *Options) {
		few(cache)(o)
		o.Progress = func(e prove.Event) {
			if e.Round == 3 {
				cancel()
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	l.fail = func(r processSpec, _ int) error {
		if r.n > 1000 && r.side == compare.New && l.requests[len(l.requests)-1].n == r.n && len(l.requests) > 40 {
			return context.DeadlineExceeded
		}
		return nil
	}
	failed := l.mustProve(t, func(o *Options) { few(cache)(o); o.Rounds = 30 })
	if failed.Run != 2 || failed.Earlier != 2 || len(failed.Failures) != 1 {
		t.Errorf("run %d, %d earlier, failures %v", failed.Run, failed.Earlier, failed.Failures)
	}
	l.fail = nil
	if res := l.mustProve(t, few(cache)); res.Run != 2 || res.Earlier != 2 {
		t.Errorf("run %d, %d earlier", res.Run, res.Earlier)
	}
}

func TestPoolKeys(t *testing.T) {
	one := poolKey{Packages: [2]string{"a", "b"}, Binaries: [2]string{"1", "2"}, Env: [2][]string{{"A=1"}, nil}, Args: []string{"x"}, OS: "linux", Cores: 2, Procs: "2"}
	keys := map[string]bool{one.String(): true}
	for _, change := range []func(*poolKey){
		func(k *poolKey) { k.Packages[1] = "c" }, func(k *poolKey) { k.Binaries = [2]string{"2", "1"} },
		func(k *poolKey) { k.Env[1] = []string{"A=1"} }, func(k *poolKey) { k.Args = nil }, func(k *poolKey) { k.Procs = "1" },
		func(k *poolKey) { k.Cores = 4 }, func(k *poolKey) { k.Host = "h" }, func(k *poolKey) { k.CPU = "c" }, func(k *poolKey) { k.OS = "darwin" },
		func(k *poolKey) { k.Data[0] = "1" }, func(k *poolKey) { k.Data[1] = "1" },
		func(k *poolKey) { k.Layouts = true }, func(k *poolKey) { k.Pin = []int{1} }, func(k *poolKey) { k.Collector = []string{"off", "", ""} },
	} {
		other := one
		change(&other)
		if len(other.String()) != 64 || keys[other.String()] {
			t.Errorf("%+v has a key that is taken", other)
		}
		keys[other.String()] = true
	}
}

func TestDamagedPoolIsLeftOut(t *testing.T) {
	cache := t.TempDir()
	l := steady()
	l.mustProve(t, few(cache))
	name := onlyFile(t, cache)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"cut":             string(whole[:len(whole)/2]),
		"no JSON":         "rounds",
		"another schema":  strings.Replace(string(whole), document.ProvePool, "whet/prove-pool/9", 1),
		"another key":     strings.Replace(string(whole), `"key":"`, `"key":"0`, 1),
		"no runs":         strings.Replace(string(whole), `"runs":1`, `"runs":0`, 1),
		"no rounds":       `{"schema":"` + document.ProvePool + `","key":"` + strings.TrimSuffix(filepath.Base(name), ".json") + `","questions":{"BenchmarkA":{"runs":1}}}`,
		"no question":     `{"schema":"` + document.ProvePool + `","key":"` + strings.TrimSuffix(filepath.Base(name), ".json") + `","questions":{"BenchmarkA":null}}`,
		"half a round":    strings.Replace(string(whole), `"Again":{`, `"Again":null,"x":{`, 1),
		"a third side":    strings.ReplaceAll(strings.ReplaceAll(string(whole), `"AgainOf":0`, `"AgainOf":2`), `"AgainOf":1`, `"AgainOf":2`),
		"a number no one": strings.Replace(string(whole), `"ns/op":`, `"ns/op":1e999,"x":`, 1),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		res := l.mustProve(t, few(cache))
		if res.Run != 1 || res.Earlier != 0 || !warned(res, "earlier rounds of this question were not used: read ") {
			t.Errorf("%s: run %d, warnings %q", what, res.Run, res.Warnings)
		}
		// What it could not read it has replaced.
		if res := l.mustProve(t, few(cache)); res.Run != 2 || warned(res, "left out") {
			t.Errorf("%s: run %d after it, warnings %q", what, res.Run, res.Warnings)
		}
	}
}

func onlyFile(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v in %s: %v", entries, dir, err)
	}
	return filepath.Join(dir, entries[0].Name())
}

// Old rounds are not used; old files go, and those of others stay.
func TestPoolAges(t *testing.T) {
	cache := t.TempDir()
	l := steady()
	l.now = time.Now()
	l.mustProve(t, few(cache))
	stranger := filepath.Join(cache, "notes.txt")
	ancient := filepath.Join(cache, strings.Repeat("a", 64)+".json")
	for _, name := range []string{stranger, ancient} {
		if err := os.WriteFile(name, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Time{}, l.now.Add(-2*poolAge)); err != nil {
			t.Fatal(err)
		}
	}
	l.now = l.now.Add(poolAge - time.Hour)
	if res := l.mustProve(t, few(cache)); res.Run != 2 {
		t.Errorf("run %d", res.Run)
	}
	if _, err := os.Stat(stranger); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(ancient); err == nil {
		t.Error("a file of two ages ago is there")
	}
	l.now = l.now.Add(poolAge + time.Hour)
	if res := l.mustProve(t, few(cache)); res.Run != 1 || len(res.Warnings) != 1 { // -rounds asks for too few
		t.Errorf("run %d, warnings %q", res.Run, res.Warnings)
	}
}

// No more than so many files and rounds are kept.
func TestPoolIsBounded(t *testing.T) {
	cache := t.TempDir()
	now := time.Now()
	for i := range poolFiles + 5 {
		name := filepath.Join(cache, strings.Repeat("b", 60)+string([]byte{'0' + byte(i/1000), '0' + byte(i/100%10), '0' + byte(i/10%10), '0' + byte(i%10)})+".json")
		if err := os.WriteFile(name, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Time{}, now.Add(-time.Duration(i+1)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	l := steady()
	l.now = now
	s, err := l.prove(context.Background(), few(cache))
	if err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(cache)
	name := filepath.Join(cache, s.pool.files[0].Key+".json")
	if _, err := os.Stat(name); err != nil || len(entries) != poolFiles {
		t.Errorf("%d files, %v", len(entries), err)
	}
	// 2,000 rounds and four more.
	file := s.pool.files[0]
	q := file.Questions["BenchmarkA"]
	q.Rounds = slices.Repeat(q.Rounds, poolRounds/4)
	doc, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	if res := l.mustProve(t, few(cache)); res.Run != 2 || res.Earlier != poolRounds {
		t.Errorf("run %d, %d earlier", res.Run, res.Earlier)
	}
	if res := l.mustProve(t, few(cache)); res.Run != 3 || res.Earlier != poolRounds {
		t.Errorf("run %d, %d earlier", res.Run, res.Earlier)
	}
}

// Where nothing can be kept the figures stand, and the trouble is told.
func TestPoolThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := steady()
	s, err := l.prove(context.Background(), few(filepath.Join(file, "prove")))
	if err == nil || !strings.HasPrefix(err.Error(), "keep the rounds for the next run: ") || len(s.Result.Benchmarks) == 0 {
		t.Errorf("error %v, %d rows", err, len(s.Result.Benchmarks))
	}
}

// What a pool file holds is either refused or whole.
func FuzzPoolFile(f *testing.F) {
	key := poolKey{}.String()
	f.Add(`{"schema":"whet/prove-pool/1","key":"` + key + `","questions":{"B":{"runs":1,"iterations":3,"rounds":[{"Old":{"ns/op":1},"New":{"ns/op":1},"Again":{},"AgainOf":1,"Layout":3}]}}}`)
	f.Add(`{"questions":{"B":null}}`)
	f.Fuzz(func(t *testing.T, text string) {
		name := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := readPool(name)
		if err != nil || file.check(key) != nil {
			return
		}
		for name, q := range file.Questions {
			if q.Runs < 1 || len(q.Rounds) == 0 {
				t.Errorf("%q: %+v", name, q)
			}
			for _, r := range q.Rounds {
				if r.Old == nil || r.New == nil || r.Again == nil || r.AgainOf.String() == "" {
					t.Errorf("%q: %+v", name, r)
				}
			}
		}
		// Written again it is the same.
		doc, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, doc, 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := readPool(name)
		if err != nil || again.check(key) != nil || len(again.Questions) != len(file.Questions) {
			t.Errorf("%v, %+v", err, again)
		}
	})
}

// Who asks twice at the same time has asked twice: who ends later has the
// second run, with its share of alpha, and neither loses a round.
func TestRunsAtTheSameTime(t *testing.T) {
	cache := t.TempDir()
	one, two := steady(), steady()
	other := one.packages[0]
	for side := range compare.Sides {
		other.names[side] = append(other.names[side], "BenchmarkOther")
		other.ns[side]["BenchmarkOther"] = other.ns[side]["BenchmarkA"]
	}
	var first *compare.Result
	s, err := two.prove(context.Background(), func(o *Options) {
		few(cache)(o)
		o.Progress = func(e prove.Event) {
			if e.Round == 2 && first == nil {
				first = one.mustProve(t, few(cache))
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if first.Run != 1 || first.Earlier != 0 {
		t.Errorf("first to end: run %d, %d earlier", first.Run, first.Earlier)
	}
	series, r := s.outcome.Series[0], row(t, s.Result, "BenchmarkA", compare.NsPerOp)
	if s.Result.Run != 2 || s.Result.Earlier != 4 || series.Run != 2 || series.Earlier != 4 || r.Rounds != 8 || r.RoundsEarlier != 4 || !warned(s.Result, "another whet prove measured 1 benchmark of these at the same time") {
		t.Errorf("second to end: run %d, %d earlier; series: run %d, %d earlier; row: %d rounds, %d earlier; warnings %q", s.Result.Run, s.Result.Earlier, series.Run, series.Earlier, r.Rounds, r.RoundsEarlier, s.Result.Warnings)
	}
	// As if it had been asked after the other one.
	want := compare.Judge([]compare.Series{series}, compare.Options{Alpha: s.o.Alpha, Margin: s.o.Margin, Looks: s.outcome.Looks, Hypotheses: len(series.Metrics)})
	if r.PValue != want[0].PValue || r.RatioLow != want[0].RatioLow {
		t.Errorf("p %v from %v, want %v from %v", r.PValue, r.RatioLow, want[0].PValue, want[0].RatioLow)
	}
	third, err := one.prove(context.Background(), few(cache))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := third.outcome.Series[0], third.outcome.Series[1]; a.Run != 3 || a.Earlier != 8 || b.Name != "BenchmarkOther" || b.Run != 2 || b.Earlier != 4 {
		t.Errorf("after them: %s run %d, %d earlier; %s run %d, %d earlier", a.Name, a.Run, a.Earlier, b.Name, b.Run, b.Earlier)
	}
}

// To ask the other way round is to ask the same: the rounds are pooled, each
// side's with its own.
func TestAskedTheOtherWayRound(t *testing.T) {
	cache := t.TempDir()
	for i, c := range []struct {
		binaries [2]string
		old, new float64
	}{{[2]string{"1", "2"}, 5000, 1000}, {[2]string{"2", "1"}, 1000, 5000}, {[2]string{"1", "2"}, 5000, 1000}, {[2]string{"2", "1"}, 1000, 5000}} {
		l := newLab(map[string]float64{"BenchmarkA": c.old}, map[string]float64{"BenchmarkA": c.new})
		l.binaries = c.binaries
		s, err := l.prove(context.Background(), few(cache))
		if err != nil {
			t.Fatal(err)
		}
		if s.Result.Run != i+1 || s.Result.Earlier != 4*i {
			t.Errorf("asked for the %d. time: run %d, %d earlier", i+1, s.Result.Run, s.Result.Earlier)
		}
		for n, r := range s.outcome.Series[0].Rounds {
			again := []float64{c.old, c.new}[r.AgainOf]
			for _, v := range [][2]float64{{r.Old[compare.NsPerOp], c.old}, {r.New[compare.NsPerOp], c.new}, {r.Again[compare.NsPerOp], again}} {
				if v[0] < 0.9*v[1] || v[0] > 1.1*v[1] {
					t.Errorf("asked for the %d. time: round %d has %v, want about %v", i+1, n, v[0], v[1])
				}
			}
		}
		onlyFile(t, cache)
	}
}

// Rounds of one layout are no rounds of a layout each, though both were asked
// for in the same words.
func TestOneLayoutIsAnotherQuestion(t *testing.T) {
	cache := t.TempDir()
	l := steady()
	ask := func(link time.Duration) *compare.Result {
		l.link = link
		return l.mustProve(t, func(o *Options) { o.Cache, o.Layouts = cache, true })
	}
	for i, c := range []struct {
		link time.Duration
		one  bool
		run  int
	}{{30 * time.Second, true, 1}, {time.Second, false, 1}, {30 * time.Second, true, 2}, {time.Second, false, 2}} {
		res := ask(c.link)
		if res.Run != c.run || (res.Layouts == 1) != c.one {
			t.Errorf("asked for the %d. time: run %d with %d layouts", i+1, res.Run, res.Layouts)
		}
		for _, s := range res.Series {
			for _, r := range s.Rounds {
				if (r.Layout == 0) != c.one {
					t.Fatalf("asked for the %d. time: layout %d among its rounds", i+1, r.Layout)
				}
			}
		}
	}
}
