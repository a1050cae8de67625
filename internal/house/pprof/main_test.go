package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// TestServe: a subject, what pprof prints of it, what it refuses, and a request
// that is none.
func TestServe(t *testing.T) {
	f := &profile.Function{ID: 1, Name: "main.work"}
	l := &profile.Location{ID: 1, Line: []profile.Line{{Function: f, Line: 7}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "events", Unit: "count"}}, Function: []*profile.Function{f}, Location: []*profile.Location{l},
		Sample: []*profile.Sample{{Location: []*profile.Location{l}, Value: []int64{5}}},
	}
	var data, in, out bytes.Buffer
	if err := p.Write(&data); err != nil {
		t.Fatal(err)
	}
	ask := json.NewEncoder(&in)
	for _, r := range []query{
		{Subject: 3, Measured: data.Bytes(), Base: data.Bytes()},
		{Subject: 3, Args: []string{"-top", "-output=out", "-symbolize=none", "measured"}},
		{Subject: 3, Args: []string{"-top", "-output=out", "-symbolize=none", "-base=base", "measured"}},
		{Subject: 3, Args: []string{"-peek=nobody", "-output=out", "-symbolize=none", "measured"}},
		{Subject: 4, Args: []string{"-top", "-output=out", "-symbolize=none", "measured"}},
	} {
		if err := ask.Encode(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := serve(&in, &out); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(&out)
	for i, want := range []reply{
		{Out: []byte("5   100%   100%          5   100%  main.work\n")},
		{Out: []byte("Showing nodes accounting for 0")},
		{Error: "nobody"},
		{Error: "failed to fetch"},
	} {
		var a reply
		if err := answers.Decode(&a); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(a.Out), string(want.Out)) || !strings.Contains(a.Error, want.Error) || (a.Error == "") != (want.Error == "") {
			t.Errorf("answer %d: %q, %q", i, a.Out, a.Error)
		}
	}
	if err := serve(strings.NewReader("{"), &out); err == nil {
		t.Error("half a request is accepted")
	}
}
