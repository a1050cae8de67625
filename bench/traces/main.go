// Command traces measures whet trace beside go tool trace.
//
// It answers how long each takes, and how much memory, from start to exit on an
// execution trace: for the scheduling profile, which both make, and for the whole
// summary, which go tool trace has only in pages of a browser. It makes a trace unless
// some are named:
//
//	go run ./bench/traces/serve -mb 188 -o 188.trace
//	go run ./bench/traces -turns 6 -trace 45.trace -alone 188.trace
//
// It misleads about the whole summary: its peer does less there.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"whet/bench/ledger"
	"whet/internal/quantity"
)

// Trace is a trace and what the tools took, turn by turn.
type Trace struct {
	Name    string      `json:"name"`
	Bytes   int64       `json:"bytes"`
	Profile ledger.Runs `json:"profile"` // whet trace -pprof sched
	Summary ledger.Runs `json:"summary"` // whet trace
	Peer    ledger.Runs `json:"peer"`    // go tool trace -pprof=sched; null: it did not take part
}

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func main() { ledger.Main("traces", run) }

func run(ctx context.Context) error {
	var both, alone list
	turns := flag.Int("turns", 6, "how often each tool reads each trace")
	out := ledger.Flags("traces")
	flag.Var(&both, "trace", "measure this `file` instead of making one; may be given several times")
	flag.Var(&alone, "alone", "measure only whet on this `file`: its peer takes 100 bytes of memory and more for each of the trace; may be given several times")
	flag.Parse()
	return out.Tabulate(func() error {
		if *turns < 6 {
			return fmt.Errorf("-turns %d: 6 are the fewest with a 95 %% interval", *turns)
		}
		e := ledger.Begin[[]Trace]("bench/traces")
		subjects, err := measure(ctx, both, alone, *turns)
		if err != nil {
			return err
		}
		e.Samples = subjects
		return e.Save(out.Dir, "traces")
	}, render)
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]Trace](dir, "traces")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"trace", "whet -pprof sched", "memory", "whet, summary", "memory", "go tool trace -pprof=sched", "memory", "its/whet's, time", "95 % interval", "its/whet's summary, time", "its/whet's, memory"}}
	turns := 0
	for _, s := range e.Samples {
		turns = len(s.Profile)
		row := []string{fmt.Sprintf("%s (%s)", s.Name, quantity.Bytes(float64(s.Bytes))), s.Profile.Wall(), s.Profile.Memory(), s.Summary.Wall(), s.Summary.Memory()}
		if len(s.Peer) == 0 {
			t.Rows = append(t.Rows, append(row, "not run", "", "", "", "", ""))
			continue
		}
		ratio, interval := s.Peer.Times(s.Profile)
		whole, _ := s.Peer.Times(s.Summary)
		t.Rows = append(t.Rows, append(row, s.Peer.Wall(), s.Peer.Memory(), ratio, interval, whole, s.Peer.Larger(s.Summary)))
	}
	return fmt.Sprintf("%s\n%s; %d turns.\n", t.Markdown(), e.Caption(), turns), nil
}

func measure(ctx context.Context, both, alone []string, turns int) ([]Trace, error) {
	tmp, err := os.MkdirTemp("", "whet-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	whet, _, err := ledger.Programs(ctx, tmp)
	if err != nil {
		return nil, err
	}
	peer, err := exec.CommandContext(ctx, "go", "tool", "-n", "trace").Output()
	if err != nil {
		return nil, fmt.Errorf("go tool -n trace: %w", err)
	}
	if len(both)+len(alone) == 0 {
		made := filepath.Join(tmp, "server.trace")
		if out, err := exec.CommandContext(ctx, "go", "run", "./bench/traces/serve", "-o", made).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("make a trace: %w: %s", err, out)
		}
		both = []string{made}
	}
	var subjects []Trace
	for i, file := range append(both, alone...) {
		st, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		s := Trace{Name: strings.TrimSuffix(filepath.Base(file), ".trace"), Bytes: st.Size()}
		tools := []ledger.Tool{
			{Path: whet, Args: []string{"trace", "-pprof", "sched", "-o", "-", file}, Check: isProfile, Runs: &s.Profile},
			{Path: whet, Args: []string{"trace", file}, Check: isSummary, Runs: &s.Summary},
		}
		if i < len(both) {
			tools = append(tools, ledger.Tool{Path: string(bytes.TrimSpace(peer)), Args: []string{"-pprof=sched", file}, Check: isProfile, Runs: &s.Peer})
		}
		if err := ledger.Turns(ctx, turns, tools...); err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "%s: %d turns\n", s.Name, len(s.Profile))
		subjects = append(subjects, s)
	}
	return subjects, nil
}

func isProfile(out []byte) error {
	if !bytes.HasPrefix(out, []byte{0x1f, 0x8b}) {
		return errors.New("what it printed is no profile")
	}
	return nil
}

func isSummary(out []byte) error {
	if !bytes.Contains(out, []byte("Scheduling latency")) || bytes.Contains(out, []byte("  ! ")) {
		return errors.New("what it printed is no whole summary")
	}
	return nil
}
