package load

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func answer(took time.Duration) *outcome { return &outcome{took: took, status: 200, bytes: 10} }

// Written out: a load of 2.5 s. Seconds: [0,1) two answers of 10 and 30 ms,
// [1,2) a refused connection, [2,2.5) a 503 of 5 ms and a timeout of 1 s.
func TestRecorderWrittenOut(t *testing.T) {
	const ms = time.Millisecond
	r := newRecorder(2500 * ms)
	r.done(epoch.Add(-ms), answer(ms)) // warm-up
	if n, failed := r.progress(); n != 1 || failed != 0 {
		t.Errorf("warm-up: %d requests, %d failed", n, failed)
	}
	r.begin(epoch)
	r.done(epoch.Add(-1), answer(ms)) // ended before the start
	r.done(epoch, answer(10*ms))
	r.done(epoch.Add(999*ms), answer(30*ms))
	r.done(epoch.Add(1500*ms), &outcome{took: ms, kind: Refused, err: errors.New("dial: refused\x1b[31m")})
	r.done(epoch.Add(2200*ms), &outcome{took: 5 * ms, status: 503, kind: Status5xx})
	r.done(epoch.Add(2499*ms), &outcome{took: time.Second, bytes: 7, kind: TimedOut, err: errTimeout})
	r.done(epoch.Add(2500*ms), answer(ms)) // the end
	if n, failed := r.progress(); n != 5 || failed != 3 {
		t.Errorf("%d requests, %d failed", n, failed)
	}
	r.end(epoch.Add(2510*ms), false)
	r.done(epoch.Add(2600*ms), answer(ms))
	got := r.finish()

	if got.Requests != 5 || got.Bytes != 27 || got.Answered() != 3 || got.Failed() != 3 || got.Throughput() != 3/2.5 || !got.End.Equal(epoch.Add(2500*ms)) {
		t.Errorf("%d requests, %d bytes, %d answered, %d failed, %v/s, end %v", got.Requests, got.Bytes, got.Answered(), got.Failed(), got.Throughput(), got.End)
	}
	if diff := cmp.Diff(map[string]int64{Refused: 1, Status5xx: 1, TimedOut: 1}, got.Errors); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{Refused: "dial: refused·[31m", Status5xx: "answered 503 Service Unavailable", TimedOut: "no answer within the timeout"}, got.Examples); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[int]int64{200: 2, 503: 1}, got.Status); diff != "" {
		t.Error(diff)
	}
	// Service times: 5, 10, 30 and 1,000 ms; the refused one took no service.
	if s := &got.Service; s.Count() != 4 || s.Min() != int64(5*ms) || s.Max() != int64(time.Second) || s.Mean() != float64(1045*ms)/4 {
		t.Errorf("%d service times, %d to %d, mean %v", s.Count(), s.Min(), s.Max(), s.Mean())
	}
	// Quantiles are the ends of buckets: of 10⁷ ns, 23 leading zeros and so
	// shift 16: 152·2¹⁶ = 9,961,472 to 153·2¹⁶ − 1 = 10,027,007; of 5·10⁶,
	// shift 15: 152·2¹⁵ to 153·2¹⁵ − 1 = 5,013,503. A maximum is exact.
	want := []Second{
		{Start: epoch, Length: time.Second, Requests: 2, P50: 10_027_007, P99: 30 * ms, Max: 30 * ms},
		{Start: epoch.Add(time.Second), Length: time.Second, Requests: 1, Errors: 1},
		{Start: epoch.Add(2 * time.Second), Length: 500 * ms, Requests: 2, Errors: 2, P50: 5_013_503, P99: time.Second, Max: time.Second},
	}
	if diff := cmp.Diff(want, got.Seconds); diff != "" {
		t.Error(diff)
	}
	if len(got.Answers) != 250 || got.Answers[0] != 1 || got.Answers[99] != 1 || got.Answers[220] != 1 {
		t.Errorf("bins: %v", got.Answers)
	}
}

