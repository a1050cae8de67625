// Command samecode shows what whet prove does not measure because it is the
// same code, on the history of modules that are not ours.
//
// For each module and steps in its history, one after the other, it asks which
// benchmarks reach only the same code, and how long that takes when the
// objects are in the build cache. Some of the decided ones, drawn by lot, it then
// measures all the same, as prove -aa does, several of a package in one proof: no
// more of them may be called different than identical sides are.
//
// It misleads about other modules: how much of a change a benchmark reaches is
// a matter of its size and habits. Of a benchmark with sub-benchmarks it measures
// one, and none whose set-up is slow.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/analyze/compare"
	"whet/internal/prove/benchmarks"
	"whet/internal/prove/sides"
)

// subjects are the modules, and steps in their history: the last five commits
// that change Go files, as git log --no-merges has them, or where a clone is
// large the last releases.
var subjects = []struct {
	module  string
	changes [][2]string // old and new
}{
	{"go.uber.org/zap", commits("07077a6", "7c80d7b", "d6b395b", "16fb16b", "0ab0d5a")},
	{"github.com/rs/zerolog", commits("a0d61dc", "d64c9a7", "2f5b8a9", "e133b6a", "134caf8")},
	{"github.com/klauspost/compress", releases("v1.18.2", "v1.18.3", "v1.18.4", "v1.18.5", "v1.18.6", "v1.18.7")},
}

// commits are changes from the parent of each.
func commits(names ...string) (changes [][2]string) {
	for _, name := range names {
		changes = append(changes, [2]string{name + "^", name})
	}
	return changes
}

// releases are changes from each to the next.
func releases(names ...string) (changes [][2]string) {
	for i, name := range names[1:] {
		changes = append(changes, [2]string{names[i], name})
	}
	return changes
}

