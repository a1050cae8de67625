package hdrlog

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"whet/internal/hist"
	"whet/internal/printable"
)

// Interval is a line of a log: the times that were counted in a while.
type Interval struct {
	Tag       string // "" is none
	Start     time.Time
	Length    time.Duration
	Histogram *hist.Histogram
}

// Writer writes a log.
type Writer struct {
	w     io.Writer
	start time.Time
}

// NewWriter writes the head of a log that begins at the given time, with comments, one
// line each.
func NewWriter(w io.Writer, start time.Time, comments ...string) (*Writer, error) {
	var b bytes.Buffer
	for _, c := range comments {
		fmt.Fprintf(&b, "#[%s]\n", printable.Spaces(c))
	}
	fmt.Fprintf(&b, "#[Histogram log format version 1.3]\n")
	fmt.Fprintf(&b, "#[StartTime: %s (seconds since epoch), %s]\n", seconds(start.Unix(), start.Nanosecond()), start.UTC().Format(time.RFC3339))
	fmt.Fprintf(&b, "#[BaseTime: %s (seconds since epoch)]\n", seconds(start.Unix(), start.Nanosecond()))
	fmt.Fprintf(&b, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n")
	if _, err := b.WriteTo(w); err != nil {
		return nil, fmt.Errorf("write histogram log: %w", err)
	}
	return &Writer{w, start}, nil
}

// Write adds an interval, which does not begin before the log.
func (w *Writer) Write(i *Interval) error {
	if strings.ContainsAny(i.Tag, ", \r\n") {
		return fmt.Errorf("write histogram log: tag %q contains a comma, a space or a line break", i.Tag)
	}
	since := i.Start.Sub(w.start)
	if since < 0 || i.Length < 0 {
		return fmt.Errorf("write histogram log: an interval of %v begins %v before the log", i.Length, -since)
	}
	if since == math.MaxInt64 {
		return fmt.Errorf("write histogram log: an interval of %v begins centuries after the log, which begins %v", i.Start, w.start)
	}
	payload, err := encode(i.Histogram)
	if err != nil {
		return fmt.Errorf("write histogram log: %w", err)
	}
	var b bytes.Buffer
	if i.Histogram.Count() > 0 {
		fmt.Fprintf(&b, "%s\n", exactLine(i.Histogram.Exact()))
	}
	if i.Tag != "" {
		fmt.Fprintf(&b, "Tag=%s,", i.Tag)
	}
	largest := i.Histogram.Max()
	fmt.Fprintf(&b, "%s,%s,%d.%06d,%s\n", duration(since), duration(i.Length), largest/1e6, largest%1e6, payload)
	if _, err := b.WriteTo(w.w); err != nil {
		return fmt.Errorf("write histogram log: %w", err)
	}
	return nil
}

// encode makes the base64 text of a histogram.
func encode(h *hist.Histogram) ([]byte, error) {
	counts := make([]int64, hist.Buckets)
	for b := range h.All() {
		counts[b.Index] = b.Count
	}
	s := &hdrhistogram.Snapshot{LowestTrackableValue: 1, HighestTrackableValue: math.MaxInt64, SignificantFigures: digits, Counts: counts}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return hdrhistogram.Import(s).EncodeV2()
}

// digits are the digits whose buckets are hist's.
const digits = 2

// exactLine returns the comment with what the counts leave out.
func exactLine(e hist.Exact) string {
	sum := new(big.Int).SetUint64(e.SumHigh)
	sum.Lsh(sum, 64).Add(sum, new(big.Int).SetUint64(e.SumLow))
	return fmt.Sprintf("%s%d max %d sum %d]", exactPrefix, e.Min, e.Max, sum)
}

const exactPrefix = "#[Exact: min "

// seconds prints a moment or a while with all its nanoseconds.
func seconds(whole int64, nanos int) string { return fmt.Sprintf("%d.%09d", whole, nanos) }

func duration(d time.Duration) string { return seconds(int64(d/time.Second), int(d%time.Second)) }
