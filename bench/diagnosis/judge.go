package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"whet/internal/finding"
	"whet/internal/recording"
)

// shown is how many places a row keeps.
const shown = 5

// Row is what was said of one case. A line of results/diagnosis.jsonl holds one.
type Row struct {
	Case   string    `json:"case"`
	Module string    `json:"module"`
	Date   time.Time `json:"date"` // of the recording
	System string    `json:"system"`
	CPU    string    `json:"cpu"`
	Cores  int       `json:"cores"`
	Load   *float64  `json:"load,omitempty"`
	Commit string    `json:"commit"` // of whet as it diagnosed
	Dirty  bool      `json:"dirty,omitempty"`

	Failure string     `json:"failure,omitempty"`
	Verdict string     `json:"verdict,omitempty"`
	Outcome string     `json:"outcome,omitempty"`
	Samples int64      `json:"samples"` // of the base's CPU time, as far as places tell
	Places  []HotPlace `json:"places"`
	Claims  []Claim    `json:"claims"`
	Script  []Spot     `json:"script"`
	// ThereRatio is the share of the CPU profile whose innermost own line the
	// commit changed.
	ThereRatio float64 `json:"there_ratio"`
}

// HotPlace is one of the hot places, as far as it is judged.
type HotPlace struct {
	Function   string   `json:"function"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Lines      []int    `json:"lines,omitempty"`
	WorthRatio float64  `json:"worth_ratio"`
	CPURatio   *float64 `json:"cpu_ratio"`
	AllocRatio *float64 `json:"alloc_bytes_ratio"`
	DelayRatio *float64 `json:"delay_ratio"`
	Finding    *string  `json:"finding"`
	Cause      *string  `json:"cause,omitempty"` // what it says of why it costs that
}

// Claim is a finding.
type Claim struct {
	Rule       string             `json:"rule"`
	Row        string             `json:"row,omitempty"` // of the tables of docs/rules.md that it rests on
	File       string             `json:"file"`
	Line       int                `json:"line"`
	Remedy     bool               `json:"remedy"` // it says what to do
	Confidence finding.Confidence `json:"confidence,omitempty"`
}

// document is what is read of whet diagnose -json.
type document struct {
	Verdict struct {
		Text    string `json:"text"`
		Outcome string `json:"outcome"`
	} `json:"verdict"`
	Findings  []finding.Finding `json:"findings"`
	HotPlaces []HotPlace        `json:"hot_places"`
	Profiles  []struct {
		Kind    string `json:"kind"`
		Classes []struct {
			Class   string `json:"class"`
			Samples int64  `json:"samples"`
		} `json:"classes"`
	} `json:"profiles"`
}

// diagnose reads a case's recording and says what whet and the script say.
func (l *lab) diagnose(ctx context.Context, c *Case) (*Row, error) {
	rec, err := recording.Open(l.recording(c))
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	out, err := command(ctx, ".", l.whet, "diagnose", "-json", l.recording(c))
	if err != nil {
		return nil, err
	}
	row := &Row{
		Case: c.Name, Module: c.Module, Date: rec.Origin.UTC().Truncate(time.Second),
		System: rec.Host.OS + "/" + rec.Host.Arch, CPU: rec.Host.CPU, Cores: rec.Host.Cores, Load: rec.Host.LoadStart,
	}
	if err := row.read(out); err != nil {
		return nil, fmt.Errorf("whet diagnose -json of %s: %w", c.Name, err)
	}
	row.Script, row.ThereRatio, err = script(c, rec)
	return row, err
}

// nameRows sets the rows that a case's claims rest on, where that was not kept: those of
// the same rule at the same place in a recording, those below the threshold there among
// them. Nothing else that is kept changes.
func (l *lab) nameRows(ctx context.Context, c *Case, claims []Claim) error {
	out, err := command(ctx, ".", l.whet, "diagnose", "-json", "-all", l.recording(c))
	if err != nil {
		return err
	}
	var d document
	if err := json.Unmarshal(out, &d); err != nil {
		return fmt.Errorf("whet diagnose -json -all of %s: %w", c.Name, err)
	}
	d.nameRows(claims)
	return nil
}

func (d *document) nameRows(claims []Claim) {
	for i := range claims {
		of := &claims[i]
		for _, f := range d.Findings {
			if of.Row == "" && f.Rule == of.Rule && f.File == of.File && f.Line == of.Line {
				of.Row = f.Row
			}
		}
	}
}

func (r *Row) read(text []byte) error {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	r.Verdict, r.Outcome = d.Verdict.Text, d.Verdict.Outcome
	r.Places = d.HotPlaces[:min(len(d.HotPlaces), shown)]
	for _, f := range d.Findings {
		r.Claims = append(r.Claims, Claim{f.Rule, f.Row, f.File, f.Line, f.Remedy != "", f.Confidence})
	}
	for _, p := range d.Profiles {
		for _, class := range p.Classes {
			if p.Kind == "cpu" && class.Class == "base" {
				r.Samples += class.Samples
			}
		}
	}
	return nil
}

// rank returns where the first right place stands, from 1; 0: nowhere among those kept.
func (c *Case) rank(places []HotPlace) int {
	for i, p := range places {
		if c.right(p.File, append([]int{p.Line}, p.Lines...)...) {
			return i + 1
		}
	}
	return 0
}

// scriptRank returns the same of the script's lines.
func (c *Case) scriptRank(spots []Spot) int {
	for i, s := range spots {
		if c.right(s.File, s.Line) {
			return i + 1
		}
	}
	return 0
}

// clean reports whether an outcome says that nothing stands out.
func clean(outcome string) bool { return outcome == "floor" || outcome == "spread" }

// unanswered reports whether the recording was too poor for an answer.
func (r *Row) unanswered() bool {
	return r.Failure != "" || r.Outcome == "too-few-samples" || r.Outcome == "invalid"
}

// remedies returns the findings that say what to do.
func (r *Row) remedies() []Claim {
	var out []Claim
	for _, c := range r.Claims {
		if c.Remedy {
			out = append(out, c)
		}
	}
	return out
}
