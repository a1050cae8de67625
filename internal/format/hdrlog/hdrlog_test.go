package hdrlog

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"

	"whet/internal/hist"
)

var origin = time.Date(2026, 11, 21, 6, 30, 0, 123_456_789, time.UTC)

func histogramOf(times ...int64) *hist.Histogram {
	h := new(hist.Histogram)
	for _, ns := range times {
		h.Record(ns)
	}
	return h
}

func drawHistogram(t *rapid.T, label string) *hist.Histogram {
	return histogramOf(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) int64 {
		return rapid.Int64Range(0, math.MaxInt64).Draw(t, "ns") >> rapid.IntRange(0, 62).Draw(t, "shift")
	}), 0, 100).Draw(t, label)...)
}

// write writes a log, failing the test where that fails.
func write(t interface{ Fatal(...any) }, start time.Time, intervals ...*Interval) []byte {
	var b bytes.Buffer
	w, err := NewWriter(&b, start, "of a test")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range intervals {
		if err := w.Write(i); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func read(log []byte) (*Head, []*Interval, error) {
	var all []*Interval
	head, err := Read(bytes.NewReader(log), func(i *Interval) error {
		all = append(all, i)
		return nil
	})
	return head, all, err
}

func same(a, b *Interval) bool {
	return a.Tag == b.Tag && a.Start.Equal(b.Start) && a.Length == b.Length && *a.Histogram == *b.Histogram
}

// What is written is read again to the nanosecond, and the library reads the
// same counts.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []*Interval
		for i := range rapid.IntRange(0, 4).Draw(t, "intervals") {
			want = append(want, &Interval{
				Tag:       rapid.SampledFrom([]string{"", "service", "a-b"}).Draw(t, "tag"),
				Start:     origin.Add(time.Duration(i)*time.Second + time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "start"))),
				Length:    time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "length")),
				Histogram: drawHistogram(t, "times"),
			})
		}
		log := write(t, origin, want...)
		head, got, err := read(log)
		if err != nil {
			t.Fatal(err)
		}
		if !head.Start.Equal(origin) || len(head.Warnings) > 0 || len(got) != len(want) {
			t.Fatalf("begins %v, %d intervals of %d, warnings %q", head.Start, len(got), len(want), head.Warnings)
		}
		library := hdrhistogram.NewHistogramLogReader(bytes.NewReader(log))
		for i := range want {
			if !same(got[i], want[i]) {
				t.Fatalf("interval %d: %+v, want %+v", i, got[i], want[i])
			}
			theirs, err := library.NextIntervalHistogram()
			if err != nil || theirs == nil {
				t.Fatalf("interval %d: the library reads %v, %v", i, theirs, err)
			}
			compareCounts(t, want[i].Histogram, theirs)
			if theirs.Tag() != want[i].Tag {
				t.Fatalf("interval %d: the library reads tag %q", i, theirs.Tag())
			}
			if off := theirs.StartTimeMs() - want[i].Start.UnixMilli(); off < -1 || off > 1 {
				t.Fatalf("interval %d: for the library it begins %d ms off", i, off)
			}
		}
	})
}

// byLibrary returns a histogram as the library reads what is written of it.
func byLibrary(t interface{ Fatal(...any) }, h *hist.Histogram) *hdrhistogram.Histogram {
	text, err := encode(h)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := hdrhistogram.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return theirs
}

// compareCounts compares every bucket's bounds and count.
func compareCounts(t interface{ Fatalf(string, ...any) }, ours *hist.Histogram, theirs *hdrhistogram.Histogram) {
	if theirs.TotalCount() != ours.Count() {
		t.Fatalf("the library counts %d, we %d", theirs.TotalCount(), ours.Count())
	}
	bars := map[int64]hdrhistogram.Bar{}
	for _, b := range theirs.Distribution() {
		if b.Count > 0 {
			bars[b.From] = b
		}
	}
	n := 0
	for b := range ours.All() {
		n++
		// The library's last bucket ends at its highest value, as ours does.
		if bar, ok := bars[b.First]; !ok || bar.To != b.Last || bar.Count != b.Count {
			t.Fatalf("bucket %+v is %+v for the library", b, bars[b.First])
		}
	}
	if n != len(bars) {
		t.Fatalf("%d buckets, %d for the library", n, len(bars))
	}
}

