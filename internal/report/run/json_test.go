package run

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"whet/internal/finding"
	"whet/internal/report/pagetest"
)

func jsonOf(t *testing.T, p *Page, o JSONOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSON(&b, p, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestJSONGolden(t *testing.T) {
	pagetest.Golden(t, "visits.json", jsonOf(t, visitsPage(), JSONOptions{Recording: "visits.whet", Report: "visits.html"}))
	pagetest.Golden(t, "empty.json", jsonOf(t, emptyPage(), JSONOptions{Verb: "diagnose"}))
	pagetest.Golden(t, "service.json", jsonOf(t, servicePage(), JSONOptions{}))
	pagetest.Golden(t, "program.json", jsonOf(t, programPage(), JSONOptions{}))
}

// Scripts may rely on: one document, schema first and warnings second, no null
// list, no control character that a terminal obeys.
func TestJSONContract(t *testing.T) {
	for name, p := range pages() {
		doc := jsonOf(t, p, JSONOptions{All: true})
		if want := "{\n  \"schema\": \"whet/tune/1\",\n  \"warnings\": ["; !strings.HasPrefix(string(doc), want) {
			t.Errorf("%s begins %.60q, want %q", name, doc, want)
		}
		if i := bytes.IndexFunc(doc, func(r rune) bool { return r < 0x20 && r != '\n' || r >= 0x7f && r <= 0x9f }); i >= 0 {
			t.Errorf("%s: control character %q at %d", name, doc[i], i)
		}
		d := json.NewDecoder(bytes.NewReader(doc))
		var v map[string]any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d.More() {
			t.Errorf("%s: more than one document", name)
		}
		for _, list := range []string{"warnings", "findings", "benchmarks", "facts", "profiles", "events", "contention", "unknown", "series"} {
			if _, ok := v[list].([]any); !ok {
				t.Errorf("%s: %s is %v, not a list", name, list, v[list])
			}
		}
		for _, f := range v["findings"].([]any) {
			for _, list := range []string{"evidence", "benchmarks"} {
				if _, ok := f.(map[string]any)[list].([]any); !ok {
					t.Errorf("%s: a finding's %s is not a list", name, list)
				}
			}
		}
	}
}

func TestJSONFindings(t *testing.T) {
	var got struct{ Findings []finding.Finding }
	p := visitsPage()
	if err := json.Unmarshal(jsonOf(t, p, JSONOptions{}), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Findings, p.Findings) {
		t.Errorf("findings came back as %+v", got.Findings)
	}
	if err := json.Unmarshal(jsonOf(t, p, JSONOptions{All: true}), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Findings) != len(p.Findings)+len(p.Below) {
		t.Errorf("%d findings with All", len(got.Findings))
	}
}

// A figure that JSON cannot hold is unknown in a benchmark and an error in a
// finding, where it would be a rule's mistake.
func TestJSONNotANumber(t *testing.T) {
	p := visitsPage()
	p.Benchmarks[0].NsPerOp = math.Inf(1)
	if !strings.Contains(string(jsonOf(t, p, JSONOptions{})), `"ns_per_op": null`) {
		t.Error("an infinite time is not null")
	}
	p.Findings[0].CPURatio = math.NaN()
	if err := WriteJSON(&bytes.Buffer{}, p, JSONOptions{}); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("error %v", err)
	}
}

func TestUnitsStandInKeys(t *testing.T) {
	for unit, key := range map[string]string{"nanoseconds": "flat_ns", "bytes": "flat_bytes", "count": "flat_count", "parsecs": "flat"} {
		p := &Page{Profiles: []Profile{{Unit: unit, Values: [4]int64{200}, Top: []Row{{Function: "f", Flat: 50, Cum: 100}}}}}
		var got struct {
			Profiles []struct {
				Top []map[string]any `json:"top_flat"`
			}
		}
		if err := json.Unmarshal(jsonOf(t, p, JSONOptions{}), &got); err != nil {
			t.Fatal(err)
		}
		row := got.Profiles[0].Top[0]
		if row[key] != 50.0 || row[strings.Replace(key, "flat", "cum", 1)] != 100.0 || row["flat_ratio"] != 0.25 || row["cum_ratio"] != 0.5 || len(row) != 6 {
			t.Errorf("%s: %v", unit, row)
		}
	}
}
