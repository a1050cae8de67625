//go:build unix

package service

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whet/internal/analyze/compare"
	"whet/internal/load"
)

// response is the response of a handler to one path.
type response struct {
	status int
	header string // Content-Type
	body   string
}

func answers(t *testing.T, by map[string]response) string {
	return handler(t, func(w http.ResponseWriter, r *http.Request) {
		a := by[r.URL.Path]
		if a.header != "" {
			w.Header().Set("Content-Type", a.header)
		}
		if a.status > 0 {
			w.WriteHeader(a.status)
		}
		body, _ := io.ReadAll(r.Body)
		io.WriteString(w, a.body+string(body))
	})
}

// write puts text into a file.
func file(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "requests")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// onlyAnswers compares the answers of two addresses.
func onlyAnswers(t *testing.T, old, new, requests string, ignored ...string) *compare.Result {
	o := options(t, "", old, new)
	o.SameAnswers, o.AnswersOnly, o.Ignore = true, true, ignored
	if requests != "" {
		o.Requests = file(t, requests)
	}
	return proven(t, o)
}

const jsonType = "application/json"

func TestSameAnswers(t *testing.T) {
	old := answers(t, map[string]response{
		"/":       {body: "hello"},
		"/status": {status: 200}, "/type": {header: "text/plain", body: "x"},
		"/text": {body: "one two"}, "/longer": {body: "one"},
		"/json":  {header: jsonType, body: `{"a":1,"time":"12:00","items":[{"id":7,"t":1}]}`},
		"/plain": {body: `{"a":1.0}`}, "/broken": {header: jsonType, body: `{"a":1`},
		"/echo": {},
	})
	new := answers(t, map[string]response{
		"/":       {body: "hello"},
		"/status": {status: 404}, "/type": {header: "text/html", body: "x"},
		"/text": {body: "one\ttwo"}, "/longer": {body: "one and more"},
		"/json":  {header: "application/json; charset=utf-8", body: ` { "items":[{"t":2,"id":7.0}], "a":1, "time":"12:01"}`},
		"/plain": {body: `{"a":1}`}, "/broken": {header: jsonType, body: `{"a":2`},
		"/echo": {},
	})
	type D = compare.Difference
	for _, c := range []struct {
		requests string
		ignored  []string
		asked    int
		want     []D
	}{
		{"", nil, 1, nil},
		{"GET /\nPOST /echo {} {\"a\":1}\nGET /plain", nil, 3, nil},
		{"GET /status", nil, 1, []D{{Request: "GET /status", Where: "status", Old: "200", New: "404"}}},
		{"GET /type", nil, 1, []D{{Request: "GET /type", Where: "header Content-Type", Old: "text/plain", New: "text/html"}}},
		{"GET /text", nil, 1, []D{{Request: "GET /text", Where: "body at byte 4", Old: `" two"`, New: `"\ttwo"`}}},
		{"GET /longer", nil, 1, []D{{Request: "GET /longer", Where: "body at byte 4", Old: "(ends: 3 bytes)", New: `" and more"`}}},
		{"GET /broken", nil, 1, []D{{Request: "GET /broken", Where: "body at byte 6", Old: `"1"`, New: `"2"`}}},
		{"GET /json?x=y", []string{"**.t"}, 1, []D{
			{Request: "GET /json?x=y", Where: "header Content-Type", Old: jsonType, New: "application/json; charset=utf-8"},
			{Request: "GET /json?x=y", Where: "body.time", Old: `"12:00"`, New: `"12:01"`},
		}},
		{"GET /json", nil, 1, []D{
			{Request: "GET /json", Where: "header Content-Type", Old: jsonType, New: "application/json; charset=utf-8"},
			{Request: "GET /json", Where: "body.items.0.t", Old: "1", New: "2"},
			{Request: "GET /json", Where: "body.time", Old: `"12:00"`, New: `"12:01"`},
		}},
	} {
		res := onlyAnswers(t, old, new, c.requests, c.ignored...)
		if c.want == nil {
			c.want = []D{}
		}
		if d := cmp.Diff(c.want, res.Answers.Differences); d != "" || res.Answers.Requests != c.asked || res.Answers.Differing != min(len(c.want), 1) {
			t.Errorf("%q: %d asked, %d differ\n%s", c.requests, res.Answers.Requests, res.Answers.Differing, d)
		}
		if code := res.ExitCode(); code != min(len(c.want), 1) || len(res.Benchmarks) != 0 {
			t.Errorf("%q: exit %d, %s", c.requests, code, res.Verdict.Text)
		}
	}
}

