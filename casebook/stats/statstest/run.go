package statstest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"whet/casebook/stats"
)

// Run tests a stage.
func Run(t *testing.T, make New) {
	t.Run("names", func(t *testing.T) { testNames(t, make) })
	t.Run("white space that the published byte loop left", func(t *testing.T) { testWhiteSpace(t, make) })
	t.Run("every byte in every tag", func(t *testing.T) { testBytes(t, make) })
	t.Run("generated names", func(t *testing.T) { testGenerated(t, make) })
	t.Run("names are apart", func(t *testing.T) { testApart(t, make) })
	t.Run("requests", func(t *testing.T) {
		for _, q := range requests {
			t.Run(q.what, func(t *testing.T) { testRequest(t, make, q) })
		}
	})
	t.Run("times", func(t *testing.T) { testTimes(t, make) })
	t.Run("concurrent counts", func(t *testing.T) { testCounts(t, make) })
	t.Run("concurrent times", func(t *testing.T) { testConcurrentTimes(t, make) })
	t.Run("server", func(t *testing.T) { testServer(t, make) })
	t.Run("print", func(t *testing.T) { testPrint(t, make) })
	t.Run("print fails", func(t *testing.T) { testPrintFails(t, make) })
}

func quiet() *stats.Ledger { return stats.NewLedger(stats.Options{}) }

func testNames(t *testing.T, make New) {
	h := make(quiet())
	for _, n := range names {
		for _, empty := range []bool{false, true} {
			if got := h.Name("recv", n.set(empty)); got != n.want {
				t.Errorf("%s: name is %.200q, want %.200q", n.what, got, n.want)
			}
		}
		if got := Want("recv", n.set(false)); got != n.want {
			t.Errorf("%s: Want is %.200q, want %.200q", n.what, got, n.want)
		}
	}
	if got, want := h.Name("a.b {c}", nil), "a.b {c}.no-endpoint.no-os.no-browser"; got != want {
		t.Errorf("name is %q, want %q: the metric stays as it is", got, want)
	}
	if got, want := h.Name("", nil), ".no-endpoint.no-os.no-browser"; got != want {
		t.Errorf("name is %q, want %q", got, want)
	}
}

// testWhiteSpace is about what was published for the regular expression: a
// loop that knew space and tab, so that a visitor could end a record's line.
func testWhiteSpace(t *testing.T, make New) {
	h := make(quiet())
	for _, space := range []string{"\n", "\r", "\f", "\t", " "} {
		tags := stats.Tags{"host": space, "endpoint": "a" + space + "b", "os": space + "c", "browser": "d" + space}
		if got, want := h.Name("recv", tags), "recv.-.a-b.-c.d-"; got != want {
			t.Errorf("name with %q is %q, want %q", space, got, want)
		}
	}
}

func testBytes(t *testing.T, make New) {
	h := make(quiet())
	for _, tag := range []string{"host", "endpoint", "os", "browser"} {
		for c := range 256 {
			value := "x" + string([]byte{byte(c)}) + "y"
			clean := value
			if strings.IndexByte("{}/\\:.\t\n\f\r ", byte(c)) >= 0 {
				clean = "x-y"
			}
			tags := stats.Tags{"host": "(h)", "endpoint": "(e)", "os": "(o)", "browser": "(b)"}
			want := strings.Replace("recv.(h).(e).(o).(b)", tags[tag], clean, 1)
			tags[tag] = value
			if got := h.Name("recv", tags); got != want {
				t.Errorf("name with byte %#x in %s is %q, want %q", c, tag, got, want)
			}
		}
	}
}

func testGenerated(t *testing.T, make New) {
	h := make(quiet())
	for _, tags := range TagSets(1, 500) {
		if got, want := h.Name("recv", tags), Want("recv", tags); got != want {
			t.Errorf("name of %q is %q, want %q", tags, got, want)
		}
	}
}

// testApart: a name shares no memory with later ones, or with its tags' map.
func testApart(t *testing.T, make New) {
	const workers, rounds = 8, 200
	h := make(quiet())
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			sets := TagSets(uint64(i), rounds)
			got := [rounds]string{}
			for j, tags := range sets {
				got[j] = h.Name("recv", tags)
			}
			for j, tags := range sets {
				if want := Want("recv", tags); got[j] != want {
					t.Errorf("a name became %q, want %q", got[j], want)
				}
			}
		})
	}
	wg.Wait()
}

