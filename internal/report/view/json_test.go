package view

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
)

// TestNamesAreEscaped: nothing that a profile's author wrote begins a line,
// moves a cursor or turns text around.
func TestNamesAreEscaped(t *testing.T) {
	const evil = "m.\x1b[2J\u202e</script>\nROUTINE\r\u009b\u2028\"\\\xff"
	m := newMade("cpu\x1b[31m", "nano\x1b[1m\u202e")
	s := m.sample(values(5e6), madeFrame{evil, "/x/\x1b]0;x\a.go", 1, false}, madeFrame{"main" + evil, "/x/\nROUTINE.go", 2, false})
	s.Label = map[string][]string{"k\nROUTINE\x1b": {"v\nROUTINE\x1b", "\u202e"}}
	s.NumLabel = map[string][]int64{"n\nROUTINE\u009b": {5}}
	s.NumUnit = map[string][]string{"n\nROUTINE\u009b": {"u\nROUTINE\x1b"}}
	m.p.Comments = []string{"\x1b[1m\nROUTINE"}
	m.p.Mapping = []*google.Mapping{{ID: 1, File: "/bin/\x1b[1m\nROUTINE", BuildID: "\x1b\nROUTINE"}}
	m.p.DocURL = "\x1b\nROUTINE"
	m.p.PeriodType = &google.ValueType{Type: "\x1b\nROUTINE", Unit: "\u202e"}
	subject := m.subject(t)
	for _, granularity := range []string{"functions", "lines"} {
		a := &optionSet{Options: selection.Options{Granularity: granularity, Focus: "m|\x1b|\nROUTINE|x"}}
		for _, v := range texts {
			if strings.HasPrefix(v.command, "-peek") {
				v.make = func(s *selection.Selection, a *optionSet) (printed, error) {
					return NewPeek(s, regexp.MustCompile(`ROUTINE`), callgraph.ForTree(), a.view())
				}
			}
			sel := subject.selection(t, a)
			sel.Warnings = []string{"\x1b[5m\nROUTINE"}
			d, err := v.make(sel, a)
			if err != nil {
				t.Fatal(err)
			}
			var text, doc bytes.Buffer
			if err := d.Write(&text); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(text.String(), "\x1b\a\r\u009b\u202e\u2028") || strings.Contains(text.String(), "\nROUTINE") || !utf8.Valid(text.Bytes()) {
				t.Errorf("%s: a name is as it was:\n%q", v.command, text.String())
			}
			if !strings.Contains(text.String(), `ROUTINE`) {
				t.Errorf("%s: no name at all:\n%s", v.command, text.String())
			}
			if err := d.WriteJSON(&doc); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(doc.String(), "\x1b\a\r\u009b") || !json.Valid(doc.Bytes()) {
				t.Errorf("%s: not a document for terminals and programs:\n%q", v.command, doc.String())
			}
		}
	}
}