// What is listed is bounded, and everything is counted.
func TestManyDifferences(t *testing.T) {
	old, new := answers(t, map[string]response{"/": {body: "a"}}), answers(t, map[string]response{"/": {body: "b"}})
	res := onlyAnswers(t, old, new, strings.Repeat("GET /\n", 57))
	if a := res.Answers; a.Requests != 57 || a.Differing != 57 || len(a.Differences) != mostDifferences {
		t.Errorf("%d asked, %d differ, %d listed", a.Requests, a.Differing, len(a.Differences))
	}
	if want := "answers differ: to 57 of 57 requests; GET /: body at byte 1: old \"a\", new \"b\""; res.Verdict.Text != want {
		t.Errorf("%q", res.Verdict.Text)
	}
}

// A field in which the old side differs from itself is reported as unsteady; one
// in which only the sides differ is not, and what may not be asked twice is not
// asked twice.
func TestUnsteady(t *testing.T) {
	var n, posts atomic.Int64
	side := func(version int) string {
		return handler(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "POST" {
				posts.Add(1)
			}
			w.Header().Set("Content-Type", jsonType)
			fmt.Fprintf(w, `{"count":%d,"version":%d}`, n.Add(1), version)
		})
	}
	res := onlyAnswers(t, side(1), side(2), "GET /\nPOST /")
	got := make(map[string]bool)
	for _, d := range res.Answers.Differences {
		got[d.Request+" "+d.Where] = d.Unsteady
	}
	want := map[string]bool{"GET / body.count": true, "GET / body.version": false, "POST / body.count": false, "POST / body.version": false}
	if d := cmp.Diff(want, got); d != "" || posts.Load() != 2 {
		t.Errorf("%d posts\n%s", posts.Load(), d)
	}
}

// Sides that answer differently are not measured; sides that answer alike are,
// unless nothing else was asked for. Commands are started for it, and ended.
func TestAnswersFirst(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := options(t, local, line("pid", "127.0.0.1:{port}"), line("quick", "127.0.0.1:{port}"))
	o.SameAnswers = true
	res := proven(t, o)
	if res.ExitCode() != 1 || res.Verdict.Kind != compare.AnswersDiffer || len(res.Benchmarks) != 0 || res.RoundsMeasured != 0 {
		t.Errorf("exit %d, %+v", res.ExitCode(), res.Verdict)
	}
	if a := res.Answers; a.Differing != 1 || a.Differences[0].Where != "body at byte 1" || a.Differences[0].Request != "GET of the address" {
		t.Errorf("%+v", a)
	}
	o.Old = o.New
	if res := proven(t, o); len(res.Benchmarks) == 0 || res.Answers.Differing != 0 || !strings.HasPrefix(res.Verdict.Text, "the same answers to 1 request; ") {
		t.Errorf("%+v", res.Verdict)
	}
}

// A side that does not answer is no difference but an error, named with its
// request.
func TestAnswersFail(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	fine := handler(t, ok)
	bad := handler(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hang":
			<-r.Context().Done()
		case "/abort":
			panic(http.ErrAbortHandler)
		}
	})
	for path, want := range map[string]string{"/hang": "no answer within 3s", "/abort": "connection reset"} {
		o := options(t, "", fine, bad)
		o.SameAnswers, o.Load.Timeout = true, 3*time.Second // the other side has as long to answer
		o.Requests = file(t, "GET "+path)
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "new side: request 1, GET "+path+": ask ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	o := options(t, local, line("quick", "127.0.0.1:{port}"), line("crashes", "127.0.0.1:{port}"))
	o.SameAnswers, o.Requests = true, file(t, strings.Repeat("GET /\n", 100))
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "new side: request 2") || !strings.Contains(err.Error(), `out of luck"`) {
		t.Errorf("%v", err)
	}
	o.Requests = file(t, "nonsense")
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("%v", err)
	}
}

// Of bodies that are longer than what is kept, the digests decide.
func TestLongBodies(t *testing.T) {
	body := bytes.Repeat([]byte("x"), load.MaxResponseBody)
	side := func(end string) string {
		return handler(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", jsonType) // which such a body cannot be read as
			w.Write(body)
			io.WriteString(w, end)
		})
	}
	old := side("a")
	if res := onlyAnswers(t, old, side("a"), ""); res.ExitCode() != 0 {
		t.Errorf("%s", res.Verdict.Text)
	}
	res := onlyAnswers(t, old, side("b"), "")
	if d := res.Answers.Differences; len(d) != 1 || d[0].Where != fmt.Sprintf("body at byte %d", load.MaxResponseBody+1) || !strings.HasPrefix(d[0].Old, fmt.Sprintf("%d bytes, sha256 ", load.MaxResponseBody+1)) || d[0].Old == d[0].New {
		t.Errorf("%+v", d)
	}
}
