package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"whet/internal/document"
	"whet/internal/format/hdrlog"
	"whet/internal/hist"
	"whet/internal/loadresult"
	"whet/internal/recording"
)

// Load is a load as its recording has it.
type Load struct {
	Plan    loadresult.Plan
	Result  *loadresult.Result
	StartNs int64  // of the result's Start, since the recording's origin
	SLO     string // the bounds it was to keep; "": none
	// Summed reports that the recording is from before a service's load was stored
	// completely: the result has no times, and little of its plan is known.
	Summed   bool
	Warnings []string // about the logs
}

// TimeNs returns when a second of the result began, since the recording's origin.
func (l *Load) TimeNs(s *loadresult.Second) int64 {
	return l.StartNs + int64(s.Start.Sub(l.Result.Start))
}

// Read reads the load of a recording of any kind. interval is called for each second,
// in order, with the times that users see only: Response of an open loop and Service of
// a closed one, and no figures; nil: not called. If only the logs are damaged, or
// run.json of a service, the load has everything else in addition to the error.
func Read(rec *recording.Recording, interval func(loadresult.Interval)) (*Load, error) {
	l, failed := readRun(rec)
	if l == nil {
		return nil, failed
	}
	var s secondsFile
	if err := readJSON(rec, SecondsPath, &s); err != nil {
		return nil, err
	}
	if !s.counts() {
		return nil, fmt.Errorf("%s: counts are negative or too large", SecondsPath)
	}
	r := l.Result
	r.Answers = s.Answers
	for _, x := range s.Seconds {
		x.Start, x.Response = r.Start.Add(time.Duration(x.TimeNs-l.StartNs)), x.Quantiles
		r.Seconds = append(r.Seconds, x.Second)
	}
	if l.Summed {
		return l, failed
	}
	return l, l.times(rec, interval)
}

// readRun reads what of a load is not over time. Of a service the manifest has the
// sums, where the rest is damaged beside the error.
func readRun(rec *recording.Recording) (*Load, error) {
	service, err := ServicePart.Of(&rec.Manifest)
	if err != nil {
		return nil, err
	}
	if service != nil && !Has(rec, RunPath) {
		return summed(rec, service), nil
	}
	l, err := readWhole(rec)
	if err != nil && service != nil {
		return summed(rec, service), err
	}
	return l, err
}

// readWhole reads load/run.json.
func readWhole(rec *recording.Recording) (*Load, error) {
	f := runFile{Result: new(loadresult.Result)}
	if err := readJSON(rec, RunPath, &f); err != nil {
		return nil, err
	}
	switch {
	case f.Schema != document.LoadRun:
		return nil, fmt.Errorf("%s: schema %.40q, want %s", RunPath, f.Schema, document.LoadRun)
	case !f.Open && f.Plan.Rate != "" || f.End.Before(f.Start) || f.Drain < 0:
		return nil, fmt.Errorf("%s contradicts itself", RunPath)
	case !f.counts():
		return nil, fmt.Errorf("%s: counts are negative or too large", RunPath)
	}
	r := f.Result
	r.Warnings = f.Head.Warnings
	var err error
	if r.Status, err = codes(f.Status); err != nil {
		return nil, fmt.Errorf("%s: %w", RunPath, err)
	}
	return &Load{Plan: f.Plan, Result: r, StartNs: f.StartNs, SLO: f.SLO}, nil
}

// Bounds of what a load counts: sums of several stay exact.
const (
	mostCounted = 1 << 53
	mostKinds   = 1000 // of errors and of statuses
)

// longest bounds the length of a load in a recording.
const longest = 10 * 365 * 24 * time.Hour

func counted(numbers ...int64) bool {
	return !slices.ContainsFunc(numbers, func(n int64) bool { return n < 0 || n > mostCounted })
}

// counts reports whether all that was counted can be.
func (f *runFile) counts() bool {
	for _, kinds := range []map[string]int64{f.Errors, f.Status} {
		if len(kinds) > mostKinds {
			return false
		}
		for _, n := range kinds {
			if !counted(n) {
				return false
			}
		}
	}
	for _, t := range f.Targets {
		if !counted(t.Requests, t.Errors, t.Timed) || t.Service < 0 {
			return false
		}
	}
	return counted(f.Requests, f.Bytes, f.Connections, f.LateSends, f.Behind, f.Leftover, int64(f.InFlight)) && f.Connecting >= 0
}

// counts is likewise for the seconds.
func (s *secondsFile) counts() bool {
	for i := range s.Seconds {
		x := &s.Seconds[i]
		if !counted(int64(x.Length), x.Requests, x.Answered, x.Behind, x.Leftover, x.Errors, x.Bytes, x.Due, x.InTime,
			int64(x.Second.P50), int64(x.Second.P99), int64(x.Second.Max), int64(x.Quantiles.P50), int64(x.Quantiles.P99), int64(x.Quantiles.Max)) {
			return false
		}
		for _, n := range x.Kinds {
			if !counted(n) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(s.Answers, func(n int32) bool { return n < 0 })
}

// times reads the interval logs.
func (l *Load) times(rec *recording.Recording, interval func(loadresult.Interval)) error {
	for _, log := range []struct {
		path string
		into *hist.Histogram
		seen bool // by users
	}{
		{ServicePath, &l.Result.Service, !l.Result.Open},
		{ResponsePath, &l.Result.Response, l.Result.Open},
		{LatenessPath, &l.Result.Lateness, false},
	} {
		if log.path != ServicePath && !l.Result.Open {
			continue
		}
		data, err := ReadPath(rec, log.path)
		if err != nil {
			return err
		}
		var first, before time.Time
		head, err := hdrlog.Read(bytes.NewReader(data), func(i *hdrlog.Interval) error {
			if first.IsZero() {
				first = i.Start
			}
			if i.Start.Before(before) || i.Start.Sub(first) > longest {
				return fmt.Errorf("an interval that begins %v follows one that begins %v", i.Start, before)
			}
			before = i.Start
			if i.Histogram.Count() > math.MaxInt64-log.into.Count() {
				return errors.New("the count of times overflows an int64")
			}
			log.into.Merge(i.Histogram)
			if log.seen && interval != nil {
				iv := loadresult.Interval{Second: loadresult.Second{Start: i.Start, Length: i.Length}, Service: i.Histogram}
				if l.Result.Open {
					iv.Service, iv.Response = nil, i.Histogram
				}
				interval(iv)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", log.path, err)
		}
		for _, w := range head.Warnings {
			l.Warnings = append(l.Warnings, log.path+": "+w)
		}
	}
	return nil
}

func readJSON(rec *recording.Recording, path string, to any) error {
	data, err := ReadPath(rec, path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}

// Has reports whether the manifest names an artifact of a path.
func Has(rec *recording.Recording, path string) bool {
	return slices.ContainsFunc(rec.Artifacts, func(a recording.Artifact) bool { return a.Path == path })
}

// ReadPath reads the artifact of a path, which the manifest has to name.
func ReadPath(rec *recording.Recording, path string) ([]byte, error) {
	for _, a := range rec.Artifacts {
		if a.Path == path {
			return rec.Read(a)
		}
	}
	return nil, fmt.Errorf("it has no %s", path)
}
