// Command cost measures what measuring costs a service: whet doctor -cost on
// stages of the visit counter, started by whet under load over the loopback.
//
// It answers how much more CPU time a request takes with each instrument than
// without, as a median of pairs of seconds in turns with its 95 % interval.
//
// Server and generator have one processor each (GOMAXPROCS=1), so that on two
// cores neither takes the other's: with two each, what they take from one
// another is more than what an instrument costs.
//
// It misleads about services whose requests are large: here they take some ten
// microseconds, so that what an instrument does for each weighs more than in
// most.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"whet/bench/ledger"
	"whet/internal/recording"
	"whet/internal/tune"
)

// Stage is a stage's costs.
type Stage struct {
	Name  string      `json:"name"`
	Costs []tune.Cost `json:"costs"`
}

// Samples are all stages under one load.
type Samples struct {
	Concurrency int           `json:"concurrency"`
	For         time.Duration `json:"for_ns"` // each stage
	Apart       bool          `json:"apart"`  // generator and server had one processor each
	Stages      []Stage       `json:"stages"`
}

func main() { ledger.Main("cost", run) }

func run(ctx context.Context) error {
	length := flag.Duration("for", 4*time.Minute, "measure each stage for this `time`")
	out := ledger.Flags("cost")
	flag.Parse()
	return out.Tabulate(func() error {
		e := ledger.Begin[Samples]("bench/cost")
		var err error
		if e.Samples, err = measure(ctx, *length); err != nil {
			return err
		}
		return e.Save(out.Dir, "cost")
	}, render)
}

func measure(ctx context.Context, length time.Duration) (Samples, error) {
	runtime.GOMAXPROCS(1)
	if err := os.Setenv("GOMAXPROCS", "1"); err != nil { // the server's
		return Samples{}, err
	}
	scratch, err := os.MkdirTemp("", "whet-cost-")
	if err != nil {
		return Samples{}, err
	}
	defer os.RemoveAll(scratch)
	o := tune.DefaultServiceOptions()
	o.Load.Duration = length
	s := Samples{Concurrency: o.Load.Concurrency, For: length, Apart: true}
	for _, stage := range []string{"original", "best"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return s, err
		}
		address := l.Addr().String()
		l.Close()
		o.Load.URL = "http://" + address + "/hello?name=Ann&color=teal"
		o.Operand, o.Out = o.Load.URL, filepath.Join(scratch, stage+".whet")
		o.Server = []string{"./casebook/cmd/casebook", "-case", "visits", "-stage", stage, "-addr", address, "-pprof-addr", ""}
		outcome, err := tune.RecordCost(ctx, o)
		if err != nil {
			return s, err
		}
		rec, err := recording.Open(outcome.Path)
		if err != nil {
			return s, err
		}
		costs, err := tune.Costs.Of(&rec.Manifest)
		rec.Close()
		if err != nil {
			return s, err
		}
		s.Stages = append(s.Stages, Stage{stage, *costs})
	}
	return s, nil
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[Samples](dir, "cost")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"visits", "instrument", "cost", "95 % interval", "pairs"}}
	for _, s := range e.Samples.Stages {
		for _, c := range s.Costs {
			t.Rows = append(t.Rows, []string{
				s.Name, c.Text, percent(c.CPURatio), percent(c.CPURatioLow) + " to " + percent(c.CPURatioHigh), fmt.Sprint(c.Pairs),
			})
		}
	}
	apart := "generator and server on the same cores"
	if e.Samples.Apart {
		apart = "generator and server with one processor each"
	}
	return fmt.Sprintf("%s\n%s; %d connections, %v a stage, %s.\n", t.Markdown(), e.Caption(), e.Samples.Concurrency, e.Samples.For, apart), nil
}

func percent(ratio float64) string { return fmt.Sprintf("%+.1f %%", ratio*100) }
