package run

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/finding"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
)

// The measure that made a place a finding comes first: for a held lock, the delay.
func TestLargestShareLeads(t *testing.T) {
	p := servicePage()
	p.Findings = []finding.Finding{{Rule: "lock-held", Title: "A lock held for long", DelayRatio: 0.9, CeilingRatio: 1, CeilingWithGCRatio: 1, CPUSamples: 500}}
	v := newFindingView(p, 1, &p.Findings[0], nil)
	if s := v.Shares[0]; s.Percent != "90.0 %" || s.None || !v.Shares[1].None || !v.Shares[2].None {
		t.Errorf("%+v", v.Shares)
	}
	doc := string(html(t, p))
	if strings.Count(doc, `<div class="none"><dt>`) != 2 || !strings.Contains(doc, `<dl class="shares"><div><dt>of lock delay`) {
		t.Error("HTML does not lead with the lock delay")
	}
	got := string(text(t, p, page.TextOptions{}))
	if a, b := strings.Index(got, "of lock delay"), strings.Index(got, " of CPU time\n"); a < 0 || b < a {
		t.Errorf("lock delay at %d, CPU time at %d", a, b)
	}
	p.Findings = slices.Repeat(p.Findings, 4)
	if got = string(text(t, p, page.TextOptions{})); !strings.Contains(got, "  delay 90.0 %\n") {
		t.Errorf("in brief: %s", got)
	}
}

// Silence of the rules is no clean bill: whatever was measured, the report says
// what it knows, and none of it in green.
func TestNoCleanBill(t *testing.T) {
	for name, p := range pages() {
		p.Findings = nil
		for _, got := range []string{pagetest.Joined(html(t, p)), string(text(t, p, page.TextOptions{}))} {
			if strings.Contains(strings.ToLower(got), "nothing worth") || strings.Contains(got, `class="nothing`) {
				t.Errorf("%s: a clean bill", name)
			}
			known := strings.Contains(got, "and no rule found a cause")
			if known && len(p.Below) > 0 {
				t.Errorf("%s: no rule found a cause, and one is below the threshold", name)
			}
			if !known && !strings.Contains(got, "no rule examined") && !strings.Contains(got, " below 5.0 %") {
				t.Errorf("%s does not say what no findings means", name)
			}
		}
	}
}

// A program without set-up has no column of zeros for it; the others stay.
func TestClassesWithoutSetup(t *testing.T) {
	of := func(setup int64) []*Profile {
		return []*Profile{{Values: [4]int64{1, 0, 0, 0}}, {Values: [4]int64{5, setup, 0, 0}}}
	}
	program, benchmarks := programPage(), &Page{}
	for _, c := range []struct {
		page  *Page
		setup int64
		want  bool
	}{{program, 0, false}, {program, 1, true}, {benchmarks, 0, true}} {
		got := c.page.classes(of(c.setup))
		if slices.Contains(got, hot.Setup) != c.want || !slices.Contains(got, hot.Background) {
			t.Errorf("set-up of %d: %v", c.setup, got)
		}
	}
}

// 19.9 ms of lock delay in 20 s are less than one in a thousand, 20 ms are not.
func TestSlightProfiles(t *testing.T) {
	for _, c := range []struct {
		delay int64
		shown bool
	}{{19_900_000, false}, {20_000_000, true}, {0, false}} {
		p := servicePage() // 20 s of load
		for i := range p.Profiles {
			if p.Profiles[i].Kind == "mutex" {
				p.Profiles[i].Values[hot.Base] = c.delay
			}
		}
		few, all := string(text(t, p, page.TextOptions{Tables: true})), string(text(t, p, page.TextOptions{Tables: true, All: true}))
		if strings.Contains(few, "Functions · lock delay") != c.shown || !strings.Contains(all, "Functions · lock delay") ||
			!strings.Contains(few, "waits for a lock\n") {
			t.Errorf("delay of %d ns: %s", c.delay, few)
		}
		if more := regexp.MustCompile(`More with -all[^.]*lock delay[,.]`).MatchString(strings.Join(strings.Fields(few), " ")); more != (!c.shown && c.delay > 0) {
			t.Errorf("delay of %d ns: named among what is left out: %t", c.delay, more)
		}
	}
}

// Goroutines of an unknown number are not none.
func TestUnknownNumberOfGoroutines(t *testing.T) {
	g := WallGroup{Name: "main.main", Ns: []int64{10}, TotalNs: 10}
	if got := g.counted(); got != "goroutines" {
		t.Errorf("%q", got)
	}
	if g.Count = 1; g.counted() != "1 goroutine" {
		t.Errorf("%q", g.counted())
	}
}

// The result names two events that explain what no profile shows, on a line each.
func TestTellingEvents(t *testing.T) {
	p := servicePage()
	p.Events = []Event{{Kind: "gc-pause", Text: "paused"}, {Kind: "stall", Text: strings.Repeat("stood still ", 30)}, {Kind: "heap-growth", Text: "grew"}, {Kind: "stall", Text: "again"}}
	got := string(text(t, p, page.TextOptions{}))
	if strings.Contains(got, "paused") || strings.Contains(got, "again") || !strings.Contains(got, "0.00 s: grew\n") || !strings.Contains(got, "…\n") {
		t.Error(got)
	}
}

// Places of too few samples of time say so; those of bytes, counted in full, do not.
func TestPlacesOfFewSamples(t *testing.T) {
	for _, c := range []struct {
		kind    string
		samples int64
		want    bool
	}{{"too-few-samples", 25, true}, {"too-few-samples", 0, false}, {"cpu-bound", 25, false}} {
		p := &Page{Verdict: Verdict{Kind: c.kind}, HotPlaces: []finding.HotPlace{{Function: "m/x.f", File: "x.go", Line: 1, WorthRatio: 0.8, CPUSamples: c.samples}}}
		for _, got := range []string{pagetest.Joined(html(t, p)), string(text(t, p, page.TextOptions{}))} {
			if strings.Contains(got, "too few samples: shares and order may differ") != c.want {
				t.Errorf("%+v: %s", c, got)
			}
		}
	}
}

// TestPlacesOfWaiting: where a service's share of a place is of waiting, the shares do
// not add up, and the heading says why.
func TestPlacesOfWaiting(t *testing.T) {
	const said = "or of waiting if that is more"
	cpu, delay := 0.2, 0.9
	waits := finding.HotPlace{Function: "m/x.f", File: "x.go", Line: 1, WorthRatio: 0.7, CPURatio: &cpu, DelayRatio: &delay, CPUSamples: 900}
	works := waits
	works.WorthRatio = cpu
	for _, c := range []struct {
		page *Page
		want bool
	}{
		{&Page{Service: &Service{}, HotPlaces: []finding.HotPlace{works, waits}}, true},
		{&Page{Service: &Service{}, HotPlaces: []finding.HotPlace{works}}, false},
		{&Page{HotPlaces: []finding.HotPlace{waits}}, false},
	} {
		if got := c.page.placesAside(); strings.Contains(got, said) != c.want {
			t.Errorf("%q", got)
		}
	}
}
