// Command flame measures how soon the HTML flame graph is there, and how
// smoothly it moves.
//
// How soon: whet flame beside what one did before, pprof -raw through
// stackcollapse-go.pl and flamegraph.pl, from start to exit and in turns. The
// two scripts are Brendan Gregg's and not part of this repository: get them
// from https://github.com/brendangregg/FlameGraph and name their directory.
// They need perl.
//
//	go run ./bench/flame -scripts ~/src/FlameGraph -turns 7 big.pb.gz
//
// stackcollapse-go.pl reads samples of two values alone, as CPU profiles have
// them. So both draw a copy of the profile that is cut to its first two, made
// before anything is measured, and of that copy the first one: of a heap profile
// alloc_objects, which is zero in no sample. Where the profile is not very large,
// whet's page holds the second one, too. -cut writes the copy, to run either way
// by hand:
//
//	go run ./bench/flame -cut big.pb.gz >two.pb.gz
//
// How smoothly: it opens the page of each profile, of all its sample types, in
// Chromium with #frames, which makes the page do one scripted gesture (into the
// graph, across it, and out again, 300 steps) and time it itself: from one
// animation frame to the next, and how much of that its own work took. What it
// prints are medians over the runs of the page's median, 99th percentile and
// longest frame.
//
//	go run ./bench/flame -runs 7 big.pb.gz
//
// bench/bigprofile makes large profiles; without one it takes a small one of
// the tests.
//
// At 60 frames a second a frame takes 16.7 ms; the intervals cannot be shorter,
// the work should be. It misleads where the machine does other work: Chromium
// has no graphics card here and paints with the processor.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"whet/bench/ledger"
	"whet/internal/analyze/flamegraph"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/chromium"
	"whet/internal/quantity"
	"whet/internal/report/flame"
	"whet/internal/stat"
)

