package escape

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	analysis "whet/internal/analyze/escape"
	"whet/internal/cli"
	format "whet/internal/format/compiler"
	"whet/internal/recording"
	"whet/internal/report/escape"
	"whet/internal/source"
)

// recorded makes the page of what a recording has of the compiler.
func (v *verb) recorded(ctx context.Context, operands []string) (*escape.Page, error) {
	if len(operands) > 1 {
		return nil, cli.UsageError("escape: name one recording, or packages with -with %s", operands[0])
	}
	if v.filter.Checks {
		return nil, cli.UsageError("escape: a recording has no bounds and nil checks: name its packages, with -with %s", operands[0])
	}
	if v.build.Tags != "" || len(v.build.Flags) > 0 || v.pgo != "" || v.tests || v.with != "" {
		return nil, cli.UsageError("escape: -tags, -build, -pgo, -test and -with need packages, not a recording")
	}
	ev, err := openEvidence(operands[0])
	if err != nil {
		return nil, err
	}
	rec := ev.rec
	defer rec.Close()
	a := &compilerOutput{finder: finderOf(rec)}
	a.report, a.warnings = said(rec)
	switch artifacts := rec.Find(recording.KindDiagnostics, ""); {
	case len(artifacts) == 0:
		return nil, fmt.Errorf("%s has no output of the compiler: name its packages, with -with %s", operands[0], operands[0])
	case len(a.warnings) == len(artifacts):
		return nil, fmt.Errorf("%s: %s: name its packages, with -with %s", operands[0], a.warnings[0], operands[0])
	}
	options := analysis.Options{Package: a.packageOf, Source: func(file string) []byte {
		text, _, err := rec.Source(file)
		if err != nil {
			return nil
		}
		return text
	}}
	if err := ev.profiles(ctx, operands[0], &options); err != nil {
		return nil, err
	}
	p := &escape.Page{
		Result: analysis.Analyze(a.report, options), Packages: []string{rec.Build.Package}, GoVersion: rec.Build.GoVersion,
		Warnings: append(a.warnings, "bounds checks, nil checks and calls that were not inlined are unknown: a recording has only the compiler's text; whet escape -with "+operands[0]+" PACKAGE shows them"),
		Name: func(file string) string {
			if name, ok := ev.shown[file]; ok {
				return name
			}
			name, _ := a.finder.Display(file)
			return name
		},
	}
	if options.Allocs != nil || options.CPU != nil {
		p.Recording = operands[0]
	}
	return p, nil
}

// finderOf knows where the modules and the Go of a recording's build lay, by the sources
// that it keeps.
func finderOf(rec *recording.Recording) *source.Finder {
	f := &source.Finder{}
	for _, s := range rec.Sources {
		frame := filepath.ToSlash(s.Frame)
		if rest, std := strings.CutPrefix(strings.TrimPrefix(s.Path, "$"), "GOROOT/"); std {
			if root, ok := strings.CutSuffix(frame, "/"+rest); ok {
				f.GOROOT = root
			}
			continue
		}
		inModule := strings.TrimPrefix(s.Path, s.ModuleDir+"/")
		dir, ok := strings.CutSuffix(frame, "/"+inModule)
		if workspace, nested := strings.CutSuffix(dir, "/"+s.ModuleDir); nested {
			f.Workspace = workspace
		}
		m := source.Module{Path: s.Module, Dir: dir, Main: true}
		if ok && slices.Contains(rec.Build.OwnModules, s.Module) && !slices.Contains(f.Modules, m) {
			f.Modules = append(f.Modules, m)
		}
	}
	return f
}

// said returns what a recording has of the compiler.
func said(rec *recording.Recording) (*format.Report, []string) {
	r := &format.Report{}
	var warnings []string
	for _, artifact := range rec.Find(recording.KindDiagnostics, "") {
		data, err := rec.Read(artifact)
		if err != nil {
			warnings = append(warnings, err.Error())
			continue
		}
		r.AddText(data)
	}
	r.Sort()
	return r, warnings
}
