package rules_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"whet/internal/diagnose"
	"whet/internal/diagnose/explain"
	"whet/internal/diagnose/knowledge"
	"whet/internal/diagnose/rules"
	"whet/internal/diagnose/shape"
	"whet/internal/finding"
)

// directories of each rule's fixtures.
var directories = map[string]string{
	"logging":             "logging",
	"lock-held":           "lockheld",
	"lock-contention":     "lockcontention",
	"fmt-format":          "fmtformat",
	"string-copy":         "stringcopy",
	"slice-growth":        "slicegrowth",
	"read-growth":         "readgrowth",
	"json-reencode":       "jsonreencode",
	"buffer-per-call":     "bufferpercall",
	"escaping-struct":     "escapingstruct",
	"regexp-compile":      "regexpcompile",
	"random-per-element":  "randomperelement",
	"regexp-replace":      "regexpreplace",
	"constant-work":       "constantwork",
	"counted-result":      "countedresult",
	"first-pieces":        "firstpieces",
	"compared-text":       "comparedtext",
	"dense-map":           "densemap",
	"collection-per-call": "collectionpercall",
	"object-per-call":     "objectpercall",
	"repeated-result":     "repeatedresult",
	"reader-contention":   "readercontention",
	"channel-per-item":    "channelperitem",
	"goroutine-per-item":  "goroutineperitem",
	"dear-handoff":        "dearhandoff",
	"idle-behind-lock":    "idlebehindlock",
	"equal-calls":         "equalcalls",
	"collector-assists":   "collectorassists",
	"busy-waiting":        "busywaiting",
}

// ownTests are rules about states and their course over time, which the run of
// a benchmark's binary does not record: their packages' own tests run their
// fixtures, or build what they read. Rules of package knowledge have their rows'
// examples. What the compiler says is in no fixture: the rules that read it have their
// own test too.
var ownTests = map[string]bool{"goroutine-leak": true, "heap-growth": true, "boxed-value": true, "pool-of-values": true, "throttled": true, "startup": true, "marked-pointers": true}

// ofTrace are rules that read an execution trace.
var ofTrace = map[string]bool{"channel-per-item": true, "dear-handoff": true, "idle-behind-lock": true, "equal-calls": true, "collector-assists": true}

// heavy are calls for the allocation profile of rules whose fixtures take many blocks
// in each.
var heavy = map[string]string{"collector-assists": "10x"}

// fixtureSamples replaces the rules' minimum: a fixture was run for a fraction
// of a second.
const fixtureSamples = 20

func place(file string, line int, detail string) string {
	s := fmt.Sprintf("%s:%d", file, line)
	if detail != "" {
		s += " " + detail
	}
	return s
}

// Rules are checked once for all tests: that reads every row of their tables.
var (
	registered = sync.OnceValues(func() (*diagnose.Registry, error) { return diagnose.NewRegistry(rules.All()...) })
	// of a minimum of samples that fixtures reach
	ofFixtures = sync.OnceValues(func() (*diagnose.Registry, error) {
		all := rules.All()
		for i := range all {
			all[i].MinSamples = fixtureSamples
		}
		return diagnose.NewRegistry(all...)
	})
)

// registry is every rule.
func registry(t *testing.T) *diagnose.Registry { return checked(t, registered) }

// fixtureRegistry is every rule with a minimum that fixtures reach.
func fixtureRegistry(t *testing.T) *diagnose.Registry { return checked(t, ofFixtures) }

