package doctor

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"whet/internal/cli"
	"whet/internal/document"
	"whet/internal/dotwhet"
	loadformat "whet/internal/format/load"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/tune"
)

// costFlags are those of whet doctor -cost.
type costFlags struct {
	fs      *flag.FlagSet
	url     string
	headers cli.HeaderList
	service tune.ServiceOptions
}

// costDuration gives eight pairs of each instrument.
const costDuration = 80 * time.Second

func newCostFlags(fs *flag.FlagSet) *costFlags {
	c := &costFlags{fs: fs, headers: cli.HeaderList{}, service: tune.DefaultServiceOptions()}
	l := &c.service.Load
	l.Duration = costDuration
	fs.StringVar(&c.url, "cost", "", "measure the overhead of measuring the service at this `URL`")
	fs.StringVar(&c.service.Out, "o", "", "with -cost: write the recording to `NAME.whet` (default: named after the URL)")
	fs.StringVar(&c.service.Tags, "tags", "", "with -cost: build `tags`, comma-separated")
	fs.IntVar(&l.Concurrency, "c", l.Concurrency, "with -cost: run `n` clients, each with one request in flight")
	cli.Duration(fs, &l.Duration, "d", "with -cost: `time` for measuring; a longer time gives narrower intervals")
	cli.Duration(fs, &l.Warmup, "warmup", "with -cost: `time` under load before that")
	fs.StringVar(&c.service.Pprof, "pprof", "", "with -cost: base `URL` of the agent (default: that of the service)")
	fs.Var(&c.headers, "H", "with -cost: send a `header`; may be given several times")
	return c
}

// unused refuses the flags that need -cost.
func (c *costFlags) unused() error {
	var err error
	c.fs.Visit(func(f *flag.Flag) {
		if err == nil && f.Name != "json" {
			err = cli.UsageError("doctor: -%s is for -cost URL", f.Name)
		}
	})
	return err
}

func (c *costFlags) run(ctx context.Context, e *cli.Env, operands []string, asJSON bool) error {
	o := c.service
	if i := slices.Index(operands, "--"); i >= 0 {
		operands, o.Server = operands[:i], operands[i+1:]
		if len(o.Server) == 0 {
			return cli.UsageError("doctor: name the command that starts the server after --")
		}
	}
	if len(operands) > 0 {
		return cli.UsageError("doctor: unexpected operand %q: -cost takes one URL", operands[0])
	}
	c.url, _ = cli.AsURL(c.url)
	o.Pprof, _ = cli.AsURL(o.Pprof)
	o.Operand, o.Load.URL, o.Load.Header, o.Command, o.Version = c.url, c.url, http.Header(c.headers), e.Args, cli.Version()
	if err := o.ValidateCost(); err != nil {
		return &cli.ExitError{Code: cli.ExitUsage, Err: err}
	}
	status := e.Status()
	o.Progress = func(p tune.Progress) { p.Show(status) }
	outcome, err := tune.RecordCost(ctx, o)
	status.Clear()
	defer dotwhet.Tidy(e, o.Out, dotwhet.Keep)
	if outcome.Path == "" {
		return cli.MeasuringError(err, "interrupted")
	}
	rec, openErr := recording.Open(outcome.Path)
	if openErr != nil {
		return openErr
	}
	defer rec.Close()
	if asJSON {
		printErr := writeCostsJSON(e.Stdout, rec, outcome.Path)
		if err == nil {
			err = printErr
		}
	} else if printErr := writeCosts(e.Stdout, rec, e.Path(outcome.Path)); err == nil {
		err = printErr
	}
	if err != nil {
		return cli.KeptError(err, "what was measured", outcome.Path)
	}
	return nil
}

// costsOf returns the service whose costs a recording holds, and these.
func costsOf(rec *recording.Recording) (url string, costs []tune.Cost, err error) {
	service, err := loadformat.ServicePart.Of(&rec.Manifest)
	if err != nil || service == nil {
		return "", nil, err
	}
	all, err := tune.Costs.Of(&rec.Manifest)
	if err != nil || all == nil {
		return "", nil, err
	}
	return service.URL, *all, nil
}

func writeCosts(w io.Writer, rec *recording.Recording, path string) error {
	url, costs, err := costsOf(rec)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CPU time of %s for a request, with an instrument against without, at 95 %%:\n\n", printable.Message(url))
	fmt.Fprintf(&b, "  %-9s %8s  %-20s %6s\n", "", "cost", "interval", "pairs")
	for _, c := range costs {
		interval := fmt.Sprintf("%s to %s", quantity.Percent(c.CPURatioLow), quantity.Percent(c.CPURatioHigh))
		fmt.Fprintf(&b, "  %-9s %8s  %-20s %6d  %s\n", printable.Message(c.Instrument), quantity.Percent(c.CPURatio), interval, c.Pairs, printable.Message(c.Text))
	}
	for _, text := range rec.Warnings {
		fmt.Fprintf(&b, "\n  ! %s\n", printable.Message(text))
	}
	fmt.Fprintf(&b, "\nrecording  %s\n", path)
	_, err = io.WriteString(w, b.String())
	return err
}

func writeCostsJSON(w io.Writer, rec *recording.Recording, path string) error {
	url, costs, err := costsOf(rec)
	if err != nil {
		return err
	}
	o := document.Object{document.Begin(document.Doctor, rec.Warnings), "instruments", []instrument{}, "url", document.IfSet(url)}
	if len(costs) > 0 {
		o = append(o, "costs", costs)
	}
	return document.Write(w, append(o, "recording", document.IfSet(path)))
}
