package drive

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/cli"
	loadformat "whet/internal/format/load"
	"whet/internal/loadresult"
	"whet/internal/read"
	"whet/internal/recording"
	"whet/internal/report/load"
)

// writeLoad makes a recording of a load of one request; change may spoil its files.
func writeLoad(t *testing.T, change func(map[string][]byte)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.whet")
	w, err := recording.Create(path, logOrigin)
	if err != nil {
		t.Fatal(err)
	}
	w.Manifest.Kind = recording.TargetLoad
	files := map[string][]byte{
		loadformat.ServicePath: logOf(t, 1, untaggedTimes, 0),
		loadformat.RunPath: []byte(`{"schema": "whet/load-run/1", "plan": {"url": "http://127.0.0.1/", "targets": 1, "method": "GET", "protocol": "HTTP/1.1", "connections": 1, "streams": 1, "keep_alive": true},
			"began": "2026-11-21T07:00:00Z", "start": "2026-11-21T07:00:00Z", "end": "2026-11-21T07:00:01Z", "requests": 1, "status": {"200": 1}}`),
		loadformat.SecondsPath: []byte(`{"seconds": [{"length_ns": 1000000000, "requests": 1, "answered": 1, "p50_ns": 1000000, "p99_ns": 1000000, "max_ns": 1000000}]}`),
	}
	change(files)
	for name, data := range files {
		if err := w.Write(recording.Artifact{Path: name, Kind: recording.KindLoad}, data); err != nil {
			t.Fatal(err)
		}
	}
	if path, err = w.Finish(time.Second, ""); err != nil {
		t.Fatal(err)
	}
	return path
}

func runLoad(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Run(context.Background(), append([]string{"load"}, args...), nil, &out, &errs)
	return code, out.String(), errs.String()
}

// A recording that was tampered with is an error of one line (package format/load has
// all that may be wrong with it), never a figure that contradicts itself.
func TestDamagedLoad(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	whole := writeLoad(t, func(map[string][]byte) {})
	if code, stdout, stderr := runLoad(whole, "-o", page); code != cli.ExitDone || !strings.Contains(stdout, "1, 1 answered: 1 with 200") || stderr != "" {
		t.Fatalf("whole: exit code %d\n%s%s", code, stdout, stderr)
	}
	replace := func(f map[string][]byte, old, with string) {
		f[loadformat.RunPath] = bytes.Replace(f[loadformat.RunPath], []byte(old), []byte(with), 1)
	}
	for want, change := range map[string]func(map[string][]byte){
		"it has no " + loadformat.RunPath: func(f map[string][]byte) { delete(f, loadformat.RunPath) },
		"is damaged":                      func(f map[string][]byte) { f[loadformat.RunPath] = []byte("{") },
		"counts":                          func(f map[string][]byte) { replace(f, `"requests": 1`, `"requests": -1`) },
		"parse bound":                     func(f map[string][]byte) { replace(f, `"plan"`, `"slo": "p99", "plan"`) },
	} {
		code, stdout, stderr := runLoad(writeLoad(t, change))
		if code != cli.ExitFailed || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("exit code %d, %q, want %q", code, stdout+stderr, want)
		}
	}
}

func TestParseExpect(t *testing.T) {
	c, err := parseExpect([]string{"status=200, 3xx", "status=404", "size=1-9", "header:X-A = b=c", "json:a.0.b=true", "sha256=" + strings.Repeat("AB", 32)})
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{200, 300, 399, 404} {
		if kind := c.StatusKind(status); kind != "" {
			t.Errorf("%d is %q", status, kind)
		}
	}
	if c.StatusKind(201) == "" || c.StatusKind(500) == "" || c.Bytes.First != 1 || c.Bytes.Last != 9 || c.Header[0].Name != "X-A" || c.Header[0].Value != "b=c" ||
		c.JSON[0].Name != "a.0.b" || c.SHA256 != strings.Repeat("ab", 32) {
		t.Errorf("%+v", c)
	}
	if c, err := parseExpect(nil); c != nil || err != nil {
		t.Errorf("nothing is %v, %v", c, err)
	}
}