// The lines of a log as HistogramLogWriter has them, with the exact values before
// the interval.
func TestLogWrittenOut(t *testing.T) {
	log := string(write(t, origin, &Interval{Tag: "a", Start: origin.Add(1500 * time.Millisecond), Length: time.Second, Histogram: histogramOf(1_000_000, 2_500_003)}))
	const want = `#[of a test]
#[Histogram log format version 1.3]
#[StartTime: 1795242600.123456789 (seconds since epoch), 2026-11-21T06:30:00Z]
#[BaseTime: 1795242600.123456789 (seconds since epoch)]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
#[Exact: min 1000000 max 2500003 sum 3500003]
Tag=a,1.500000000,1.000000000,2.500003,HISTFAAA`
	if !strings.HasPrefix(log, want) || strings.Count(log, "\n") != 7 {
		t.Errorf("%s\nwant\n%s", log, want)
	}
}

// The layouts are one: every index of a histogram of two digits is the bucket of
// the same index, and the library gives it the same bounds.
func TestLayout(t *testing.T) {
	h := new(hist.Histogram)
	l := newLayout(1, 2)
	for i := range int64(hist.Buckets) {
		end, ok := l.last(i)
		if !ok || hist.Index(end) != int(i) {
			t.Fatalf("index %d ends at %d (%v), which is bucket %d", i, end, ok, hist.Index(end))
		}
		h.RecordMany(end, i%7+1)
	}
	if end, ok := l.last(hist.Buckets); ok {
		t.Fatalf("there is an index after the last, ending at %d", end)
	}
	compareCounts(t, h, byLibrary(t, h))
}

// Logs of Java's HdrHistogram, against the library's reader. Their histograms
// have other digits, so that counts are compared by the highest value of each
// bucket.
func TestForeign(t *testing.T) {
	for _, name := range []string{"tagged.hlog", "jhiccup.hlog"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		head, got, err := read(data)
		if err != nil || len(head.Warnings) > 0 || len(got) == 0 {
			t.Fatalf("%s: %d intervals, %v, %q", name, len(got), err, head)
		}
		library := hdrhistogram.NewHistogramLogReader(bytes.NewReader(data))
		for i, ours := range got {
			theirs, err := library.NextIntervalHistogram()
			if err != nil || theirs == nil {
				t.Fatalf("%s: interval %d: %v", name, i, err)
			}
			want := new(hist.Histogram)
			for _, b := range theirs.Distribution() {
				want.RecordMany(b.To, b.Count)
			}
			if *ours.Histogram != *want || want.Count() == 0 {
				t.Fatalf("%s: interval %d: %d times up to %d, want %d up to %d", name, i, ours.Histogram.Count(), ours.Histogram.Max(), want.Count(), want.Max())
			}
			if off := theirs.StartTimeMs() - ours.Start.UnixMilli(); off < -1 || off > 1 {
				t.Fatalf("%s: interval %d begins %v, for the library %d ms later", name, i, ours.Start, off)
			}
			if strings.TrimPrefix(ours.Tag, "A") != "" || name == "jhiccup.hlog" && ours.Tag != "" {
				t.Fatalf("%s: interval %d has the tag %q", name, i, ours.Tag)
			}
		}
		if more, err := library.NextIntervalHistogram(); more != nil || err != nil {
			t.Fatalf("%s: the library reads more: %v, %v", name, more, err)
		}
	}
	data, err := os.ReadFile("testdata/old.hlog")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := read(data); err == nil || !strings.Contains(err.Error(), "older than V2") {
		t.Errorf("a log of V1: %v", err)
	}
}

// Merging the logs of several generators is what one recorder of all would have
// written.
func TestMergeIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, merged := new(hist.Histogram), new(hist.Histogram)
		for range rapid.IntRange(1, 4).Draw(t, "generators") {
			var intervals []*Interval
			for s := range rapid.IntRange(0, 3).Draw(t, "seconds") {
				h := drawHistogram(t, "times")
				one.Merge(h)
				intervals = append(intervals, &Interval{Start: origin.Add(time.Duration(s) * time.Second), Length: time.Second, Histogram: h})
			}
			_, got, err := read(write(t, origin, intervals...))
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range got {
				merged.Merge(i.Histogram)
			}
		}
		if *merged != *one {
			t.Fatalf("merged %+v, one recorder %+v", merged.Exact(), one.Exact())
		}
	})
}

