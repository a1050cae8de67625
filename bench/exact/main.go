// Command exact compares what whet prints of profiles with what the pprof
// program prints of them: every view, with the options of both in pairs.
//
//	go run ./bench/exact
//	go run ./bench/exact -profiles DIR -rows 40
//	go run ./bench/exact -only 'tree .*block' -rows 200 -keep=false
//
// Both run as users run them, as processes, on the fixtures of this repository
// and on the files in further directories. Texts are compared byte by byte,
// after what doc.go of internal/report/view says differs on purpose: warnings, and
// orders that pprof leaves to chance. It prints each difference with the two
// command lines, and keeps counts and differences in results/exact.json, beside
// those of earlier runs on other profiles and views: it may be run in parts.
//
// It takes pairs from a shuffled deck of all of them, -rows for each profile and
// view: a run that has no difference says nothing of pairs that it did not
// take. Which they are is decided by -seed.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"whet/bench/ledger"
)

// Cell is what came of one view of one profile.
type Cell struct {
	Profile     string          `json:"profile"`
	Samples     int             `json:"samples"`
	View        string          `json:"view"`
	Date        time.Time       `json:"date"`
	Commit      string          `json:"commit"`
	Verdicts    map[verdict]int `json:"verdicts"`
	Differences []Difference    `json:"differences,omitempty"`
}

// Difference is one that is not on purpose.
type Difference struct {
	Options []string `json:"options"`
	Text    string   `json:"text"`
}

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	n, err := compareAll(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/exact:", err)
		os.Exit(1)
	}
	if n > 0 {
		os.Exit(1)
	}
}

func compareAll(ctx context.Context) (int, error) {
	dirs := list{"internal/format/profile/testdata", "docs/testdata"}
	flag.Var(&dirs, "profiles", "compare the profiles in this `directory`, too, and in those below it; may be given several times")
	whet := flag.String("whet", "", "the whet `program` (default: built from this tree)")
	rows := flag.Int("rows", 24, "pairs of options for each profile and view")
	largeRows := flag.Int("large-rows", 2, "the same for profiles of more than 50,000 samples")
	most := flag.Int("max-samples", 0, "leave out profiles with more samples; 0: none")
	only := flag.String("only", "", "only views of profiles of which 'VIEW DIR/FILE' matches this `regexp`")
	seed := flag.Uint64("seed", 1, "which pairs of options")
	keep := flag.Bool("keep", true, "keep what came of it in -dir")
	dir := flag.String("dir", "bench", "directory with results")
	limit := flag.Duration("timeout", time.Hour, "stop after this long, with what there is")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		return 0, fmt.Errorf("-only: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	tmp, err := os.MkdirTemp("", "whet-exact-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(tmp)
	e := ledger.Begin[[]Cell]("bench/exact")
	e.Args = []string{} // names of directories on this machine
	tools, err := findTools(ctx, *whet, tmp)
	if err != nil {
		return 0, err
	}
	files, err := find(dirs)
	if err != nil {
		return 0, err
	}
	differences, sum := 0, make(map[verdict]int)
	for _, file := range files {
		s, err := read(file, tmp)
		if err != nil {
			fmt.Printf("%s: pprof does not read it: %v\n", file, err)
			continue
		}
		if *most > 0 && s.samples > *most {
			continue
		}
		n := *rows
		if s.large {
			n = *largeRows
		}
		for _, v := range views {
			if !wanted.MatchString(v.name+" "+s.name) || ctx.Err() != nil {
				continue
			}
			cell, err := tools.cell(ctx, s, v, n, *seed)
			if err != nil && ctx.Err() == nil {
				return differences, err
			}
			differences += cell.Verdicts[different]
			for v, n := range cell.Verdicts {
				sum[v] += n
			}
			fmt.Printf("%-10s %-50s %s\n", v.name, s.name, counts(cell.Verdicts))
			cell.Date, cell.Commit = time.Now().UTC().Truncate(time.Second), e.Commit
			e.Samples = append(e.Samples, cell)
		}
	}
	if *keep {
		err = save(e, *dir)
	}
	fmt.Println(counts(sum))
	if ctx.Err() != nil {
		err = errors.Join(err, errors.New("not finished"))
	}
	return differences, err
}

// save keeps what came of a run, and of earlier ones what this one did not
// compare again: all profiles and views may take several.
func save(e *ledger.Entry[[]Cell], dir string) error {
	before, err := ledger.Load[[]Cell](dir, "exact")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		for _, c := range before.Samples {
			if !slices.ContainsFunc(e.Samples, func(n Cell) bool { return n.Profile == c.Profile && n.View == c.View }) {
				e.Samples = append(e.Samples, c)
			}
		}
	}
	slices.SortFunc(e.Samples, func(a, b Cell) int {
		return cmp.Or(strings.Compare(a.Profile, b.Profile), strings.Compare(a.View, b.View))
	})
	return e.Save(dir, "exact")
}

func counts(of map[verdict]int) string {
	var parts []string
	for _, v := range []verdict{equal, refused, chance, order, numbered, chosen, different} {
		if of[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of[v], v))
		}
	}
	return strings.Join(parts, ", ")
}

// find lists the files that may be profiles, each once.
func find(dirs []string) ([]string, error) {
	var out []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if strings.HasSuffix(path, ".pb.gz") || strings.HasSuffix(path, "prof") || strings.Contains(path, ".prof.") {
				out = append(out, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// cell compares one view of one profile, with pairs from its part of the deck.
func (t *tools) cell(ctx context.Context, s *testProfile, v view, rows int, seed uint64) (Cell, error) {
	c := Cell{Profile: s.name, Samples: s.samples, View: v.name, Verdicts: make(map[verdict]int)}
	h := fnv.New64()
	fmt.Fprint(h, s.name, v.name, seed)
	for _, pair := range deck(s, h.Sum64())[:rows] {
		r := v.plan(s, pair, t.flags[v.whet[0]])
		how, text, err := t.compare(ctx, v, r)
		if err != nil {
			return c, err
		}
		c.Verdicts[how]++
		if how == different {
			var options []string
			for _, o := range pair {
				for _, a := range o.args {
					options = append(options, strings.ReplaceAll(a, s.base, "BASE"))
				}
			}
			c.Differences = append(c.Differences, Difference{options, text})
			fmt.Printf("\npprof %q\nwhet %q\n%s%s\n", r.pprof, r.whet, r.script, text)
		}
	}
	return c, nil
}
