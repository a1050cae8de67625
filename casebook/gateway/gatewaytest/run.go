package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"whet/casebook/gateway"
)

// Run tests a stage against all that the gateway promises.
func Run(t *testing.T, make New) {
	t.Run("requests", func(t *testing.T) {
		for _, q := range requests {
			t.Run(q.what, func(t *testing.T) { testRequest(t, make, q) })
		}
	})
	t.Run("answers", func(t *testing.T) { testAnswers(t, make) })
	t.Run("methods", func(t *testing.T) { testMethods(t, make) })
	t.Run("body", func(t *testing.T) { testBody(t, make) })
	t.Run("session", func(t *testing.T) { testSession(t, make) })
	t.Run("health", func(t *testing.T) { testHealth(t, make) })
	t.Run("concurrent", func(t *testing.T) { testConcurrent(t, make) })
	t.Run("kept", func(t *testing.T) { testKept(t, make) })
	t.Run("apart", func(t *testing.T) { testApart(t, make) })
	t.Run("log fails", func(t *testing.T) { testLogFails(t, make) })
	t.Run("server", func(t *testing.T) { testServer(t, make) })
	t.Run("caller goes", func(t *testing.T) { testCallerGoes(t, make) })
	t.Run("slow body", func(t *testing.T) { testSlowBody(t, make) })
}

var session = regexp.MustCompile(`\A[A-Za-z0-9]{32}\z`)

// Seen is all that a stage shows of one request.
type Seen struct {
	Status   int
	Header   http.Header
	Envelope Envelope
	Calls    []gateway.Call
	Health   gateway.Health
}

// Show calls a new stage with one body.
func Show(t testing.TB, make New, body string, reply func(gateway.Call) (string, error)) Seen {
	t.Helper()
	var failure error // of the downstream
	down, log := new(Downstream), new(Log)
	if reply != nil {
		down.Reply = func(c gateway.Call) (text string, err error) {
			text, failure = reply(c)
			return text, failure
		}
	}
	h := make(down, log, Seeded(1))
	w := NewRecorder()
	from := time.Now()
	h.ServeHTTP(w, Request(body))
	seen := Seen{w.Status, w.header, ReadEnvelope(t, w.Body.String()), down.Calls(), h.Health()}
	records := log.Records(t)
	if len(records) != 1 {
		t.Fatalf("%d log records of one request", len(records))
	}
	var call gateway.Call
	if len(seen.Calls) > 0 {
		call = seen.Calls[0]
	}
	checkRecord(t, records[0], call, seen.Envelope, failure, from)
	return seen
}

func testRequest(t *testing.T, make New, q request) {
	seen := Show(t, make, q.body, nil)
	if q.refused != nil {
		checkRefused(t, seen.Status, seen.Header, seen.Envelope, q.refused)
		if len(seen.Calls) > 0 {
			t.Errorf("the downstream was called with %.300q", seen.Calls)
		}
	} else {
		checkAnswer(t, seen.Status, seen.Header, seen.Envelope, gateway.Answer)
		if len(seen.Calls) != 1 {
			t.Fatalf("the downstream was called %d times", len(seen.Calls))
		}
		CheckCall(t, seen.Calls[0], gateway.Call{Business: q.business, Qua: q.qua, Session: q.session}, Value(t, q.payload))
	}
	checkHealth(t, seen.Health, map[string]int64{fmt.Sprint(seen.Status): 1}, false)
	// The second implementation agrees with the table.
	want := Expect([]byte(q.body))
	if q.refused == nil {
		if len(want.Faults) > 0 || want.Call != (gateway.Call{Business: q.business, Qua: q.qua, Session: q.session}) || !reflect.DeepEqual(want.Payload, Value(t, q.payload)) {
			t.Errorf("by the rules it is %.300v", want)
		}
	} else if !slices.Contains(want.Faults, q.refused.(gateway.Refusal)) {
		t.Errorf("by the rules it is %.300v, want %v", want, q.refused)
	}
}

// CheckCall compares what the downstream got; a session "" is one that was made.
func CheckCall(t testing.TB, got, want gateway.Call, payload any) {
	t.Helper()
	if want.Session == "" && session.MatchString(got.Session) {
		want.Session = got.Session
	}
	if got.Business != want.Business || got.Qua != want.Qua || got.Session != want.Session {
		t.Errorf("the downstream was called with %.300q, want %.300q", got, want)
	}
	if !reflect.DeepEqual(Value(t, got.Payload), payload) {
		t.Errorf("the payload is %.300q, want %.300v", got.Payload, payload)
	}
}