// line makes the line of a histogram with this header and these bytes of counts.
func line(t *testing.T, h header, counts []byte) string {
	t.Helper()
	var inner, outer bytes.Buffer
	z := zlib.NewWriter(&inner)
	if err := binary.Write(z, binary.BigEndian, h); err != nil {
		t.Fatal(err)
	}
	z.Write(counts)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	binary.Write(&outer, binary.BigEndian, []uint32{cookieV2Compressed | 0x10, uint32(inner.Len())})
	outer.Write(inner.Bytes())
	return "1,1,1," + base64.StdEncoding.EncodeToString(outer.Bytes())
}

func TestBadInput(t *testing.T) {
	good := header{cookieV2 | 0x10, 1, 0, 2, 1, math.MaxInt64, 1}
	with := func(change func(*header)) header {
		h := good
		change(&h)
		return h
	}
	if _, got, err := read([]byte(line(t, good, []byte{2}))); err != nil || got[0].Histogram.Count() != 1 || got[0].Histogram.Max() != 0 {
		t.Fatalf("one time of 0: %v, %v", got, err)
	}
	for _, c := range []struct{ name, log, want string }{
		{"nothing", "", "empty"},
		{"another file", "PK\x03\x04", "line 1: \"PK"},
		{"no histogram", "1,1,1", "is not an interval"},
		{"start", "x,1,1,AAAA", "its start"},
		{"far away", "999999999999,1,1,AAAA", "more than the"},
		{"far after a far start", "#[BaseTime: 99999999999.0 (seconds since epoch)]\n" + "1" + line(t, good, []byte{2}), "more than the"},
		{"length", "1,,1,AAAA", "its length"},
		{"long", "1,2000000000,1,AAAA", "thirty years"},
		{"start line", "#[StartTime: . (seconds since epoch)]", "StartTime"},
		{"tag", "Tag=A", "nothing follows the tag"},
		{"base64", "1,1,1,****", "not base64"},
		{"short", "1,1,1,AAAA", "too few for the header"},
		{"cookie", "1,1,1,AAAAAAAAAAAAAAAA", "not the cookie of a compressed V2 histogram"},
		{"length", "1,1,1," + base64.StdEncoding.EncodeToString([]byte{0x1c, 0x84, 0x93, 0x14, 0xff, 0, 0, 0, 1}), "declares"},
		{"not deflated", "1,1,1," + base64.StdEncoding.EncodeToString([]byte{0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 2, 1, 2}), "inflate"},
		{"inner cookie", line(t, with(func(h *header) { h.Cookie = cookieV1 }), []byte{2}), "not the cookie of V2"},
		{"a negative payload", line(t, with(func(h *header) { h.Payload = -1 }), []byte{2}), "bytes of counts"},
		{"a huge payload", line(t, with(func(h *header) { h.Payload = math.MaxInt32 }), []byte{2}), "bytes of counts"},
		{"a longer payload", line(t, with(func(h *header) { h.Payload = 2 }), []byte{2}), "it is truncated"},
		{"a shorter payload", line(t, good, []byte{2, 2}), "data follows the counts"},
		{"shifted", line(t, with(func(h *header) { h.Offset = 1 }), []byte{2}), "a normalizing index offset"},
		{"digits", line(t, with(func(h *header) { h.Digits = 6 }), []byte{2}), "significant digits"},
		{"cut number", line(t, good, []byte{0x80}), "it is truncated"},
		{"too many empty", line(t, with(func(h *header) { h.Payload = 9 }), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), "empty buckets"},
		{"beyond", line(t, with(func(h *header) { h.Payload = 3 }), []byte{0xff, 0x71, 2}), "beyond all values"}, // zigzag −7,296
		{"empty ones beyond", line(t, with(func(h *header) { h.Payload = 3 }), []byte{0xff, 0x71, 0}), "beyond all values"},
		{"a large unit", line(t, with(func(h *header) { h.Lowest = math.MaxInt64 }), []byte{2}), ""},
	} {
		_, _, err := read([]byte(c.log))
		switch {
		case c.want == "" && err == nil:
		case c.want == "" || err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, _, err := read(bytes.Repeat([]byte{'1'}, maxLine+1)); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("an endless line: %v", err)
	}
}

// A header may claim a range and precision that would take 50 MB; what is read
// is what is there.
func TestHugeClaim(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	h := header{cookieV2 | 0x10, 1, 0, 5, 1, math.MaxInt64, 1}
	log := []byte(line(t, h, []byte{2}))
	const limit = 1 << 20
	res := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := read(log); err != nil {
				b.Fatal(err)
			}
		}
	})
	if n := res.AllocedBytesPerOp(); n > limit {
		t.Errorf("reading one count takes %d bytes", n)
	}
}

