package read

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/wall"
	"whet/internal/format/exectrace"
	loadformat "whet/internal/format/load"
	"whet/internal/recording"
)

// TestServedBy: the request whose sides lie nearest is the one; of one that the
// snapshot cuts only the side that it has counts, and what is far is none.
func TestServedBy(t *testing.T) {
	const ms = int64(time.Millisecond)
	whole := func(id, from, to int64) wall.Served {
		return wall.Served{Goroutine: id, FromNs: from * ms, ToNs: to * ms, Begun: true, Ended: true}
	}
	cut := whole(9, 0, 209)
	cut.Begun = false
	for _, tt := range []struct {
		name string
		all  []wall.Served
		want int64
	}{
		{"the nearer one", []wall.Served{whole(1, 90, 205), whole(2, 101, 202), whole(3, 150, 200)}, 2},
		{"a quick one within", []wall.Served{whole(1, 140, 141)}, 0},
		{"one that began before the snapshot", []wall.Served{cut, whole(3, 20, 120)}, 9},
		{"none", nil, 0},
		{"no time at all", []wall.Served{{Goroutine: 4, FromNs: 100 * ms, ToNs: 100 * ms, Begun: true}}, 0},
	} {
		got := int64(0)
		if r := servedBy(tt.all, 100*ms, 200*ms); r != nil {
			got = r.Goroutine
		}
		if got != tt.want {
			t.Errorf("%s: goroutine %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestTraceBegin: the wall clock in a snapshot counts, unless it is another machine's.
func TestTraceBegin(t *testing.T) {
	origin := time.Unix(1e9, 0)
	m := &recording.Manifest{Origin: origin}
	a := &recording.Artifact{EndNs: 20e9}
	for _, tt := range []struct {
		wall time.Time
		want int64
	}{
		{origin.Add(15*time.Second + 40*time.Millisecond), 15.04e9}, // it took 40 ms to be written
		{origin.Add(time.Hour), 15e9},
		{time.Unix(0, 0), 15e9}, // of a Go that does not say
	} {
		if got := traceBegin(m, a, &exectrace.Summary{EndNs: 5e9, WallNs: tt.wall.UnixNano()}); got != tt.want {
			t.Errorf("%v: the snapshot begins at %d, want %d", tt.wall, got, tt.want)
		}
	}
}

// TestMomentMissing: the page names missing parts, and the rest of it stays.
func TestMomentMissing(t *testing.T) {
	slow := &loadformat.SlowRequest{SentNs: 5e9, EndNs: 5.1e9, Status: 200}
	for _, tt := range []struct {
		name     string
		traced   *loadformat.Traced
		snapshot []byte
		want     string // "": there is no moment
	}{
		{"older than that", nil, nil, ""},
		{"no flight recorder", &loadformat.Traced{Windows: 2}, nil, ""},
		{"nothing slow", &loadformat.Traced{FlightRecorder: true, SlowAfterNs: 5e6}, nil, "No request stood out: the slowest took 0; whet takes a snapshot only above 5.00 ms."},
		{"no snapshot", &loadformat.Traced{FlightRecorder: true, Slowest: slow}, nil, "the snapshot of the flight recorder is not in the recording"},
		{"damaged", &loadformat.Traced{FlightRecorder: true, Slowest: slow}, []byte("go 1.26 trace\x00\x00\x00\x01\x02"), "The cause is unknown: "},
		{"no trace at all", &loadformat.Traced{FlightRecorder: true, Slowest: slow}, bytes.Repeat([]byte("x"), 100), "is not a Go execution trace"},
	} {
		_, page := recorded(t, func(w *recording.Writer, write func(recording.Artifact, []byte)) {
			w.Manifest.Kind = recording.TargetService
			loadformat.ServicePart.Set(&w.Manifest, &loadformat.Service{Instruments: "agent", Traced: tt.traced})
			if tt.snapshot != nil {
				write(recording.Artifact{Path: "trace/flight-worst.trace", Kind: recording.KindFlight, Part: recording.PartWorst, StartNs: 1e9, EndNs: 6e9}, tt.snapshot)
			}
		})
		if page.Wall != nil {
			t.Errorf("%s: the worst moment is in a sum: %+v", tt.name, page.Wall)
		}
		if m := page.Moment; m == nil && tt.want != "" || m != nil && (tt.want == "" || !strings.Contains(m.Text(), tt.want)) {
			t.Errorf("%s: %+v, want %q", tt.name, m, tt.want)
			if m != nil {
				t.Log(m.Text())
			}
		}
	}
}
