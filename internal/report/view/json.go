package view

import (
	"time"

	"whet/internal/document"
)

// jsonHead begins the views' documents.
type jsonHead struct {
	document.Head
	Binary     string   `json:"binary"`
	BuildID    string   `json:"build_id"`
	SampleType string   `json:"sample_type"`
	Unit       string   `json:"unit"`
	Time       string   `json:"time,omitempty"` // RFC 3339; absent when unknown
	DurationNs *int64   `json:"duration_ns,omitempty"`
	Filters    []string `json:"filters,omitempty"`
	Samples    int      `json:"samples"`
	TotalNs    *int64   `json:"total_ns,omitempty"`
	TotalBytes *int64   `json:"total_bytes,omitempty"`
	TotalCount *int64   `json:"total_count,omitempty"`
	Total      *int64   `json:"total,omitempty"` // in Unit, like every key without one
}

func (h *Head) json(verb string) jsonHead {
	j := jsonHead{
		Head: document.New(document.Of(verb), h.Warnings), Filters: h.Filters,
		Binary: h.Binary, BuildID: h.BuildID, SampleType: h.SampleType, Unit: h.Unit, Samples: h.Samples,
	}
	if !h.Time.IsZero() {
		j.Time = h.Time.UTC().Format(time.RFC3339Nano)
	}
	if h.DurationNs != 0 {
		j.DurationNs = &h.DurationNs
	}
	j.TotalNs, j.TotalBytes, j.TotalCount, j.Total = h.byUnit(h.Total)
	return j
}

// byUnit returns v, as -divide_by has it, in the place of the key that names
// its unit.
func (h *Head) byUnit(v int64) (ns, bytes, count, other *int64) {
	return document.ByUnit(h.Unit, h.scaled(v))
}

// share of the total, in [0,1] but for differences.
func (h *Head) share(v int64) float64 { return share(v, h.Total) }

// share is part/whole; 0 where there is no whole.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// jsonShown is the sum of what a view shows.
type jsonShown struct {
	ShownNs    *int64 `json:"shown_ns,omitempty"`
	ShownBytes *int64 `json:"shown_bytes,omitempty"`
	ShownCount *int64 `json:"shown_count,omitempty"`
	Shown      *int64 `json:"shown,omitempty"`
}

func (h *Head) shown(v int64) (j jsonShown) {
	j.ShownNs, j.ShownBytes, j.ShownCount, j.Shown = h.byUnit(v)
	return j
}

// jsonCosts are flat and cum of a node.
type jsonCosts struct {
	FlatNs    *int64  `json:"flat_ns,omitempty"`
	FlatBytes *int64  `json:"flat_bytes,omitempty"`
	FlatCount *int64  `json:"flat_count,omitempty"`
	Flat      *int64  `json:"flat,omitempty"`
	FlatRatio float64 `json:"flat_ratio"`
	CumNs     *int64  `json:"cum_ns,omitempty"`
	CumBytes  *int64  `json:"cum_bytes,omitempty"`
	CumCount  *int64  `json:"cum_count,omitempty"`
	Cum       *int64  `json:"cum,omitempty"`
	CumRatio  float64 `json:"cum_ratio"`
}

func (h *Head) costs(flat, cum int64) jsonCosts {
	c := jsonCosts{FlatRatio: h.share(flat), CumRatio: h.share(cum)}
	c.FlatNs, c.FlatBytes, c.FlatCount, c.Flat = h.byUnit(flat)
	c.CumNs, c.CumBytes, c.CumCount, c.Cum = h.byUnit(cum)
	return c
}
