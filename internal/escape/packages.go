package escape

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	analysis "whet/internal/analyze/escape"
	"whet/internal/capture/compiler"
	"whet/internal/cli"
	format "whet/internal/format/compiler"
	"whet/internal/gobench"
	"whet/internal/report/escape"
	"whet/internal/source"
)

// compilerOutput is the compiler's decisions about packages and the directories of
// their source.
type compilerOutput struct {
	report   *format.Report
	target   *gobench.Target
	packages []string
	finder   *source.Finder
	warnings []string
}

// ask lists the packages that operands name, and asks the compiler about them.
func ask(ctx context.Context, dir string, operands []string, o gobench.BuildOptions, tests bool) (*compilerOutput, error) {
	list, err := gobench.List(ctx, dir, operands, o)
	if err != nil {
		return nil, err
	}
	a := &compilerOutput{}
	var first gobench.ListedPackage
	for _, l := range list {
		if l.Err != nil {
			a.warnings = append(a.warnings, fmt.Sprintf("%s is left out: %v", l.ImportPath, l.Err))
			continue
		}
		if len(a.packages) == 0 {
			first = l
		}
		a.packages = append(a.packages, l.ImportPath)
	}
	if len(a.packages) == 0 {
		return nil, list[0].Err
	}
	if a.target, err = gobench.Resolve(ctx, dir, first.Operand, o); err != nil {
		return nil, err
	}
	of := *a.target
	if len(a.packages) > 1 {
		of.Operand, of.ImportPath = "", ""
	}
	said, warnings, err := compiler.Decisions(ctx, &of, o, a.packages, tests)
	if err != nil {
		return nil, err
	}
	a.report, a.warnings = said, append(a.warnings, warnings...)
	a.finder = &source.Finder{GOROOT: a.target.GOROOT, GOMODCACHE: a.target.GOMODCACHE, Workspace: a.target.Workspace}
	for _, m := range a.target.Own {
		a.finder.Modules = append(a.finder.Modules, source.Module{Path: m.Path, Dir: m.Dir, Main: true})
	}
	return a, nil
}

// source returns the text of a file.
func (a *compilerOutput) source(file string) []byte {
	text, err := a.finder.Read(file)
	if err != nil {
		return nil
	}
	return text
}

// packageOf returns the import path of the package that a file belongs to; "" unknown.
func (a *compilerOutput) packageOf(file string) string {
	name, module := a.finder.InModule(file)
	if rest, std := strings.CutPrefix(name, "$GOROOT/src/"); std {
		return path.Dir(rest)
	}
	if module == "" {
		return ""
	}
	if _, rest, vendored := strings.Cut("/"+name, "/vendor/"); vendored {
		return path.Dir(rest)
	}
	if rest, cached := strings.CutPrefix(name, module+"@"); cached {
		_, name, _ = strings.Cut(rest, "/")
	}
	return path.Join(module, path.Dir(name))
}

// packages makes the page of what the compiler says now.
func (v *verb) packages(ctx context.Context, e *cli.Env, operands []string) (*escape.Page, error) {
	o, err := v.flags()
	if err != nil {
		return nil, err
	}
	var limits []analysis.Limit
	if v.limits != "" {
		if limits, err = v.readLimits(); err != nil {
			return nil, err
		}
	}
	var ev *evidence
	if v.with != "" {
		if ev, err = openEvidence(v.with); err != nil {
			return nil, err
		}
		defer ev.rec.Close()
		if v.build.Tags == "" && len(v.build.Flags) == 0 && v.pgo == "" {
			o.Flags = ev.rec.Build.Flags
		}
	}
	status := e.Status()
	defer status.Clear()
	status.Show("compiling")
	a, err := ask(ctx, ".", operands, o, v.tests)
	if err != nil {
		return nil, err
	}
	p := &escape.Page{Packages: a.packages, Name: a.name(v.format), GoVersion: a.target.GOVERSION, Tests: v.tests, Warnings: a.warnings}
	options := analysis.Options{Source: a.source, Package: a.packageOf}
	if ev != nil {
		p.Recording = v.with
		if err := v.charge(ctx, ev, a, &options); err != nil {
			return nil, err
		}
		p.Warnings = append(p.Warnings, ev.warnings...)
	}
	p.Result = analysis.Analyze(a.report, options)
	if v.limits != "" {
		p.Limits, p.Broken = limits, p.Result.Broken(limits)
	}
	if v.base != "" {
		status.Show("compiling " + v.base)
		old, name, warnings, err := v.before(ctx, operands, o)
		if err != nil {
			return nil, err
		}
		p.Base, p.Changes = v.base, analysis.Compare(old, p.Result)
		p.OldName = name
		p.Warnings = append(p.Warnings, warnings...)
	}
	return p, nil
}

// name returns a file as it is shown: for editors as seen from here, for GitHub from the root
// of the repository, else from the root of its module.
func (a *compilerOutput) name(format string) func(string) string {
	here, err := os.Getwd()
	prefix := ""
	if format == "github" {
		prefix = cli.ModuleInRepository(a.target.Module, here)
	}
	return func(file string) string {
		name, _ := a.finder.Display(file)
		if format == "github" {
			return path.Join(prefix, name)
		}
		if format == "diagnostics" && err == nil {
			if rel, err := filepath.Rel(here, file); err == nil && filepath.IsLocal(rel) {
				return rel
			}
			return file
		}
		return name
	}
}
