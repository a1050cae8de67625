package knowledge

import (
	"bytes"
	_ "embed" // for gains.jsonl
	"encoding/json"
	"slices"
	"sync"

	"whet/internal/diagnose"
)

// Gain is the cost per call of a row's example before and after.
type Gain struct {
	Row         string  `json:"row"`
	BeforeNs    float64 `json:"before_ns"` // medians
	AfterNs     float64 `json:"after_ns"`
	Ratio       float64 `json:"ratio"` // median of the ratios of turns, before/after
	Low         float64 `json:"low"`   // its 95 % interval
	High        float64 `json:"high"`
	BeforeBytes int64   `json:"before_bytes"`
	AfterBytes  int64   `json:"after_bytes"`
	Before      int64   `json:"before_allocs"`
	After       int64   `json:"after_allocs"`
	On          string  `json:"on"` // when, by which Go and on what machine
}

// Least is the ratio of times from which a remedy is worth its row; fewer
// allocations are enough, too.
const Least = 1.2

// Worth reports whether the remedy gains time or allocations.
func (g *Gain) Worth() bool { return g.Low >= Least || g.After < g.Before && g.High > 0.95 }

// Removed returns the part of the work that the remedy removes.
func (g *Gain) Removed() (r diagnose.Removed) {
	if g.Low > 1 {
		r.Time = 1 - 1/g.Ratio
	}
	if g.AfterBytes < g.BeforeBytes {
		r.Bytes = 1 - float64(g.AfterBytes)/float64(g.BeforeBytes)
	}
	return r
}

//go:embed gains.jsonl
var gainsFile []byte

// measured are the gains of the file, a line each; the tests hold that it can be
// read.
var measured = sync.OnceValue(func() (all []Gain) {
	for line := range bytes.Lines(gainsFile) {
		var g Gain
		if json.Unmarshal(line, &g) == nil {
			all = append(all, g)
		}
	}
	return all
})

// GainOf returns the measured gain of a row, nil if there is none.
func GainOf(row string) *Gain {
	all := measured()
	if i := slices.IndexFunc(all, func(g Gain) bool { return g.Row == row }); i >= 0 {
		return &all[i]
	}
	return nil
}
