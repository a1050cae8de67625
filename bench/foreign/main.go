// Command foreign reads execution traces of programs that are not ours with whet trace,
// and holds its figures against go tool trace and golang.org/x/exp/trace.
//
// Each program is a module at its pinned version, or Go's own compiler; it is built,
// run and traced for a few seconds. Of each trace every stack of the four blocking
// profiles is compared with go tool trace -pprof, in count and nanoseconds, the
// goroutines by start function with its page of them, and goroutines, their states,
// processors and the collector with a reading by x/exp/trace (reference.go).
//
//	go run ./bench/foreign -traces DIR
//
// Traces that lie in DIR already are not taken anew, so that a change of whet is tried
// on the same ones. Whether a conclusion is right is a reader's judgement, kept in
// judgements.json; a row without one says so.
//
// It misleads about the programs: each ran once, for seconds, on a machine with other work.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/quantity"
)

// ProgramTrace is a program's trace and what was read of it.
type ProgramTrace struct {
	Name       string `json:"name"`
	Module     string `json:"module,omitempty"` // "": Go's own
	Version    string `json:"version,omitempty"`
	What       string `json:"what"` // what it does while it is traced
	Failure    string `json:"failure,omitempty"`
	Bytes      int64  `json:"bytes"`
	SpanNs     int64  `json:"span_ns"`
	Events     int64  `json:"events"`
	Goroutines int64  `json:"goroutines"`

	Conclusions []string   `json:"conclusions"`
	Profiles    []Profile  `json:"profiles"`  // beside go tool trace -pprof
	Starts      []Figure   `json:"starts"`    // goroutines by start function, beside its page of them
	Reference   []Figure   `json:"reference"` // beside x/exp/trace
	HotPlaces   []HotPlace `json:"hot_places"`
}

// Profile is a blocking profile by both tools.
type Profile struct {
	Kind     string `json:"kind"`
	Stacks   int    `json:"stacks"` // of either tool
	Equal    int    `json:"equal"`  // in count and nanoseconds
	WhetNs   int64  `json:"whet_ns"`
	PeerNs   int64  `json:"peer_ns"`
	WhetMany int64  `json:"whet_contentions"`
	PeerMany int64  `json:"peer_contentions"`
}

// Figure is a figure by both readers. Slack is by how many nanoseconds they may differ
// and be called equal: 1 for each goroutine or processor whose time is counted from the
// beginning of the trace or to its end, which the readers round apart.
type Figure struct {
	Name  string `json:"name"`
	Whet  int64  `json:"whet"`
	Peer  int64  `json:"peer"`
	Slack int64  `json:"slack_ns,omitempty"`
}

func (f *Figure) equal() bool { return max(f.Whet-f.Peer, f.Peer-f.Whet) <= f.Slack }

// HotPlace is what whet's document says of a place where goroutines wait.
type HotPlace struct {
	Function string `json:"function"`
	Line     int    `json:"line"`
	State    string `json:"state"`
	DelayNs  int64  `json:"delay_ns"`
}

func main() { ledger.Main("foreign", run) }

func run(ctx context.Context) error {
	traces := flag.String("traces", "", "keep the traces in this `directory`, and read those that lie there")
	only := flag.String("only", "", "only the programs whose name holds this")
	out := ledger.Flags("foreign")
	flag.Parse()
	return out.Tabulate(func() error {
		e := ledger.Begin[[]ProgramTrace]("bench/foreign")
		m, err := newMeasurer(ctx, *traces)
		if err != nil {
			return err
		}
		defer os.RemoveAll(m.tmp)
		before, err := ledger.Load[[]ProgramTrace](out.Dir, "foreign")
		if err != nil && *only != "" && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, p := range programs {
			if !strings.Contains(p.Name, *only) {
				if before == nil {
					continue
				}
				for _, s := range before.Samples { // as it was read before
					if s.Name == p.Name {
						e.Samples = append(e.Samples, s)
					}
				}
				continue
			}
			s := p.ProgramTrace
			if err := m.measure(ctx, p, &s); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				s.Failure = strings.ReplaceAll(err.Error(), m.tmp, "…")
			}
			fmt.Fprintf(os.Stderr, "%s: %s\n", s.Name, agreement(&s))
			e.Samples = append(e.Samples, s)
		}
		return e.Save(out.Dir, "foreign")
	}, render)
}

