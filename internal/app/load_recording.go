package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"whet/internal/capture/host"
	"whet/internal/cli"
	"whet/internal/format/hdrlog"
	"whet/internal/load/slo"
	"whet/internal/loadresult"
	"whet/internal/recording"
	"whet/internal/report/load"
)

// The files of a load in a recording.
const (
	loadRunPath      = "load/run.json"
	loadSecondsPath  = "load/seconds.json"
	loadServicePath  = "load/service.hlog"
	loadResponsePath = "load/response.hlog"
	loadLatenessPath = "load/lateness.hlog"
)

// loadKept is what is written while a load runs: interval logs, to a file of
// their own (-hdr) and into a recording (-o).
type loadKept struct {
	open  bool
	start time.Time // of the load behind its warm-up; zero: not there yet

	logs   []*intervalLog
	hdr    *intervalLog // of -hdr
	hdrTo  string       // the name that it gets; "": it has it from the beginning
	writer *recording.Writer
	meter  *host.Meter
}

// intervalLog is a log that grows: a file, and which times go into it.
type intervalLog struct {
	file  *os.File
	to    io.Writer      // it
	log   *hdrlog.Writer // nil: nothing was written
	times []loggedTimes
	err   error // the first: what follows is not written, since the log would have a gap
}

// loggedTimes are response or service times, under a tag or none.
type loggedTimes struct {
	tag      string
	response bool
}

// keep opens what the flags ask for.
func (l *loadFlags) keep(ctx context.Context, e *cli.Env, plan *loadPlan) (*loadKept, error) {
	k := &loadKept{open: plan.options.Schedule.Open()}
	if l.hdr != "" {
		f, to, err := createLog(l.hdr)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", l.hdr, err)
		}
		log := &intervalLog{file: f, to: f, times: []loggedTimes{{response: k.open}}}
		if to == "" { // who should read it may not
			log.to = cli.UnlessStuck(ctx, f)
		}
		if k.open {
			// What has no tag is what most viewers show.
			log.times = append(log.times, loggedTimes{tag: serviceTag})
		}
		k.hdr, k.hdrTo = log, to
		k.logs = append(k.logs, log)
	}
	if l.out == "" {
		return k, nil
	}
	w, err := recording.Create(l.out, time.Now())
	if err != nil {
		k.discard()
		return nil, err
	}
	k.writer, k.meter = w, host.Start()
	m := &w.Manifest
	m.Tool, m.Kind, m.Target, m.Command = cli.Version(), recording.TargetLoad, plan.told.URL, recording.CommandLine(e.Args)
	m.Host = host.Facts(os.Environ())
	m.Host.GOMAXPROCS = 0 // the target's is not known
	for _, log := range []struct {
		path     string
		response bool
	}{{loadServicePath, false}, {loadResponsePath, true}} {
		if log.response && !k.open {
			continue
		}
		name, err := w.File(log.path)
		if err == nil {
			var f *os.File
			if f, err = os.Create(name); err == nil {
				k.logs = append(k.logs, &intervalLog{file: f, to: f, times: []loggedTimes{{response: log.response}}})
			}
		}
		if err != nil {
			k.discard()
			return nil, fmt.Errorf("write %s: %w", l.out, err)
		}
	}
	return k, nil
}

// createLog opens the log of -hdr under a temporary name beside the one that it
// gets once it is whole. A device or a pipe stays what it is and is written to.
func createLog(name string) (f *os.File, to string, err error) {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		f, err = os.OpenFile(name, os.O_WRONLY, 0)
		return f, "", err
	}
	return cli.CreateBeside(name)
}

// interval adds a second to all logs. Whether that went well is said when they
// are closed.
func (k *loadKept) interval(iv loadresult.Interval) {
	if k.start.IsZero() {
		k.start = iv.Start
	}
	for _, log := range k.logs {
		if log.err == nil {
			log.err = log.add(k.start, iv)
		}
	}
}

// begin writes the head of the log.
func (log *intervalLog) begin(start time.Time) error {
	if log.log != nil {
		return nil
	}
	var err error
	log.log, err = hdrlog.NewWriter(log.to, start, log.comment())
	return err
}

// comment is the first line of the log, by which a merge knows what its times
// without a tag are.
func (log *intervalLog) comment() string {
	for _, t := range log.times {
		if t.tag == "" && t.response {
			return loggedWith + cli.Version() + untaggedResponse
		}
	}
	return loggedWith + cli.Version() + untaggedService
}

