package avatartest

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"whet/casebook/avatar"
)

// Run tests a stage.
func Run(t *testing.T, make New, traits Traits) {
	t.Run("requests", func(t *testing.T) { testRequests(t, make, traits) })
	t.Run("cache key", func(t *testing.T) { testCacheKey(t, make) })
	t.Run("face race", func(t *testing.T) { testFaceRace(t, make, traits) })
	t.Run("memory bound", func(t *testing.T) { testMemoryBound(t, make, traits) })
	t.Run("limits", func(t *testing.T) {
		t.Run("413", func(t *testing.T) { testTooLarge(t, make) })
		t.Run("slow body", func(t *testing.T) { testSlowBody(t, make) })
		t.Run("client has gone", func(t *testing.T) { testGone(t, make, traits) })
		t.Run("deadline", func(t *testing.T) { testDeadline(t, make) })
		t.Run("options", func(t *testing.T) { testOptions(t, make) })
	})
	t.Run("server", func(t *testing.T) { testServer(t, make, traits) })
	t.Run("log fails", func(t *testing.T) { testLogFails(t, make) })
	t.Run("answers are apart", func(t *testing.T) { testApart(t, make) })
	t.Run("draw", func(t *testing.T) { testDraw(t, make) })
}

// start makes a stage with the default options, but for what set changes.
func start(t testing.TB, make New, w io.Writer, set func(*avatar.Options)) avatar.Server {
	t.Helper()
	o := avatar.DefaultOptions(w)
	if set != nil {
		set(&o)
	}
	h, err := make(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Get builds a request; a method or body that is empty stands for GET and none.
func Get(method, path, query, body string) *http.Request {
	if method == "" {
		method = http.MethodGet
	}
	r := &http.Request{
		Method: method,
		URL:    &url.URL{Path: path, RawQuery: query},
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header),
		Body:   http.NoBody,
		Host:   "localhost",
	}
	if body != "" {
		r.Body = io.NopCloser(strings.NewReader(body))
		r.ContentLength = int64(len(body))
	}
	return r
}

func ask(h http.Handler, r *http.Request) *Recorder {
	w := NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// sized builds the request for a name at a size.
func sized(name string, size int) *http.Request {
	return Get("", avatar.Path+name, "size="+strconv.Itoa(size), "")
}

// testRequests asks for each row twice, the second time of a cache.
func testRequests(t *testing.T, make New, traits Traits) {
	for _, q := range requests {
		t.Run(q.what, func(t *testing.T) {
			log := new(Log)
			h := start(t, make, log, nil)
			var want []map[string]any
			for range 2 {
				w := ask(h, Get(q.method, q.path, q.query, q.body))
				if q.status != 0 {
					checkRefused(t, w.Status, w.header, q.status)
					continue
				}
				size := q.size
				if size == 0 {
					size = 16
				}
				checkAnswer(t, w, q.name, size)
				if traits.Logs {
					want = append(want, answered(q.name, size, w.Body.Len()))
				}
			}
			records := log.Records(t)
			if q.status != 0 {
				if checkRefusals(t, records, q.status); len(records) != 2 {
					t.Errorf("%d log records of 2 refusals", len(records))
				}
			} else if !slices.EqualFunc(records, want, maps.Equal) {
				t.Errorf("log has %v, want %v", records, want)
			}
		})
	}
}

// testCacheKey: what was drawn for one does not answer another who shares the
// initials, or the initials and the colour, or the whole name.
func testCacheKey(t *testing.T, make New) {
	same := []string{"Ann Lee", "Amy Low", "Abe Lang", "Al Lux", "ada lovelace", "A L"}
	colours := map[string]bool{}
	for _, name := range same {
		colours[Colour(name)] = true
	}
	if len(colours) < 3 {
		t.Fatalf("%q have %d colours: too few to tell them apart", same, len(colours))
	}
	h := start(t, make, io.Discard, nil)
	for range 2 {
		for _, size := range []int{16, 48, 17} {
			for _, name := range append(same, "A", "L A", "B L") {
				checkAnswer(t, ask(h, sized(name, size)), name, size)
			}
		}
	}
}

// testFaceRace: requests that draw at the same time do not mix up their
// letters, and each is answered and logged. The published service shared one
// face among all of them.
func testFaceRace(t *testing.T, make New, traits Traits) {
	const workers = 6
	names := Names(2, 8)
	log := new(Log)
	h := start(t, make, log, nil)
	answers := [workers][]*Recorder{}
	ask := func(i, j int) (string, int) { return names[(i+j)%len(names)], 16 + 8*(j%3) }
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for j := range 2 * len(names) {
				name, size := ask(i, j)
				w := NewRecorder()
				h.ServeHTTP(w, sized(name, size))
				answers[i] = append(answers[i], w)
			}
		})
	}
	wg.Wait()
	want := map[string]int{}
	for i, all := range answers {
		for j, w := range all {
			name, size := ask(i, j)
			checkAnswer(t, w, name, size)
			want[name]++
		}
	}
	got := map[string]int{}
	for _, r := range log.Records(t) {
		name, _ := r["name"].(string)
		got[name]++
	}
	if !traits.Logs {
		want = map[string]int{}
	}
	if !maps.Equal(got, want) {
		t.Errorf("logged are %v, want %v", got, want)
	}
}

