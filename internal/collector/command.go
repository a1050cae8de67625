package collector

import (
	"cmp"
	"context"
	"flag"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/internal/cli"
	"whet/internal/profiles"
	"whet/internal/recording"
	"whet/internal/report/gc"
	"whet/internal/report/page"
)

// Command is the verb.
func Command() *cli.Command {
	return &cli.Command{
		Name:       "gc",
		Operands:   "LOG | URL | RECORDING | -- COMMAND…",
		Recordings: 1,
		Short:      "what the garbage collector does, what it costs, and what to set",
		Long: `
Gc reads what the collector says of itself: the heap before, after and alive, its goal, the time
the world stands still, what the collector takes of the processors' time and from whom (workers,
assists, stops; what idle processors do is apart), forced cycles, and what packages take to
initialize. It says what that means: too many cycles for a small heap, goroutines that are made to
mark, a memory limit without room, a live heap that grows.
LOG is the standard error of a program run with GODEBUG=gctrace=1, inittrace=1 beside it if you
like, - for the standard input; lines of others are passed over, and a log of any length is read
line by line. RECORDING is one of whet's. URL is a program with whet/agent or net/http/pprof: its
metrics are watched for -seconds, and its heap profiles before and after name what grows.
After -- stands a command: it is run with GODEBUG=gctrace=1,inittrace=1, its output is passed on
without those lines, and a chart on the terminal shows the heap meanwhile. What was seen is
written to the standard error after it; the exit code is the command's.
With -sweep the command is run again and again, with one setting of GOGC and GOMEMLIMIT after the
other in turns drawn by lot: its time against its peak memory, the settings that no other one beats,
and those of them that differ. Where it prints benchmarks, the time is that of an operation.`,
		Examples: []string{
			"whet gc gc.log",
			"whet gc -json gc.log",
			"whet gc -html -o gc.html gc.log",
			"whet gc -- ./server -addr localhost:8080",
			"whet gc @",
			"whet gc -sweep -- ./batch input.csv",
			"whet gc -sweep -gogc 100,400 -memlimit off,256MiB -html -o sweep.html -- ./batch input.csv",
			"whet gc -seconds 30 http://localhost:6060",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			v := &view{}
			fs.BoolVar(&v.asJSON, "json", false, "print one JSON document, with every cycle")
			fs.BoolVar(&v.html, "html", false, "write a page with charts")
			fs.BoolVar(&v.svg, "svg", false, "write the charts as a picture")
			fs.BoolVar(&v.all, "all", false, "show all rows of each table")
			fs.StringVar(&v.output, "o", "", "write to `file`; - is the standard output")
			cli.Duration(fs, &v.watch, "seconds", "of a URL, watch for this `time` (default 10s)")
			v.headers = cli.HeaderList{}
			fs.Var(&v.headers, "H", "of a URL, send a `header`, as in 'Authorization: Bearer x'; may be given several times")
			fs.Var(&v.limit, "limit", "the memory limit (GOMEMLIMIT) of the program of a log, a `size` such as 64MiB: a log does not name it")
			v.sweeping.declare(fs)
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				if !v.sweeping.on {
					for _, name := range []string{"gogc", "memlimit", "rounds", "budget", "seed"} {
						if cli.IsSet(fs, name) {
							return cli.UsageError("gc: -%s is of -sweep", name)
						}
					}
				}
				v.watchSet = cli.IsSet(fs, "seconds")
				return v.run(ctx, e, operands)
			}
		},
	}
}

// view is what was asked for.
type view struct {
	asJSON, html, svg, all bool
	output                 string
	watch                  time.Duration
	watchSet               bool
	headers                cli.HeaderList
	limit                  profiles.Size
	sweeping               sweepFlags
}

func (v *view) run(ctx context.Context, e *cli.Env, operands []string) error {
	switch {
	case v.html && (v.svg || v.asJSON) || v.svg && v.asJSON:
		return cli.UsageError("gc: -html, -svg and -json are three ways to show the same: choose one")
	case v.watchSet && v.watch <= 0:
		return cli.UsageError("gc: -seconds %v: give a time above zero", v.watch)
	}
	if i := slices.Index(operands, "--"); i >= 0 {
		if i > 0 {
			return cli.UsageError("gc: name a log, or a command after --, not both (%s)", strings.Join(operands[:i], " "))
		}
		return v.command(ctx, e, operands[1:])
	}
	if v.sweeping.on {
		return cli.UsageError("gc: -sweep runs a command: name it after --")
	}
	operand, err := cli.OneOperand("gc", "log", operands)
	if err != nil {
		return err
	}
	var read func(context.Context, *cli.Env, string) (*gc.Page, error)
	log := false
	if _, ok := cli.AsURL(operand); ok {
		read = v.live
	} else if recording.Is(operand) {
		read = v.recorded
	} else if v.watch != 0 || len(v.headers) > 0 {
		return cli.UsageError("gc: -seconds and -H are of a URL, and %s is none", operand)
	} else {
		read, log = v.log, true
	}
	var p *gc.Page
	get := func() (err error) { p, err = read(ctx, e, operand); return err }
	if log {
		err = get() // it stops reading by itself, and has what it read
	} else {
		err = cli.Abandonable(ctx, get)
	}
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return v.write(w, p, e.Width, e.Color && v.toTerminal()) }
	if ctx.Err() == nil {
		return cli.Abandonable(ctx, func() error { return e.Emit(ctx, v.outputOf(p.Name), write) })
	}
	return cmp.Or(v.emit(ctx, e, p.Name, write), errInterrupted)
}

func (v *view) toTerminal() bool { return v.output == "" || v.output == "-" }

// outputOf is the file to write to; pages have a name of their own.
func (v *view) outputOf(name string) string {
	base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	if strings.ContainsAny(base, " :/\\") || base == "" || base == "." || base[0] == '-' {
		base = "gc"
	}
	switch {
	case v.html:
		return cmp.Or(v.output, base+".gc.html")
	case v.svg:
		return cmp.Or(v.output, base+".gc.svg")
	}
	return v.output
}

func (v *view) write(w io.Writer, p *gc.Page, width int, color bool) error {
	switch {
	case v.asJSON:
		return gc.WriteJSON(w, p)
	case v.html:
		return gc.WriteHTML(w, p)
	case v.svg:
		return gc.WriteSVG(w, p)
	}
	return gc.WriteText(w, p, page.TextOptions{Width: width, All: v.all, Color: color})
}