// A bomb: zeros that deflate to next to nothing.
func TestBomb(t *testing.T) {
	h := header{cookieV2 | 0x10, maxInflated, 0, 2, 1, math.MaxInt64, 1}
	if _, _, err := read([]byte(line(t, h, make([]byte, 64<<20)))); err == nil {
		t.Error("64 MiB of counts are accepted")
	}
}

// Exact values that the buckets contradict are dropped, with a warning.
func TestFalseExact(t *testing.T) {
	log := string(write(t, origin, &Interval{Start: origin, Length: time.Second, Histogram: histogramOf(1000, 2000)}))
	for _, c := range []struct{ from, to, want string }{
		{"min 1000", "min 999", "smallest time 999"},
		{"max 2000", "max 4000", "largest time 4000"},
		{"sum 3000", "sum 2000", "sum of all times"},
		{"sum 3000", "sum x", "not numbers"},
		{"sum 3000", "sum", "cannot be read"},
		{"sum 3000", "sum " + strings.Repeat("9", 60), "not numbers"},
	} {
		head, got, err := read([]byte(strings.Replace(log, c.from, c.to, 1)))
		if err != nil || len(head.Warnings) != 1 || !strings.Contains(head.Warnings[0], c.want) || !strings.Contains(head.Warnings[0], "line ") {
			t.Errorf("%s: %v, %+v", c.to, err, head)
			continue
		}
		// 1003 and 2007 end the two buckets.
		if h := got[0].Histogram; h.Count() != 2 || h.Max() != 2007 || h.Mean() != (1003+2007)/2. {
			t.Errorf("%s: %d times up to %d, mean %v", c.to, h.Count(), h.Max(), h.Mean())
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	w, err := NewWriter(new(bytes.Buffer), origin)
	if err != nil {
		t.Fatal(err)
	}
	h := histogramOf(1)
	for _, i := range []*Interval{
		{Tag: "a b", Start: origin, Histogram: h},
		{Start: origin.Add(-1), Histogram: h},
		{Start: origin, Length: -1, Histogram: h},
		{Start: origin.AddDate(300, 0, 0), Histogram: h}, // no time.Duration is that long
	} {
		if err := w.Write(i); err == nil {
			t.Errorf("%+v is written", i)
		}
	}
	if _, err := NewWriter(failing{}, origin); err == nil {
		t.Error("a head that could not be written is no failure")
	}
	if err := (&Writer{failing{}, origin}).Write(&Interval{Start: origin, Histogram: h}); err == nil {
		t.Error("an interval that could not be written is no failure")
	}
	if err := WritePercentiles(failing{}, h); err == nil {
		t.Error("percentiles that could not be written are no failure")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("full") }

// What is read is written and read again as it was.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"tagged.hlog", "jhiccup.hlog", "old.hlog"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(write(f, origin, &Interval{Tag: "x", Start: origin, Length: time.Second, Histogram: histogramOf(0, 1, 1000, math.MaxInt64)}))
	f.Add([]byte("#[StartTime: 100 (seconds since epoch)]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, first, err := read(data)
		if err != nil {
			return
		}
		start := time.Unix(4*maxSeconds, 0)
		for _, i := range first {
			if i.Start.Before(start) {
				start = i.Start
			}
			i.Tag = strings.Map(func(r rune) rune {
				if strings.ContainsRune(", \r\n", r) {
					return -1
				}
				return r
			}, i.Tag)
			i.Tag = strings.ToValidUTF8(i.Tag, "")
		}
		if len(first) == 0 || start.Unix() > maxSeconds || first[len(first)-1].Start.Sub(start) > 100*365*24*time.Hour {
			return // no log of ours spans a century
		}
		for _, i := range first {
			if i.Start.Sub(start) > 100*365*24*time.Hour {
				return
			}
		}
		head, again, err := read(write(t, start, first...))
		if err != nil || len(head.Warnings) > 0 || len(again) != len(first) {
			t.Fatalf("%d intervals of %d, %v, %+v", len(again), len(first), err, head)
		}
		for i := range first {
			if !same(first[i], again[i]) {
				t.Fatalf("interval %d: %+v, was %+v", i, again[i], first[i])
			}
		}
	})
}
