package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"whet/internal/analyze/wall"
	"whet/internal/format/metrics"
	"whet/internal/format/profile"
	"whet/internal/program"
	"whet/internal/record"
	"whet/internal/recording"
)

// instrumentData is the output of instruments, before it becomes artifacts.
type instrumentData struct {
	profiles record.Profiles
	before   []record.File // states of earlier moments, of the last run alone
	traces   []record.File
	rows     []metrics.Row // times since the recording's origin
}

// Bounds on one file of the agent's.
const maxAgentFile = 256 << 20

// lateBy is how much later than its process an agent may have begun by the wall
// clock before that clock is taken to have jumped.
const lateBy = 2 * time.Second

// adopt adds the files that the agent wrote during a run, and returns the time when the
// agent began, whether its files are complete, or why there are none.
func (s *session) adopt(t *instrumentData, a *program.Agent, start, end int64) (began int64, whole bool, missing string) {
	m, err := a.Read()
	if err != nil {
		return start, false, err.Error()
	}
	for _, w := range m.Warnings {
		s.w.Warn("%s", w)
	}
	// Both clocks are this machine's. Where the wall clock jumped between the
	// two, the process's start, by our own clock, is near enough.
	shift := s.w.Since(m.Origin.Round(0))
	if shift < start || shift > start+int64(lateBy) || shift+m.EndNs > end+int64(lateBy) {
		shift = start
	}
	t.before = nil
	for _, f := range m.Files {
		name := filepath.Join(a.Dir(), f.Name)
		st, err := os.Stat(name)
		if err == nil && st.Size() > maxAgentFile {
			err = fmt.Errorf("larger than %d MiB", maxAgentFile>>20)
		}
		var data []byte
		if err == nil {
			data, err = os.ReadFile(name)
		}
		if err != nil {
			s.w.Keep(fmt.Errorf("read %s of the program: %w", f.Name, err))
			continue
		}
		from, to := f.StartNs+shift, f.EndNs+shift
		file := record.File{Kind: f.Kind, Part: f.Part, Data: data, StartNs: from, EndNs: to}
		if f.Part != "" {
			t.before = append(t.before, file)
			continue
		}
		switch f.Kind {
		case recording.KindTrace, recording.KindFlight:
			t.traces = append(t.traces, file)
		case recording.KindMetrics:
			rows, warnings, err := metrics.Read(data, metrics.MaxRows)
			s.w.Keep(err)
			for _, w := range warnings {
				s.w.Warn("metrics: %s", w)
			}
			for _, row := range rows {
				row.TimeNs += shift
				t.rows = append(t.rows, row)
			}
		default:
			t.profiles.Add(f.Kind, data, from, to)
		}
	}
	return shift, m.Ended != program.EndedRunning, ""
}

// store writes the data as artifacts.
func (s *session) store(t *instrumentData) {
	s.w.AddProfiles(t.profiles, "")
	s.storeBefore(t, "profiles/", "")
	for i, trace := range t.traces {
		s.addFile(tracePath(i), "", trace)
	}
	s.storeWall(t.traces)
	s.storeRows("metrics/metrics.jsonl", "", t.rows)
}

// storeBefore keeps the states of earlier moments; prefix begins their paths.
func (s *session) storeBefore(t *instrumentData, prefix, benchmark string) {
	for i, state := range t.before {
		s.addFile(fmt.Sprintf("%s%s-before-%d.pb.gz", prefix, state.Kind, i), benchmark, state)
	}
}

func (s *session) addFile(path, benchmark string, f record.File) {
	s.w.Keep(s.w.Write(recording.Artifact{Path: path, Kind: f.Kind, Part: f.Part, Benchmark: benchmark, StartNs: f.StartNs, EndNs: f.EndNs}, f.Data))
}

func tracePath(i int) string { return fmt.Sprintf("trace/%03d.trace", i) }

// storeWall makes a profile of the traces that every view opens. They are read
// in the order in which a reader of the recording would.
func (s *session) storeWall(traces []record.File) {
	var in []wall.Trace
	for _, kind := range []string{recording.KindTrace, recording.KindFlight} {
		for i, trace := range traces {
			if trace.Kind == kind {
				in = append(in, wall.Trace{Name: tracePath(i), Source: bytes.NewReader(trace.Data), StartNs: trace.StartNs})
			}
		}
	}
	if len(in) == 0 {
		return
	}
	s.progress(Progress{Stage: "reading the trace"})
	res, err := wall.Analyze(in)
	if err != nil {
		s.w.Keep(err)
		return
	}
	s.known.Wall = res // the report has its warnings
	if res.Profile == nil || res.Profile.Len() == 0 {
		return
	}
	var buf bytes.Buffer
	if err := profile.Write(&buf, res.Profile.Profile); err != nil {
		s.w.Keep(fmt.Errorf("write the wall-clock profile: %w", err))
		return
	}
	s.w.Keep(s.w.Write(recording.Artifact{Path: "profiles/wall.pb.gz", Kind: recording.KindWall, StartNs: traces[0].StartNs, EndNs: traces[len(traces)-1].EndNs}, buf.Bytes()))
}

// storeRows keeps the metrics, a row a line.
func (s *session) storeRows(path, benchmark string, rows []metrics.Row) {
	if len(rows) == 0 {
		return
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	for i := range rows {
		if err := e.Encode(&rows[i]); err != nil {
			s.w.Keep(err)
			return
		}
	}
	s.w.Keep(s.w.Write(recording.Artifact{Path: path, Kind: recording.KindMetrics, Benchmark: benchmark, StartNs: rows[0].TimeNs, EndNs: rows[len(rows)-1].TimeNs}, buf.Bytes()))
}

// addGC keeps the collector's log of one process, whose runtime began at start.
func (s *session) addGC(g *gcLines, benchmark string, start int64) {
	log, dropped := g.bytes()
	if dropped {
		s.w.Warn("the GC log was longer than %d MiB: its end is missing", keepGC>>20)
	}
	if len(log) == 0 {
		return
	}
	n := len(s.w.Manifest.Artifacts)
	s.w.Keep(s.w.Write(recording.Artifact{Path: fmt.Sprintf("gc/gctrace-%03d.txt", n), Kind: recording.KindGC, Benchmark: benchmark, StartNs: start, EndNs: s.w.Now()}, log))
}
