package stats_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/casebook/stats"
	"whet/casebook/stats/best"
	"whet/casebook/stats/buffer"
	"whet/casebook/stats/byteloop"
	"whet/casebook/stats/original"
	"whet/casebook/stats/pool"
	"whet/casebook/stats/prealloc"
	"whet/casebook/stats/statstest"
)

type stage struct {
	name string
	make statstest.New
}

var stages = []stage{
	{"original", func(l *stats.Ledger) stats.Service { return original.New(l) }},
	{"byteloop", func(l *stats.Ledger) stats.Service { return byteloop.New(l) }},
	{"prealloc", func(l *stats.Ledger) stats.Service { return prealloc.New(l) }},
	{"buffer", func(l *stats.Ledger) stats.Service { return buffer.New(l) }},
	{"pool", func(l *stats.Ledger) stats.Service { return pool.New(l) }},
	{"best", func(l *stats.Ledger) stats.Service { return best.New(l) }},
}

func named(t testing.TB, name string) stage {
	t.Helper()
	i := slices.IndexFunc(stages, func(s stage) bool { return s.name == name })
	if i < 0 {
		t.Fatalf("there is no stage %s", name)
	}
	return stages[i]
}

var special = regexp.MustCompile(`[{}/\\:.\s]`)

// oracle is the name by the regular expression that the rules give.
func oracle(parts ...string) string {
	for i, part := range parts {
		parts[i] = special.ReplaceAllString(part, "-")
	}
	return strings.Join(parts, ".")
}

func or(value, missing string) string {
	if value == "" {
		return missing
	}
	return value
}

// FuzzName: all stages give the name that the regular expression makes, and
// its parts can be told apart again.
func FuzzName(f *testing.F) {
	f.Add("recv", "web1.example.net", "v1:list", "OS X", "Chrome")
	f.Add("recv", "", "", "", "")
	f.Add("", "{}", `/\`, ":.", " \t\n\f\r\v")
	f.Add("a.b", "\xff\n", "\xc3\r", "\u2028\u0085", "\x00\f\x7f")
	f.Add("recv", strings.Repeat("a.", 70), strings.Repeat("é ", 50), "-", "no-browser")
	services := make([]stats.Service, len(stages))
	for i, s := range stages {
		services[i] = s.make(stats.NewLedger(stats.Options{}))
	}
	f.Fuzz(func(t *testing.T, metric, host, endpoint, system, browser string) {
		parts := []string{or(endpoint, "no-endpoint"), or(system, "no-os"), or(browser, "no-browser")}
		if host != "" {
			parts = slices.Insert(parts, 0, host)
		}
		lengths := []int{}
		for _, part := range parts {
			lengths = append(lengths, len(part))
		}
		want := metric + "." + oracle(parts...)
		tags := stats.Tags{"host": host, "endpoint": endpoint, "os": system, "browser": browser}
		for i, h := range services {
			got := h.Name(metric, tags)
			if got != want {
				t.Errorf("%s: name is %q, want %q", stages[i].name, got, want)
			}
			apart := strings.Split(strings.TrimPrefix(got, metric+"."), ".")
			if !slices.EqualFunc(apart, lengths, func(part string, n int) bool { return len(part) == n }) {
				t.Errorf("%s: %q has parts %q, want parts of %v bytes", stages[i].name, got, apart, lengths)
			}
		}
		if got := statstest.Want(metric, tags); got != want {
			t.Errorf("Want is %q, want %q", got, want)
		}
	})
}

// FuzzRequests: all stages answer a request and count it as the rules say.
func FuzzRequests(f *testing.F) {
	for i, a := range statstest.Agents(3, 20) {
		f.Add("GET", statstest.Paths(3, 20)[i], a.Text)
	}
	for _, path := range []string{"", "/", "/simple", "/simple/", "/advance//", "/advance/a//b", "/advance/../x", "/advance/\n", "/advancex", "/advance/" + strings.Repeat("é", 33), "*"} {
		f.Add("POST", path, "Mozilla/5.0 (X11; CrOS) MSIE")
	}
	host, err := os.Hostname()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, method, path, agent string) {
		status, body := 404, "404 page not found\n"
		want := map[string]stats.Total{}
		// The last element that is not empty; of several elements or none
		// path.Base is not asked here.
		elements := strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
		if path == "/simple" {
			status, body = 200, "Hello VIP!"
		} else if strings.HasPrefix(path+"/", "/advance/") && len(elements[len(elements)-1]) <= 64 {
			status, body = 200, "Hello VIP!"
			system, browser := stats.ParseUserAgent(agent)
			parts := []string{"recv", elements[len(elements)-1], or(system, "no-os"), or(browser, "no-browser")}
			if host != "" {
				parts = slices.Insert(parts, 1, host)
			}
			want[oracle(parts...)] = stats.Total{Count: 2, Took: 2 * time.Millisecond}
		}
		for _, s := range stages {
			// Each reading is a millisecond after the one before.
			var clock time.Duration
			ledger := stats.NewLedger(stats.Options{Now: func() time.Duration { clock += time.Millisecond; return clock }})
			h := s.make(ledger)
			for range 2 {
				w := statstest.NewRecorder()
				h.ServeHTTP(w, statstest.Request(method, path, agent))
				if w.Status != status || w.Body.String() != body {
					t.Errorf("%s: %q is answered %d %q, want %d %q", s.name, path, w.Status, w.Body.String(), status, body)
				}
			}
			if got := ledger.Totals(); !maps.Equal(got, want) {
				t.Errorf("%s: %q of %q is counted as %v, want %v", s.name, path, agent, got, want)
			}
		}
	})
}

// The loop that was published for the regular expression knew less white space
// than it. All stages replace what the regular expression replaces, which is
// asked here byte by byte.
func TestPublishedByteLoopLeftWhiteSpace(t *testing.T) {
	var replaced []string
	for c := range 256 {
		if s := string([]byte{byte(c)}); special.MatchString(s) {
			replaced = append(replaced, s)
		}
	}
	if got, want := fmt.Sprintf("%q", replaced), `["\t" "\n" "\f" "\r" " " "." "/" ":" "\\" "{" "}"]`; got != want {
		t.Fatalf("the regular expression replaces %s, want %s", got, want)
	}
	for _, s := range stages {
		h := s.make(stats.NewLedger(stats.Options{}))
		for c := range 256 {
			value := "a" + string([]byte{byte(c)}) + "b"
			want := "recv." + special.ReplaceAllString(value, "-") + ".no-os.no-browser"
			if got := h.Name("recv", stats.Tags{"endpoint": value}); got != want {
				t.Errorf("%s: name is %q, want %q", s.name, got, want)
			}
		}
	}
}
