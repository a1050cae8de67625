package explore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		"top3 --cum a -b c -d":         {view: "top", set: func(s *settings) { s.nodeCount, s.sort, s.focus, s.ignore = 3, "cum", "a|c", "b|d" }},
		"top -":                        {view: "top", set: func(s *settings) { s.nodeCount = 10 }},
		"top >out.txt":                 {view: "top", set: func(s *settings) { s.nodeCount, s.output = 10, "out.txt" }},
		"top > out.txt":                {view: "top", set: func(s *settings) { s.nodeCount, s.output = 10, "out.txt" }},
		"list a.b":                     {view: "list", arg: "a.b", set: none},
		"list -x -y z":                 {view: "list", arg: "-x", set: func(s *settings) { s.ignore, s.focus = "y", "z" }},
		"list 5 6":                     {view: "list", arg: "5", set: func(s *settings) { s.nodeCount = 6 }},
		"list5":                        {view: "list", arg: "5", set: none},
		"tags k -v":                    {view: "tags", set: func(s *settings) { s.tagFocus, s.tagIgnore = "k", "v" }},
		"dot":                          {view: "graph", set: func(s *settings) { s.format = "dot" }},
		"dot80":                        {view: "graph", set: func(s *settings) { s.format, s.nodeCount = "dot", 80 }},
		"v2":                           {view: "graph", set: none},
		"v23":                          {},
		"focus=a b":                    {changed: true, set: func(s *settings) { s.focus = "a b" }},
		" focus = x=y ":                {changed: true, set: func(s *settings) { s.focus = "x=y" }},
		"focus=":                       {changed: true, set: func(s *settings) { s.focus = "" }},
		"focus=x //: a comment":        {changed: true, set: func(s *settings) { s.focus = "x" }},
		"trim=n":                       {changed: true, set: func(s *settings) { s.trim = false }},
		"call_tree":                    {changed: true, set: func(s *settings) { s.callTree = true }},
		"nodecount=-1":                 {changed: true, set: none},
		"nodefraction=.1":              {changed: true, set: func(s *settings) { s.nodeFraction = .1 }},
		"granularity=lines":            {changed: true, set: func(s *settings) { s.granularity = "lines" }},
		"lines":                        {changed: true, set: func(s *settings) { s.granularity = "lines" }},
		"lines=true":                   {changed: true, set: func(s *settings) { s.granularity = "lines" }},
		"sort=cum":                     {changed: true, set: func(s *settings) { s.sort = "cum" }},
		"cum":                          {changed: true, set: func(s *settings) { s.sort = "cum" }},
		"sample_index=inuse_space":     {changed: true, set: func(s *settings) { s.sampleIndex = "inuse_space" }},
		"alloc_space":                  {changed: true, set: func(s *settings) { s.sampleIndex = "alloc_space" }},
		"mean_alloc_space":             {changed: true, set: func(s *settings) { s.sampleIndex, s.mean = "alloc_space", true }},
		"total_alloc_space":            {changed: true, set: func(s *settings) { s.sampleIndex, s.mean = "alloc_space", false }},
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
	s.focus, s.ignore, s.hide, s.tagFocus, s.tagIgnore, s.show = "a", "b", "c", "d", "e", "f"
	a, err := testGrammar().parse("top other", s)
	if err != nil || a.s.focus != "other" || a.s.ignore != "b" || a.changed {
		t.Errorf("top other: %+v, %v", a, err)
	}
	a, err = testGrammar().parse(":", s)
	want := s
	want.focus, want.ignore, want.hide, want.tagFocus, want.tagIgnore = "", "", "", "", ""
	if err != nil || !a.changed || a.s != want {
		t.Errorf(": leaves %+v, %v", a, err)
	}
}

func TestPromptLineRefuses(t *testing.T) {
	for line, says := range map[string]string{
		"nonsense":         "no command",
		"12":               "no command",
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
		"top=5":            "no command",
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
		sampleIndex: "cpu", mean: true, unit: "ms", divideBy: 0.1, focus: "a", ignore: "b", hide: "c", show: "d", showFrom: "e", pruneFrom: "f",
		tagFocus: "g", tagIgnore: "h", tagShow: "i", tagHide: "j", tagRoot: "k,l", tagLeaf: "m", granularity: "lines", noInlines: true, showColumns: true,
		dropNegative: true, normalize: true, relative: true, sort: "cum", nodeCount: 12, nodeFraction: 1e-9, edgeFraction: 0.25, trim: true, callTree: true,
		sourcePath: "n", trimPath: "o", compact: true, stacks: true, flame: flameSettings{"r", true, true, true, true, true, "s", "t", "u", "v", "w", 1, 2, 3, 4, "x", "y", "z"}, format: "p", output: "q", asJSON: true,
	}
	read := settings{stacks: true} // what no option holds: a word of the prompt sets it
	for _, o := range options() {
		if err := o.set(&read, o.get(&s)); err != nil {
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
		if before != defaultSettings() {
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
		for _, o := range options() {
			if v := o.get(&a.s); v != "" {
				if err := o.set(&read, v); err != nil {
					t.Fatalf("%q sets %s to %q, which it refuses: %v", line, o.name, v, err)
				}
			}
		}
		if read != a.s {
			t.Fatalf("%q: %+v is not what it prints: %+v", line, a.s, read)
		}
	})
}
