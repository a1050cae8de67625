package visitstest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"whet/casebook/visits"
)

// Run tests a stage.
func Run(t *testing.T, make New, parse Parse) {
	t.Run("requests", func(t *testing.T) {
		for _, q := range requests {
			t.Run(q.what, func(t *testing.T) { testRequest(t, make, parse, q) })
		}
	})
	t.Run("counts", func(t *testing.T) { testCounts(t, make, parse) })
	t.Run("requests used twice", func(t *testing.T) { testTwice(t, make) })
	t.Run("concurrent", func(t *testing.T) { testConcurrent(t, make, parse) })
	t.Run("server", func(t *testing.T) { testServer(t, make, parse) })
	t.Run("log fails", func(t *testing.T) { testLogFails(t, make) })
	t.Run("answers are apart", func(t *testing.T) { testApart(t, make) })
}

// Request builds the request of a row or of a fuzz input; a body that is
// empty stands for none.
func Request(method, query, contentType, body string) *http.Request {
	r := template()
	if method != "" {
		r.Method = method
	}
	r.URL.RawQuery = query
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if body != "" {
		r.Body = io.NopCloser(strings.NewReader(body))
		r.ContentLength = int64(len(body))
	}
	return r
}

func (q request) request() *http.Request {
	return Request(q.method, q.query, q.contentType, q.body)
}

func testRequest(t *testing.T, make New, parse Parse, q request) {
	log := new(Log)
	h := make(log)
	for count := 1; count <= 2; count++ {
		w := NewRecorder()
		from := time.Now()
		h.ServeHTTP(w, q.request())
		to := time.Now()
		if q.status != 0 {
			checkRefused(t, w.Status, w.header, q.status)
			if n := len(log.Writes); n != 0 {
				t.Errorf("a request that was refused left %d log records", n)
			}
			continue
		}
		checkAnswer(t, w, q.name, q.colour, count)
		if got := h.Count(q.name); got != count {
			t.Errorf("Count is %d after visit %d", got, count)
		}
		records := log.Records(t, parse)
		if len(records) != count {
			t.Fatalf("%d log records after %d visits", len(records), count)
		}
		checkRecord(t, records[count-1], q.name, count, from, to)
	}
}

func checkAnswer(t testing.TB, w *Recorder, name, colour string, count int) {
	t.Helper()
	if w.Status != http.StatusOK {
		t.Errorf("status %d, want 200", w.Status)
	}
	if want := (http.Header{"Content-Type": {"text/html; charset=utf-8"}}); !maps.EqualFunc(w.header, want, slices.Equal) {
		t.Errorf("headers %v, want %v", w.header, want)
	}
	if got, want := w.Body.String(), body(name, colour, count); got != want {
		t.Errorf("answer is %.300q, want %.300q", got, want)
	}
}

func checkRefused(t testing.TB, got int, header http.Header, status int) {
	t.Helper()
	if got != status {
		t.Errorf("status %d, want %d", got, status)
	}
	if got := header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
		t.Errorf("Content-Type of a refusal is %q", got)
	}
	wantAllow := ""
	if status == http.StatusMethodNotAllowed {
		wantAllow = "GET, POST"
	}
	if got := header.Get("Allow"); got != wantAllow {
		t.Errorf("Allow is %q, want %q", got, wantAllow)
	}
}

// testCounts: names are counted apart, by their value and not their spelling.
func testCounts(t *testing.T, make New, parse Parse) {
	log := new(Log)
	h := make(log)
	steps := []struct {
		query, name string
		count       int
	}{
		{"name=Ann", "Ann", 1}, {"name=Bob", "Bob", 1}, {"name=ann", "ann", 1},
		{"name=An%6e", "Ann", 2}, {"name=Ann+", "Ann ", 1}, {"color=red&name=Ann", "Ann", 3},
		{"name=Bob", "Bob", 2}, {"name=%41nn&name=Bob", "Ann", 4},
	}
	for i, s := range steps {
		w := NewRecorder()
		h.ServeHTTP(w, Request("", s.query, "", ""))
		if !strings.Contains(w.Body.String(), fmt.Sprintf("<p>Count: %d</p>", s.count)) {
			t.Errorf("step %d, %s: answer is %q, want count %d", i, s.query, w.Body.String(), s.count)
		}
	}
	for name, want := range map[string]int{"Ann": 4, "Bob": 2, "ann": 1, "Ann ": 1, "nobody": 0, "": 0} {
		if got := h.Count(name); got != want {
			t.Errorf("Count(%q) is %d, want %d", name, got, want)
		}
	}
	for i, r := range log.Records(t, parse) {
		if r.Fields["name"] != steps[i].name || r.Fields["count"] != fmt.Sprint(steps[i].count) {
			t.Errorf("record %d is %v, want name %q and count %d", i, r.Fields, steps[i].name, steps[i].count)
		}
	}
}

