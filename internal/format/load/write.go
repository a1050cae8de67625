package load

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"time"

	"whet/internal/document"
	"whet/internal/format/hdrlog"
	"whet/internal/loadresult"
	"whet/internal/recording"
)

// The files of a load in a recording.
const (
	RunPath      = "load/run.json"
	SecondsPath  = "load/seconds.json"
	ServicePath  = "load/service.hlog"
	ResponsePath = "load/response.hlog"
	LatenessPath = "load/lateness.hlog"
)

// Writer keeps a load in a recording while it runs.
type Writer struct {
	w    *recording.Writer
	tool string
	open bool
	logs []keptLog
}

type keptLog struct {
	*Log
	path string
	file io.WriteCloser // nil: closed
}

// NewWriter opens the logs of a load whose arrivals follow a schedule where open
// says so. tool is the version of whet. Call Close when Finish is not called.
func NewWriter(w *recording.Writer, tool string, open bool) (*Writer, error) {
	k := &Writer{w: w, tool: tool, open: open}
	for _, log := range []struct {
		path     string
		response bool
	}{{ServicePath, false}, {ResponsePath, true}} {
		if log.response && !open {
			continue
		}
		f, err := w.Create(log.path)
		if err != nil {
			k.Close()
			return nil, err
		}
		k.logs = append(k.logs, keptLog{NewLog(f, tool, Logged{Response: log.response}), log.path, f})
	}
	return k, nil
}

// Interval adds a second as the recorder closes it. Whether that went well Finish
// says.
func (k *Writer) Interval(iv loadresult.Interval) {
	for _, log := range k.logs {
		log.Interval(iv)
	}
}

// Close closes the logs without entering them into the recording.
func (k *Writer) Close() {
	for i := range k.logs {
		if f := k.logs[i].file; f != nil {
			f.Close()
			k.logs[i].file = nil
		}
	}
}

// Finish writes the result and enters all files into the recording. slo are the
// bounds that the load was to keep; "": none. What fails keeps nothing else from
// being written; the first failure is returned.
func (k *Writer) Finish(plan *loadresult.Plan, r *loadresult.Result, slo string) error {
	defer k.Close()
	since := func(t time.Time) int64 { return int64(t.Sub(k.w.Manifest.Origin)) }
	artifact := func(path, kind string) recording.Artifact {
		return recording.Artifact{Path: path, Kind: kind, StartNs: since(r.Start), EndNs: since(r.End)}
	}
	var failed error
	for i := range k.logs {
		log := &k.logs[i]
		err := cmp.Or(log.End(r.Start), log.file.Close())
		log.file = nil
		if err == nil {
			err = k.w.Add(artifact(log.path, recording.KindHistograms))
		}
		failed = cmp.Or(failed, err)
	}
	if k.open {
		var late bytes.Buffer
		log, err := hdrlog.NewWriter(&late, r.Start, loggedWith+k.tool)
		if err == nil {
			err = log.Write(&hdrlog.Interval{Start: r.Start, Length: r.End.Sub(r.Start), Histogram: &r.Lateness})
		}
		if err == nil {
			err = k.w.Write(artifact(LatenessPath, recording.KindHistograms), late.Bytes())
		}
		failed = cmp.Or(failed, err)
	}
	for _, f := range []struct {
		path, kind string
		document   any
	}{{RunPath, recording.KindLoadRun, newRunFile(plan, r, slo, since)}, {SecondsPath, recording.KindLoad, newSecondsFile(r, since)}} {
		data, err := json.Marshal(f.document)
		if err == nil {
			err = k.w.Write(artifact(f.path, f.kind), data)
		}
		failed = cmp.Or(failed, err)
	}
	return failed
}

// runFile is load/run.json: all of a load but its seconds and its times.
type runFile struct {
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

func newRunFile(plan *loadresult.Plan, r *loadresult.Result, slo string, since func(time.Time) int64) *runFile {
	return &runFile{
		Schema: document.LoadRun, Plan: *plan, Open: r.Open, Began: r.Began, Start: r.Start, StartNs: since(r.Start), End: r.End, Interrupted: r.Interrupted,
		Requests: r.Requests, Errors: r.Errors, Examples: r.Examples, Status: statuses(r), Bytes: r.Bytes, InFlight: r.InFlight,
		OldestNs: r.OldestInFlight, Connections: r.Connections, Connecting: r.Connecting, PlannedPerS: r.Rate, LateSends: r.LateSends, Drain: r.Drain, Behind: r.Behind, Leftover: r.Leftover,
		Targets: r.Targets, Generator: r.Generator, Invalid: r.Invalid, Warnings: r.Warnings, SLO: slo,
	}
}

// secondsFile is load/seconds.json. Of a service, the first versions of whet wrote
// the keys up to max_ns alone.
type secondsFile struct {
	Schema  string       `json:"schema"`
	Seconds []secondFile `json:"seconds"`
	BinNs   int64        `json:"bin_ns"`
	Answers []int32      `json:"answers"` // whole ones in each bin since the warm-up ended
}

type secondFile struct {
	TimeNs        int64            `json:"t_ns"` // since the recording's origin
	LengthNs      int64            `json:"length_ns"`
	Requests      int64            `json:"requests"` // that ended
	Errors        int64            `json:"errors"`   // of them failed
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

func newSecondsFile(r *loadresult.Result, since func(time.Time) int64) *secondsFile {
	s := &secondsFile{Schema: document.LoadSeconds, Seconds: []secondFile{}, BinNs: int64(loadresult.Bin), Answers: r.Answers}
	for _, x := range r.Seconds {
		s.Seconds = append(s.Seconds, secondFile{since(x.Start), int64(x.Length), x.Requests, x.Errors, int64(x.P50), int64(x.P99), int64(x.Max),
			x.Answered, x.Bytes, x.Kinds, x.Due, x.InTime, int64(x.Response.P50), int64(x.Response.P99), int64(x.Response.Max), x.Behind, x.Leftover})
	}
	return s
}
