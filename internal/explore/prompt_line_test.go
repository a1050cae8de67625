package explore

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/analyze/selection"
	"whet/internal/report/flame"
)

// testGrammar has views of every shape.
func testGrammar() *promptGrammar {
	top, list, tags, graph := &profileVerb{name: "top"}, &profileVerb{name: "list", param: "RE"}, &profileVerb{name: "tags"}, &profileVerb{name: "graph"}
	return &promptGrammar{
		commands: []promptCommand{
			{promptWord{name: "top"}, top}, {promptWord{name: "text"}, top}, {promptWord{name: "list"}, list},
			{promptWord{name: "tags"}, tags}, {promptWord{name: "dot", set: setFormat("dot")}, graph}, {promptWord{name: "v2"}, graph},
		},
		sampleTypes: []string{"alloc_space", "inuse_space"},
	}
}

// TestPromptLine: what lines mean, by pprof's rules (its parseCommandLine and
// interactive, read and written out here).
func TestPromptLine(t *testing.T) {
	type want struct {
		word, rest, view, arg string
		changed               bool
		set                   func(*settings)
	}
	none := func(*settings) {}
	for line, w := range map[string]want{
		"":                             {},
		"   ":                          {},
		"o":                            {word: "options"},
		"options":                      {word: "options"},
		"q":                            {word: "exit"},
		"quit":                         {word: "exit"},
		"exit":                         {word: "exit"},
		"help":                         {word: "help"},
		"help  top":                    {word: "help", rest: "top"},
		"top":                          {view: "top", set: func(s *settings) { s.nodeCount = 10 }},
		"text":                         {view: "top", set: func(s *settings) { s.nodeCount = 10 }},
		"top20":                        {view: "top", set: func(s *settings) { s.nodeCount = 20 }},
		"top 7":                        {view: "top", set: func(s *settings) { s.nodeCount = 7 }},
		"top0":                         {view: "top", set: func(s *settings) { s.nodeCount = 0 }},
		"top5 9":                       {view: "top", set: func(s *settings) { s.nodeCount = 9 }},
		"top -cum":                     {view: "top", set: func(s *settings) { s.nodeCount, s.sort = 10, "cum" }},
		"top3 --cum a -b c -d":         {view: "top", set: func(s *settings) { s.nodeCount, s.sort, s.sel.Focus, s.sel.Ignore = 3, "cum", "a|c", "b|d" }},
		"top -":                        {view: "top", set: func(s *settings) { s.nodeCount = 10 }},
		"top >out.txt":                 {view: "top", set: func(s *settings) { s.nodeCount, s.output = 10, "out.txt" }},
		"top > out.txt":                {view: "top", set: func(s *settings) { s.nodeCount, s.output = 10, "out.txt" }},
		"list a.b":                     {view: "list", arg: "a.b", set: none},
		"list -x -y z":                 {view: "list", arg: "-x", set: func(s *settings) { s.sel.Ignore, s.sel.Focus = "y", "z" }},
		"list 5 6":                     {view: "list", arg: "5", set: func(s *settings) { s.nodeCount = 6 }},
		"list5":                        {view: "list", arg: "5", set: none},
		"tags k -v":                    {view: "tags", set: func(s *settings) { s.sel.TagFocus, s.sel.TagIgnore = "k", "v" }},
		"dot":                          {view: "graph", set: func(s *settings) { s.format = "dot" }},
		"dot80":                        {view: "graph", set: func(s *settings) { s.format, s.nodeCount = "dot", 80 }},
		"v2":                           {view: "graph", set: none},
		"v23":                          {},
		"focus=a b":                    {changed: true, set: func(s *settings) { s.sel.Focus = "a b" }},
		" focus = x=y ":                {changed: true, set: func(s *settings) { s.sel.Focus = "x=y" }},
		"focus=":                       {changed: true, set: func(s *settings) { s.sel.Focus = "" }},
		"focus=x //: a comment":        {changed: true, set: func(s *settings) { s.sel.Focus = "x" }},
		"trim=n":                       {changed: true, set: func(s *settings) { s.trim = false }},
		"call_tree":                    {changed: true, set: func(s *settings) { s.callTree = true }},
		"nodecount=-1":                 {changed: true, set: none},
		"nodefraction=.1":              {changed: true, set: func(s *settings) { s.nodeFraction = .1 }},
		"granularity=lines":            {changed: true, set: func(s *settings) { s.sel.Granularity = "lines" }},
		"lines":                        {changed: true, set: func(s *settings) { s.sel.Granularity = "lines" }},
		"lines=true":                   {changed: true, set: func(s *settings) { s.sel.Granularity = "lines" }},
		"sort=cum":                     {changed: true, set: func(s *settings) { s.sort = "cum" }},
		"cum":                          {changed: true, set: func(s *settings) { s.sort = "cum" }},
		"sample_index=inuse_space":     {changed: true, set: func(s *settings) { s.sel.SampleIndex = "inuse_space" }},
		"alloc_space":                  {changed: true, set: func(s *settings) { s.sel.SampleIndex = "alloc_space" }},
		"mean_alloc_space":             {changed: true, set: func(s *settings) { s.sel.SampleIndex, s.sel.Mean = "alloc_space", true }},
		"total_alloc_space":            {changed: true, set: func(s *settings) { s.sel.SampleIndex, s.sel.Mean = "alloc_space", false }},
		strings.Repeat(" ", 9) + "top": {view: "top", set: func(s *settings) { s.nodeCount = 10 }},
	} {
		a, err := testGrammar().parse(line, defaultSettings())
		if line == "v23" {
			if err == nil {
				t.Errorf("%q: a command v2 with 3 nodes", line)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		got := want{word: a.word, rest: a.rest, arg: a.arg, changed: a.changed}
		if a.command != nil {
			got.view = a.command.verb.name
		}
		expected := settings{}
		if w.set != nil {
			expected = defaultSettings()
			w.set(&expected)
		}
		w.set = nil
		if diff := cmp.Diff(w, got, cmp.AllowUnexported(want{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
		if diff := cmp.Diff(expected, a.s, cmp.AllowUnexported(settings{}, flameSettings{})); diff != "" {
			t.Errorf("%q: settings (-want +got):\n%s", line, diff)
		}
	}
}

// TestPromptKeepsWhatHolds: what a command says holds for it alone, and ":"
// clears what hides samples.
func TestPromptKeepsWhatHolds(t *testing.T) {
	s := defaultSettings()
	s.sel.Focus, s.sel.Ignore, s.sel.Hide, s.sel.TagFocus, s.sel.TagIgnore, s.sel.Show = "a", "b", "c", "d", "e", "f"
	a, err := testGrammar().parse("top other", s)
	if err != nil || a.s.sel.Focus != "other" || a.s.sel.Ignore != "b" || a.changed {
		t.Errorf("top other: %+v, %v", a, err)
	}
	a, err = testGrammar().parse(":", s)
	want := s
	want.sel.Focus, want.sel.Ignore, want.sel.Hide, want.sel.TagFocus, want.sel.TagIgnore = "", "", "", "", ""
	if err != nil || !a.changed || !reflect.DeepEqual(a.s, want) {
		t.Errorf(": leaves %+v, %v", a, err)
	}
}

func TestPromptLineRefuses(t *testing.T) {
	for line, says := range map[string]string{
		"nonsense":         "unknown command",
		"12":               "unknown command",
		"list":             "regular expression",
		"focus":            "focus=VALUE",
		"nodecount":        "nodecount=VALUE",
		"nodecount=many":   "whole number",
		"nodefraction=NaN": "not a number",
		"trim=perhaps":     "neither true nor false",
		"granularity=bits": "not \"bits\"",
		"lines=no":         "granularity=lines",
		"top >":            "file",
		"top | less":       "> FILE",
		"top=5":            "unknown command",
	} {
		if a, err := testGrammar().parse(line, defaultSettings()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %+v, %v; want an error with %q", line, a, err, says)
		}
	}
}

// TestOptionsReadWhatTheyPrint: every option's value can be typed as the list
// of options shows it.
func TestOptionsReadWhatTheyPrint(t *testing.T) {
	s := settings{
		sel: selection.Options{
			SampleIndex: "cpu", Mean: true, Unit: "ms", DivideBy: 0.1, Focus: "a", Ignore: "b", Hide: "c", Show: "d", ShowFrom: "e", PruneFrom: "f",
			TagFocus: "g", TagIgnore: "h", TagShow: "i", TagHide: "j", TagRoot: []string{"k", "l"}, TagLeaf: []string{"m"}, Granularity: "lines", NoInlines: true, ShowColumns: true,
			DropNegative: true, Normalize: true, RelativePercentages: true, SourcePath: "n", TrimPath: "o",
		},
		sort: "cum", nodeCount: 12, nodeFraction: 1e-9, edgeFraction: 0.25, trim: true, callTree: true, compact: true, stacks: true,
		flame: flameSettings{
			sandwich: "r", reverse: true, still: true, allTypes: true, colorFile: "w", root: "x",
			SVGOptions: flame.SVGOptions{
				Inverted: true, Negate: true, Title: "s", Subtitle: "t", Link: "u", Palette: "v", Width: 1, Height: 2, MinWidth: 3, FontSize: 4, FontType: "x", CountName: "y", NameType: "z",
			},
		},
		format: "p", output: "q", asJSON: true,
	}
	read := settings{stacks: true} // what no option holds: a word of the prompt sets it
	printed := s.options()
	for i, o := range read.options() {
		if err := o.set(printed[i].get()); err != nil {
			t.Error(err)
		}
		if o.help == "" || o.of == 0 {
			t.Errorf("%s: no help, or of nothing", o.name)
		}
	}
	if diff := cmp.Diff(s, read, cmp.AllowUnexported(settings{}, flameSettings{})); diff != "" {
		t.Errorf("not what was printed (-printed +read):\n%s", diff)
	}
}

// FuzzPromptLine: a line says one thing or is refused, and what the parsed
// settings print parses to the same settings.
func FuzzPromptLine(f *testing.F) {
	for _, line := range []string{"top10 -cum a -b >c", "focus=x", "list .", ":", "o", "mean_alloc_space", "trim=f", "granularity=lines //: x"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		before := defaultSettings()
		a, err := testGrammar().parse(line, before)
		if !reflect.DeepEqual(before, defaultSettings()) {
			t.Fatal("the settings that hold were changed")
		}
		if err != nil {
			if a.changed || a.command != nil || a.word != "" {
				t.Fatalf("refused and done: %+v, %v", a, err)
			}
			return
		}
		ways := 0
		for _, is := range []bool{a.changed, a.command != nil, a.word != ""} {
			if is {
				ways++
			}
		}
		if ways > 1 || ways == 0 && strings.TrimSpace(line) != "" {
			t.Fatalf("%q says %d things: %+v", line, ways, a)
		}
		if !a.changed {
			return
		}
		read := defaultSettings()
		kept := a.s.options()
		for i, o := range read.options() {
			if v := kept[i].get(); v != "" {
				if err := o.set(v); err != nil {
					t.Fatalf("%q sets %s to %q, which it refuses: %v", line, o.name, v, err)
				}
			}
		}
		if !reflect.DeepEqual(read, a.s) {
			t.Fatalf("%q: %+v is not what it prints: %+v", line, a.s, read)
		}
	})
}
