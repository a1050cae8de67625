package house

import (
	"fmt"
	"slices"
	"strings"
)

// Package is the output of `go list` for one package that the checks need.
type Package struct {
	ImportPath string
	Name       string
	Dir        string
	Standard   bool
	DepOnly    bool
	ForTest    string

	Imports      []string
	TestImports  []string
	XTestImports []string

	GoFiles        []string
	CgoFiles       []string
	IgnoredGoFiles []string // files of other systems and with build tags
	TestGoFiles    []string
	XTestGoFiles   []string
}

// Fault is a breach of the plan.
type Fault struct {
	Where string // package, or file:line
	Text  string
}

func (f Fault) String() string { return f.Where + ": " + f.Text }

// CheckImports returns the faults of the code's imports, and apart from them
// those of its tests. Tests may use libraries, and packages beside their own;
// they may not reach upward or across the second floor either, because then
// the package could not be tested without what stands on it.
func (p Plan) CheckImports(packages []Package) (code, tests []Fault) {
	standard := make(map[string]bool)
	for _, pkg := range packages {
		standard[pkg.ImportPath] = pkg.Standard
	}
	for _, pkg := range packages {
		rel, ours := p.rel(pkg.ImportPath)
		if !ours || pkg.ForTest != "" || strings.HasSuffix(pkg.ImportPath, ".test") {
			continue
		}
		row, family, ok := p.Place(pkg.ImportPath)
		if !ok {
			code = append(code, Fault{pkg.ImportPath, fmt.Sprintf(
				"it has no place in the house: add %q to the table in internal/house/plan.go, on the lowest floor above everything it imports", rel)})
			continue
		}
		from := importer{rel: rel, row: row, family: family}
		for _, imp := range pkg.Imports {
			if text := p.checkImport(from, imp, standard, false); text != "" {
				code = append(code, Fault{pkg.ImportPath, text})
			}
		}
		testImports := slices.Concat(pkg.TestImports, pkg.XTestImports)
		slices.Sort(testImports)
		for _, imp := range slices.Compact(testImports) {
			if text := p.checkImport(from, imp, standard, true); text != "" {
				tests = append(tests, Fault{pkg.ImportPath, "its tests: " + text})
			}
		}
	}
	return code, tests
}

// importer is the package or test that imports another.
type importer struct {
	rel    string
	row    Row
	family string
}

// checkImport says what is wrong with one import, "" if nothing is.
func (p Plan) checkImport(from importer, imp string, standard map[string]bool, test bool) string {
	rel, ours := p.rel(imp)
	if !ours {
		alone := from.row.Floor == Ground || from.row.Floor == Agent
		if alone && !test && imp != "C" && !standard[imp] {
			return fmt.Sprintf("imports %s: the %s uses the standard library only", imp, from.row.Floor)
		}
		return ""
	}
	row, family, ok := p.Place(imp)
	if !ok || rel == from.rel || family == from.family {
		return "" // a package without a place is a fault of its own
	}
	switch f, g := from.row.Floor, row.Floor; {
	case f == Casebook:
		if g != Agent {
			return fmt.Sprintf("imports %s: a case is a program of its own and uses nothing of whet", imp)
		}
	case f == Fixture:
		return fmt.Sprintf("imports %s: a fixture stands for a stranger's program and uses nothing of whet", imp)
	case f == Tables:
		if g != Casebook && g != Agent && !from.row.beside(rel) {
			return fmt.Sprintf("imports %s: casebook/cmd may use %s and nothing else of internal", imp, strings.Join(from.row.Beside, ", "))
		}
	case f == Outside:
	case g == Casebook || g == Fixture || g == Tables || g == Outside:
		return fmt.Sprintf("imports %s: no part of whet imports the %s", imp, g)
	case f == Command && g != App:
		return fmt.Sprintf("imports %s: the command only calls internal/app", imp)
	case f == Instruments && g == Analyses, f == Analyses && g == Instruments:
		return fmt.Sprintf("imports %s, across the second floor: instruments write recordings, analyses read them, and neither knows the other", imp)
	case from.row.Page && g == Instruments && !test:
		return fmt.Sprintf("imports %s, an instrument: a page is made of a recording, whatever measured it", imp)
	case g.level() > f.level():
		return fmt.Sprintf("imports %s, upward from the %s to the %s: move what is shared below both, or hand it in as an argument", imp, f, g)
	case g.level() == f.level() && !test && !from.row.beside(rel):
		return fmt.Sprintf("imports %s, sideways on the %s: move what is shared a floor down, or let a floor above use both", imp, f)
	}
	return ""
}
