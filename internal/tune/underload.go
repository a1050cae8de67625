package tune

import (
	"encoding/json"
	"strconv"
	"strings"

	"whet/internal/load"
	"whet/internal/loadresult"
	"whet/internal/read"
	"whet/internal/recording"
)

// addLoad puts the load's figures into the manifest.
func (m *measurement) addLoad(res *loadresult.Result) {
	l := &m.result.Load
	m.result.URL = recording.Redacted(m.o.Load.URL)
	l.Concurrency, l.WarmupNs = m.o.Load.Concurrency, int64(m.o.Load.Warmup)
	l.StartNs, l.EndNs = m.since(res.Start), m.since(res.End)
	l.Requests, l.Bytes, l.Errors, l.Examples = res.Requests, res.Bytes, res.Errors, res.Examples
	l.ThroughputPerS = res.Throughput()
	l.Status = make(map[string]int64)
	for code, n := range res.Status {
		l.Status[strconv.Itoa(code)] = n
	}
	for _, w := range res.Warnings {
		m.w.Warn("%s", w)
	}
	h := &res.Service
	if h.Count() > 0 {
		l.ServiceTimeNs = recording.Times{Min: h.Min(), Mean: h.Mean(), P50: h.Quantile(0.5), P90: h.Quantile(0.9),
			P99: h.Quantile(0.99), P999: h.Quantile(0.999), Max: h.Max()}
	}
	if cpu := int64(res.Generator.CPU); cpu >= 0 {
		l.GeneratorCPUNs = &cpu
	}
	m.file = read.LoadFile{Schema: "whet/load-seconds/1", BinNs: int64(loadresult.Bin), Answers: res.Answers}
	for _, s := range res.Seconds {
		m.file.Seconds = append(m.file.Seconds, read.LoadSecond{TimeNs: m.since(s.Start), LengthNs: int64(s.Length), Requests: s.Requests, Errors: s.Errors,
			P50Ns: int64(s.P50), P99Ns: int64(s.P99), MaxNs: int64(s.Max)})
	}
	data, err := json.Marshal(m.file)
	if err != nil {
		m.keep(err)
		return
	}
	m.keep(m.w.Write(recording.Artifact{Path: "load/seconds.json", Kind: recording.KindLoad, StartNs: l.StartNs, EndNs: l.EndNs}, data))
}

// firstExample is the most frequent kind of failure with an example.
func firstExample(res *loadresult.Result) string {
	var kind string
	for k, n := range res.Errors {
		if most := res.Errors[kind]; n > most || n == most && k < kind {
			kind = k
		}
	}
	return strings.TrimSpace(kind + ": " + res.Examples[kind])
}

// loadProgress passes on where the load stands.
func (r *serviceRecorder) loadProgress(p load.Progress) {
	stage := "under load"
	if p.WarmingUp {
		stage = "warming up"
	}
	r.progress(Progress{Stage: stage, Requests: p.Requests, Errors: p.Errors})
}