func checked(t *testing.T, once func() (*diagnose.Registry, error)) *diagnose.Registry {
	t.Helper()
	reg, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func TestAllRulesAreValid(t *testing.T) {
	reg := registry(t)
	for _, r := range reg.Rules() {
		byExample := slices.ContainsFunc(slices.Concat(knowledge.Rules(), shape.Rules(), explain.Rules()), func(k diagnose.Rule) bool { return k.ID == r.ID })
		if directories[r.ID] == "" && !ownTests[r.ID] && !byExample {
			t.Errorf("rule %s has no fixtures", r.ID)
		}
		for _, id := range slices.Concat(r.Covers, r.Outranks, r.Beside) {
			if _, ok := reg.Rule(id); !ok {
				t.Errorf("rule %s covers or outranks %s, which does not exist", r.ID, id)
			}
		}
	}
}

// growing holds benchmarks with and without a buffer that grows with b.N.
var growing = filepath.Join("..", "fixtures", "growing")

// TestFixtures asks each rule about what was recorded of its fixtures. A
// fixture names the lines that the rule must speak about; it must be silent
// about all others. With -record the fixtures are measured first.
func TestFixtures(t *testing.T) {
	dirs := []string{growing}
	for id, dir := range directories {
		fixtures, err := filepath.Glob(filepath.Join(dir, "fixtures", "*", "app_test.go"))
		if err != nil || len(fixtures) == 0 {
			t.Fatalf("rule %s: no fixtures (%v)", id, err)
		}
		speak, silent := 0, 0
		for _, f := range fixtures {
			f = filepath.Dir(f)
			dirs = append(dirs, f)
			if len(wanted(t, f, id)) > 0 {
				speak++
			} else {
				silent++
			}
		}
		if silent < speak {
			t.Errorf("rule %s: %d fixtures must speak, only %d must stay silent", id, speak, silent)
		}
	}
	switch {
	case *record && *only != "":
		measureAll(t, slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool {
			return !slices.ContainsFunc(strings.Split(*only, ","), func(id string) bool {
				return directories[id] != "" && strings.HasPrefix(dir, filepath.Join(directories[id], "fixtures"))
			})
		}))
	case *record:
		measureAll(t, dirs)
	case *retype:
		for dir, types := range typesOf(t, dirs, newPaths(t)) {
			r := open(t, dir)
			r.Types = types
			r.keep(t, dir)
		}
	}
	files := keptTexts(t)
	t.Run(filepath.ToSlash(growing), func(t *testing.T) { checkGrowth(t, open(t, growing).subjects(t, files)) })
	for id, dir := range directories {
		for _, f := range dirs {
			if !strings.HasPrefix(f, filepath.Join(dir, "fixtures")+string(filepath.Separator)) {
				continue
			}
			t.Run(filepath.ToSlash(f), func(t *testing.T) {
				if res, want, got := answers(t, open(t, f), files, id, f); !maps.Equal(got, want) {
					logFindings(t, res)
					t.Errorf("rule %s speaks about %q, want %q", id, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
				}
			})
		}
	}
	kept, err := filepath.Glob(filepath.Join("testdata", "*.zip"))
	if err != nil || len(kept) != len(dirs)+1 {
		t.Errorf("%d archives in testdata for %d fixtures (%v)", len(kept), len(dirs), err)
	}
}

// answers returns the places that a rule speaks about and those that the fixture
// in a directory names.
func answers(t *testing.T, r *recorded, files texts, id, dir string) (res diagnose.Result, want, got map[string]bool) {
	t.Helper()
	want = wanted(t, dir, id)
	subjects := r.subjects(t, files)
	for _, s := range subjects {
		if n := s.BaseCPUSamples(); n < fixtureSamples {
			t.Errorf("%s: %d base samples, too few to say anything", s.Benchmark, n)
		}
	}
	res = run(t, fixtureRegistry(t), subjects)
	return res, want, spoken(res.Findings, id, want)
}

// maxRounds bounds how long a fixture is measured: 40, 160 and 640 samples.
const maxRounds = 3

// measureAll builds and measures all fixtures, two at a time, and keeps what
// was recorded. Of 40 samples a share of 2 % is three or more, above the
// threshold, in one run of twenty: where they contradict the marks, a fixture is
// measured for four times as many, and again. All are pooled, so that chance
// goes and what a rule really says stays.
func measureAll(t *testing.T, dirs []string) {
	paths := newPaths(t)
	programs := build(t, dirs, paths)
	ids := make(map[string]string)
	for id, dir := range directories {
		ids[dir] = id
	}
	t.Run("measure", func(t *testing.T) {
		gate := make(chan struct{}, 2)
		for _, dir := range dirs {
			t.Run(filepath.ToSlash(dir), func(t *testing.T) {
				t.Parallel()
				gate <- struct{}{}
				defer func() { <-gate }()
				if dir == growing {
					l := lengths{cpu: 100 * time.Millisecond, samples: 10, allocs: "20000x", heavy: "400x"}
					r := newMeasuring(t, programs[dir], paths, l).measure(t)
					for _, s := range r.subjects(t, paths.texts()) {
						diagnose.GrowingBuffer(s) // it asks for texts
					}
					r.keep(t, dir)
					return
				}
				id := ids[strings.Split(filepath.ToSlash(dir), "/")[0]]
				m := newMeasuring(t, programs[dir], paths, lengths{cpu: 400 * time.Millisecond, samples: 40, allocs: "300x", heavy: heavy[id], waits: strings.HasPrefix(id, "lock-") || ofTrace[id], trace: ofTrace[id]})
				for round := 1; ; round++ {
					r := m.measure(t)
					res, want, got := answers(t, r, paths.texts(), id, dir)
					if maps.Equal(got, want) || round == maxRounds {
						r.keep(t, dir)
						return
					}
					logFindings(t, res)
					t.Logf("contradicts the marks: measured on")
					m.lengths.cpu, m.lengths.samples = 1600*time.Millisecond, 4*m.lengths.samples
				}
			})
		}
	})
	if *only != "" { // the others' texts stay
		for name, text := range unzip(t, sources) {
			if paths.asked[name] == nil {
				paths.asked[name] = text
			}
		}
	}
	zipped(t, sources, paths.asked)
}

// spoken returns the places of a rule's findings, as the marks write them.
func spoken(findings []finding.Finding, id string, want map[string]bool) map[string]bool {
	got := make(map[string]bool)
	for _, f := range findings {
		if f.Rule != id {
			continue
		}
		plain := place(filepath.Base(f.File), f.Line, "")
		for key := range want {
			if line, detail, ok := strings.Cut(key, " "); ok && line == plain {
				if strings.Contains(f.Why+f.Remedy, detail) {
					plain = key
				}
			}
		}
		got[plain] = true
	}
	return got
}

func logFindings(t *testing.T, res diagnose.Result) {
	for _, f := range res.Findings {
		t.Logf("%s", describe(f))
	}
	for _, f := range res.Below {
		t.Logf("below: %s", describe(f))
	}
	t.Logf("%s: %s", res.Verdict.Kind, res.Verdict.Text)
	for _, w := range res.Warnings {
		t.Logf("warning: %s", w)
	}
}

func describe(f finding.Finding) string {
	s := fmt.Sprintf("%s %s:%d %s cpu %.3f bytes %.3f delay %.3f ceiling %.2f %s %v\n  why: %s\n  remedy: %s", f.Rule, f.File, f.Line, f.Function, f.CPURatio, f.AllocBytesRatio, f.DelayRatio, f.CeilingRatio, f.Confidence, f.Benchmarks, f.Why, f.Remedy)
	for _, e := range f.Evidence {
		s += "\n  " + e.Kind + ": " + e.Text
	}
	return s
}

// checkGrowth is about benchmarks whose names say whether their own buffer
// grows with b.N.
func checkGrowth(t *testing.T, subjects []*diagnose.Subject) {
	where := map[string]string{
		"BenchmarkGrowsRecorder": "net/http/httptest.(*ResponseRecorder).",
		"BenchmarkGrowsBuilder":  "growing.BenchmarkGrowsBuilder",
		"BenchmarkGrowsSlice":    "growing.BenchmarkGrowsSlice",
	}
	if len(subjects) != 8 {
		t.Fatalf("%d benchmarks", len(subjects))
	}
	for _, s := range subjects {
		text, found := diagnose.GrowingBuffer(s)
		t.Logf("%s: %v %s", s.Benchmark, found, text)
		if want := strings.HasPrefix(s.Benchmark, "BenchmarkGrows"); found != want {
			t.Errorf("%s: found is %v", s.Benchmark, found)
		}
		if at := where[s.Benchmark]; !strings.Contains(text, at) || found && !strings.Contains(text, "in 20001 iterations") {
			t.Errorf("%s: %q does not name %s", s.Benchmark, text, at)
		}
	}
}
