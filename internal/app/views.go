package app

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"whet/internal/analyze/flamegraph"
	"whet/internal/recording"
	"whet/internal/report"
	"whet/internal/report/flame"
	"whet/internal/tune"
)

const profileOperands = "[BINARY] PROFILE..."

const profileLong = `
PROFILE is a pprof file, a URL of net/http/pprof, or a recording; several are merged. The
numbers are those of go tool pprof.`

func flameCommand() *command {
	return &command{
		name:      "flame",
		readsOnly: true,
		operands:  profileOperands,
		short:     "a flame graph as one HTML file",
		long:      "Flame writes an interactive flame graph: zoom, search, every value of the profile. The file\nloads nothing from elsewhere." + profileLong,
		examples: []string{
			"whet flame -o out.html cpu.pb.gz",
			"whet flame encode.whet",
		},
		setup: func(fs *flag.FlagSet) runFunc {
			var p profileFlags
			p.declare(fs)
			out := fs.String("o", "", "write `file`; - is the standard output (default: the profile's name with .flame.html)")
			asJSON := fs.Bool("json", false, "print the call tree as one JSON document instead")
			return func(ctx context.Context, e *env, operands []string) error {
				views, name, warnings, err := flameViews(ctx, &p, operands)
				if err != nil {
					return err
				}
				if *asJSON {
					return flame.WriteJSON(e.stdout, views, warnings)
				}
				for _, w := range warnings {
					fmt.Fprintf(e.stderr, "whet: warning: %s\n", oneLine(w))
				}
				page := flame.Page{Title: filepath.Base(name), Views: views}
				if *out == "-" {
					return flame.WriteHTML(e.stdout, page)
				}
				if *out == "" {
					*out = flameName(name)
				}
				err = writeFile(ctx, *out, func(w io.Writer) error { return flame.WriteHTML(w, page) })
				if err == nil {
					_, err = fmt.Fprintln(e.stdout, e.path(*out))
				}
				return err
			}
		},
	}
}

// flameName is the default output beside the current directory's files.
func flameName(operand string) string {
	base := filepath.Base(operand)
	if i := strings.Index(operand, "://"); i >= 0 {
		base = "profile"
	}
	for _, suffix := range []string{".whet", ".gz", ".pb", ".pprof", ".prof"} {
		base = strings.TrimSuffix(base, suffix)
	}
	return base + ".flame.html"
}

// flameViews are the graphs of one file: of a recording, what its report
// shows, the measured code alone; of profiles, each of their values, the
// default one first.
func flameViews(ctx context.Context, p *profileFlags, operands []string) (views []flame.View, name string, warnings []string, err error) {
	// A recording's own page knows what is measured code. A profile of it that
	// was asked for by kind or type is shown whole, as a file of its own would be.
	if len(operands) == 1 && recording.Is(operands[0]) && p.kind == "" && p.sampleIndex == "" {
		rec, err := recording.Open(operands[0])
		if err != nil {
			return nil, "", nil, err
		}
		defer rec.Close()
		page, err := tune.Page(rec)
		if err != nil {
			return nil, "", nil, err
		}
		var profiles []report.Profile
		for _, have := range page.Profiles {
			if p.benchmark == "" || recording.Chooses(p.benchmark, have.Benchmark) {
				profiles = append(profiles, have)
			}
		}
		return report.FlameViews(profiles), operands[0], page.Warnings, nil
	}
	o, err := p.open(ctx, operands)
	if err != nil {
		return nil, "", nil, err
	}
	first, err := p.column(o)
	if err != nil {
		return nil, "", nil, err
	}
	for i := range o.profile.Types {
		// The chosen column first, the others behind it in their order.
		t := i
		switch {
		case i == 0:
			t = first
		case i <= first:
			t = i - 1
		}
		g, err := flamegraph.FromProfile(o.profile, t, nil, flamegraph.DefaultOptions())
		if err != nil {
			return nil, "", nil, err
		}
		if g != nil {
			views = append(views, flame.View{Graph: g})
			warnings = append(warnings, g.Warnings...)
		}
	}
	return views, o.name, append(append(warnings, o.profile.Warnings...), o.warnings...), nil
}