// An interrupted load is as long as it came, and a load that ends in its
// warm-up measured nothing.
func TestRecorderInterrupted(t *testing.T) {
	r := newRecorder(time.Minute)
	r.begin(epoch)
	r.done(epoch.Add(1200*time.Millisecond), answer(time.Millisecond))
	r.end(epoch.Add(1500*time.Millisecond), true)
	got := r.finish()
	if !got.Interrupted || got.End.Sub(got.Start) != 1500*time.Millisecond || len(got.Seconds) != 2 || got.Seconds[1].Length != 500*time.Millisecond || len(got.Answers) != 150 {
		t.Errorf("%+v, %d bins", got.Seconds, len(got.Answers))
	}
	// Clients may have asked for the time behind whoever ends the load, and may
	// come to be counted in another order.
	r = newRecorder(time.Minute)
	r.begin(epoch)
	r.done(epoch.Add(1200*time.Millisecond), answer(time.Millisecond))
	r.done(epoch.Add(900*time.Millisecond), answer(time.Millisecond))
	r.end(epoch.Add(1100*time.Millisecond), true)
	if got := r.finish(); got.End.Sub(got.Start) != 1200*time.Millisecond+1 || got.Seconds[1].Requests != 2 {
		t.Errorf("%v, %+v", got.End.Sub(got.Start), got.Seconds)
	}
	r = newRecorder(time.Minute)
	r.done(epoch, answer(time.Millisecond))
	r.end(epoch, true)
	r.done(epoch, answer(time.Millisecond))
	got = r.finish()
	if !got.Interrupted || got.Requests != 0 || !got.End.Equal(got.Start) || len(got.Seconds) != 0 || got.Throughput() != 0 {
		t.Errorf("%+v", got)
	}
}

// Conservation: whatever ends when, seconds and bins add up to the whole, and
// cover the load without a gap.
func TestRecorderConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		duration := time.Duration(rapid.Int64Range(1, int64(4*time.Second)).Draw(t, "duration"))
		seed := rapid.Uint64().Draw(t, "seed")
		n := rapid.IntRange(0, 200).Draw(t, "requests")
		random := rand.New(rand.NewPCG(seed, 0))
		r := newRecorder(duration)
		r.begin(epoch)
		var requests, answers, failed int64
		for range n {
			at := time.Duration(random.Int64N(int64(duration) * 11 / 10))
			out := []*outcome{answer(1), {kind: Refused, err: errTimeout}, {kind: TimedOut, err: errTimeout}, {status: 500, kind: Status5xx}}[random.IntN(4)]
			r.done(epoch.Add(at), out)
			if at >= duration {
				continue
			}
			requests++
			if out.status != 0 {
				answers++
			}
			if out.kind != "" {
				failed++
			}
		}
		r.end(epoch.Add(duration), false)
		got := r.finish()
		var sum Second
		var bins, length int64
		for i, s := range got.Seconds {
			if !s.Start.Equal(epoch.Add(time.Duration(i) * time.Second)) {
				t.Fatalf("second %d starts at %v", i, s.Start)
			}
			sum.Requests += s.Requests
			sum.Errors += s.Errors
			length += int64(s.Length)
		}
		for _, b := range got.Answers {
			bins += int64(b)
		}
		if got.Requests != requests || sum.Requests != requests || sum.Errors != failed || got.Failed() != failed || bins != answers || got.Answered() != answers || length != int64(duration) {
			t.Fatalf("%d requests, %d failed, %d answers: %+v", requests, failed, answers, got)
		}
		if want := int((duration + Bin - 1) / Bin); len(got.Answers) != want {
			t.Fatalf("%d bins, want %d", len(got.Answers), want)
		}
	})
}

func TestLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a\r\nb\x00\xff", "a··b··"},
		{strings.Repeat("é", 300), strings.Repeat("é", 100) + "…"},
		{"x" + strings.Repeat("é", 300), "x" + strings.Repeat("é", 99) + "…"},
	} {
		if got := line(c.in); got != c.want {
			t.Errorf("line(%.20q) = %q", c.in, got)
		}
	}
}
