package review

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"whet/internal/finding"
	"whet/internal/report/run"
)

// hostile returns a page whose names try to leave their place in each format.
func hostile() *run.Page {
	return &run.Page{
		Target: "./x|`y`", Tool: "whet 1\x1b[2J", Verdict: run.Verdict{Text: "CPU-bound\n::error::not one"}, Warnings: []string{"<b>busy</b>"},
		Findings: []finding.Finding{
			{Rule: "logging", Title: "100% of it, logs: all\n::set-output name=x::y", Function: "m.(*T[…]).f|<img>", File: "a b,c:d/x.go", Line: 12,
				CPURatio: 0.312, CPUSamples: 1000, CeilingRatio: 1.45, Confidence: finding.High, Remedy: "log less",
				Why: "@somebody www.example.com", Evidence: []finding.Evidence{{Kind: "cpu", Text: "[x](http://y)"}}},
			{Rule: "logging", Title: "again", Function: "m.g", File: "/usr/lib/go/src/fmt/print.go", Line: 3, Confidence: finding.Low, Unknown: finding.Unknown{CPU: true}},
			{Rule: "goroutine-leak", Title: "leaks", Function: "m.h", File: "h.go", Confidence: finding.Medium, Leak: &finding.Leak{Kind: finding.LeakGoroutines, Count: 12}},
			{Rule: "fmt-format", Title: "up", Function: "m.i", File: "../../etc/passwd", Line: 1, Confidence: finding.Medium},
		},
	}
}

func write(t *testing.T, format string, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, hostile(), o); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e") {
		t.Errorf("%s: what a terminal obeys: %q", format, b.String())
	}
	return b.String()
}

// parsed returns what GitHub's runner makes of a line: ActionCommand.TryParseV2 splits
// the properties at commas and the first equals sign, and takes the escapes back.
func parsed(t *testing.T, line string) (command string, properties map[string]string, text string) {
	t.Helper()
	m := regexp.MustCompile(`^::(\w+) (.*?)::(.*)$`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("no command: %q", line)
	}
	back := strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
	properties = make(map[string]string)
	for part := range strings.SplitSeq(m[2], ",") {
		name, value, _ := strings.Cut(part, "=")
		properties[name] = back.Replace(value)
	}
	return m[1], properties, back.Replace(m[3])
}

func TestGitHub(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(write(t, "github", Options{Prefix: "services/api"}), "\n"), "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[4], "whet: CPU-bound") {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	command, properties, text := parsed(t, lines[0])
	if command != "warning" || properties["file"] != "services/api/a b,c:d/x.go" || properties["line"] != "12" || properties["title"] != "whet: logging" ||
		!strings.HasPrefix(text, "100% of it, logs: all") || !strings.Contains(text, "(31.2 % of CPU time, about 1.45x faster). log less") {
		t.Errorf("%q is %s %q %q", lines[0], command, properties, text)
	}
	if command, properties, _ := parsed(t, lines[1]); command != "notice" || properties["file"] != "" || properties["line"] != "" {
		t.Errorf("outside of the module: %q", lines[1])
	}
	if _, properties, text := parsed(t, lines[2]); properties["file"] != "services/api/h.go" || properties["line"] != "" || !strings.Contains(text, "12 goroutines leaked") {
		t.Errorf("without a line: %q", lines[2])
	}
	if _, properties, _ := parsed(t, lines[3]); properties["file"] != "" {
		t.Errorf("above the root: %q", lines[3])
	}
	// A terminal that shows the log obeys no name.
	var b bytes.Buffer
	WriteCommand(&b, "notice", "a\x1b[2J,\u202e.go", 7, "whet: x", "words")
	if got, want := b.String(), `::notice file=a\x1b[2J%2C\u202e.go,line=7,title=whet%3A x::words`+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// The escapes themselves, as the toolkit's own tests have them.
	if got := data("%25\r\n:,"); got != "%2525%0D%0A:," {
		t.Errorf("data %q", got)
	}
	if got := property("%0A\r\n:,"); got != "%250A%0D%0A%3A%2C" {
		t.Errorf("property %q", got)
	}
}