// TestDocuments writes whole documents out. The profile's sums: a is reached on
// 5 ms and on the way to c's 2 ms, c on 2 ms, main on all 8.
func TestDocuments(t *testing.T) {
	m := newMade("cpu", "nanoseconds")
	labelled := m.sample(values(5e6), at("a", 3), at("main", 2))
	labelled.Label = map[string][]string{"endpoint": {"/a"}}
	labelled.NumLabel = map[string][]int64{"bytes": {4096}}
	labelled.NumUnit = map[string][]string{"bytes": {"bytes"}}
	m.sample(values(2e6), at("c", 7), at("a", 4).in(), at("main", 2))
	m.sample(values(1e6), at("main", 9))
	m.p.TimeNanos = 1795251600e9
	m.p.Mapping = []*google.Mapping{{ID: 1, Start: 0x1000, Limit: 0x2000, File: "/bin/prog", BuildID: "abc"}}
	m.p.Location[0].Mapping, m.p.Location[0].Address = m.p.Mapping[0], 0x1010
	s := m.subject(t)
	const head = `"binary":"prog","build_id":"abc","sample_type":"cpu","unit":"nanoseconds","time":"2026-11-21T09:00:00Z","samples":3,"total_ns":8000000`
	costs := func(flat, cum string) string {
		ratio := map[string]string{"0": "0", "1": "0.125", "2": "0.25", "5": "0.625", "7": "0.875", "8": "1"}
		ns := func(ms string) string { return strings.TrimPrefix(ms+"000000", "0000000") }
		if flat == "0" {
			return `"flat_ns":0,"flat_ratio":0,"cum_ns":` + ns(cum) + `,"cum_ratio":` + ratio[cum]
		}
		return `"flat_ns":` + ns(flat) + `,"flat_ratio":` + ratio[flat] + `,"cum_ns":` + ns(cum) + `,"cum_ratio":` + ratio[cum]
	}
	const a, c, main = `"function":"a","file":"/x/a.go"`, `"function":"c","file":"/x/c.go"`, `"function":"main","file":"/x/main.go"`
	call := func(who, ns, ratio, inline string) string {
		return `{` + who + `,"weight_ns":` + ns + `,"weight_ratio":` + ratio + `,"inline":` + inline + `,"residual":false}`
	}
	begin := func(verb string) string { return `{"schema":"whet/` + verb + `/1","warnings":["doubt"],` + head }
	for _, d := range []struct {
		verb string
		make func(*selection.Selection) (printed, error)
		want string
	}{
		{"top", func(s *selection.Selection) (printed, error) { return NewTop(s, callgraph.ForTop(), Options{}), nil },
			`,"shown_ns":8000000,"dropped_functions":0,"remaining_functions":3,"functions":[` +
				`{` + a + `,` + costs("5", "7") + `,"inline":""},` +
				`{` + c + `,` + costs("2", "2") + `,"inline":""},` +
				`{` + main + `,` + costs("1", "8") + `,"inline":""}]}`},
		{"peek", func(s *selection.Selection) (printed, error) {
			return NewPeek(s, regexp.MustCompile("^a$"), callgraph.ForTree(), Options{})
		},
			`,"shown_ns":8000000,"match":"^a$","dropped_functions":0,"remaining_functions":3,"functions":[` +
				`{` + a + `,` + costs("5", "7") + `,"callers":[` + call(main, "7000000", "1", "false") + `],"callees":[` + call(c, "2000000", "0.2857142857142857", "false") + `]}]}`},
		{"tree", func(s *selection.Selection) (printed, error) {
			g := callgraph.ForTree()
			g.NodeCount = 1
			return NewTree(s, g, Options{}), nil
		},
			`,"shown_ns":5000000,"dropped_functions":0,"remaining_functions":3,"functions":[{` + a + `,` + costs("5", "7") + `,"callers":[],"callees":[]}]}`},
		{"tags", func(s *selection.Selection) (printed, error) { return NewTags(s, Options{}), nil },
			`,"keys":[{"key":"bytes","flat_ns":5000000,"flat_ratio":0.625,"values":[{"value":"4kB","flat_ns":5000000,"flat_ratio":0.625}]},` +
				`{"key":"endpoint","flat_ns":5000000,"flat_ratio":0.625,"values":[{"value":"/a","flat_ns":5000000,"flat_ratio":0.625}]}]}`},
		{"stacks", func(s *selection.Selection) (printed, error) { return NewStacks(s, Options{}), nil },
			`,"stacks":[{"value_ns":5000000,"labels":[{"key":"endpoint","text":"/a"},{"key":"bytes","number":4096,"unit":"bytes"}],"frames":[{"function":"a"},{"function":"main"}]},` +
				`{"value_ns":2000000,"frames":[{"function":"c"},{"function":"a","inline":true},{"function":"main"}]},` +
				`{"value_ns":1000000,"frames":[{"function":"main"}]}]}`},
		{"raw", func(s *selection.Selection) (printed, error) { return NewRaw(s, Options{}), nil },
			`,"sample_types":[{"type":"cpu","unit":"nanoseconds","default":true}],"period":0,"comments":[],` +
				`"stacks":[{"values":[5000000],"locations":[1,2],"labels":[{"key":"endpoint","text":"/a"},{"key":"bytes","number":4096,"unit":"bytes"}]},` +
				`{"values":[2000000],"locations":[3,4]},{"values":[1000000],"locations":[5]}],` +
				`"locations":[{"id":1,"address":"0x1010","mapping":1,"frames":[{"function":"a","file":"/x/a.go","line":3,"column":7,"start_line":1}]},` +
				`{"id":2,"address":"0x0","frames":[{"function":"main","file":"/x/main.go","line":2,"column":7,"start_line":1}]},` +
				`{"id":3,"address":"0x0","frames":[{"function":"c","file":"/x/c.go","line":7,"column":7,"start_line":1}]},` +
				`{"id":4,"address":"0x0","frames":[{"function":"a","file":"/x/a.go","line":4,"column":7,"start_line":1},{"function":"main","file":"/x/main.go","line":2,"column":7,"start_line":1}]},` +
				`{"id":5,"address":"0x0","frames":[{"function":"main","file":"/x/main.go","line":9,"column":7,"start_line":1}]}],` +
				`"mappings":[{"id":1,"start":"0x1000","limit":"0x2000","offset":"0x0","file":"/bin/prog","build_id":"abc"}]}`},
	} {
		sel := s.selection(t, &optionSet{})
		sel.Warnings = []string{"doubt"}
		view, err := d.make(sel)
		if err != nil {
			t.Fatal(err)
		}
		var b, short bytes.Buffer
		if err := view.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&short, b.Bytes()); err != nil {
			t.Fatalf("%s: %v", d.verb, err)
		}
		if diff := cmp.Diff(begin(d.verb)+d.want, short.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", d.verb, diff)
		}
	}
}

// TestDocumentsDivide: -divide_by is of documents, too.
func TestDocumentsDivide(t *testing.T) {
	m := newMade("cpu", "nanoseconds")
	m.sample(values(9e6), at("a", 3))
	var b bytes.Buffer
	sel := m.subject(t).selection(t, &optionSet{Options: selection.Options{DivideBy: 3}})
	if err := NewTop(sel, callgraph.ForTop(), Options{}).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"total_ns": 3000000`, `"shown_ns": 3000000`, `"flat_ns": 3000000`, `"flat_ratio": 1`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, &b)
		}
	}
}