// recv returns a name as requests to this machine are counted under.
func recv(t testing.TB, rest ...string) string {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{"recv"}
	if host != "" {
		parts = append(parts, dashes.Replace(host))
	}
	return strings.Join(append(parts, rest...), ".")
}

func testRequest(t *testing.T, make New, q request) {
	ledger := quiet()
	h := make(ledger)
	want := map[string]int{}
	for count := 1; count <= 2; count++ {
		w := NewRecorder()
		h.ServeHTTP(w, Request(q.method, q.path, q.agent))
		if q.status != 0 {
			if w.Status != q.status {
				t.Errorf("status %d, want %d", w.Status, q.status)
			}
			continue
		}
		checkAnswer(t, w)
		if q.endpoint != "" {
			want[recv(t, q.endpoint, q.system, q.browser)] = count
		}
	}
	checkCounts(t, ledger, want)
}

func checkAnswer(t testing.TB, w *Recorder) {
	t.Helper()
	if w.Status != http.StatusOK || w.Body.String() != "Hello VIP!" || len(w.header) != 0 {
		t.Errorf("status %d, headers %v and answer %.100q, want 200, none and the greeting", w.Status, w.header, w.Body.String())
	}
}

func checkCounts(t testing.TB, ledger *stats.Ledger, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for name, total := range ledger.Totals() {
		got[name] = total.Count
		if total.Took < 0 {
			t.Errorf("%s took %v", name, total.Took)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("counts are %v, want %v", got, want)
	}
}

// testTimes: the time of a request is that of its answer, to the nanosecond.
func testTimes(t *testing.T, make New) {
	var clock time.Duration
	ledger := stats.NewLedger(stats.Options{Now: func() time.Duration { return clock }})
	h := make(ledger)
	want := map[string]stats.Total{}
	for i, agent := range Agents(1, 100) {
		step := time.Duration(i * i * 1001)
		w := NewRecorder()
		w.before = func() { clock += step }
		h.ServeHTTP(w, Request("GET", "/advance/times", agent.Text))
		clock += time.Hour // between requests

		name := Want(recv(t), stats.Tags{"endpoint": "times", "os": agent.System, "browser": agent.Browser})
		total := want[name]
		total.Count++
		total.Took += step
		want[name] = total
	}
	if got := ledger.Totals(); !maps.Equal(got, want) {
		t.Errorf("totals are %v, want %v", got, want)
	}
}

// testCounts: each of many requests is counted once.
func testCounts(t *testing.T, make New) {
	const workers, rounds = 8, 150
	ledger := quiet()
	h := make(ledger)
	agents, paths := Agents(7, rounds), Paths(7, rounds)
	want := map[string]int{}
	for i := range rounds {
		endpoint, _ := stats.Endpoint(paths[i])
		want[Want(recv(t), stats.Tags{"endpoint": endpoint, "os": agents[i].System, "browser": agents[i].Browser})] += workers
	}
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for i := range rounds {
				i = (i + worker*rounds/workers) % rounds // each begins elsewhere
				w := NewRecorder()
				h.ServeHTTP(w, Request("GET", paths[i], agents[i].Text))
				checkAnswer(t, w)
				h.ServeHTTP(NewRecorder(), Request("GET", "/simple", agents[i].Text))
			}
		})
	}
	wg.Wait()
	checkCounts(t, ledger, want)
}

// meeting lets goroutines wait for one another, again and again.
type meeting struct {
	mu      sync.Mutex
	all     sync.Cond
	size    int
	waiting int
	held    int // meetings so far
}

func newMeeting(size int) *meeting {
	m := &meeting{size: size}
	m.all.L = &m.mu
	return m
}

// meet returns when all have come; the last to come calls f before.
func (m *meeting) meet(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting++
	if m.waiting == m.size {
		f()
		m.waiting = 0
		m.held++
		m.all.Broadcast()
		return
	}
	for now := m.held; now == m.held; {
		m.all.Wait()
	}
}

