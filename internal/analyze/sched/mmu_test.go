package sched

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"whet/internal/format/exectrace"
)

// TestUtilizationWrittenOut plants a stop of the world of 2 ms, and an assist of 4 ms
// on one of two processors right after it.
func TestUtilizationWrittenOut(t *testing.T) {
	m := newMutator()
	for _, e := range []exectrace.Event{
		{TimeNs: 0, Kind: exectrace.Procs, Value: 2},
		{TimeNs: 1e6, Kind: exectrace.RangeBegin, Range: exectrace.StopWorld},
		{TimeNs: 3e6, Kind: exectrace.RangeEnd, Range: exectrace.StopWorld},
		{TimeNs: 3e6 + 1, Kind: exectrace.RangeBegin, Range: exectrace.MarkAssist, Goroutine: 7},
		{TimeNs: 5e6, Kind: exectrace.Change, Goroutine: 7, From: exectrace.Running, To: exectrace.Waiting},
		{TimeNs: 6e6, Kind: exectrace.Change, Goroutine: 7, From: exectrace.Waiting, To: exectrace.Runnable},
		{TimeNs: 7e6, Kind: exectrace.Change, Goroutine: 7, From: exectrace.Runnable, To: exectrace.Running},
		{TimeNs: 8e6, Kind: exectrace.RangeEnd, Range: exectrace.MarkAssist, Goroutine: 7},
		{TimeNs: 20e6, Kind: exectrace.Change, Goroutine: 8, From: exectrace.Running, To: exectrace.Waiting},
	} {
		m.event(&e, nil)
	}
	got, warning := m.finish(20e6)
	if len(got) != 4 || warning != "" {
		t.Fatalf("%+v, %q", got, warning)
	}
	// Of 10 ms from 1 ms on: 2 ms nothing; 2 ms and 1 ms half (the assist waits for 2 ms);
	// the rest, 5 ms, all: 1.5 + 5 = 6.5 of 10.
	for i, want := range []float64{0, 0, 0, 0.65} {
		if math.Abs(got[i].Ratio-want) > 1e-6 || got[i].Worst[0].AtNs > 3e6 {
			t.Errorf("%v: %+v, want %v", time.Duration(got[i].WindowNs), got[i], want)
		}
	}
}

// TestUtilizationAsByHand holds the minimum against that of all windows at all places
// where one can lie, of steps drawn at random.
func TestUtilizationAsByHand(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		m := newMutator()
		m.procs = 4
		m.begin(0)
		steps := []point{{0, 0, 1}}
		at := int64(0)
		for range 3000 {
			at += 1 + random.Int64N(20e3)
			m.inGC = random.IntN(5)
			e := exectrace.Event{Kind: exectrace.Procs, TimeNs: at, Value: 4}
			m.event(&e, nil)
			steps = append(steps, point{at, 0, m.ratio()})
		}
		end := at + 1000
		got, _ := m.finish(end)
		if len(got) < 4 {
			t.Fatalf("%d windows of %d ns", len(got), end)
		}
		for _, u := range got[1:4] {
			left := func(from int64) (sum float64) {
				for i, s := range steps {
					next := end
					if i+1 < len(steps) {
						next = steps[i+1].ns
					}
					if lo, hi := max(s.ns, from), min(next, from+u.WindowNs); lo < hi {
						sum += s.ratio * float64(hi-lo)
					}
				}
				return sum / float64(u.WindowNs)
			}
			want := 1.0
			for i := 0; i < len(steps); i += 1 + int(u.WindowNs/2e6) {
				for _, from := range []int64{steps[i].ns, steps[i].ns - u.WindowNs} {
					if from >= 0 && from+u.WindowNs <= end {
						want = min(want, left(from))
					}
				}
			}
			sampled := u.WindowNs >= 2e6 // then not every place is looked at
			if u.Ratio > want+1e-9 || !sampled && math.Abs(u.Ratio-want) > 1e-9 {
				t.Errorf("seed %d, %v: %v, by hand %v", seed, time.Duration(u.WindowNs), u.Ratio, want)
			}
			for i, w := range u.Worst {
				if math.Abs(left(w.AtNs)-w.Ratio) > 1e-9 {
					t.Errorf("seed %d: window at %d is of %v, not %v", seed, w.AtNs, left(w.AtNs), w.Ratio)
				}
				for _, v := range u.Worst[:i] {
					if v.Ratio > w.Ratio || max(v.AtNs, w.AtNs)-min(v.AtNs, w.AtNs) < u.WindowNs {
						t.Errorf("seed %d: %+v", seed, u.Worst)
					}
				}
			}
		}
	}
}

// TestUtilizationAgreesWithGoToolTrace holds the curve against that of its page. With
// workers its count of Go 1.26 is another: there a worker's second run is counted
// twice when it begins and once when it ends, so that its curve falls with time.
func TestUtilizationAgreesWithGoToolTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go tool trace")
	}
	a := newAnalysis(Options{})
	a.mutator.workers = false
	r, err := a.read(bytes.NewReader(plantedTrace(t)), Options{Limits: exectrace.DefaultLimits()})
	if err != nil || len(r.MMU) < 4 {
		t.Fatalf("%v: %+v", err, r)
	}
	file := filepath.Join(t.TempDir(), "t.trace")
	if err := os.WriteFile(file, plantedTrace(t), 0o600); err != nil {
		t.Fatal(err)
	}
	url := toolTrace(t, file)
	answer, err := http.Get(url + "/mmu?mode=plot&flags=stw|assist")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var page struct{ Curve [][2]float64 }
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, u := range r.MMU {
		// Between two of its points the curve need not rise evenly, but a window of twice the
		// length leaves no less than half of what one of the length does.
		for i := 1; i < len(page.Curve); i++ {
			lo, hi := page.Curve[i-1], page.Curve[i]
			if w := float64(u.WindowNs); lo[0] <= w && w <= hi[0] {
				compared++
				least, most := lo[0]*lo[1], hi[0]*hi[1]
				if got := w * u.Ratio; got < least-w*1e-3 || got > most+w*1e-3 {
					t.Errorf("%v: %v, go tool trace %v to %v", time.Duration(u.WindowNs), u.Ratio, lo, hi)
				}
			}
		}
	}
	if compared < 3 {
		t.Errorf("%d windows compared, of the curve %v", compared, page.Curve)
	}
}

// toolTrace serves a trace until the test ends.
func toolTrace(t *testing.T, file string) string {
	t.Helper()
	out, err := exec.Command("go", "tool", "-n", "trace").Output()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	c := exec.CommandContext(ctx, string(bytes.TrimSpace(out)), "-http=127.0.0.1:0", file)
	c.Env = append(os.Environ(), "BROWSER=true")
	said, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		c.Wait()
	})
	lines := bufio.NewScanner(said)
	at := regexp.MustCompile(`http://127\.0\.0\.1:(\d+)`)
	for lines.Scan() {
		if m := at.FindStringSubmatch(lines.Text()); m != nil {
			if port, _ := strconv.Atoi(m[1]); port > 0 {
				return m[0]
			}
		}
	}
	t.Fatal("go tool trace does not say where it listens")
	return ""
}
