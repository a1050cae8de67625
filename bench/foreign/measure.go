package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	google "github.com/google/pprof/profile"

	"whet/bench/ledger"
)

// measurer holds what the programs share.
type measurer struct {
	tmp, traces string
	whet, peer  string
	env         []string
}

func newMeasurer(ctx context.Context, traces string) (*measurer, error) {
	m := &measurer{}
	var err error
	if m.tmp, err = os.MkdirTemp("", "whet-foreign-"); err != nil {
		return nil, err
	}
	if m.traces, err = filepath.Abs(traces); traces == "" || err != nil {
		m.traces = m.tmp
	}
	if err := os.MkdirAll(m.traces, 0o755); err != nil {
		return nil, err
	}
	if m.whet, _, err = ledger.Programs(ctx, m.tmp); err != nil {
		return nil, err
	}
	peer, err := m.output(ctx, ".", "go", "tool", "-n", "trace")
	m.peer = strings.TrimSpace(string(peer))
	return m, err
}

// output runs a command and returns what it prints; a failure has the last line of
// its errors.
func (m *measurer) output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(errs.String()+out.String()), "\n")
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(name), err, lines[len(lines)-1])
	}
	return out.Bytes(), nil
}

// document is what is read of whet trace -json.
type document struct {
	Warnings []string `json:"warnings"`
	Summary  struct {
		SpanNs      int64            `json:"span_ns"`
		Events      int64            `json:"events"`
		Conclusions []string         `json:"conclusions"`
		Before      int64            `json:"goroutines_before"`
		Created     int64            `json:"goroutines_created"`
		Ended       int64            `json:"goroutines_ended"`
		Most        int64            `json:"goroutines_most"`
		States      map[string]int64 `json:"states"`
		Processors  []struct {
			RunningNs int64 `json:"running_ns"`
		} `json:"processors"`
	} `json:"summary"`
	Goroutines []struct {
		Start  string           `json:"start"`
		Count  int64            `json:"count"`
		States map[string]int64 `json:"states"`
	} `json:"goroutines"`
	Latency struct {
		Count int64 `json:"count"`
	} `json:"latency"`
	GC struct {
		Cycles int64 `json:"cycles"`
		MarkNs int64 `json:"mark_ns"`
		Pauses []struct {
			Count  int64 `json:"count"`
			TimeNs int64 `json:"time_ns"`
		} `json:"pauses"`
	} `json:"gc"`
	HotPlaces []HotPlace `json:"hot_places"`
}

// slack returns how many times of goroutines begin or end with the trace.
func (d *document) slack() int64 { return 2*d.Summary.Before + d.Summary.Created - d.Summary.Ended + 1 }