// testTwice: a request that was already served, or parsed by somebody else,
// gives the same answer.
func testTwice(t *testing.T, make New) {
	for _, q := range requests {
		if q.status != 0 {
			continue
		}
		h := make(new(sink))
		r := q.request()
		for count := 1; count <= 2; count++ {
			w := NewRecorder()
			h.ServeHTTP(w, r)
			checkAnswer(t, w, q.name, q.colour, count)
		}
	}
	h := make(new(sink))
	parsed := Request("", "name=Query&color=red", "", "")
	parsed.Form = url.Values{"name": {"Form"}}
	w := NewRecorder()
	h.ServeHTTP(w, parsed)
	checkAnswer(t, w, "Form", "black", 1)

	posted := Request("", "name=Query&color=red", "", "")
	posted.PostForm = url.Values{"name": {"Post"}}
	w = NewRecorder()
	h.ServeHTTP(w, posted)
	checkAnswer(t, w, "Post", "red", 1)

	bare := &http.Request{Method: http.MethodGet}
	w = NewRecorder()
	h.ServeHTTP(w, bare)
	checkRefused(t, w.Status, w.header, http.StatusBadRequest)

	bare = Request("POST", "name=Ann", form, "")
	bare.Body = nil
	w = NewRecorder()
	h.ServeHTTP(w, bare)
	checkAnswer(t, w, "Ann", "black", 1)
}

// testConcurrent: each count of a name is given out once, and logged once.
func testConcurrent(t *testing.T, make New, parse Parse) {
	const workers, rounds = 8, 100
	names := []string{"Ann", "Bob", "<&>", "Jürgen\n", "E=\"m\""}
	log := new(Log)
	h := make(log)
	answers := [workers][]string{}
	from := time.Now()
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for j := range rounds {
				for _, name := range names {
					r := Request("", "color=red&name="+url.QueryEscape(name), "", "")
					if (i+j)%2 == 1 {
						r = Request("POST", "color=red", form, "name="+url.QueryEscape(name))
					}
					w := NewRecorder()
					h.ServeHTTP(w, r)
					answers[i] = append(answers[i], w.Body.String())
				}
			}
		})
	}
	wg.Wait()
	to := time.Now()

	want := map[string]int{} // answers left to be given
	for _, name := range names {
		if got := h.Count(name); got != workers*rounds {
			t.Errorf("Count(%q) is %d, want %d", name, got, workers*rounds)
		}
		for count := range workers * rounds {
			want[body(name, "red", count+1)] = 1
		}
	}
	for _, a := range slices.Concat(answers[:]...) {
		if want[a]--; want[a] != 0 {
			t.Fatalf("answer was given twice or is wrong: %q", a)
		}
	}
	logged := map[string][workers*rounds + 1]bool{}
	records := log.Records(t, parse)
	for _, r := range records {
		var count int
		if _, err := fmt.Sscan(r.Fields["count"], &count); err != nil || count < 1 || count > workers*rounds {
			t.Fatalf("record has count %q", r.Fields["count"])
		}
		name := r.Fields["name"]
		seen := logged[name]
		if seen[count] || !slices.Contains(names, name) {
			t.Fatalf("record of name %q and count %d stands there twice or is wrong", name, count)
		}
		seen[count] = true
		logged[name] = seen
		checkRecord(t, r, name, count, from, to)
	}
	if len(records) != workers*rounds*len(names) {
		t.Errorf("%d log records, want %d", len(records), workers*rounds*len(names))
	}
}