// testMemoryBound: what is kept stays within its bound, whoever asks for what.
func testMemoryBound(t *testing.T, make New, traits Traits) {
	for _, limit := range []int64{0, 1, 1500, 10_000} {
		h := start(t, make, io.Discard, func(o *avatar.Options) { o.CacheBytes = limit })
		most := int64(0)
		for i, name := range Names(3, 40) {
			size := 16 + i
			if w := ask(h, sized(name, size)); i%8 == 0 {
				checkAnswer(t, w, name, size)
			}
			if n := h.Cached(); n < 0 || n > limit {
				t.Fatalf("%d bytes are kept after %d pictures, want at most %d", n, i+1, limit)
			} else {
				most = max(most, n)
			}
		}
		if fills := traits.Caches && limit >= 10_000; fills != (most > limit/4) && limit > 1500 {
			t.Errorf("at most %d bytes were kept, of %d that may be", most, limit)
		}
	}
}

// testServer goes through net/http, as a user does.
func testServer(t *testing.T, make New, traits Traits) {
	log := new(Log)
	mux := http.NewServeMux()
	mux.Handle(avatar.Path, start(t, make, log, nil))
	server := httptest.NewServer(mux)
	const name = "Jürgen  % ?"
	at := server.URL + Target(name) + "?size=24"

	r, err := server.Client().Get(at)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "image/png" || r.ContentLength != int64(len(data)) {
		t.Errorf("%s, Content-Type %q, Content-Length %d of %d bytes, %v", r.Status, r.Header.Get("Content-Type"), r.ContentLength, len(data), err)
	}
	CheckPicture(t, data, name, 24)

	head, err := server.Client().Head(at)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(head.Body)
	head.Body.Close()
	if err != nil || head.StatusCode != http.StatusOK || head.Header.Get("Content-Type") != "image/png" || head.ContentLength != int64(len(data)) || len(rest) != 0 {
		t.Errorf("HEAD: %s, Content-Type %q, Content-Length %d, want %d, body %q, %v", head.Status, head.Header.Get("Content-Type"), head.ContentLength, len(data), rest, err)
	}
	refused, err := server.Client().Get(server.URL + "/avatar/a%2Fb")
	if err != nil {
		t.Fatal(err)
	}
	refused.Body.Close()
	checkRefused(t, refused.StatusCode, refused.Header, bad)

	server.Close()
	records := log.Records(t)
	if traits.Logs {
		want := answered(name, 24, len(data))
		if len(records) != 3 || !maps.Equal(records[0], want) || !maps.Equal(records[1], want) {
			t.Fatalf("log has %v, want twice %v and a refusal", records, want)
		}
		records = records[2:]
	}
	if checkRefusals(t, records, bad); len(records) != 1 {
		t.Errorf("%d log records of a refusal", len(records))
	}
}

// full is a log on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// testLogFails: a visitor does not pay for a log that cannot be written.
func testLogFails(t *testing.T, make New) {
	h := start(t, make, full{}, nil)
	for range 2 {
		checkAnswer(t, ask(h, sized("Ann Lee", 16)), "Ann Lee", 16)
		w := ask(h, sized("Ann Lee", 1))
		checkRefused(t, w.Status, w.header, bad)
	}
}

// testApart: answers share no header. What one receiver does with its own does
// not show in another's.
func testApart(t *testing.T, make New) {
	h := start(t, make, io.Discard, nil)
	first := ask(h, sized("Ann Lee", 16))
	for _, name := range []string{"Content-Type", "Content-Length"} {
		first.header.Add(name, "added")
	}
	second := ask(h, sized("Ann Lee", 16))
	checkAnswer(t, second, "Ann Lee", 16)
	for _, name := range []string{"Content-Type", "Content-Length"} {
		second.header.Add(name, "second")
		if got := first.header[name]; len(got) != 2 || got[1] != "added" {
			t.Errorf("a later answer changed %s to %q", name, got)
		}
	}
}

// testDraw: Draw makes what a request is answered, and keeps nothing.
func testDraw(t *testing.T, make New) {
	h := start(t, make, io.Discard, nil)
	for _, name := range Names(4, 3) {
		data, err := h.Draw(context.Background(), picture(t, name, 40))
		if err != nil {
			t.Fatal(err)
		}
		CheckPicture(t, data, name, 40)
		if w := ask(h, sized(name, 40)); !slices.Equal(w.Body.Bytes(), data) {
			t.Errorf("Draw makes %d bytes for %q, a request is answered %d others", len(data), name, w.Body.Len())
		}
	}
	// Nothing is drawn for nobody, and nothing encoded.
	for asked := range 2 {
		ctx := &ends{Context: context.Background(), after: asked}
		if data, err := h.Draw(ctx, picture(t, "Ann", 40)); !errors.Is(err, context.Canceled) {
			t.Errorf("Draw for who goes when asked %d times gives %d bytes, %v", asked, len(data), err)
		}
	}
}

// ends is a context that has ended once it was asked a number of times.
type ends struct {
	context.Context
	after int
}

func (c *ends) Err() error {
	if c.after == 0 {
		return context.Canceled
	}
	c.after--
	return nil
}
