package run

import (
	"slices"
	"strings"
	"testing"

	"whet/internal/report/pagetest"
)

// The result stands first, and what explains it follows in the order of use.
func TestHTMLOrder(t *testing.T) {
	for name, p := range map[string]*Page{"visits": visitsPage(), "service": servicePage()} {
		all, err := pagetest.Walk(html(t, p))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range all {
			if e.Name == "h2" {
				got = append(got, e.Attrs["id"])
			}
		}
		want := map[string]string{
			"visits":  "verdict findings places flamegraph source benchmarks samples functions machine",
			"service": "verdict findings flamegraph source load wall moment waiting samples functions time machine",
		}[name]
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: sections %q, want %q", name, got, want)
		}
	}
}

// The head says beside the verdict what a service did, when it was at its worst, and what
// else the machine did; each line leads to what is known of it.
func TestHTMLHead(t *testing.T) {
	p := servicePage()
	v, err := newPageView(p)
	if err != nil {
		t.Fatal(err)
	}
	want := []briefView{
		{"Load", p.Service.short(), "load"}, {"Time", p.Wall.Text, "wall"}, {"Worst", p.Moment.short(), "moment"},
		{"Machine", "Intel Xeon Processor (Sapphire Rapids), 2 cores, GOMAXPROCS 2; steal 0.2 %, load 0.40 to 1.90", "machine"},
	}
	if !slices.Equal(v.Brief, want) {
		t.Errorf("%q, want %q", v.Brief, want)
	}
	doc := pagetest.Joined(html(t, p))
	nav := strings.Index(doc, `<nav class="jump"`)
	for _, b := range want {
		if at := strings.Index(doc, `<a href="#`+b.At+`">`+b.Name+`</a>`); at < 0 || at > nav {
			t.Errorf("%s stands at %d, and the navigation at %d", b.Name, at, nav)
		}
	}
	p.Moment.Request, p.Facts = nil, nil // no request stood out
	if v, err = newPageView(p); err != nil || len(v.Brief) != 2 {
		t.Errorf("%q, %v", v.Brief, err)
	}
}

// Every group of goroutines has a name, and profiles of several benchmarks are named once.
func TestHTMLNamesAll(t *testing.T) {
	p := servicePage()
	p.Wall.Groups = append(p.Wall.Groups, WallGroup{Ns: []int64{1e9}, TotalNs: 1e9})
	for _, part := range newWallView(p.Wall).Parts {
		for _, g := range part.Groups {
			if g.Name == "" {
				t.Errorf("%+v has no name", g)
			}
		}
	}
	p.Profiles = append(p.Profiles, p.Profiles[len(p.Profiles)-2]) // another one of a kind
	v, err := newPageView(p)
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Split(v.AsideNames, ", ")
	slices.Sort(names)
	if len(names) < 2 || len(slices.Compact(slices.Clone(names))) != len(names) || len(v.Asides) <= len(names) {
		t.Errorf("%d profiles under %q", len(v.Asides), names)
	}
}

// A tile is for what is known: of a service without instruments the page has none that
// says unknown.
func TestHTMLHasNoUnknownTiles(t *testing.T) {
	p := servicePage()
	p.Service.CPUNs, p.Service.CPUPerRequestNs, p.Service.PeakBytes, p.Service.GeneratorCPUNs = nil, nil, nil, nil
	v := newServiceView(p.Service)
	var names []string
	for _, f := range v.Figures {
		names = append(names, f.Name)
		if f.Value == "" || strings.Contains(f.Value+f.Note, "unknown") {
			t.Errorf("%+v", f)
		}
	}
	if want := []string{"throughput", "errors"}; !slices.Equal(names, want) {
		t.Errorf("tiles %q, want %q", names, want)
	}
	if whole := newServiceView(servicePage().Service); len(whole.Figures) != 5 {
		t.Errorf("%d tiles where all is known: %+v", len(whole.Figures), whole.Figures)
	}
}

// A place leads to its line, and the finding's card shows it with two lines on
// each side.
func TestHTMLPlacesLeadToLines(t *testing.T) {
	p := visitsPage()
	all, err := pagetest.Walk(html(t, p))
	if err != nil {
		t.Fatal(err)
	}
	// The listing's fifth line is line 42, its sixth line 43.
	row := slices.IndexFunc(all, func(e *pagetest.Element) bool { return e.Attrs["id"] == "line-6" })
	if row < 0 || all[row].Name != "tr" || !strings.Contains(p.Profiles[0].Listing[0].Lines[5].Text, "WithFields") {
		t.Fatal("line 43 has no id")
	}
	places := 0
	for _, e := range all {
		if e.Name == "a" && e.Attrs["class"] == "place" && strings.HasPrefix(e.Text, "casebook/visits/original/original.go:43") {
			places++
			if e.Attrs["href"] != "#line-6" {
				t.Errorf("%q leads to %q", e.Text, e.Attrs["href"])
			}
		}
	}
	if places != 2 { // the finding's and the hot place's
		t.Errorf("%d links to line 43", places)
	}
	v, err := newPageView(p)
	if err != nil {
		t.Fatal(err)
	}
	var cited []string
	for _, l := range v.Findings[0].Source {
		if l.Here != (l.Number == "43") || l.ID != "" {
			t.Errorf("%+v", l)
		}
		cited = append(cited, l.Number)
	}
	if want := []string{"41", "42", "43", "44", "45"}; !slices.Equal(cited, want) {
		t.Errorf("the card cites %q, want %q", cited, want)
	}
	// Line 61 follows a gap after 45, and 63 is the last.
	cited = nil
	for _, l := range v.Findings[1].Source {
		cited = append(cited, l.Number)
	}
	if want := []string{"61", "62", "63"}; !slices.Equal(cited, want) {
		t.Errorf("the card cites %q, want %q", cited, want)
	}
	// The card has the lines that no listing has, whose cost is not known, and none of the
	// lines of another place.
	p.Profiles[0].Listing[0].Lines = slices.Delete(slices.Clone(p.Profiles[0].Listing[0].Lines), 7, 8) // line 45
	if v, err = newPageView(p); err != nil {
		t.Fatal(err)
	}
	if s := v.Findings[0].Source; len(s) != 5 || s[4].Number != "45" || s[4].Flat != "" || s[4].Cum != "" || s[3].Cum == "" {
		t.Errorf("the card cites %+v", s)
	}
	// Line 41 costs nothing: what the compiler said of it is not shown.
	p.Profiles[0].Listing[0].Lines[3].Notes = []string{"inlines (*Mutex).Unlock"}
	if strings.Contains(string(html(t, p)), "inlines (*Mutex).Unlock") {
		t.Error("a note stands at a line without cost")
	}
}
