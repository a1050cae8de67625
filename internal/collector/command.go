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

// Command returns the verb.
func Command() *cli.Command {
	return &cli.Command{
		Name:       "gc",
		Operands:   "LOG | URL | RECORDING | -- COMMAND…",
		Recordings: 1,
		Short:      "show the garbage collector's work and cost, and suggest settings",
		Long: `
Gc reads the log of the garbage collector: the heap before, after and alive, its goal, the time
the world is stopped, the collector's share of the processors' time and its source (workers,
assists, stops; idle workers apart), forced cycles, and the time of package initialization. It
names problems: too many cycles for a small heap, goroutines that must mark, a memory limit
without room, a live heap that grows. LOG is the standard error of a program run with
GODEBUG=gctrace=1 (and inittrace=1 if you like), - for the standard input; gc skips other lines
and reads a log of any length line by line. RECORDING is a recording of whet. URL is a program
with whet/agent or net/http/pprof: gc watches its metrics for -seconds, and names the growth
between heap profiles before and after. With -- and a command, gc runs it with
GODEBUG=gctrace=1,inittrace=1, passes its output on without those lines, and charts the heap on
the terminal meanwhile. The result goes to the standard error after the command's end; the exit
code is the command's. With -sweep gc runs the command repeatedly, with one setting of GOGC and
GOMEMLIMIT after the other in random order, and shows its time against its peak memory, the
settings that no other beats, and those among them that differ. If it prints benchmarks, the time
is that of an operation.`,
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
			fs.BoolVar(&v.html, "html", false, "write an HTML page with charts")
			fs.BoolVar(&v.svg, "svg", false, "write the charts as a picture")
			fs.BoolVar(&v.all, "all", false, "show all rows of every table")
			fs.StringVar(&v.output, "o", "", "write to `file`; - is the standard output")
			cli.Duration(fs, &v.watch, "seconds", "with a URL: watch for this `time` (default 10s)")
			v.headers = cli.HeaderList{}
			fs.Var(&v.headers, "H", "with a URL: send a `header`, as in 'Authorization: Bearer x'; may be given several times")
			fs.Var(&v.limit, "limit", "with a log: the program's memory limit (GOMEMLIMIT), a `size` such as 64MiB, which the log does not record")
			v.sweeping.declare(fs)
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				if !v.sweeping.on {
					for _, name := range []string{"gogc", "memlimit", "rounds", "budget", "seed"} {
						if cli.IsSet(fs, name) {
							return cli.UsageError("gc: -%s needs -sweep", name)
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
		return cli.UsageError("gc: choose one of -html, -svg and -json")
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
		return cli.UsageError("gc: -seconds and -H need a URL, which %s is not", operand)
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

// outputOf returns the file to write to; pages have a name of their own.
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