func (log *intervalLog) add(start time.Time, iv loadresult.Interval) error {
	if err := log.begin(start); err != nil {
		return err
	}
	for _, t := range log.times {
		times := iv.Service
		if t.response {
			times = iv.Response
		}
		if err := log.log.Write(&hdrlog.Interval{Tag: t.tag, Start: iv.Start, Length: iv.Length, Histogram: times}); err != nil {
			return err
		}
	}
	return nil
}

// close ends a log, which has a head even where there was nothing to write.
func (log *intervalLog) close(start time.Time) error {
	if log.err == nil {
		log.err = log.begin(start)
	}
	err := log.file.Close()
	log.file = nil
	if pe, ok := errors.AsType[*os.PathError](log.err); ok {
		log.err = pe.Err // without the temporary name
	}
	if errors.Is(log.err, context.Canceled) {
		log.err = cli.ErrUnread
	}
	return cmp.Or(log.err, err)
}

// commit puts the log of -hdr in its place.
func (k *loadKept) commit(start time.Time) error {
	if k.hdr == nil {
		return nil
	}
	f := k.hdr.file
	if k.hdrTo == "" {
		if err := k.hdr.close(start); err != nil {
			return fmt.Errorf("write %s: %w", f.Name(), err)
		}
		return nil
	}
	err := errors.Join(f.Chmod(0o644), k.hdr.close(start))
	if err == nil {
		err = cli.Rename(f, k.hdrTo)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", k.hdrTo, err)
	}
	return nil
}

// discard removes what was not committed.
func (k *loadKept) discard() {
	for _, log := range k.logs {
		if log.file == nil {
			continue
		}
		log.file.Close()
		if log == k.hdr && k.hdrTo != "" {
			os.Remove(log.file.Name())
		}
	}
	if k.writer != nil {
		k.writer.Discard()
	}
}

// loadRunFile is load/run.json: all of a load but its seconds and its times.
type loadRunFile struct {
	Schema      string               `json:"schema"`
	Plan        loadresult.Plan      `json:"plan"`
	Open        bool                 `json:"open"`
	Began       time.Time            `json:"began"`
	Start       time.Time            `json:"start"`
	StartNs     int64                `json:"start_ns"` // since the recording's origin
	End         time.Time            `json:"end"`
	Interrupted bool                 `json:"interrupted"`
	Requests    int64                `json:"requests"`
	Errors      map[string]int64     `json:"errors"`
	Examples    map[string]string    `json:"examples"`
	Status      map[string]int64     `json:"status"`
	Bytes       int64                `json:"body_bytes"`
	InFlight    int                  `json:"in_flight"`
	OldestNs    time.Duration        `json:"oldest_in_flight_ns"`
	Connections int64                `json:"connections"`
	Connecting  time.Duration        `json:"connecting_ns"`
	PlannedPerS float64              `json:"planned_per_s"`
	LateSends   int64                `json:"late_sends"`
	Drain       time.Duration        `json:"drain_ns"`
	Behind      int64                `json:"drain_answered"`
	Leftover    int64                `json:"warmup_answered"`
	Targets     []loadresult.Target  `json:"targets"`
	Generator   loadresult.Generator `json:"generator"`
	Invalid     string               `json:"invalid"`
	Warnings    []string             `json:"warnings"`
	SLO         string               `json:"slo"`
}

const loadRunSchema = "whet/load-run/1"

// loadSecondsFile is load/seconds.json, with more keys than a service's has.
type loadSecondsFile struct {
	Schema  string       `json:"schema"`
	Seconds []loadSecond `json:"seconds"`
	BinNs   int64        `json:"bin_ns"`
	Answers []int32      `json:"answers"`
}

type loadSecond struct {
	TimeNs        int64            `json:"t_ns"` // since the recording's origin
	LengthNs      int64            `json:"length_ns"`
	Requests      int64            `json:"requests"`
	Errors        int64            `json:"errors"`
	P50Ns         int64            `json:"p50_ns"`
	P99Ns         int64            `json:"p99_ns"`
	MaxNs         int64            `json:"max_ns"`
	Answered      int64            `json:"answered"`
	Bytes         int64            `json:"body_bytes"`
	Kinds         map[string]int64 `json:"kinds"`
	Due           int64            `json:"due"`
	InTime        int64            `json:"in_time"`
	ResponseP50Ns int64            `json:"response_p50_ns"`
	ResponseP99Ns int64            `json:"response_p99_ns"`
	ResponseMaxNs int64            `json:"response_max_ns"`
	Behind        int64            `json:"drain_answered"`
	Leftover      int64            `json:"warmup_answered"`
}

