package selection

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/driver"
	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
	"whet/internal/quantity"
)

// pprof runs the pprof program in this process, on profiles that its operands
// name, and returns what it prints and what it warns of.
func pprof(profiles map[string]*google.Profile, args ...string) (out string, warnings []string, err error) {
	file, said := &memory{}, &ui{}
	set := &flagSet{FlagSet: flag.NewFlagSet("pprof", flag.ContinueOnError)}
	set.SetOutput(io.Discard)
	set.args = args
	defer func() {
		if r := recover(); r != nil { // it panics on numbers of more than 64 bits
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	err = driver.PProf(&driver.Options{Flagset: set, Fetch: fetcher(profiles), Writer: file, UI: said, Obj: noTools{}})
	return file.String(), said.warnings, err
}

type memory struct{ bytes.Buffer }

func (m *memory) Open(string) (io.WriteCloser, error) { return m, nil }
func (m *memory) Close() error                        { return nil }

type fetcher map[string]*google.Profile

func (f fetcher) Fetch(name string, _, _ time.Duration) (*google.Profile, string, error) {
	return f[name].Copy(), "", nil
}

type flagSet struct {
	*flag.FlagSet
	args []string
}

func (f *flagSet) ExtraUsage() string   { return "" }
func (f *flagSet) AddExtraUsage(string) {}
func (f *flagSet) StringList(name, def, usage string) *[]*string {
	list := &[]*string{}
	f.Func(name, usage, func(s string) error {
		*list = append(*list, &s)
		return nil
	})
	return list
}
func (f *flagSet) Parse(func()) []string {
	if err := f.FlagSet.Parse(f.args); err != nil {
		panic(err) // the test named a flag that pprof does not have
	}
	return f.Args()
}

type ui struct{ warnings []string }

func (*ui) ReadLine(string) (string, error)     { return "", io.EOF }
func (*ui) Print(...any)                        {}
func (u *ui) PrintErr(args ...any)              { u.warnings = append(u.warnings, fmt.Sprint(args...)) }
func (*ui) IsTerminal() bool                    { return false }
func (*ui) WantBrowser() bool                   { return false }
func (*ui) SetAutoComplete(func(string) string) {}

// noTools spares pprof the search for objdump and the like.
type noTools struct{}

func (noTools) Open(string, uint64, uint64, uint64, string) (driver.ObjFile, error) {
	return nil, io.EOF
}
func (noTools) Disasm(string, uint64, uint64, bool) ([]driver.Inst, error) { return nil, io.EOF }

// arguments names every option: pprof keeps them for the next run in a process.
func arguments(o Options, unit string, roles map[string]Role) []string {
	granularity := o.Granularity
	if granularity == "" {
		granularity = "functions"
	}
	divide := o.DivideBy
	if divide == 0 {
		divide = 1
	}
	args := []string{
		"-output=out", "-symbolize=none", "-unit=" + unit, "-trim=false", "-" + granularity,
		"-sample_index=" + o.SampleIndex, fmt.Sprint("-mean=", o.Mean),
		"-focus=" + o.Focus, "-ignore=" + o.Ignore, "-hide=" + o.Hide, "-show=" + o.Show, "-show_from=" + o.ShowFrom, "-prune_from=" + o.PruneFrom,
		"-tagfocus=" + o.TagFocus, "-tagignore=" + o.TagIgnore, "-tagshow=" + o.TagShow, "-taghide=" + o.TagHide,
		"-tagroot=" + strings.Join(o.TagRoot, ","), "-tagleaf=" + strings.Join(o.TagLeaf, ","),
		fmt.Sprint("-showcolumns=", o.ShowColumns), fmt.Sprint("-noinlines=", o.NoInlines), fmt.Sprint("-all_frames=", o.AllFrames),
		fmt.Sprint("-relative_percentages=", o.RelativePercentages), fmt.Sprint("-normalize=", o.Normalize), fmt.Sprint("-divide_by=", divide),
		"-trim_path=" + o.TrimPath, "-source_path=" + o.SourcePath,
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		switch roles[name] {
		case Measured:
			names = append(names, name)
		case Base:
			args = append(args, "-base="+name)
		case DiffBase:
			args = append(args, "-diff_base="+name)
		}
	}
	return append(args, names...)
}

// compared is what pprof and a selection must have in common: the stacks as
// pprof prints traces, the total, and which expressions matched nothing.
type compared struct {
	Stacks  []string
	Total   string
	Warning []string
}

const separator = "-----------+-------------------------------------------------------\n"

var totalOf = regexp.MustCompile(`of (\S+) total\n`)

// pprofs runs pprof for the stacks, and for the total where that is asked for.
func pprofs(t *testing.T, profiles map[string]*google.Profile, args []string, total bool) (compared, error) {
	t.Helper()
	var c compared
	traces, warnings, err := pprof(profiles, append([]string{"-traces"}, args...)...)
	if err != nil {
		return c, err
	}
	for _, block := range strings.Split(traces, separator)[1:] {
		if block != "" {
			c.Stacks = append(c.Stacks, block)
		}
	}
	slices.Sort(c.Stacks)
	for _, w := range warnings {
		if option, ok := strings.CutSuffix(w, " expression matched no samples"); ok {
			c.Warning = append(c.Warning, strings.ToLower(option))
		}
	}
	slices.Sort(c.Warning)
	if !total {
		return c, nil
	}
	top, _, err := pprof(profiles, append([]string{"-top"}, args...)...)
	if err != nil {
		return c, err
	}
	m := totalOf.FindStringSubmatch(top)
	if m == nil {
		t.Fatalf("pprof prints no total:\n%s", top)
	}
	c.Total = m[1]
	return c, nil
}

// ours writes a selection as pprof would.
func ours(s *Selection, unit string) compared {
	var c compared
	format := func(v int64) string {
		if r := s.Ratio; r > 0 && r != 1 {
			v = int64(float64(v) * r)
		}
		return quantity.PprofLabel(v, s.Type.Unit, unit)
	}
	units, _ := s.LabelUnits()
	for w := s.WalkAll(); w.Next(); {
		if len(w.Path) == 0 {
			continue // pprof prints nothing
		}
		var b strings.Builder
		b.WriteString(labelText(w.Labels(), units))
		v := w.Value
		if w.Divisor != 0 {
			v /= w.Divisor
		}
		value := format(v)
		for _, step := range slices.Backward(w.Path) {
			note := ""
			if step.Inlined {
				note = " (inline)"
			}
			fmt.Fprintf(&b, "%10s   %s%s\n", value, printable(&s.Nodes[step.Node]), note)
			value = ""
		}
		c.Stacks = append(c.Stacks, b.String())
	}
	slices.Sort(c.Stacks)
	c.Total = format(s.Total)
	for _, warning := range s.Warnings {
		if option, ok := strings.CutSuffix(warning, " matched no samples"); ok {
			option, _, _ = strings.Cut(strings.TrimPrefix(option, "-"), "=")
			if option != "prune_from" { // pprof says nothing of it
				c.Warning = append(c.Warning, strings.ReplaceAll(option, "_", ""))
			}
		}
	}
	slices.Sort(c.Warning)
	return c
}

func labelText(labels []callstack.Label, units map[string]string) string {
	texts, numbers := make(map[string][]string), make(map[string][]string)
	for _, l := range labels {
		if l.Str != "" {
			texts[l.Key] = append(texts[l.Key], l.Str)
		} else {
			numbers[l.Key] = append(numbers[l.Key], quantity.PprofLabel(l.Num, units[l.Key], "auto"))
		}
	}
	var out string
	for _, values := range []map[string][]string{texts, numbers} {
		var lines []string
		for key, list := range values {
			lines = append(lines, fmt.Sprintf("%10s:  %s\n", key, strings.Join(list, " ")))
		}
		slices.Sort(lines)
		out += strings.Join(lines, "")
	}
	return out
}

// printable returns the name pprof prints for a node.
func printable(n *Node) string {
	var parts []string
	if n.Address != 0 {
		parts = append(parts, fmt.Sprintf("%016x", n.Address))
	}
	if n.Name != "" {
		parts = append(parts, n.Name)
	}
	switch {
	case n.Line != 0:
		s := fmt.Sprintf("%s:%d", n.File, n.Line)
		if n.Column != 0 {
			s += fmt.Sprint(":", n.Column)
		}
		parts = append(parts, s)
	case n.File != "":
		parts = append(parts, n.File)
	case n.Name != "":
	case n.Object != "":
		parts = append(parts, "["+filepath.Base(n.Object)+"]")
	default:
		parts = append(parts, "<unknown>")
	}
	return strings.Join(parts, " ")
}
