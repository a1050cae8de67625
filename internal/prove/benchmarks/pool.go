package benchmarks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/document"
	"whet/internal/lazyregexp"
	"whet/internal/prove"
	"whet/internal/prove/rounds"
	"whet/internal/prove/sides"
	"whet/internal/quantity"
)

// pool stores the rounds of each question, so that repeating it adds to them: a user
// who repeats until the result pleases would otherwise be wrong far more often than
// alpha. A question is one benchmark of one pair of test binaries on one machine, run
// in one way; there is a file for each pair, in which every benchmark has its own
// number of runs.
type pool struct {
	dir     string // "": nothing is kept or used
	now     time.Time
	files   []poolFile // by package
	swapped []bool     // by package: the sides of the file are the other way round
}

// poolFile is the file of one pair of test binaries.
type poolFile struct {
	Schema    string                   `json:"schema"`
	Key       string                   `json:"key"`
	Saved     time.Time                `json:"saved"`
	Questions map[string]*poolQuestion `json:"questions"` // by benchmark
}

// poolQuestion is a benchmark.
type poolQuestion struct {
	Runs       int             `json:"runs"`
	Iterations int64           `json:"iterations"` // of the newest run
	Rounds     []compare.Round `json:"rounds"`     // oldest first
}

const (
	poolAge    = 30 * 24 * time.Hour // older rounds are another machine's, so to speak
	poolFiles  = 200                 // kept; the oldest go first
	poolRounds = 2000                // kept of a question; the oldest go first
	poolBytes  = 64 << 20            // of one file that is read
	poolRuns   = 1000
)

// poolKey is all that makes runs answer the same question.
type poolKey struct {
	Packages  [2]string
	Binaries  [2]string // SHA-256
	Data      [2]string // that of the test data
	Env       [2][]string
	Collector []string
	OS, Arch  string
	CPU, Host string
	Cores     int
	Procs     string // -cpu, or GOMAXPROCS
	Pin       []int
	Args      []string
	Layouts   bool
}

func (k poolKey) String() string {
	doc, err := json.Marshal(k)
	if err != nil {
		return "" // strings and numbers: there is no such error
	}
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:])
}

// openPool reads the rounds of earlier runs of the questions with these keys, by
// package. Unreadable files are skipped, with a warning.
func openPool(dir string, now time.Time, keys []poolKey, proof *prove.Proof) *pool {
	p := &pool{dir: dir, now: now}
	for _, k := range keys {
		// Whether old differs from new is the same question as whether new does
		// from old: both have one file.
		key, other := k.String(), k.swap().String()
		swapped := other < key
		file, err := p.kept(min(key, other), swapped)
		if err != nil {
			proof.Warn("earlier rounds of this question were not used: %v", err)
		}
		p.files, p.swapped = append(p.files, file), append(p.swapped, swapped)
	}
	return p
}

// swap returns the key of the question with its sides the other way round.
func (k poolKey) swap() poolKey {
	k.Packages[0], k.Packages[1] = k.Packages[1], k.Packages[0]
	k.Binaries[0], k.Binaries[1] = k.Binaries[1], k.Binaries[0]
	k.Data[0], k.Data[1] = k.Data[1], k.Data[0]
	k.Env[0], k.Env[1] = k.Env[1], k.Env[0]
	return k
}

// swapSides returns the file with the sides of all rounds the other way round.
func (f poolFile) swapSides() poolFile {
	questions := make(map[string]*poolQuestion, len(f.Questions))
	for name, q := range f.Questions {
		turned := &poolQuestion{Runs: q.Runs, Iterations: q.Iterations}
		for _, r := range q.Rounds {
			turned.Rounds = append(turned.Rounds, r.Exchanged())
		}
		questions[name] = turned
	}
	f.Questions = questions
	return f
}