// finish completes the recording.
func (k *loadKept) finish(run *load.Run, bounds slo.Bounds) (path string, err error) {
	w, r := k.writer, run.Result
	since := func(t time.Time) int64 { return int64(t.Sub(w.Manifest.Origin)) }
	var errs []error
	for _, log := range k.logs {
		if log.file != nil {
			errs = append(errs, log.close(r.Start))
		}
	}
	add := func(path, kind string) {
		errs = append(errs, w.Add(recording.Artifact{Path: path, Kind: kind, StartNs: since(r.Start), EndNs: since(r.End)}))
	}
	write := func(path, kind string, document any) {
		data, err := json.Marshal(document)
		if err == nil {
			err = w.Write(recording.Artifact{Path: path, Kind: kind, StartNs: since(r.Start), EndNs: since(r.End)}, data)
		}
		errs = append(errs, err)
	}
	add(loadServicePath, recording.KindHistograms)
	if k.open {
		add(loadResponsePath, recording.KindHistograms)
		errs = append(errs, k.lateness(r))
	}
	f := loadRunFile{
		Schema: loadRunSchema, Plan: run.Plan, Open: r.Open, Began: r.Began, Start: r.Start, StartNs: since(r.Start), End: r.End, Interrupted: r.Interrupted,
		Requests: r.Requests, Errors: r.Errors, Examples: r.Examples, Status: make(map[string]int64), Bytes: r.Bytes, InFlight: r.InFlight,
		OldestNs: r.OldestInFlight, Connections: r.Connections, Connecting: r.Connecting, PlannedPerS: r.Rate, LateSends: r.LateSends, Drain: r.Drain, Behind: r.Behind, Leftover: r.Leftover,
		Targets: r.Targets, Generator: r.Generator, Invalid: r.Invalid, Warnings: r.Warnings,
	}
	if len(bounds) > 0 {
		f.SLO = bounds.String()
	}
	for code, n := range r.Status {
		f.Status[strconv.Itoa(code)] = n
	}
	write(loadRunPath, recording.KindLoadRun, f)
	s := loadSecondsFile{Schema: "whet/load-seconds/1", Seconds: []loadSecond{}, BinNs: int64(loadresult.Bin), Answers: r.Answers}
	for _, x := range r.Seconds {
		s.Seconds = append(s.Seconds, loadSecond{since(x.Start), int64(x.Length), x.Requests, x.Errors, int64(x.P50), int64(x.P99), int64(x.Max),
			x.Answered, x.Bytes, x.Kinds, x.Due, x.InTime, int64(x.Response.P50), int64(x.Response.P99), int64(x.Response.Max), x.Behind, x.Leftover})
	}
	write(loadSecondsPath, recording.KindLoad, s)
	for _, warning := range r.Warnings {
		w.Warn("%s", warning)
	}
	partial := ""
	if r.Interrupted {
		partial = "interrupted"
	}
	k.meter.Stop(&w.Manifest.Host)
	for _, err := range errs {
		if err != nil { // the others would say the same, of a disk that is full
			return "", fmt.Errorf("write recording: %w", err)
		}
	}
	k.writer = nil // from here on it is the writer's to keep or remove
	return w.Finish(r.End.Add(r.Drain).Sub(w.Manifest.Origin), partial)
}

// lateness keeps how late requests were sent, as one interval.
func (k *loadKept) lateness(r *loadresult.Result) error {
	name, err := k.writer.File(loadLatenessPath)
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	log, err := hdrlog.NewWriter(f, r.Start, loggedWith+cli.Version())
	if err == nil {
		err = log.Write(&hdrlog.Interval{Start: r.Start, Length: r.End.Sub(r.Start), Histogram: &r.Lateness})
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	origin := k.writer.Manifest.Origin
	return k.writer.Add(recording.Artifact{Path: loadLatenessPath, Kind: recording.KindHistograms, StartNs: int64(r.Start.Sub(origin)), EndNs: int64(r.End.Sub(origin))})
}