func checkAnswer(t testing.TB, status int, header http.Header, e Envelope, payload string) {
	t.Helper()
	if want := (http.Header{"Content-Type": {"application/json"}}); status != http.StatusOK || !maps.EqualFunc(header, want, slices.Equal) {
		t.Errorf("answer has status %d and header %v, want 200 and %v", status, header, want)
	}
	if want := (Envelope{200, "ok", Value(t, payload)}); !reflect.DeepEqual(e, want) {
		t.Errorf("answer is %.300v, want %.300v", e, want)
	}
}

// checkRefused compares with a refusal, whose text its own test has.
func checkRefused(t testing.TB, status int, header http.Header, e Envelope, refused error) {
	t.Helper()
	r := refused.(gateway.Refusal)
	want := http.Header{"Content-Type": {"application/json"}}
	if r == gateway.WrongMethod {
		want.Set("Allow", "POST")
	}
	if status != r.Status() || !maps.EqualFunc(header, want, slices.Equal) || e != (Envelope{r.Status(), r.Error(), nil}) {
		t.Errorf("answered %d %v %v, want %d %v and %q", status, header, e, r.Status(), want, r)
	}
}

func testAnswers(t *testing.T, make New) {
	for _, a := range answers {
		t.Run(a.what, func(t *testing.T) {
			seen := Show(t, make, carrying(`1`), func(gateway.Call) (string, error) { return a.text, nil })
			if a.refused != nil {
				checkRefused(t, seen.Status, seen.Header, seen.Envelope, a.refused)
			} else {
				checkAnswer(t, seen.Status, seen.Header, seen.Envelope, a.text)
			}
			checkHealth(t, seen.Health, map[string]int64{fmt.Sprint(seen.Status): 1}, a.refused != nil)
		})
	}
	for err, want := range map[error]gateway.Refusal{
		errors.New("connection refused"): gateway.DownstreamFails,
		context.Canceled:                 gateway.DownstreamFails, // the caller is still there
		context.DeadlineExceeded:         gateway.DownstreamSlow,
		fmt.Errorf("call the downstream: %w", context.DeadlineExceeded): gateway.DownstreamSlow,
	} {
		// What comes with an error counts for nothing.
		seen := Show(t, make, carrying(`1`), func(gateway.Call) (string, error) { return gateway.Answer, err })
		checkRefused(t, seen.Status, seen.Header, seen.Envelope, want)
		checkHealth(t, seen.Health, map[string]int64{fmt.Sprint(want.Status()): 1}, true)
	}
}

func testMethods(t *testing.T, make New) {
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "post", ""} {
		down, log := new(Downstream), new(Log)
		h := make(down, log, Seeded(1))
		r := Request(carrying(`1`))
		r.Method = method
		w := NewRecorder()
		h.ServeHTTP(w, r)
		checkRefused(t, w.Status, w.header, ReadEnvelope(t, w.Body.String()), gateway.WrongMethod)
		if len(down.Calls()) > 0 || len(log.Records(t)) != 1 {
			t.Errorf("%s: %d calls and %d log records, want 0 and 1", method, len(down.Calls()), len(log.Writes))
		}
		checkHealth(t, h.Health(), map[string]int64{"405": 1}, false)
	}
}

