package escape

import (
	"fmt"

	analysis "whet/internal/analyze/escape"
	"whet/internal/cli"
	format "whet/internal/format/compiler"
	"whet/internal/read"
	"whet/internal/recording"
	"whet/internal/report/escape"
)

// recorded makes the page of what a recording has of the compiler.
func (v *verb) recorded(operands []string) (*escape.Page, error) {
	if len(operands) > 1 {
		return nil, cli.UsageError("escape: name one recording, or packages with -with %s", operands[0])
	}
	if v.filter.Checks {
		return nil, cli.UsageError("escape: a recording has no checks: name its packages, with -with %s", operands[0])
	}
	if v.build.Tags != "" || len(v.build.Flags) > 0 || v.pgo != "" || v.tests || v.with != "" {
		return nil, cli.UsageError("escape: a recording is not built: name packages for -tags, -build, -pgo, -test and -with")
	}
	rec, err := read.Open(operands[0])
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	r, warnings := said(rec)
	switch artifacts := rec.Find(recording.KindDiagnostics, ""); {
	case len(artifacts) == 0:
		return nil, fmt.Errorf("%s has nothing of the compiler: name its packages, with -with %s", operands[0], operands[0])
	case len(warnings) == len(artifacts):
		return nil, fmt.Errorf("%s: %s: name its packages, with -with %s", operands[0], warnings[0], operands[0])
	}
	source := func(file string) []byte {
		text, _, err := rec.Source(file)
		if err != nil {
			return nil
		}
		return text
	}
	names := make(map[string]string)
	for _, s := range rec.Sources {
		names[s.Frame] = s.Path
	}
	name := func(file string) string {
		if name, ok := names[file]; ok {
			return name
		}
		return file
	}
	return &escape.Page{
		Result: analysis.Analyze(r, analysis.Options{Source: source}), Packages: []string{rec.Build.Package}, Name: name, GoVersion: rec.Build.GoVersion,
		Warnings: append(warnings, "bounds and nil checks, and calls that were not inlined, are unknown: a recording keeps the compiler's text alone; whet escape -with "+operands[0]+" PACKAGE has them"),
	}, nil
}

// said is what a recording has of the compiler.
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