// Times are of the frames of one gesture, as the page has them.
type Times struct {
	P50 float64 `json:"p50_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

// Gesture is a run of the page.
type Gesture struct {
	Nodes    int   `json:"nodes"` // of the graph on show
	Frames   int   `json:"frames"`
	Interval Times `json:"interval"`
	Work     Times `json:"work"`
}

// Profile is a profile.
type Profile struct {
	Name      string    `json:"name"`
	Samples   int       `json:"samples"`
	PageBytes int64     `json:"page_bytes"`
	MakeNs    int64     `json:"make_ns"` // reading, summing and writing, of all sample types
	Gestures  []Gesture `json:"gestures"`

	// Turns of the two ways to a flame graph, and how large the files are.
	Type         string      `json:"type,omitempty"`        // that both draw: the first one
	InputBytes   int64       `json:"input_bytes,omitempty"` // what both read
	Whet         ledger.Runs `json:"whet,omitempty"`
	Classic      ledger.Runs `json:"classic,omitempty"`
	WhetBytes    int64       `json:"whet_bytes,omitempty"`
	ClassicBytes int64       `json:"classic_bytes,omitempty"`
}

func main() { ledger.Main("flame", run) }

func run(ctx context.Context) error {
	runs := flag.Int("runs", 7, "how often each page is moved")
	turns := flag.Int("turns", 7, "with -scripts, how often each profile is drawn in either way")
	scripts := flag.String("scripts", "", "`directory` with stackcollapse-go.pl and flamegraph.pl; without it, only the page's movement is measured")
	out := ledger.Flags("flame")
	parts := flag.Int("parts", flamegraph.DefaultOptions().Parts, "collapse frames below this `part` of the root: more is harder")
	whole := flag.String("cut", "", "write this `file` as the two ways to a flame graph read it to standard output, measure nothing")
	flag.Parse()
	if *whole != "" {
		return cut(os.Stdout, *whole)
	}
	return out.Tabulate(func() error {
		files := flag.Args()
		if len(files) == 0 {
			files = []string{"internal/format/profile/testdata/compile_stdcmd_merged.cpu.pb.gz"}
		}
		e := ledger.Begin[[]Profile]("bench/flame")
		e.Samples = make([]Profile, len(files))
		// Profiles are read here only when all processes are measured.
		if *scripts != "" {
			if err := draw(ctx, files, *scripts, *turns, e.Samples); err != nil {
				return err
			}
		}
		for i, file := range files {
			if err := e.Samples[i].move(ctx, file, *parts, *runs); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		return e.Save(out.Dir, "flame")
	}, render)
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]Profile](dir, "flame")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"profile", "samples", "page", "frames in the graph", "frame, median", "99 %", "longest", "of it work, median", "99 %", "gestures"}}
	for _, s := range e.Samples {
		median := func(f func(g Gesture) float64) string {
			values := make([]float64, len(s.Gestures))
			for i, g := range s.Gestures {
				values[i] = f(g) * 1e6
			}
			return quantity.Nanoseconds(stat.Median(values))
		}
		nodes := 0
		if len(s.Gestures) > 0 {
			nodes = s.Gestures[0].Nodes
		}
		t.Rows = append(t.Rows, []string{
			s.Name, quantity.Count(float64(s.Samples)), quantity.Bytes(float64(s.PageBytes)), quantity.Count(float64(nodes)),
			median(func(g Gesture) float64 { return g.Interval.P50 }), median(func(g Gesture) float64 { return g.Interval.P99 }), median(func(g Gesture) float64 { return g.Interval.Max }),
			median(func(g Gesture) float64 { return g.Work.P50 }), median(func(g Gesture) float64 { return g.Work.P99 }), quantity.Count(float64(len(s.Gestures))),
		})
	}
	return fmt.Sprintf("%s%s\n%s.\n", drawn(e.Samples), t.Markdown(), e.Caption()), nil
}

// move makes the page and moves it.
func (s *Profile) move(ctx context.Context, file string, parts, runs int) error {
	tmp, err := os.MkdirTemp("", "whet-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	s.Name = filepath.Base(file)
	page := filepath.Join(tmp, "flame.html")
	begun := time.Now()
	p, err := read(file)
	if err != nil {
		return err
	}
	s.Samples, s.Type = p.Len(), p.Types[0].Type
	if err := write(p, s.Name, page, parts); err != nil {
		return err
	}
	s.MakeNs = time.Since(begun).Nanoseconds()
	info, err := os.Stat(page)
	if err != nil {
		return err
	}
	s.PageBytes = info.Size()
	for range runs {
		g, err := gesture(ctx, page)
		if err != nil {
			return err
		}
		s.Gestures = append(s.Gestures, g)
	}
	return nil
}

// write makes the page of all sample types of a profile.
func write(p *callstack.Profile, title, page string, parts int) error {
	o := flamegraph.DefaultOptions()
	o.Parts = parts
	var views []flame.View
	for i := len(p.Types) - 1; i >= 0; i-- {
		s, err := selection.New([]selection.Source{{Profile: p}}, selection.Options{SampleIndex: fmt.Sprint(i)})
		if err != nil {
			return err
		}
		g, err := flamegraph.Build(s, o)
		if err != nil {
			return err
		}
		views = append(views, flame.View{Graph: g})
	}
	out, err := os.Create(page)
	if err != nil {
		return err
	}
	err = flame.WriteHTML(out, flame.Page{Title: title, Views: views})
	return errors.Join(err, out.Close())
}

// gesture opens the page and waits for what its timer says.
func gesture(ctx context.Context, page string) (g Gesture, err error) {
	path, err := chromium.Find("")
	if err != nil {
		return g, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	b, err := chromium.Start(ctx, path, nil)
	if err != nil {
		return g, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := errors.Join(b.Viewport(ctx, 1600, 1000, 1), b.Navigate(ctx, chromium.FileURL(page)+"#frames")); err != nil {
		return g, fmt.Errorf("open the page: %w", err)
	}
	var text string
	err = b.Eval(ctx, `new Promise((done) => {
		const look = () => (document.documentElement.dataset.frames ? done(document.documentElement.dataset.frames) : setTimeout(look, 100));
		look();
	})`, &text)
	if err != nil {
		return g, fmt.Errorf("move the page: %w", err)
	}
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		return g, fmt.Errorf("read the page's frame times: %w", err)
	}
	return g, nil
}
