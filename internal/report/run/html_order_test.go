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
	// Line 41 costs nothing: what the compiler said of it is not shown.
	p.Profiles[0].Listing[0].Lines[3].Notes = []string{"inlines (*Mutex).Unlock"}
	if strings.Contains(string(html(t, p)), "inlines (*Mutex).Unlock") {
		t.Error("a note stands at a line without cost")
	}
}
