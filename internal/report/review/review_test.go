package review

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"whet/internal/finding"
	"whet/internal/report/run"
)

// hostile is a page whose names try to leave their place in each format.
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

// parsed is what GitHub's runner makes of a line: ActionCommand.TryParseV2 splits
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
		!strings.HasPrefix(text, "100% of it, logs: all") || !strings.Contains(text, "(31.2 % of CPU time, at most 1.45x faster). log less") {
		t.Errorf("%q is %s %q %q", lines[0], command, properties, text)
	}
	if command, properties, _ := parsed(t, lines[1]); command != "notice" || properties["file"] != "" || properties["line"] != "" {
		t.Errorf("outside of the module: %q", lines[1])
	}
	if _, properties, text := parsed(t, lines[2]); properties["file"] != "services/api/h.go" || properties["line"] != "" || !strings.Contains(text, "12 goroutines left behind") {
		t.Errorf("without a line: %q", lines[2])
	}
	if _, properties, _ := parsed(t, lines[3]); properties["file"] != "" {
		t.Errorf("above the root: %q", lines[3])
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

// TestSARIF holds the log to what the standard requires of the parts that whet
// writes: required properties, their types, allowed values and no others.
func TestSARIF(t *testing.T) {
	bar, _ := ParseBar("finding:high")
	var log map[string]any
	if err := json.Unmarshal([]byte(write(t, "sarif", Options{Prefix: "services/api", Bar: bar})), &log); err != nil {
		t.Fatal(err)
	}
	object := func(v any, required, optional string) map[string]any {
		t.Helper()
		o, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("%v is no object", v)
		}
		for _, name := range strings.Fields(required) {
			if _, ok := o[name]; !ok {
				t.Errorf("no %s in %v", name, o)
			}
		}
		for name := range o {
			if !slices.Contains(strings.Fields(required+" "+optional), name) {
				t.Errorf("the standard has no %s there: %v", name, o)
			}
		}
		return o
	}
	list := func(v any) []any {
		t.Helper()
		l, ok := v.([]any)
		if !ok {
			t.Fatalf("%v is no list", v)
		}
		return l
	}
	object(log, "version runs", "$schema")
	if log["version"] != "2.1.0" || len(list(log["runs"])) != 1 {
		t.Errorf("version %v, runs %v", log["version"], log["runs"])
	}
	r := object(list(log["runs"])[0], "tool results", "")
	driver := object(object(r["tool"], "driver", "")["driver"], "name", "version rules")
	var ids []string
	for _, rule := range list(driver["rules"]) {
		id := object(rule, "id", "")["id"].(string)
		if id == "" || slices.Contains(ids, id) {
			t.Errorf("rules have to be unique: %q after %q", id, ids)
		}
		ids = append(ids, id)
	}
	results := list(r["results"])
	if len(results) != 4 || len(ids) != 3 {
		t.Fatalf("%d results of rules %q", len(results), ids)
	}
	for i, v := range results {
		res := object(v, "message ruleId ruleIndex level", "locations partialFingerprints")
		if index := int(res["ruleIndex"].(float64)); ids[index] != res["ruleId"] {
			t.Errorf("result %d: rule %v at %d", i, res["ruleId"], index)
		}
		if level := res["level"]; level != []string{"error", "note", "warning", "warning"}[i] {
			t.Errorf("result %d: level %v", i, level)
		}
		if text := object(res["message"], "text", "")["text"].(string); text == "" {
			t.Errorf("result %d: no text", i)
		}
		for _, print := range object(res["partialFingerprints"], "ruleAndFunction/v1", "") {
			if print.(string) == "" {
				t.Errorf("result %d: no fingerprint", i)
			}
		}
		locations, has := res["locations"]
		if has != (i == 0 || i == 2) {
			t.Errorf("result %d: locations %v", i, locations)
		}
		if !has {
			continue
		}
		at := object(list(locations)[0], "physicalLocation", "logicalLocations")
		physical := object(at["physicalLocation"], "artifactLocation", "region")
		artifact := object(physical["artifactLocation"], "uri", "uriBaseId")
		uri, err := url.Parse(artifact["uri"].(string))
		if want := []string{"services/api/a b,c:d/x.go", "", "services/api/h.go", ""}[i]; err != nil || uri.IsAbs() || uri.Path != want {
			t.Errorf("result %d: %v is %q, %v", i, artifact["uri"], uri.Path, err)
		}
		if region, ok := physical["region"]; ok {
			if line := object(region, "startLine", "")["startLine"].(float64); line < 1 {
				t.Errorf("result %d: line %v", i, line)
			}
		}
		for _, l := range list(at["logicalLocations"]) {
			object(l, "fullyQualifiedName kind", "")
		}
	}
	var empty bytes.Buffer
	if err := WriteSARIF(&empty, &run.Page{}, Options{}); err != nil || strings.Contains(empty.String(), "null") {
		t.Errorf("%v: %s", err, empty.String())
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
