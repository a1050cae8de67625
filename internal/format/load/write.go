package load

import (
	"bytes"
	"cmp"
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
	logs []logFile
}

// logFile is a log with the file it is written to.
type logFile struct {
	*Log
	path string
	file io.Closer // nil: closed
}

// NewWriter opens the logs of a load; open reports whether its arrivals follow a
// schedule. tool is the version of whet. Call Close if Finish, which reports a log that
// could not be opened, is not called.
func NewWriter(w *recording.Writer, tool string, open bool) *Writer {
	k := &Writer{w: w, tool: tool, open: open}
	for _, log := range []struct {
		path     string
		response bool
	}{{ServicePath, false}, {ResponsePath, true}} {
		if log.response && !open {
			continue
		}
		f, err := w.Create(log.path)
		kept := logFile{NewLog(f, tool, Logged{Response: log.response}), log.path, f}
		if kept.err = err; err != nil {
			kept.file = nil
		}
		k.logs = append(k.logs, kept)
	}
	return k
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

// Finish writes the result and enters all files into the recording. slo are the bounds
// of the load; "": none. A failure does not prevent the other writes; the first failure
// is returned.
func (k *Writer) Finish(plan *loadresult.Plan, r *loadresult.Result, slo string) error {
	defer k.Close()
	since := func(t time.Time) int64 { return int64(t.Sub(k.w.Manifest.Origin)) }
	artifact := func(path, kind string) recording.Artifact {
		return recording.Artifact{Path: path, Kind: kind, StartNs: since(r.Start), EndNs: since(r.End)}
	}
	var failed error
	for i := range k.logs {
		log := &k.logs[i]
		err := log.End(r.Start)
		if log.file != nil {
			err = cmp.Or(err, log.file.Close())
			log.file = nil
		}
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
		write      func(io.Writer) error
	}{
		{RunPath, recording.KindLoadRun, func(w io.Writer) error {
			return document.Write(w, runFile{document.New(document.LoadRun, r.Warnings), *plan, r, since(r.Start), statuses(r), slo})
		}},
		{SecondsPath, recording.KindLoad, newSecondsFile(r, since).write},
	} {
		var data bytes.Buffer
		err := f.write(&data)
		if err == nil {
			err = k.w.Write(artifact(f.path, f.kind), data.Bytes())
		}
		failed = cmp.Or(failed, err)
	}
	return failed
}

// runFile is load/run.json: all of a load but its seconds and its times.
type runFile struct {
	document.Head
	Plan loadresult.Plan `json:"plan"`
	*loadresult.Result
	StartNs int64            `json:"start_ns"` // since the recording's origin
	Status  map[string]int64 `json:"status"`
	SLO     string           `json:"slo"`
}

// secondsFile is load/seconds.json. Of a service, the first versions of whet wrote
// the keys up to max_ns alone.
type secondsFile struct {
	document.Head
	BinNs   int64        `json:"bin_ns"`
	Seconds []secondFile `json:"seconds,omitempty"`
	Answers []int32      `json:"answers,omitempty"` // whole ones in each bin since the warm-up ended
}

type secondFile struct {
	TimeNs int64 `json:"t_ns"` // since the recording's origin
	loadresult.Second
	loadresult.Quantiles // Second.Response
}

func newSecondsFile(r *loadresult.Result, since func(time.Time) int64) *secondsFile {
	s := &secondsFile{Head: document.New(document.LoadSeconds, nil), BinNs: int64(loadresult.Bin), Answers: r.Answers}
	for _, x := range r.Seconds {
		s.Seconds = append(s.Seconds, secondFile{since(x.Start), x, x.Response})
	}
	return s
}

// write writes a second and a bin a line: there are many.
func (s *secondsFile) write(w io.Writer) error {
	d := document.NewStream(w, secondsFile{Head: s.Head, BinNs: s.BinNs})
	d.List("seconds")
	for _, second := range s.Seconds {
		d.Item(second)
	}
	d.List("answers")
	for _, n := range s.Answers {
		d.Item(n)
	}
	return d.Close()
}
