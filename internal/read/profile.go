package read

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/quantity"
	"whet/internal/recording"
	pagereport "whet/internal/report/page"
	"whet/internal/report/run"
	"whet/internal/symbolname"
)

// LoneProfile is a profile without a recording, of a program or of a benchmark, by any
// tool.
type LoneProfile struct {
	Name      string
	Profiles  []*callstack.Profile          // at least one, all of one kind
	MaxFrames int64                         // of all samples together
	Text      func(frameFile string) []byte // nil: there is no source
	Display   func(frameFile string) string
}

// Page lays out the report of a profile. It knows less than a recording's:
// neither the build nor how often anything was done, and whose code a frame is
// only by its file and package.
func (in *LoneProfile) Page() (*run.Page, error) {
	p, kind, err := in.merge()
	if err != nil {
		return nil, fmt.Errorf("diagnose %s: %w", in.Name, err)
	}
	if kind == recording.KindCPU {
		p = withoutPreemption(p)
	}
	column, err := p.TypeIndex(columns[kind])
	if err != nil {
		return nil, fmt.Errorf("diagnose %s: %w", in.Name, err)
	}
	texts := &loneSources{in: *in, of: p, owned: make(map[string]bool)}
	a := &Reading{rec: &recording.Recording{}, sources: texts, loops: &hot.Loops{}, missing: "its source was not found here"}
	modules := texts.readOwners()
	s := &diagnose.Subject{
		Benchmark: in.Name, Kind: recording.TargetProgram, Modules: modules, Lone: true, BytesPerOp: -1, AllocsPerOp: -1,
		Source: texts, Loops: a.loops,
	}
	var classes *hot.Classified
	if isBenchmark(p) {
		s.Kind = recording.TargetBenchmark
		for file := range texts.owned {
			if text := texts.Text(file); text != nil && strings.HasSuffix(file, "_test.go") {
				if err := a.loops.AddFile(file, text); err != nil {
					a.warn("%s does not parse: set-up in it counts as measured code", texts.Display(file))
				}
			}
		}
		classes = hot.Classify(p, a.loops)
	} else {
		classes = hot.ClassifyProgram(p)
	}
	a.rec.Kind = s.Kind
	a.profiles = []classifiedProfile{{kind, "", column, classes}}
	a.addProfiles(s, "")
	a.subjects = []*diagnose.Subject{s}
	page, err := a.diagnosed()
	if err != nil {
		return nil, err
	}
	page.Target, page.Lone, page.Facts = in.Name, true, loneFacts(p)
	warnings := slices.Concat(p.Warnings, a.warnings, a.result.Warnings)
	if s.Kind == recording.TargetBenchmark && !classes.LoopsKnown {
		warnings = append(warnings, "the benchmark's measured loop was not found in the source, so set-up counts as measured code")
	}
	page.Warnings = distinct(warnings, maxWarnings)
	return page, nil
}

// merge adds the profiles up, as frames.
func (in *LoneProfile) merge() (p *callstack.Frames, kind string, err error) {
	for i, p := range in.Profiles {
		k, err := kindOf(p)
		switch {
		case err != nil:
			return nil, "", err
		case i > 0 && k != kind:
			return nil, "", fmt.Errorf("profile %d is of kind %s, the first of kind %s: diagnose each kind separately", i+1, k, kind)
		}
		kind = k
		for t := range p.Types {
			for r := p.Rows(t); r.Next(); {
				if r.Value(0) < 0 {
					return nil, "", errors.New("it has negative values, like a difference of two profiles, so shares have no meaning: whet top shows it")
				}
			}
		}
	}
	sum := in.Profiles[0]
	if len(in.Profiles) > 1 {
		if sum, err = callstack.Merge(nil, in.Profiles...); err != nil {
			return nil, "", err
		}
	}
	p, err = sum.Frames(in.MaxFrames)
	return p, kind, err
}