// broken is a body that fails after its text.
type broken struct{ io.Reader }

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// testBody: a body's bounds, and that it does not matter how it arrives.
func testBody(t *testing.T, make New) {
	full := func(size int) string {
		b := carrying(`""`)
		return b[:len(b)-2] + strings.Repeat("x", size-len(b)) + b[len(b)-2:]
	}
	for _, size := range []int{511, 512, 513, 4095, 4096, 4097, 16<<10 - 1, 16 << 10, 16<<10 + 1, 128 << 10, 128<<10 + 8, 128<<10 + 9, 300_000, gateway.MaxBody - 1, gateway.MaxBody} {
		seen := Show(t, make, full(size), nil)
		checkAnswer(t, seen.Status, seen.Header, seen.Envelope, gateway.Answer)
	}
	for _, size := range []int{gateway.MaxBody + 1, gateway.MaxBody + 4096} {
		seen := Show(t, make, full(size), nil)
		checkRefused(t, seen.Status, seen.Header, seen.Envelope, gateway.TooLarge)
	}
	body := carrying(`{"a":"` + strings.Repeat("x", 3000) + `"}`)
	for what, in := range map[string]struct {
		body    io.Reader
		length  int64
		refused error
	}{
		"length not said":           {strings.NewReader(body), -1, nil},
		"length said to be less":    {strings.NewReader(body), 10, nil},
		"length said to be none":    {strings.NewReader(body), 0, nil},
		"length said to be more":    {strings.NewReader(body), 1 << 40, nil},
		"too large, said larger":    {strings.NewReader(full(gateway.MaxBody + 1)), 1 << 40, gateway.TooLarge},
		"too large, said small":     {strings.NewReader(full(gateway.MaxBody + 1)), 20_000, gateway.TooLarge},
		"byte by byte":              {oneByOne{strings.NewReader(body)}, int64(len(body)), nil},
		"byte by byte, not said":    {oneByOne{strings.NewReader(body)}, -1, nil},
		"end comes with the text":   {withEnd{strings.NewReader(body)}, int64(len(body)), nil},
		"breaks off":                {broken{strings.NewReader(body)}, int64(len(body)), gateway.Unread},
		"breaks off before":         {broken{strings.NewReader(body[:9])}, int64(len(body)), gateway.Unread},
		"too large, and not said":   {strings.NewReader(full(gateway.MaxBody + 1)), -1, gateway.TooLarge},
		"too large, broken, unsaid": {strings.NewReader(strings.Repeat("x", gateway.MaxBody+1)), -1, gateway.TooLarge},
		"no body":                   {nil, 0, gateway.NotJSON},
	} {
		r := Request("")
		r.Body, r.ContentLength = nil, in.length
		if in.body != nil {
			r.Body = io.NopCloser(in.body)
		}
		down := new(Downstream)
		h := make(down, new(Log), Seeded(1))
		w := NewRecorder()
		h.ServeHTTP(w, r)
		t.Run(what, func(t *testing.T) {
			if in.refused != nil {
				checkRefused(t, w.Status, w.header, ReadEnvelope(t, w.Body.String()), in.refused)
				return
			}
			checkAnswer(t, w.Status, w.header, ReadEnvelope(t, w.Body.String()), gateway.Answer)
			CheckCall(t, down.Calls()[0], gateway.Call{Business: "shop", Qua: "v=1", Session: "s"}, map[string]any{"a": strings.Repeat("x", 3000)})
		})
	}
}

type oneByOne struct{ io.Reader }

func (r oneByOne) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(1, len(p))]) }

// withEnd gives the last bytes and the end in one.
type withEnd struct{ *strings.Reader }

func (r withEnd) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == nil && r.Len() == 0 {
		err = io.EOF
	}
	return n, err
}

// testSession: an id is made where none is given, another one each time, out of
// the source that the stage was given.
func testSession(t *testing.T, make New) {
	made := func(seed int64) (ids []string) {
		down := new(Downstream)
		h := make(down, new(Log), Seeded(seed))
		for range 50 {
			h.ServeHTTP(NewRecorder(), Request(`{"header":{"businessName":"shop"}}`))
		}
		for _, c := range down.Calls() {
			ids = append(ids, c.Session)
		}
		return ids
	}
	one := made(1)
	for i, id := range one {
		if !session.MatchString(id) || slices.Contains(one[:i], id) {
			t.Errorf("session id %d is %q", i, id)
		}
	}
	if again := made(1); !slices.Equal(again, one) {
		t.Error("the same source gives other session ids")
	}
	if slices.Equal(made(2), one) {
		t.Error("another source gives the same session ids")
	}
}

// RunSession tests that each character of the alphabet is as likely as any
// other in each place. The source is always the same, so the test is not a
// matter of luck.
func RunSession(t *testing.T, id func(gateway.Random) string) {
	const n = 20_000
	random := Seeded(3)
	var count [gateway.SessionLength]map[byte]int
	seen := make(map[string]bool, n)
	for i := range count {
		count[i] = map[byte]int{}
	}
	for range n {
		s := id(random)
		if !session.MatchString(s) || seen[s] {
			t.Fatalf("session id %q", s)
		}
		seen[s] = true
		for i := range count {
			count[i][s[i]]++
		}
	}
	// A count has a mean of n/62 = 322.6 and, binomial, a standard deviation of
	// sqrt(n/62*61/62) = 17.8; one of 32*62 lies beyond five of these once in 900
	// runs.
	for i := range count {
		for j := range len(gateway.Alphabet) {
			if got := count[i][gateway.Alphabet[j]]; got < 323-5*18 || got > 323+5*18 {
				t.Errorf("%c stands in place %d of %d session ids in %d", gateway.Alphabet[j], i, got, n)
			}
		}
	}
}