func TestBar(t *testing.T) {
	for text, want := range map[string]int{"finding": 4, "finding:medium": 3, "finding:high": 1} {
		bar, err := ParseBar(text)
		if err != nil || bar.Fails(hostile()) != want {
			t.Errorf("%s: %d findings, %v", text, bar.Fails(hostile()), err)
		}
		if got := strings.Count(write(t, "github", Options{Bar: bar}), "::error "); got != want {
			t.Errorf("%s: %d errors", text, got)
		}
	}
	if n := (Bar{}).Fails(hostile()); n != 0 {
		t.Errorf("without a bar %d fail", n)
	}
	for _, text := range []string{"", "finding:", "finding:low", "place", "finding:high "} {
		if _, err := ParseBar(text); err == nil {
			t.Errorf("%q is a bar", text)
		}
	}
}

// sarifSchema returns the standard's own: sarif-schema-2.1.0.json of OASIS, errata 01,
// with formats of values checked too.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	file, err := os.Open(filepath.Join("testdata", "sarif-schema-2.1.0.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(text)
	if err == nil {
		err = c.AddResource("sarif.json", doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestSARIF(t *testing.T) {
	schema := sarifSchema(t)
	valid := func(text string) error {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(doc)
	}
	bar, _ := ParseBar("finding:high")
	text := write(t, "sarif", Options{Prefix: "services/api", Bar: bar})
	var empty bytes.Buffer
	if err := WriteSARIF(&empty, &run.Page{}, Options{}); err != nil {
		t.Fatal(err)
	}
	for name, log := range map[string]string{"hostile": text, "empty": empty.String()} {
		if err := valid(log); err != nil {
			t.Errorf("%s: %v\n%s", name, err, log)
		}
	}
	for _, broken := range [][2]string{{`"level": "error"`, `"level": "high"`}, {`"startLine": 12`, `"startLine": 0`}, {`"ruleId"`, `"rule"`}} {
		if log := strings.Replace(text, broken[0], broken[1], 1); log == text || valid(log) == nil {
			t.Errorf("%s instead of %s is valid", broken[1], broken[0])
		}
	}
	var log sarifLog
	if err := json.Unmarshal([]byte(text), &log); err != nil || len(log.Runs) != 1 {
		t.Fatalf("%d runs, %v", len(log.Runs), err)
	}
	rules, results := log.Runs[0].Tool.Driver.Rules, log.Runs[0].Results
	if len(results) != 4 || len(rules) != 3 {
		t.Fatalf("%d results of %d rules", len(results), len(rules))
	}
	for i, res := range results {
		if rules[res.RuleIndex].ID != res.RuleID {
			t.Errorf("result %d: rule %s is not at %d", i, res.RuleID, res.RuleIndex)
		}
		if want := []string{"error", "note", "warning", "warning"}[i]; res.Level != want {
			t.Errorf("result %d: level %s, want %s", i, res.Level, want)
		}
		if res.Message.Text == "" || res.Fingerprints["ruleAndFunction/v1"] == "" {
			t.Errorf("result %d: no text or fingerprint", i)
		}
		want := []string{"services/api/a b,c:d/x.go", "", "services/api/h.go", ""}[i]
		if len(res.Locations) != min(len(want), 1) {
			t.Errorf("result %d: %d locations", i, len(res.Locations))
			continue
		}
		for _, at := range res.Locations {
			if uri, err := url.Parse(at.Physical.Artifact.URI); err != nil || uri.IsAbs() || uri.Path != want {
				t.Errorf("result %d: %q is %v, %v", i, at.Physical.Artifact.URI, uri, err)
			}
		}
	}
}

func TestMarkdown(t *testing.T) {
	text := write(t, "markdown", Options{Prefix: "services/api"})
	for _, want := range []string{"| `logging` | ", "`services/api/a b,c:d/x.go:12`", "31.2 %", "<details><summary>1 warning</summary>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, bad := range []string{"<b>", "<img>`x", "@somebody", "](http", " www.example"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q stands in\n%s", bad, text)
		}
	}
	rows := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			if rows++; strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 6 {
				t.Errorf("not five cells: %q", line)
			}
		}
	}
	if rows != 6 {
		t.Errorf("%d rows\n%s", rows, text)
	}
}