// Two recordings of one name keep their directories, everywhere alike; where names
// differ without them they have none.
func TestNamesOfRecordings(t *testing.T) {
	whole := func(map[string][]byte) {}
	before, after := writeLoad(t, whole), writeLoad(t, whole)
	page := filepath.Join(t.TempDir(), "page.html")
	code, text, stderr := runLoad(before, after, "-o", page)
	if code != cli.ExitDone || stderr != "" {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, document, _ := runLoad(before, after, "-json")
	for _, name := range []string{before, after} {
		name = strings.TrimSuffix(name, ".whet")
		tail := filepath.Join(filepath.Base(filepath.Dir(name)), filepath.Base(name)) // of what a terminal has room for
		if strings.Count(text, tail+"  ") != 2 {
			t.Errorf("%s is not twice in\n%s", tail, text)
		}
		if !strings.Contains(string(html), name+` <span class="note">`) {
			t.Errorf("the page does not compare %s", name)
		}
		if quoted, _ := json.Marshal(name); !strings.Contains(document, `"name": `+string(quoted)) {
			t.Errorf("the document does not name %s: %.300s", quoted, document)
		}
	}
	if code, _, stderr := runLoad(before, after, "-slo", "p99<1ns"); code != cli.ExitFound || !strings.Contains(stderr, strings.TrimSuffix(before, ".whet")+": p99<1ns is broken") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	for _, c := range []struct{ paths, want []string }{
		{[]string{"before/run.whet", "after/run.whet"}, []string{"before/run", "after/run"}},
		{[]string{"a/before.whet/", "b/after.whet", "c"}, []string{"before", "after", "c"}},
		{[]string{"a/x.whet", "b/y.whet", "./c//y.whet"}, []string{"a/x", "b/y", "c/y"}},
		{[]string{"results/run.whet"}, []string{"run"}},
	} {
		for i := range c.paths {
			c.paths[i], c.want[i] = filepath.FromSlash(c.paths[i]), filepath.FromSlash(c.want[i])
		}
		if got := runNames(c.paths); !slices.Equal(got, c.want) {
			t.Errorf("%q are %q, want %q", c.paths, got, c.want)
		}
	}
}

// missedSearch returns a search over connections, and one over rates that found none.
func missedSearch() *load.Search {
	run := []load.KneeRun{{Throughput: 800, Concurrency: 4, P50: time.Millisecond, P99: 2 * time.Millisecond, Broken: "p99<1ns is broken: 2.00 ms"}}
	return &load.Search{Plan: loadresult.Plan{URL: "http://127.0.0.1/", Targets: 1, Method: "GET"}, SLO: "p99<1ns", Warnings: []string{"no profiles"}, Found: []load.KneeSearch{
		{Headline: "the knee is at 4 clients: 800/s", Found: true, At: 4, Low: 2, High: 4, Throughput: 800, Levels: []load.KneeLevel{{Level: 4, Throughput: 800, Good: true, Runs: run}}},
		{Open: true, Headline: "no rate from 1/s to 1,600/s keeps the bounds", Levels: []load.KneeLevel{{Level: 1, Throughput: 1, Runs: run}}, Warnings: []string{"few answers"}, Invalid: "the generator was busy"},
	}}
}

// A search that was recorded is shown whole, also where it found no rate, and of
// several recordings each with its name.
func TestShowSearchWithoutRate(t *testing.T) {
	var document bytes.Buffer
	if err := load.WriteSearchJSON(&document, missedSearch(), load.Files{}); err != nil {
		t.Fatal(err)
	}
	searched := func(f map[string][]byte) {
		f[read.KneePath] = document.Bytes()
		f[loadformat.ServicePath] = append(f[loadformat.ServicePath], "#[Exact: min x]\n"...) // which is warned of
	}
	one, two := writeLoad(t, searched), writeLoad(t, searched)
	for _, names := range [][]string{{one}, {one, two}} {
		page := filepath.Join(t.TempDir(), "page.html")
		code, text, stderr := runLoad(append([]string{"-o", page}, names...)...)
		if code != cli.ExitDone {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		html, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			own := ""
			if len(names) > 1 {
				own = strings.TrimSuffix(name, ".whet") + ": "
			}
			for _, want := range []string{own + "highest rate: few answers", own + "highest rate: the generator was busy", own + "no profiles", own + loadformat.ServicePath + ": line ", own + "best throughput</h3>", own + "highest rate <span"} {
				if strings.Count(string(html), ">"+want) != 1 {
					t.Errorf("%d recordings: not once %q", len(names), want)
				}
			}
			if joined := strings.Join(strings.Fields(text), " "); !strings.Contains(joined, "! "+own+"no profiles") {
				t.Errorf("no warning of %q in\n%s", own, text)
			}
		}
		if n := strings.Count(string(html), "No rate from 1/s to 1,600/s keeps the bounds."); n != len(names) {
			t.Errorf("%d recordings: what was not found is said %d times", len(names), n)
		}
	}
}