// kept returns the file of a key as it is now: without a question where there is
// none, where it is too old, and with an error where it cannot be read.
func (p *pool) kept(key string, swapped bool) (poolFile, error) {
	fresh := poolFile{Schema: document.ProvePool, Key: key, Questions: map[string]*poolQuestion{}}
	if p.dir == "" {
		return fresh, nil
	}
	file, err := readPool(filepath.Join(p.dir, key+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err == nil {
		err = file.check(key)
	}
	if err != nil || p.now.Sub(file.Saved) > poolAge || file.Questions == nil {
		return fresh, err
	}
	if swapped {
		file = file.swapSides()
	}
	return file, nil
}

func readPool(name string) (poolFile, error) {
	var file poolFile
	data, err := readBounded(name, poolBytes)
	if err != nil {
		return file, err
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return file, fmt.Errorf("read %s: %w", name, err)
	}
	return file, nil
}

// check reports data that save cannot have written.
func (f *poolFile) check(key string) error {
	switch {
	case f.Schema != document.ProvePool:
		return fmt.Errorf("read %s.json: schema %.40q, want %s", key, f.Schema, document.ProvePool)
	case f.Key != key:
		return fmt.Errorf("read %s.json: it belongs to another question", key)
	}
	for name, q := range f.Questions {
		if q == nil || q.Runs < 1 || q.Runs > poolRuns || q.Iterations < 0 || len(q.Rounds) == 0 || len(q.Rounds) > poolRounds {
			return fmt.Errorf("read %s.json: the figures of %.100q are incomplete", key, name)
		}
		for _, r := range q.Rounds {
			for _, t := range r.Turns() {
				if t.AgainOf != compare.Old && t.AgainOf != compare.New || t.Old == nil || t.New == nil || t.Again == nil {
					return fmt.Errorf("read %s.json: a round of %.100q is incomplete", key, name)
				}
			}
		}
	}
	return nil
}

// question returns the stored rounds of a benchmark; nil without any.
func (p *pool) question(b *benchmarkPair) *poolQuestion {
	if p == nil {
		return nil
	}
	return p.files[b.pkg].Questions[b.name]
}

// earlier enters the rounds of earlier runs into the options, and tells of them.
func (p *pool) earlier(s *session, o *rounds.Options) {
	o.Run = 1
	o.Runs = make([]int, len(s.subjects))
	o.Earlier = make([][]compare.Round, len(s.subjects))
	for i, b := range s.subjects {
		o.Runs[i] = 1
		if q := p.question(b); q != nil {
			o.Runs[i], o.Earlier[i] = q.Runs+1, q.Rounds
			s.Result.Earlier = max(s.Result.Earlier, len(q.Rounds))
		}
		o.Run = max(o.Run, o.Runs[i])
	}
	if s.Result.Run = o.Run; o.Run > 1 {
		s.Warn("this is run %d of the same question: its rounds are pooled with the %s of earlier runs, and it spends its own share of alpha", o.Run, quantity.Plural(s.Result.Earlier, "round"))
	}
}

// settle accounts for runs of the same questions that ended during this one: the run
// that ends later has the later number, and with it the smaller share of alpha. So two
// simultaneous runs gain no more than two consecutive ones. A verdict reached meanwhile
// may be withdrawn. It also preserves the rounds that others stored.
func (p *pool) settle(s *session) {
	if p.dir == "" || s.outcome == nil {
		return
	}
	for i := range p.files {
		if file, err := p.kept(p.files[i].Key, p.swapped[i]); err == nil && len(file.Questions) > 0 {
			p.files[i] = file
		}
	}
	outrun, hypotheses := 0, 0
	for i, b := range s.subjects {
		series := &s.outcome.Series[i]
		hypotheses += len(series.Metrics)
		q := p.question(b)
		if q == nil || q.Runs < series.Run {
			continue
		}
		outrun++
		series.Rounds = slices.Concat(q.Rounds, series.Rounds[series.Earlier:])
		series.Earlier, series.Run = len(q.Rounds), q.Runs+1
		s.Result.Run, s.Result.Earlier = max(s.Result.Run, series.Run), max(s.Result.Earlier, series.Earlier)
	}
	if outrun == 0 {
		return
	}
	s.Warn("another whet prove measured %s of these at the same time and ended first: the rounds are pooled, and this run spends the share of alpha of run %d; the two disturbed each other", quantity.Plural(outrun, "benchmark"), s.Result.Run)
	s.outcome.Rows = compare.Judge(s.outcome.Series, compare.Options{Alpha: s.o.Alpha, Margin: s.o.Margin, Looks: s.outcome.Looks, Hypotheses: hypotheses})
	s.Result.Series, s.Result.Benchmarks = s.outcome.Series, s.outcome.Rows
}

// save adds this run's rounds. A question whose benchmark failed is not changed; one
// with a new round has one run more, however it ended.
func (p *pool) save(s *session) error {
	if p.dir == "" || s.outcome == nil {
		return nil
	}
	changed := make(map[int]bool)
	for i, b := range s.subjects {
		series := &s.outcome.Series[i]
		if series.Invalid != "" || len(series.Rounds) == series.Earlier {
			continue
		}
		kept := series.Rounds[max(0, len(series.Rounds)-poolRounds):]
		p.files[b.pkg].Questions[b.name] = &poolQuestion{Runs: min(series.Run, poolRuns), Iterations: b.n, Rounds: kept}
		changed[b.pkg] = true
	}
	if len(changed) == 0 {
		return nil
	}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return fmt.Errorf("keep the rounds for the next run: %w", err)
	}
	for pkg := range changed {
		p.files[pkg].Saved = p.now
		file := p.files[pkg]
		if p.swapped[pkg] {
			file = file.swapSides()
		}
		if err := p.write(file); err != nil {
			return fmt.Errorf("keep the rounds for the next run: %w", err)
		}
	}
	return p.prune()
}

// write replaces the file of a question in one step.
func (p *pool) write(f poolFile) error {
	doc, err := json.Marshal(f)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(p.dir, "new-*.tmp")
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(doc, '\n'))
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), filepath.Join(p.dir, f.Key+".json"))
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

var poolName = lazyregexp.Pattern{Text: `^([0-9a-f]{64}\.json|new-[0-9]+\.tmp)$`}

// prune removes old and excess files; files with other names are not whet's.
func (p *pool) prune() error {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return fmt.Errorf("look through earlier rounds: %w", err)
	}
	type aged struct {
		name string
		at   time.Time
	}
	var files []aged
	for _, e := range entries {
		if info, err := e.Info(); err == nil && poolName.Regexp().MatchString(e.Name()) && info.Mode().IsRegular() {
			files = append(files, aged{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b aged) int { return b.at.Compare(a.at) })
	for i, f := range files {
		if i >= poolFiles || p.now.Sub(f.at) > poolAge {
			os.Remove(filepath.Join(p.dir, f.name)) // another run may have been first
		}
	}
	return nil
}

// key returns the key of a package of both sides.
func (s *session) key(p sides.Package) poolKey {
	h := &s.Result.Host
	name, _ := os.Hostname()
	k := poolKey{
		Packages: [2]string{importPath(p, compare.Old), p.ImportPath}, Binaries: p.SHA256, Env: s.extra,
		OS: h.OS, Arch: h.Arch, CPU: h.CPU, Host: name, Cores: h.Cores,
		Procs: cmp.Or(s.o.CPU, strconv.Itoa(h.GOMAXPROCS)), Pin: s.o.Pin, Args: s.o.Args, Layouts: s.layouts,
	}
	for _, v := range collectorVariables {
		k.Collector = append(k.Collector, lookup(os.Environ(), v))
	}
	return k
}