// Judgement is a reader's, of one program's conclusions.
type Judgement struct {
	Verdict string `json:"verdict"` // right, wrong, missing, misleading; of each that is not right, why
	Checked string `json:"checked"` // against what
}

// render makes the text of the README from the kept figures and judgements.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]ProgramTrace](dir, "foreign")
	if err != nil {
		return "", err
	}
	judgements := make(map[string]Judgement)
	data, err := os.ReadFile(filepath.Join(dir, "foreign", "judgements.json"))
	if err == nil {
		err = json.Unmarshal(data, &judgements)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	facts := ledger.Table{Head: []string{"program", "what it does", "trace", "span", "events", "goroutines", "blocking profiles, beside go tool trace -pprof", "goroutines by start, beside its page", "states, processors, collector, beside x/exp/trace"}}
	said := ledger.Table{Head: []string{"program", "whet concludes", "judgement", "checked against"}}
	for i := range e.Samples {
		s := &e.Samples[i]
		name := strings.TrimSpace(s.Name + " " + s.Version)
		j := judgements[s.Name]
		if j.Verdict == "" {
			j.Verdict = "not judged yet"
		}
		if s.Failure != "" {
			facts.Rows = append(facts.Rows, []string{name, s.What, "", "", "", "", "failed: " + s.Failure, "", ""})
			continue
		}
		facts.Rows = append(facts.Rows, []string{name, s.What, quantity.Bytes(float64(s.Bytes)), time.Duration(s.SpanNs).Round(time.Millisecond).String(),
			quantity.Count(float64(s.Events)), quantity.Count(float64(s.Goroutines)), profiles(s), figures(s.Starts), figures(s.Reference)})
		said.Rows = append(said.Rows, []string{name, strings.Join(s.Conclusions, " · "), j.Verdict, j.Checked})
	}
	return facts.Markdown() + "\n" + said.Markdown() + "\n" + e.Caption() + ".", nil
}

func agreement(s *ProgramTrace) string {
	if s.Failure != "" {
		return "failed: " + s.Failure
	}
	return profiles(s) + "; " + figures(s.Starts) + "; " + figures(s.Reference)
}

// profiles says how many stacks of the blocking profiles are equal.
func profiles(s *ProgramTrace) string {
	equal, stacks := 0, 0
	var apart []string
	for _, p := range s.Profiles {
		equal, stacks = equal+p.Equal, stacks+p.Stacks
		if p.Equal != p.Stacks || p.WhetNs != p.PeerNs || p.WhetMany != p.PeerMany {
			apart = append(apart, fmt.Sprintf("%s %d of %d, %s and its %s", p.Kind, p.Equal, p.Stacks, quantity.Nanoseconds(float64(p.WhetNs)), quantity.Nanoseconds(float64(p.PeerNs))))
		}
	}
	return listed(fmt.Sprintf("%d of %d stacks equal", equal, stacks), apart)
}

// figures says how many are equal, and which are not.
func figures(of []Figure) string {
	var apart []string
	for _, f := range of {
		if !f.equal() {
			apart = append(apart, fmt.Sprintf("%s %d, its %d", f.Name, f.Whet, f.Peer))
		}
	}
	return listed(fmt.Sprintf("%d of %d equal", len(of)-len(apart), len(of)), apart)
}

// listed returns a text with the first few of what differs.
func listed(text string, apart []string) string {
	if len(apart) == 0 {
		return text
	}
	text += "; apart: " + strings.Join(apart[:min(len(apart), 3)], ", ")
	if len(apart) > 3 {
		text += fmt.Sprintf(" and %d more", len(apart)-3)
	}
	return text
}