// Change is a revision or release after another.
type Change struct {
	Module  string `json:"module"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Failure string `json:"failure,omitempty"`
	// Of the benchmarks that both releases have: in packages that are the same
	// binary, decided to be the same code, and all.
	SameBinary int `json:"same_binary"`
	SameCode   int `json:"same_code"`
	Benchmarks int `json:"benchmarks"`
	// DecideNs is how long deciding takes with all objects in the build cache.
	DecideNs int64 `json:"decide_ns"`
	// DecideCPUNs is the processor time of it, that of the go command included.
	DecideCPUNs int64 `json:"decide_cpu_ns"`
	// Whys count the reasons of the others, by the first difference.
	Whys map[string]int `json:"whys"`
	// Rows are times of decided ones, wall and CPU, measured all the same.
	Rows []compare.Row `json:"rows,omitempty"`
	// MeasureNs is how long each of the proofs that the rows are of took, with builds.
	MeasureNs []int64 `json:"measure_ns,omitempty"`

	clone string // its directory, where the steps are commits
	lots  []lot  // still to be measured
}

func main() { ledger.Main("samecode", run) }

func run(ctx context.Context) error {
	end := flag.Duration("for", 20*time.Minute, "begin no further measurement after this `time`")
	rounds := flag.Int("rounds", 17, "measure decided benchmarks with `n` rounds: a verdict needs some 16")
	each := flag.Int("each", 16, "measure at most `n` decided benchmarks of a package and step, in one proof")
	restart := flag.Bool("restart", false, "drop the kept samples first")
	only := flag.String("only", "", "only the module `path`")
	clones := flag.String("clones", ".", "`directory` with clones of the modules that steps are commits of, by the last element of their paths")
	out := ledger.Flags("samecode")
	flag.Parse()
	return out.Tabulate(func() error {
		e := ledger.Begin[[]Change]("bench/samecode")
		if kept, err := ledger.Load[[]Change](out.Dir, "samecode"); err == nil && !*restart { // it goes on where it was interrupted
			e.Samples = slices.DeleteFunc(kept.Samples, func(c Change) bool { return c.Failure != "" })
		}
		tmp, err := os.MkdirTemp("", "whet-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		deadline := time.Now().Add(*end)
		for _, s := range subjects {
			for _, step := range s.changes {
				done := slices.ContainsFunc(e.Samples, func(c Change) bool { return c.Module == s.module && c.New == step[1] })
				if done || ctx.Err() != nil || *only != "" && *only != s.module || time.Now().After(deadline) {
					continue
				}
				c := Change{Module: s.module, Old: step[0], New: step[1], Whys: map[string]int{}, clone: filepath.Join(*clones, path.Base(s.module))}
				if err := c.examine(ctx, tmp, *each); err != nil {
					c.Failure = err.Error()
				}
				fmt.Fprintf(os.Stderr, "%s %s to %s: same binary %d, same code %d of %d, %v %s %v\n", c.Module, c.Old, c.New, c.SameBinary, c.SameCode, c.Benchmarks, time.Duration(c.DecideNs).Round(time.Millisecond), c.Failure, c.Whys)
				e.Samples = append(e.Samples, c)
				if err := e.Save(out.Dir, "samecode"); err != nil {
					return err
				}
			}
		}
		for ctx.Err() == nil && time.Now().Before(deadline) {
			c, l := next(e.Samples)
			if c == nil {
				break
			}
			c.measure(ctx, tmp, l, *rounds)
			if err := e.Save(out.Dir, "samecode"); err != nil {
				return err
			}
		}
		return nil
	}, render)
}

// options returns the options of a proof of the change.
func (c *Change) options(ctx context.Context, tmp string) (o benchmarks.Options, err error) {
	o = benchmarks.DefaultOptions()
	if o.Dir = c.clone; !strings.HasPrefix(c.New, "v") {
		o.Old, o.New = c.Old, c.New
		return o, o.Validate()
	}
	o.Dir = tmp
	if o.Old, err = checkout(ctx, tmp, c.Module, c.Old); err != nil {
		return o, err
	}
	if o.New, err = checkout(ctx, tmp, c.Module, c.New); err != nil {
		return o, err
	}
	return o, o.Validate()
}

// examine decides about the benchmarks of a change, and draws lots of at most so
// many.
func (c *Change) examine(ctx context.Context, tmp string, each int) error {
	o, err := c.options(ctx, tmp)
	if err != nil {
		return err
	}
	pair, err := sides.Open(ctx, sides.Options{Dir: o.Dir, Old: sides.Spec{Operand: o.Old}, New: sides.Spec{Operand: o.New}})
	if err != nil {
		return err
	}
	defer pair.Close()
	benchmarks.SameCode(ctx, &o, pair) // the files are in memory from here on
	begin, cpu := time.Now(), cpuTime()
	decisions := benchmarks.SameCode(ctx, &o, pair)
	c.DecideNs, c.DecideCPUNs = time.Since(begin).Nanoseconds(), (cpuTime() - cpu).Nanoseconds()
	for i, p := range pair.Packages() {
		bin := pair.Binary(compare.New, i)
		names, err := bin.Benchmarks(ctx, ".")
		if err != nil {
			continue
		}
		var same []string
		for _, name := range names {
			c.Benchmarks++
			switch v, known := decisions[i].Verdicts[name]; {
			case p.Identical():
				c.SameBinary++
			case v.Same:
				same = append(same, name)
			case !known:
				c.Whys[cmp.Or(decisions[i].Why, "one side has no such benchmark")]++
			default:
				c.Whys[v.Why]++
			}
		}
		c.SameCode += len(same)
		if l := draw(ctx, bin, same, each); len(l.patterns) > 0 {
			l.pkg = p.ImportPath
			c.lots = append(c.lots, l)
		}
	}
	return nil
}

// checkout copies a release out of the module cache, with what it requires.
func checkout(ctx context.Context, tmp, module, version string) (string, error) {
	dir := filepath.Join(tmp, strings.ReplaceAll(module, "/", "_")+"@"+version)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	var out bytes.Buffer
	if err := goCommand(ctx, tmp, &out, "mod", "download", "-json", module+"@"+version); err != nil {
		return "", err
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(got.Dir)); err != nil {
		return "", err
	}
	return dir, goCommand(ctx, dir, &out, "mod", "download")
}

func goCommand(ctx context.Context, dir string, out *bytes.Buffer, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout = dir, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w", args[0], err)
	}
	return nil
}