func checkHealth(t testing.TB, got gateway.Health, answers map[string]int64, failing bool) {
	t.Helper()
	if !maps.Equal(got.Answers, answers) || got.Failing != failing || got.Service != "gateway" || got.Started.IsZero() || time.Since(got.Started) < 0 {
		t.Errorf("health is %+v, want answers %v and failing %t", got, answers, failing)
	}
	if !maps.Equal(got.Facts, gateway.Facts()) {
		t.Errorf("health has the facts %v, want %v", got.Facts, gateway.Facts())
	}
}

// testHealth: answers are counted by status, failing is what the downstream
// did last, whoever went away before it was done, and a record does not change
// once it is given out.
func testHealth(t *testing.T, make New) {
	var reply struct {
		text string
		err  error
	}
	down := &Downstream{Reply: func(gateway.Call) (string, error) { return reply.text, reply.err }}
	h := make(down, new(Log), Seeded(1))
	first := h.Health()
	checkHealth(t, first, map[string]int64{}, false)
	want := map[string]int64{}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, step := range []struct {
		caller     context.Context
		body, text string
		err        error
		status     string
		failing    bool
	}{
		{t.Context(), carrying(`1`), `1`, nil, "200", false},
		{t.Context(), `{`, `1`, nil, "400", false},
		{gone, carrying(`1`), ``, context.Canceled, "499", false},
		{gone, carrying(`1`), ``, fmt.Errorf("call the downstream: %w", context.Canceled), "499", false},
		{t.Context(), carrying(`1`), `x`, nil, "502", true},
		{gone, carrying(`1`), ``, context.Canceled, "499", true},
		{t.Context(), `{}`, `1`, nil, "400", true},
		{t.Context(), strings.Repeat(" ", gateway.MaxBody+1), `1`, nil, "413", true},
		{t.Context(), carrying(`1`), `1`, nil, "200", false},
		{t.Context(), carrying(`1`), ``, context.DeadlineExceeded, "504", true},
		{t.Context(), carrying(`1`), `1`, nil, "200", false},
		{gone, carrying(`1`), ``, context.DeadlineExceeded, "504", true},
		{t.Context(), carrying(`1`), `1`, nil, "200", false},
		{t.Context(), carrying(`1`), ``, context.Canceled, "502", true},
		{gone, carrying(`1`), `1`, nil, "200", false},
		{gone, carrying(`1`), ``, io.ErrUnexpectedEOF, "502", true},
		{t.Context(), carrying(`1`), `1`, nil, "200", false},
	} {
		before := h.Health()
		counts := maps.Clone(before.Answers)
		reply.text, reply.err = step.text, step.err
		h.ServeHTTP(NewRecorder(), Request(step.body).WithContext(step.caller))
		want[step.status]++
		checkHealth(t, h.Health(), want, step.failing)
		if !maps.Equal(before.Answers, counts) {
			t.Error("a record changed that was given out")
		}
		if got := h.Health().Started; !got.Equal(first.Started) {
			t.Errorf("started at %v, before that at %v", got, first.Started)
		}
	}
}