// testServer goes through net/http, as a user does.
func testServer(t *testing.T, make New, parse Parse) {
	log := new(Log)
	h := make(log)
	mux := http.NewServeMux()
	mux.Handle(visits.Path, h)
	server := httptest.NewServer(mux)
	from := time.Now()

	get := func(r *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != visits.ContentType || r.ContentLength != int64(len(b)) {
			t.Errorf("status %d, Content-Type %q, Content-Length %d of %d bytes", r.StatusCode, r.Header.Get("Content-Type"), r.ContentLength, len(b))
		}
		return string(b)
	}
	at := server.URL + visits.Path
	values := url.Values{"name": {"Jürgen <&>"}, "color": {"#0af"}}
	if got, want := get(server.Client().Get(at+"?"+values.Encode())), body("Jürgen <&>", "#0af", 1); got != want {
		t.Errorf("GET answers %q, want %q", got, want)
	}
	if got, want := get(server.Client().PostForm(at, values)), body("Jürgen <&>", "#0af", 2); got != want {
		t.Errorf("POST answers %q, want %q", got, want)
	}
	refused, err := server.Client().Head(at + "?name=Ann")
	if err != nil {
		t.Fatal(err)
	}
	refused.Body.Close()
	checkRefused(t, refused.StatusCode, refused.Header, http.StatusMethodNotAllowed)

	server.Close()
	to := time.Now()
	records := log.Records(t, parse)
	if len(records) != 2 {
		t.Fatalf("%d log records after 2 visits", len(records))
	}
	for i, r := range records {
		checkRecord(t, r, "Jürgen <&>", i+1, from, to)
	}
}

// full is a log on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// testLogFails: a visitor does not pay for a log that cannot be written.
func testLogFails(t *testing.T, make New) {
	h := make(full{})
	for count := 1; count <= 2; count++ {
		w := NewRecorder()
		h.ServeHTTP(w, Request("", "name=Ann&color=red", "", ""))
		checkAnswer(t, w, "Ann", "red", count)
	}
}

// testApart: answers share no memory. What one receiver does with its header
// does not show in another's.
func testApart(t *testing.T, make New) {
	h := make(new(sink))
	first, second := NewRecorder(), NewRecorder()
	h.ServeHTTP(first, Request("", "name=Ann&color=red", "", ""))
	first.Header().Add("Content-Type", "first/added")
	h.ServeHTTP(second, Request("", "name=A%20longer%20name%20than%20before&color=white", "", ""))
	checkAnswer(t, second, "A longer name than before", "white", 1)
	second.Header().Add("Content-Type", "second/added")
	if got, want := first.Header()["Content-Type"], []string{visits.ContentType, "first/added"}; !slices.Equal(got, want) {
		t.Errorf("a later answer changed a header to %q, want %q", got, want)
	}
	first.Header().Set("Content-Type", "first/set")
	if got, want := second.Header()["Content-Type"], []string{visits.ContentType, "second/added"}; !slices.Equal(got, want) {
		t.Errorf("an earlier answer changed a header to %q, want %q", got, want)
	}
	if got, want := first.Body.String(), body("Ann", "red", 1); got != want {
		t.Errorf("a later visit changed an answer to %q, want %q", got, want)
	}
}

// hang is when a test gives up on a deadlock. No passing test waits for it.
const hang = 20 * time.Second

// RunUnlocked tests what the last stages promise beyond the others: the count
// is not locked while a record or an answer is written.
func RunUnlocked(t *testing.T, make New) {
	var h visits.Counter
	inLog, inAnswer := 0, 0
	h = make(&locked{fn: func([]byte) { inLog = h.Count("Ann") }})
	w := writer{NewRecorder(), func() { inAnswer = h.Count("Ann") }}
	select {
	case <-after(func() { h.ServeHTTP(w, Request("", "name=Ann", "", "")) }):
	case <-time.After(hang):
		t.Fatal("the count is locked while the record or the answer is written")
	}
	if inLog != 1 || inAnswer != 1 {
		t.Errorf("count is %d while the record and %d while the answer is written, want 1 and 1", inLog, inAnswer)
	}
}

// after runs f and closes the channel when it has returned.
func after(f func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	return done
}

type writer struct {
	http.ResponseWriter
	before func()
}

func (w writer) Write(b []byte) (int, error) {
	w.before()
	return w.ResponseWriter.Write(b)
}