// kindOf returns the kind of a profile by its sample types. Block and mutex profiles
// have the same: what lets others go on is a mutex profile's.
func kindOf(p *callstack.Profile) (string, error) {
	has := func(name string) bool {
		return slices.ContainsFunc(p.Types, func(t callstack.ValueType) bool { return t.Type == name })
	}
	switch {
	case has("cpu"):
		return recording.KindCPU, nil
	case has("alloc_space"):
		return recording.KindAllocs, nil
	case has("delay"):
		unlocks := 0
		for c := p.Cursor(); c.Next(); {
			if len(c.Path) == 0 {
				continue
			}
			lines := p.Lines(c.Path[len(c.Path)-1])
			if len(lines) > 0 && strings.Contains(symbolname.Parse(p.Functions[lines[0].Function].Name).Name, "nlock") {
				unlocks++
			}
		}
		if 2*unlocks > p.Len() {
			return recording.KindMutex, nil
		}
		return recording.KindBlock, nil
	}
	var names []string
	for _, t := range p.Types {
		names = append(names, t.String())
	}
	return "", fmt.Errorf("it has %s, but no CPU time, allocated bytes or delay: whet top shows it", strings.Join(names, ", "))
}

// isBenchmark reports whether package testing runs a benchmark in a profile.
func isBenchmark(p *callstack.Frames) bool {
	for i := range p.NumFrames() {
		if p.Frame(callstack.FrameID(i)).Function == "testing.(*B).runN" {
			return true
		}
	}
	return false
}

func loneFacts(p *callstack.Frames) []pagereport.Fact {
	var out []pagereport.Fact
	add := func(name, value string) {
		if value != "" {
			out = append(out, pagereport.Fact{Name: name, Value: value})
		}
	}
	if len(p.Mappings) > 0 && p.Mappings[0].File != "" {
		add("binary", path.Base(p.Mappings[0].File))
	}
	if p.TimeNanos > 0 {
		add("taken", time.Unix(0, p.TimeNanos).UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	if p.Duration > 0 {
		add("duration", quantity.Nanoseconds(float64(p.Duration)))
	}
	return out
}

// loneSources are the source texts of a lone profile's frames.
type loneSources struct {
	in    LoneProfile
	of    *callstack.Frames
	owned map[string]bool // by the frame's file
}

func (s *loneSources) Text(frameFile string) []byte {
	if s.in.Text == nil {
		return nil
	}
	return s.in.Text(frameFile)
}

func (s *loneSources) Display(frameFile string) string {
	if s.in.Display == nil {
		return frameFile
	}
	return s.in.Display(frameFile)
}

func (s *loneSources) own(frameFile string) bool { return s.owned[frameFile] }

func (s *loneSources) differs(string) string { return "" }

func (s *loneSources) frameFile(display string) string {
	for file := range s.owned {
		if s.Display(file) == display {
			return file
		}
	}
	return ""
}

// readOwners decides which packages are the user's: those of neither the
// standard library nor a module in the module cache or a vendor directory.
func (s *loneSources) readOwners() (packages []string) {
	p := s.of
	goroot := ""
	for i := range p.NumFrames() {
		f := p.Frame(callstack.FrameID(i))
		if at := strings.Index(f.File, "/src/runtime/"); at >= 0 && symbolname.Package(f.Function) == "runtime" {
			goroot = f.File[:at+len("/src/")]
			break
		}
	}
	found := make(map[string]bool)
	for i := range p.NumFrames() {
		f := p.Frame(callstack.FrameID(i))
		pkg := symbolname.Package(f.Function)
		switch {
		case pkg == "", strings.Contains(f.File, "@v"), strings.Contains(f.File, "/vendor/"), strings.HasPrefix(pkg, "vendor/"):
			continue
		case goroot != "" && strings.HasPrefix(f.File, goroot) && !strings.HasPrefix(pkg, "cmd/"), standard(pkg) && (goroot == "" || f.File == "" || f.File == "<autogenerated>"):
			continue
		}
		found[strings.TrimSuffix(pkg, "_test")] = true
		s.owned[f.File] = true
	}
	for pkg := range found {
		packages = append(packages, pkg)
	}
	slices.Sort(packages)
	return packages
}

// standard reports whether a package is the standard library's, by the first
// element of its path.
func standard(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return slices.Contains(strings.Fields(standardRoots), first)
}

const standardRoots = `archive bufio bytes cmp compress container context crypto database debug embed encoding errors expvar
	flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort
	strconv strings structs sync syscall testing text time unicode unique unsafe weak`