// testConcurrentTimes: requests that are answered at the same time are timed
// apart, to the nanosecond. The clock moves while all of them are being
// answered, and stands still until all of them are done.
func testConcurrentTimes(t *testing.T, make New) {
	const workers, rounds = 8, 40
	var clock atomic.Int64
	ledger := stats.NewLedger(stats.Options{Now: func() time.Duration { return time.Duration(clock.Load()) }})
	h := make(ledger)
	all := newMeeting(workers)
	var sum time.Duration
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for round := range rounds {
				w := NewRecorder()
				w.before = func() {
					all.meet(func() {
						clock.Add(int64(1 + 1000*round))
						sum += time.Duration(1 + 1000*round)
					})
				}
				// Two workers share each name.
				h.ServeHTTP(w, Request("GET", "/advance/"+strconv.Itoa(worker/2), ""))
				all.meet(func() {})
			}
		})
	}
	wg.Wait()
	want := map[string]stats.Total{}
	for i := range workers / 2 {
		want[recv(t, strconv.Itoa(i), "no-os", "no-browser")] = stats.Total{Count: 2 * rounds, Took: 2 * sum}
	}
	if got := ledger.Totals(); !maps.Equal(got, want) {
		t.Errorf("totals are %v, want %v", got, want)
	}
	if sum != rounds+1000*rounds*(rounds-1)/2 {
		t.Errorf("the clock moved by %v", sum)
	}
}

// testServer goes through net/http, as a user does.
func testServer(t *testing.T, make New) {
	ledger := quiet()
	mux := http.NewServeMux()
	h := make(ledger)
	for _, path := range []string{stats.SimplePath, stats.AdvancePath, stats.AdvancePath + "/"} {
		mux.Handle(path, h)
	}
	server := httptest.NewServer(mux)
	for _, path := range []string{"/simple", "/advance", "/advance", "/advance/a%0Ab%2Ec?x=/d", "/advance/x%2Fy"} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("User-Agent", firefox)
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || string(body) != "Hello VIP!" {
			t.Errorf("%s is answered %s: %q, %v", path, answer.Status, body, err)
		}
		if got := answer.Header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
			t.Errorf("%s has Content-Type %q", path, got)
		}
	}
	server.Close() // after which all are counted
	checkCounts(t, ledger, map[string]int{
		recv(t, "advance", "Linux", "Firefox"): 2,
		recv(t, "a-b-c", "Linux", "Firefox"):   1,
		recv(t, "y", "Linux", "Firefox"):       1,
	})
}

// printed keeps each record; like most writers it is not safe for concurrent
// use, and notices when that happens.
type printed struct {
	records []string
	busy    atomic.Bool
	overlap atomic.Bool
}

func (p *printed) Write(b []byte) (int, error) {
	if !p.busy.CompareAndSwap(false, true) {
		p.overlap.Store(true)
		return 0, errors.New("two records are printed at once")
	}
	p.records = append(p.records, string(b))
	p.busy.Store(false)
	return len(b), nil
}

// testPrint: each record is a line, and the lines add up to the totals.
func testPrint(t *testing.T, make New) {
	const workers, rounds = 8, 50
	out := new(printed)
	ledger := stats.NewLedger(stats.Options{Print: out})
	h := make(ledger)
	var wg sync.WaitGroup
	for worker := range workers {
		agents := Agents(uint64(worker), rounds)
		wg.Go(func() {
			for i, agent := range agents {
				h.ServeHTTP(NewRecorder(), Request("GET", fmt.Sprintf("/advance/\x1b\"%d", i%5), agent.Text))
				h.ServeHTTP(NewRecorder(), Request("GET", "/simple", agent.Text))
			}
		})
	}
	wg.Wait()
	if out.overlap.Load() {
		t.Error("two records were printed at once")
	}
	got := map[string]stats.Total{}
	for _, record := range out.records {
		var name string
		var took int64
		if n, err := fmt.Sscanf(record, "name=%q took_ns=%d\n", &name, &took); n != 2 || err != nil {
			t.Fatalf("record %q: %v", record, err)
		}
		if strings.Count(record, "\n") != 1 || strings.Contains(record, "\x1b") {
			t.Errorf("record is not one plain line: %q", record)
		}
		total := got[name]
		total.Count++
		total.Took += time.Duration(took)
		got[name] = total
	}
	if want := ledger.Totals(); !maps.Equal(got, want) {
		t.Errorf("records add up to %v, want %v", got, want)
	}
	if len(out.records) != workers*rounds {
		t.Errorf("%d records, want %d", len(out.records), workers*rounds)
	}
}

// full is a standard output on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// testPrintFails: a visitor does not pay for a record that cannot be printed,
// and the request is counted.
func testPrintFails(t *testing.T, make New) {
	ledger := stats.NewLedger(stats.Options{Print: full{}})
	h := make(ledger)
	w := NewRecorder()
	h.ServeHTTP(w, Request("GET", "/advance", ""))
	checkAnswer(t, w)
	checkCounts(t, ledger, map[string]int{recv(t, "advance", "no-os", "no-browser"): 1})
}