func (m *measurer) measure(ctx context.Context, p program, s *ProgramTrace) error {
	file := filepath.Join(m.traces, strings.ReplaceAll(p.Name, " ", "-")+".trace")
	st, err := os.Stat(file)
	if err != nil {
		if err := p.take(ctx, m, &p, file); err != nil {
			return err
		}
		if st, err = os.Stat(file); err != nil {
			return err
		}
	}
	s.Bytes = st.Size()
	out, err := m.output(ctx, ".", m.whet, "trace", "-json", file)
	if err != nil {
		return err
	}
	var d document
	if err := json.Unmarshal(out, &d); err != nil {
		return err
	}
	if len(d.Warnings) > 0 {
		return fmt.Errorf("whet warns: %s", d.Warnings[0])
	}
	s.SpanNs, s.Events, s.Goroutines = d.Summary.SpanNs, d.Summary.Events, d.Summary.Before+d.Summary.Created
	s.Conclusions, s.HotPlaces = d.Summary.Conclusions, d.HotPlaces[:min(len(d.HotPlaces), 5)]
	for _, kind := range []string{"net", "sync", "syscall", "sched"} {
		profile, err := m.profile(ctx, kind, file)
		if err != nil {
			return err
		}
		s.Profiles = append(s.Profiles, profile)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r, err := reference(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("x/exp/trace: %w", err)
	}
	s.Reference = beside(&d, r)
	s.Starts, err = m.starts(ctx, &d, file)
	return err
}

type weight struct{ count, ns int64 }

// weights returns a profile's values by stack.
func weights(data []byte) (map[string]weight, weight, error) {
	of, all := make(map[string]weight), weight{}
	if len(data) == 0 {
		return of, all, nil
	}
	p, err := google.ParseData(data)
	if err != nil {
		return nil, all, err
	}
	for _, s := range p.Sample {
		key := ""
		for _, l := range s.Location {
			for _, f := range l.Line {
				key += fmt.Sprintf("%s:%d ", f.Function.Name, f.Line)
			}
		}
		w := of[key]
		of[key] = weight{w.count + s.Value[0], w.ns + s.Value[1]}
		all = weight{all.count + s.Value[0], all.ns + s.Value[1]}
	}
	return of, all, nil
}

// profile compares one blocking profile.
func (m *measurer) profile(ctx context.Context, kind, file string) (Profile, error) {
	p := Profile{Kind: kind}
	theirs, err := m.output(ctx, ".", m.peer, "-pprof="+kind, file)
	if err != nil {
		return p, err
	}
	ours, err := m.output(ctx, ".", m.whet, "trace", "-pprof", kind, "-o", "-", file)
	if err != nil && !strings.Contains(err.Error(), "there is nothing in the profile") {
		return p, err
	}
	got, sum, err := weights(ours)
	if err != nil {
		return p, err
	}
	want, peer, err := weights(theirs)
	if err != nil {
		return p, err
	}
	p.WhetNs, p.PeerNs, p.WhetMany, p.PeerMany = sum.ns, peer.ns, sum.count, peer.count
	p.Stacks = len(want)
	for key, w := range got {
		if other, ok := want[key]; !ok {
			p.Stacks++
		} else if w == other {
			p.Equal++
		}
	}
	return p, nil
}

var (
	listens = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	startAt = regexp.MustCompile(`(?s)<a href="/goroutine\?name=[^"]*">(.*?)</a></code></td>\s*<td>(\d+)</td>\s*<td>([^<]*)</td>`)
)

// starts compares the goroutines by start function with the page of go tool trace.
func (m *measurer) starts(ctx context.Context, d *document, file string) ([]Figure, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, m.peer, "-http=127.0.0.1:0", file)
	cmd.Env = append(os.Environ(), "BROWSER=true", "PATH=") // it would open a browser
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		stop()
		cmd.Wait()
	}()
	var said []byte
	url := ""
	for b := make([]byte, 4096); url == ""; {
		n, err := out.Read(b)
		said = append(said, b[:n]...)
		if url = listens.FindString(string(said)); url == "" && err != nil {
			return nil, fmt.Errorf("go tool trace: %w: %s", err, said)
		}
	}
	go io.Copy(io.Discard, out)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/goroutines", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	both := make(map[string]*Figure)
	at := func(name string) *Figure {
		if both[name] == nil {
			both[name] = &Figure{Name: name}
		}
		return both[name]
	}
	for _, match := range startAt.FindAllSubmatch(page, -1) {
		n, err := strconv.ParseInt(string(match[2]), 10, 64)
		if err != nil {
			return nil, err
		}
		took, err := time.ParseDuration(html.UnescapeString(string(match[3])))
		if err != nil {
			return nil, err
		}
		name := html.UnescapeString(string(match[1]))
		if strings.HasPrefix(name, "(") { // of no stack
			name = ""
		}
		at(name).Peer += n
		running := at(name + " running")
		running.Peer, running.Slack = running.Peer+int64(took), d.slack()
	}
	if len(both) == 0 {
		return nil, fmt.Errorf("no goroutines on the page of go tool trace: %.300s", page)
	}
	for _, g := range d.Goroutines {
		at(g.Start).Whet += g.Count
		at(g.Start + " running").Whet += g.States["running_ns"]
	}
	var figures []Figure
	for _, f := range both {
		figures = append(figures, *f)
	}
	slices.SortFunc(figures, func(x, y Figure) int { return strings.Compare(x.Name, y.Name) })
	return figures, nil
}
