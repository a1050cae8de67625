package stats_test

import (
	"strings"
	"testing"

	"whet/casebook/stats"
	"whet/casebook/stats/statstest"
)

func TestParseUserAgent(t *testing.T) {
	for _, tt := range []struct{ agent, system, browser string }{
		{"", "", ""},
		{"curl/8.5.0", "", ""},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36", "Windows", "Chrome"},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0", "Windows", "Edge"},
		{"Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/64.0 Safari/537.36 Edge/17.17134", "Windows", "Edge"},
		{"Mozilla/5.0 (Linux; Android 10; HD1913) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Mobile Safari/537.36 EdgA/131.0", "Android", "Edge"},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 EdgiOS/131.0 Mobile/15E148 Safari/605.1.15", "iOS", "Edge"},
		{"Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/133.0 Mobile/15E148 Safari/605.1.15", "iOS", "Firefox"},
		{"Mozilla/5.0 (iPod touch; CPU iPhone OS 12_0 like Mac OS X) Version/12.0 Mobile/15E148 Safari/604.1", "iOS", "Safari"},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 14_7; rv:133.0) Gecko/20100101 Firefox/133.0", "OS X", "Firefox"},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36 OPR/116.0", "Linux", "Opera"},
		{"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36", "Chrome OS", "Chrome"},
		{"Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)", "Windows", "Internet Explorer"},
		{"mozilla/5.0 (windows nt 10.0) firefox/133.0", "", ""},
		{"Firefox Chrome Safari OPR", "", ""},
	} {
		if system, browser := stats.ParseUserAgent(tt.agent); system != tt.system || browser != tt.browser {
			t.Errorf("%q is %q and %q, want %q and %q", tt.agent, system, browser, tt.system, tt.browser)
		}
	}
}

// What the generator made a User-Agent of is what is found in it; the
// generator makes the same of the same seed, and something of everything.
func TestGeneratedAgents(t *testing.T) {
	agents, again := statstest.Agents(5, 2000), statstest.Agents(5, 2000)
	found := map[string]int{}
	for i, a := range agents {
		if a != again[i] {
			t.Fatalf("agent %d is %q and %q from one seed", i, a, again[i])
		}
		if system, browser := stats.ParseUserAgent(a.Text); system != a.System || browser != a.Browser {
			t.Errorf("%q is %q and %q, want %q and %q", a.Text, system, browser, a.System, a.Browser)
		}
		found[a.System]++
		found[a.Browser]++
	}
	for _, want := range strings.Split("Android,iOS,Windows,Chrome OS,OS X,Linux,Edge,Opera,Firefox,Chrome,Internet Explorer,Safari,", ",") {
		if found[want] == 0 {
			t.Errorf("2,000 User-Agents have no %q: %v", want, found)
		}
	}
}

// FuzzParseUserAgent holds the rules to the lists of words that their comment
// gives.
func FuzzParseUserAgent(f *testing.F) {
	for _, a := range statstest.Agents(9, 40) {
		f.Add(a.Text)
	}
	f.Add("Edg Trident/ Safari/ iPod Linux")
	type rule struct{ words, found string }
	first := func(agent string, rules []rule) string {
		for _, r := range rules {
			for word := range strings.SplitSeq(r.words, ",") {
				if strings.Contains(agent, word) {
					return r.found
				}
			}
		}
		return ""
	}
	f.Fuzz(func(t *testing.T, agent string) {
		system, browser := stats.ParseUserAgent(agent)
		wantSystem := first(agent, []rule{{"Android", "Android"}, {"iPhone,iPad,iPod", "iOS"}, {"Windows", "Windows"}, {"CrOS", "Chrome OS"}, {"Mac OS X", "OS X"}, {"Linux", "Linux"}})
		wantBrowser := first(agent, []rule{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Firefox/,FxiOS/", "Firefox"}, {"Chrome/,CriOS/", "Chrome"}, {"MSIE,Trident/", "Internet Explorer"}, {"Safari/", "Safari"}})
		if system != wantSystem || browser != wantBrowser {
			t.Errorf("%q is %q and %q, want %q and %q", agent, system, browser, wantSystem, wantBrowser)
		}
	})
}
