package house

import (
	"slices"
	"strings"
)

// Floor is the layer of a package. Dependencies point downward; data flows upward,
// from bytes to pages.
type Floor int

const (
	Ground      Floor = iota // standard library only, no siblings
	Agent                    // the public package: standard library only, nothing of ours
	Formats                  // one foreign format each, bytes to model and back
	Instruments              // second floor, left: they touch the world
	Analyses                 // second floor, right: pure
	Third                    // diagnose, prove, search, store, report
	Fourth                   // tune, fix, collect, web
	App                      // the only place that wires everything
	Command                  // cmd/whet: flags, then app.Run
	Casebook                 // the cases: programs, not parts of whet
	Fixture                  // programs that tests measure, bad ones among them: any code, nothing of ours
	Tables                   // casebook/cmd: prove the cases and drive their services, use nothing else
	Outside                  // bench, docs, house: may look at everything, nothing looks at them
)

var floorNames = [...]string{
	"ground floor", "agent", "first floor", "second floor, left", "second floor, right", "third floor",
	"fourth floor", "fifth floor", "cmd", "casebook", "fixtures", "casebook/cmd", "outside the house",
}

func (f Floor) String() string { return floorNames[f] }

// level orders floors that are stacked; the two sides of the second floor
// share one.
func (f Floor) level() int {
	switch f {
	case Ground, Agent:
		return 0
	case Formats:
		return 1
	case Instruments, Analyses:
		return 2
	case Third:
		return 3
	case Fourth:
		return 4
	case App:
		return 5
	case Command:
		return 6
	}
	return 7
}

// Powers are the effects that a package may have: clock, files, network, commands.
type Powers uint

const (
	Clock Powers = 1 << iota // time.Now and all that waits
	Exec                     // starting commands
	Net                      // package net and what stands on it
	Files                    // package os: files, environment, the process itself

	All = Clock | Exec | Net | Files
)

var powerNames = map[Powers]string{Clock: "clock", Exec: "commands", Net: "network", Files: "files"}

func (p Powers) String() string {
	var out []string
	for _, one := range []Powers{Clock, Exec, Net, Files} {
		if p&one != 0 {
			out = append(out, powerNames[one])
		}
	}
	return strings.Join(out, ", ")
}

// Row places packages. Pattern is relative to the module: "a/b" is one
// package, "a/b/..." a package and everything under it, which may import each
// other, and "a/b/*" every child of a/b with what is under it, where two
// children may not import each other. "*" elsewhere stands for one element.
type Row struct {
	Pattern string
	Floor   Floor
	Powers  Powers
	// Beside are patterns on the same floor and side that these packages may
	// import all the same; of casebook/cmd, all of internal that it may import. Why
	// says why.
	Beside []string
	Why    string
	// Page packages turn recordings into what people read: they import no
	// instrument, since a page must not depend on what measured it.
	Page bool
	// Planned rows may place nothing yet: without them a wider pattern would
	// take the package in and judge it by other rules.
	Planned bool
}

// Plan is the whole house, and Module the path it stands under.
type Plan struct {
	Module string
	Rows   []Row
}

