package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"whet/internal/analyze/compare"
)

// Trial is a proof of one question and, in some, what go test and benchstat
// said of the same sides. A line of results/proof.jsonl holds one.
type Trial struct {
	Question question `json:"question"`
	Seed     uint64   `json:"seed"`   // of all that is drawn by lot
	Loaded   bool     `json:"loaded"` // another process kept one core busy
	At       Origin   `json:"at"`

	BudgetNs  int64 `json:"budget_ns"`
	ElapsedNs int64 `json:"elapsed_ns"` // of the proof: builds, tests and all
	MeasureNs int64 `json:"measure_ns"` // of its measuring
	Planned   int   `json:"planned"`    // rounds
	Needed    int   `json:"needed"`     // rounds without which no verdict is possible
	SameBytes bool  `json:"same_bytes"` // the sides' binaries are equal
	Rows      []Row `json:"rows"`

	Blocks *Blocks `json:"blocks,omitempty"`
}

// Origin is where and when a line was measured.
type Origin struct {
	Date   time.Time `json:"date"`
	Commit string    `json:"commit"`
	Dirty  bool      `json:"dirty,omitempty"`
	Go     string    `json:"go"`
	System string    `json:"system"` // os/arch
	CPU    string    `json:"cpu"`
	Cores  int       `json:"cores"`
	Load   *float64  `json:"load,omitempty"` // before
	Steal  *float64  `json:"steal,omitempty"`
}

// Row is what the proof said of one metric of one benchmark, to the digits that
// matter.
type Row struct {
	Name       string          `json:"name"`
	Metric     string          `json:"metric"`
	Verdict    compare.Verdict `json:"verdict"`
	Ratio      float64         `json:"ratio"`
	Low        float64         `json:"low"`
	High       float64         `json:"high"`
	P          float64         `json:"p"` // sequential, as if it had been the only row
	Noise      *float64        `json:"noise,omitempty"`
	Rounds     int             `json:"rounds"`
	Turns      int             `json:"turns,omitempty"` // 0: as many as rounds
	Iterations int64           `json:"n"`
	Old        float64         `json:"old"`
	New        float64         `json:"new"`
}

// Simulated is a line of results that came from simulation; see simulate.go.
type Simulated struct {
	At    Origin     `json:"at"`
	Seed  uint64     `json:"seed"`
	Cases []Coverage `json:"cases"`
}

// Samples are all lines that are kept.
type Samples struct {
	Trials    []Trial
	Simulated *Simulated // the newest
}

// line is a line of the file; one of the two is set.
type line struct {
	Trial     *Trial     `json:"trial,omitempty"`
	Simulated *Simulated `json:"simulated,omitempty"`
}

func samplesFile(dir string) string { return filepath.Join(dir, "results", "proof.jsonl") }

// load reads what is kept. A last line without its end is of a run that was
// killed while writing: it does not count, and whole is where it begins.
func readSamples(dir string) (s Samples, whole int64, err error) {
	data, err := os.ReadFile(samplesFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return s, 0, nil
	}
	if err != nil {
		return s, 0, err
	}
	for n := 1; ; n++ {
		text, rest, ended := bytes.Cut(data, []byte("\n"))
		if !ended {
			return s, whole, nil
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return s, 0, fmt.Errorf("read %s: line %d: %w", samplesFile(dir), n, err)
		}
		switch {
		case l.Trial != nil:
			s.Trials = append(s.Trials, *l.Trial)
		case l.Simulated != nil:
			s.Simulated = l.Simulated
		}
		whole += int64(len(text)) + 1
		data = rest
	}
}

// keep appends a line after the last whole one.
func keep(dir string, l line) error {
	_, whole, err := readSamples(dir)
	if err != nil {
		return err
	}
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("keep a trial: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(samplesFile(dir)), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(samplesFile(dir), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(whole); err != nil {
		return err
	}
	if _, err := f.WriteAt(append(text, '\n'), whole); err != nil {
		return err
	}
	return f.Close()
}
