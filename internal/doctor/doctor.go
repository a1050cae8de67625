package doctor

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"whet/internal/cli"
	"whet/internal/document"
	"whet/internal/printable"
)

// Status of an instrument on this machine.
type instrumentStatus string

const (
	statusWorks    instrumentStatus = "works"
	statusDegraded instrumentStatus = "degraded" // works, with less to be trusted or shown
	statusAbsent   instrumentStatus = "absent"
)

// instrument is one thing whet measures with, as it was found.
type instrument struct {
	Name   string           `json:"name"`
	Status instrumentStatus `json:"status"`
	Detail string           `json:"detail"`
	Help   string           `json:"help"` // what would help; "" where nothing is needed
	// essential: without it whet tune cannot do its job.
	essential bool
}

func works(detail string, args ...any) instrument {
	return instrument{Status: statusWorks, Detail: fmt.Sprintf(detail, args...)}
}

func degraded(help, detail string, args ...any) instrument {
	return instrument{Status: statusDegraded, Help: help, Detail: fmt.Sprintf(detail, args...)}
}

func absent(help, detail string, args ...any) instrument {
	return instrument{Status: statusAbsent, Help: help, Detail: fmt.Sprintf(detail, args...)}
}

func Command() *cli.Command {
	return &cli.Command{
		Name:     "doctor",
		Operands: "[-cost URL [-- COMMAND…]]",
		Short:    "check each instrument on this machine: works, degraded or absent, why, and the remedy",
		Long: `
Doctor tries each instrument that whet measures with: it takes a short profile of each kind of
itself, compiles a package of three lines for the compiler's diagnostics, and checks the clock,
the processors and their limits, and the other load of the machine. It takes a few
seconds, changes nothing and contacts no other machine.

With -cost, it measures the cost of the instruments instead: it drives a service with load and
measures its CPU time per request, alternately with each instrument and without, a second at a
time. The service must report its CPU time: let whet start it (-- ./cmd/server), or import
whet/agent in it.

The exit code is 0, or 3 when something that whet tune needs is absent.`,
		Examples: []string{
			"whet doctor",
			"whet doctor -json",
			"whet doctor -cost http://localhost:8080/hello -- ./cmd/server -addr localhost:8080",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			cost := newCostFlags(fs)
			asJSON := fs.Bool("json", false, "print one JSON document")
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				if cost.url != "" {
					return cost.run(ctx, e, operands, *asJSON)
				}
				if err := cost.unused(); err != nil {
					return err
				}
				if len(operands) > 0 {
					return cli.UsageError("doctor takes no operands: %q", operands[0])
				}
				status := e.Status()
				found, err := newExaminer().examine(ctx, func(name string) { status.Set("%s", name) })
				status.Clear()
				if err != nil {
					return err
				}
				return reportInstruments(e, found, *asJSON)
			}
		},
	}
}

// reportInstruments prints what was found; its error names what is missing.
func reportInstruments(e *cli.Env, found []instrument, asJSON bool) error {
	var missing []string
	for _, i := range found {
		if i.essential && i.Status == statusAbsent {
			missing = append(missing, i.Name)
		}
	}
	var err error
	if asJSON {
		err = writeInstrumentsJSON(e.Stdout, found)
	} else {
		err = writeInstruments(e.Stdout, found, e.Color)
	}
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("doctor: whet tune needs %s, which does not work here", strings.Join(missing, ", "))
	}
	return err
}

func writeInstrumentsJSON(w io.Writer, found []instrument) error {
	var warnings []string
	for _, i := range found {
		if i.Status != statusWorks {
			warnings = append(warnings, fmt.Sprintf("%s is %s: %s", i.Name, i.Status, i.Detail))
		}
	}
	return document.Write(w, document.Object{document.Begin(document.Doctor, warnings), "instruments", found})
}

func writeInstruments(w io.Writer, found []instrument, color bool) error {
	var b strings.Builder
	width, good := 0, 0
	for _, i := range found {
		width = max(width, len(i.Name))
		if i.Status == statusWorks {
			good++
		}
	}
	for _, i := range found {
		fmt.Fprintf(&b, "%s  %-*s  %s\n", paint(i.Status, color), width, i.Name, printable.Message(i.Detail))
		if i.Help != "" {
			fmt.Fprintf(&b, "%-8s  %-*s  → %s\n", "", width, "", printable.Message(i.Help))
		}
	}
	fmt.Fprintf(&b, "\n%d of %d work without restriction\n", good, len(found))
	_, err := io.WriteString(w, b.String())
	return err
}

func paint(s instrumentStatus, color bool) string {
	text := fmt.Sprintf("%-8s", s)
	if !color {
		return text
	}
	code := map[instrumentStatus]string{statusWorks: "32", statusDegraded: "33", statusAbsent: "31"}[s]
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