// House returns the plan of this module. Only packages that exist have a row; a new
// package gets the lowest floor above everything it imports, and no power that
// it can be given as an argument instead.
func House() Plan {
	return Plan{Module: "whet", Rows: []Row{
		{Pattern: "internal/callstack", Floor: Ground},
		{Pattern: "internal/finding", Floor: Ground},
		{Pattern: "internal/lazyregexp", Floor: Ground},
		{Pattern: "internal/printable", Floor: Ground},
		{Pattern: "internal/quantity", Floor: Ground},
		{Pattern: "internal/stat", Floor: Ground},
		{Pattern: "internal/symbolname", Floor: Ground},
		{Pattern: "internal/document", Floor: Ground, Beside: []string{"internal/printable"},
			Why: "what a terminal would obey is made safe in one place"},
		{Pattern: "internal/filelock", Floor: Ground, Powers: All,
			Why: "locks are system calls, which count as all powers"},
		{Pattern: "internal/recording", Floor: Ground, Powers: Files, Beside: []string{"internal/document", "internal/filelock"},
			Why: "a recording is a directory; times are handed in, and whoever reads one is seen by who removes it"},

		{Pattern: "internal/hist", Floor: Ground},
		{Pattern: "internal/loadresult", Floor: Ground,
			Beside: []string{"internal/hist"},
			Why:    "the times of a load are histograms"},
		{Pattern: "internal/schedule", Floor: Ground, Beside: []string{"internal/quantity"},
			Why: "times in a plan are written as in every flag"},
		{Pattern: "internal/timeline", Floor: Ground},

		{Pattern: "internal/parcel", Floor: Formats, Powers: Files,
			Why: "it keeps recordings of tests: no code of whet stands above it"},
		{Pattern: "agent", Floor: Agent, Powers: All},
		{Pattern: ".", Floor: Agent},

		{Pattern: "internal/format/load", Floor: Formats,
			Beside: []string{"internal/format/hdrlog"},
			Why:    "the times of a load are histogram logs"},
		{Pattern: "internal/format/*", Floor: Formats},

		{Pattern: "internal/capture/compiler", Floor: Instruments, Powers: Exec | Files,
			Beside: []string{"internal/capture/process", "internal/gobench"},
			Why:    "it asks about the package that gobench resolved, built with the same flags"},
		{Pattern: "internal/capture/...", Floor: Instruments, Powers: All},
		{Pattern: "internal/gobench", Floor: Instruments, Powers: Clock | Exec | Files,
			Beside: []string{"internal/capture/process", "internal/worktree"},
			Why:    "a benchmark runs as a process of its own, and capture/process is the one place that starts and ends process groups; worktree is the one that runs git"},

		{Pattern: "internal/program", Floor: Instruments, Powers: Files,
			Beside: []string{"internal/gobench"},
			Why:    "it builds the package that gobench resolved, as gobench builds tests"},
		{Pattern: "internal/load/...", Floor: Instruments, Powers: All,
			Why: "one load in several rooms: what is sent, the bytes of it, what drives connections, and what became of each request"},
		{Pattern: "internal/cli", Floor: Instruments, Powers: Clock | Exec | Files,
			Beside: []string{"internal/gobench"},
			Why:    "it is the terminal, the signals, the output files of a run and the browser that shows them; gobench's errors of usage have an exit code of their own"},
		{Pattern: "internal/chromium", Floor: Instruments, Powers: All,
			Why: "it looks at pages as a user would: the tests of all that writes pages stand above it, and no code of whet does"},
		{Pattern: "internal/worktree", Floor: Instruments, Powers: All,
			Beside: []string{"internal/capture/process"},
			Why:    "it runs git, and capture/process is the one place that starts and ends process groups; it asks the system whose directories are, which counts as all powers"},

		{Pattern: "internal/analyze/callgraph", Floor: Analyses,
			Beside: []string{"internal/analyze/selection"},
			Why:    "it sums up what the options of a view leave of a profile"},
		{Pattern: "internal/analyze/flamegraph", Floor: Analyses,
			Beside: []string{"internal/analyze/selection"},
			Why:    "it sums up what the options of a view leave of a profile"},
		{Pattern: "internal/analyze/sched", Floor: Analyses, Planned: true},
		{Pattern: "internal/analyze/gc", Floor: Analyses, Beside: []string{"internal/analyze/events"},
			Why: "a heap that grows in a log is one that grows in metrics"},
		{Pattern: "internal/analyze/*", Floor: Analyses},
		{Pattern: "internal/symbol", Floor: Analyses, Powers: Files,
			Why: "it reads binaries"},
		{Pattern: "internal/source", Floor: Analyses, Powers: Files,
			Beside: []string{"internal/analyze/selection"},
			Why:    "it finds files in GOROOT, the module cache and the recording, and reads them; names are cut as views cut them"},

		{Pattern: "internal/typed/...", Floor: Analyses},

		{Pattern: "internal/diagnose/fixtures/*", Floor: Fixture, Powers: All},
		{Pattern: "internal/diagnose/rules/*/fixtures/*", Floor: Fixture, Powers: All},
		{Pattern: "internal/diagnose/...", Floor: Third},
		{Pattern: "internal/report/pagetest", Floor: Third, Powers: Files, Beside: []string{"internal/report/..."},
			Why: "what the tests of pages share, golden files among it: no code of whet stands above it"},
		{Pattern: "internal/report/gc", Floor: Third, Page: true, Beside: []string{"internal/sweep", "internal/report/page"},
			Why: "it lays out what a sweep found, with the kit of all pages"},
		{Pattern: "internal/report/...", Floor: Third, Page: true},
		{Pattern: "internal/prove/...", Floor: Third, Powers: Clock | Files,
			Beside: []string{"internal/record"},
			Why:    "it records its rounds, plans rounds against a budget and keeps both sides' binaries in a scratch directory"},
		{Pattern: "internal/record", Floor: Third, Powers: Files,
			Why: "it reads what instruments wrote; times are handed in"},
		{Pattern: "internal/underload", Floor: Third, Powers: Clock, Beside: []string{"internal/record"},
			Why: "it waits for moments of a load, and hands the profiles to the recorder"},
		{Pattern: "internal/read", Floor: Third, Page: true,
			Beside: []string{"internal/diagnose/...", "internal/report/...", "internal/record"},
			Why:    "it asks the rules about a recording that was recorded, and lays out its page"},
		{Pattern: "internal/search", Floor: Third},
		{Pattern: "internal/knee", Floor: Third, Beside: []string{"internal/search"},
			Why: "it knows only a function that measures a level, and searches by it"},
		{Pattern: "internal/sweep", Floor: Third, Beside: []string{"internal/search"},
			Why: "it knows only a function that runs a program with a setting, and searches by it"},
		{Pattern: "internal/profiles", Floor: Third, Powers: Files | Net,
			Why: "it opens what a user names: files, servers, and the program beside a profile"},
		{Pattern: "internal/dotwhet", Floor: Third, Powers: Files,
			Why: "it finds, names and removes the recordings in a module's .whet"},
		{Pattern: "internal/sharing", Floor: Third, Powers: Files,
			Why: "it writes copies of recordings without names of hosts and users, which are handed in"},
		{Pattern: "internal/agentcopy", Floor: Third, Powers: Files,
			Why: "it writes the agent's source into the user's module"},
		{Pattern: "internal/history", Floor: Third, Powers: Files,
			Why: "it keeps results by revision and host in a directory of the user's; times are handed in"},

		{Pattern: "internal/tune", Floor: Fourth, Powers: Clock | Files},
		{Pattern: "internal/explore", Floor: Fourth, Powers: Files,
			Why: "it writes what it shows to files, and talks with a terminal"},
		{Pattern: "internal/doctor", Floor: Fourth, Powers: All,
			Beside: []string{"internal/tune"},
			Why:    "it tries each instrument on this machine, and measures what they cost a service that is recorded as tune records it"},
		{Pattern: "internal/drive", Floor: Fourth, Powers: Clock | Files | Net,
			Why: "it drives loads over the network, reads what they send and writes what came of them"},
		{Pattern: "internal/escape", Floor: Fourth, Powers: Files,
			Why: "it asks where it stands, to name files as editors want them"},
		{Pattern: "internal/suite", Floor: Fourth, Powers: Clock | Files},
		{Pattern: "internal/collector", Floor: Fourth, Powers: Clock | Files | Net,
			Why: "it reads the collector's logs, runs commands to have them, and watches servers"},

		{Pattern: "internal/store", Floor: Third, Powers: Files, Planned: true},
		{Pattern: "internal/fix", Floor: Fourth, Powers: Clock | Files, Planned: true},
		{Pattern: "internal/collect", Floor: Fourth, Powers: All, Planned: true},
		{Pattern: "internal/web", Floor: Fourth, Powers: All, Planned: true},

		{Pattern: "internal/app", Floor: App, Powers: All},
		{Pattern: "cmd/whet", Floor: Command, Powers: Files},

		{Pattern: "casebook/cmd/...", Floor: Tables, Powers: All,
			Beside: []string{"internal/prove/...", "internal/load/...", "internal/loadresult", "internal/capture/...", "internal/gobench", "internal/analyze/compare", "internal/analyze/machine", "internal/stat", "internal/quantity"},
			Why:    "it measures as whet's users do: rounds as prove runs and judges them, services under the load of whet load; and with what these stand on"},
		{Pattern: "casebook/...", Floor: Casebook, Powers: All},
		{Pattern: "bench/...", Floor: Outside, Powers: All},
		{Pattern: "docs/...", Floor: Outside, Powers: All},
		{Pattern: "internal/house/...", Floor: Outside, Powers: All},
	}}
}