// testConcurrent: each answer goes to who asked, and counts are exact.
func testConcurrent(t *testing.T, make New) {
	const workers, rounds = 8, 40
	down := &Downstream{Reply: func(c gateway.Call) (string, error) {
		if strings.Contains(c.Payload, `"fails":true`) {
			return "", io.ErrUnexpectedEOF
		}
		return `{"for":"` + c.Business + `","echo":` + c.Payload + `}`, nil
	}}
	log := new(Log)
	h := make(down, log, Seeded(1))
	payload := func(i, j int) string {
		return fmt.Sprintf(`{"worker":%d,"round":%d,"text":"%s","fails":%t}`, i, j, strings.Repeat(fmt.Sprint(i), 20*(j+1)), (i+j)%5 == 0)
	}
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for j := range rounds {
				w := NewRecorder()
				if j%4 == 3 {
					h.ServeHTTP(w, Request(`{"header":`))
					checkRefused(t, w.Status, w.header, ReadEnvelope(t, w.Body.String()), gateway.NotJSON)
					h.Health()
					continue
				}
				h.ServeHTTP(w, Request(fmt.Sprintf(`{"header":{"businessName":"b%d","qua":{"z":"%d","a":"%d"}},"payload":%s}`, i, i, j, payload(i, j))))
				e := ReadEnvelope(t, w.Body.String())
				if (i+j)%5 == 0 {
					checkRefused(t, w.Status, w.header, e, gateway.DownstreamFails)
				} else {
					checkAnswer(t, w.Status, w.header, e, fmt.Sprintf(`{"for":"b%d","echo":%s}`, i, payload(i, j)))
				}
			}
		})
	}
	wg.Wait()

	sessions := map[string]bool{}
	calls := map[string]bool{}
	answered, failed, refused := int64(0), int64(0), int64(0)
	for _, c := range down.Calls() {
		sessions[c.Session] = true
		calls[c.Business+" "+c.Qua] = true
		var i, j int
		fmt.Sscanf(c.Business+" "+c.Qua, "b%d a=%d", &i, &j)
		CheckCall(t, c, gateway.Call{Business: fmt.Sprintf("b%d", i), Qua: fmt.Sprintf("a=%d&z=%d", j, i)}, Value(t, payload(i, j)))
	}
	for i := range workers {
		for j := range rounds {
			switch {
			case j%4 == 3:
				refused++
			case (i+j)%5 == 0:
				failed++
			default:
				answered++
			}
		}
	}
	if n := int(answered + failed); len(sessions) != n || len(calls) != n {
		t.Errorf("%d sessions and %d calls that differ, want %d", len(sessions), len(calls), n)
	}
	health := h.Health()
	checkHealth(t, health, map[string]int64{"200": answered, "502": failed, "400": refused}, health.Failing)
	if got := len(log.Records(t)); got != workers*rounds {
		t.Errorf("%d log records, want %d", got, workers*rounds)
	}
}

// testKept: what the downstream was given stays as it was, whatever comes
// after it.
func testKept(t *testing.T, make New) {
	down := new(Downstream)
	h := make(down, new(Log), Seeded(1))
	text := func(c byte) string { return strings.Repeat(string(c), 40) }
	for c := byte('a'); c <= 'z'; c++ {
		body := fmt.Sprintf(`{"header":{"businessName":"%s","qua":{"%s":"%s"},"sessionId":"%s"},"payload":"%s"}`, text(c), text(c), text(c), text(c), text(c))
		h.ServeHTTP(NewRecorder(), Request(body))
	}
	for i, got := range down.Calls() {
		s := text(byte('a' + i))
		if want := (gateway.Call{Business: s, Qua: s + "=" + s, Session: s, Payload: `"` + s + `"`}); got != want {
			t.Errorf("call %d has become %q, want %q", i, got, want)
		}
	}
}

// testApart: answers share no memory.
func testApart(t *testing.T, make New) {
	down := &Downstream{Reply: func(c gateway.Call) (string, error) { return c.Payload, nil }}
	h := make(down, new(Log), Seeded(1))
	first, second := NewRecorder(), NewRecorder()
	h.ServeHTTP(first, Request(carrying(`"one"`)))
	first.Header().Add("Content-Type", "first/added")
	h.ServeHTTP(second, Request(carrying(`"another"`)))
	checkAnswer(t, second.Status, second.header, ReadEnvelope(t, second.Body.String()), `"another"`)
	second.Header().Add("Content-Type", "second/added")
	if got, want := first.Header()["Content-Type"], []string{gateway.ContentType, "first/added"}; !slices.Equal(got, want) {
		t.Errorf("a later answer changed a header to %q, want %q", got, want)
	}
	if e := ReadEnvelope(t, first.Body.String()); e.Payload != "one" {
		t.Errorf("a later answer changed an earlier one to %v", e)
	}
}

// full is a log on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// testLogFails: a caller does not pay for a log that cannot be written.
func testLogFails(t *testing.T, make New) {
	h := make(new(Downstream), full{}, Seeded(1))
	w := NewRecorder()
	h.ServeHTTP(w, Request(carrying(`1`)))
	checkAnswer(t, w.Status, w.header, ReadEnvelope(t, w.Body.String()), gateway.Answer)
}