// Place returns the row of a package and the family it belongs to: packages of
// one family may import each other.
func (p Plan) Place(importPath string) (row Row, family string, ok bool) {
	rel, ours := p.rel(importPath)
	if !ours {
		return Row{}, "", false
	}
	for _, r := range p.Rows {
		if family, ok := match(r.Pattern, rel); ok {
			return r, family, true
		}
	}
	return Row{}, "", false
}

// rel returns the import path inside the module.
func (p Plan) rel(importPath string) (string, bool) {
	if importPath == p.Module {
		return ".", true
	}
	return strings.CutPrefix(importPath, p.Module+"/")
}

// match reports whether a pattern places a package, and its family.
func match(pattern, rel string) (family string, ok bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(rel, "/")
	for i, w := range want {
		switch {
		case w == "...":
			return strings.Join(have[:i], "/"), true
		case i >= len(have) || w != "*" && w != have[i]:
			return "", false
		case w == "*" && i == len(want)-1:
			return strings.Join(have[:i+1], "/"), true
		}
	}
	return rel, len(want) == len(have)
}

// schemaless reports whether a package takes the schemas of documents from the
// table in package document: all of whet but what imports nothing of ours, and
// what is outside.
func (p Plan) schemaless(importPath string) bool {
	row, _, ok := p.Place(importPath)
	return ok && row.Pattern != "internal/document" && row.Floor != Agent && row.Floor.level() <= Command.level()
}

func (r Row) beside(rel string) bool {
	return slices.ContainsFunc(r.Beside, func(pattern string) bool {
		_, ok := match(pattern, rel)
		return ok
	})
}

// Unused returns the entries of the plan without effect: patterns that match no
// package of the module, and permissions to import that no package uses.
func (p Plan) Unused(packages []Package) []string {
	used := make(map[string]bool)
	for _, pkg := range packages {
		row, _, ok := p.Place(pkg.ImportPath)
		if !ok {
			continue
		}
		used[row.Pattern] = true
		for _, beside := range row.Beside {
			if slices.ContainsFunc(pkg.Imports, func(imp string) bool {
				rel, ours := p.rel(imp)
				_, ok := match(beside, rel)
				return ours && ok
			}) {
				used[row.Pattern+" → "+beside] = true
			}
		}
	}
	var out []string
	for _, row := range p.Rows {
		if !used[row.Pattern] {
			if !row.Planned {
				out = append(out, row.Pattern)
			}
			continue
		}
		for _, beside := range row.Beside {
			if key := row.Pattern + " → " + beside; !used[key] {
				out = append(out, key)
			}
		}
	}
	return out
}
