package view

import (
	"time"

	"whet/internal/document"
)

// document begins that of a view.
func (h *Head) document(verb string) document.Object {
	at, filters := "", any(h.Filters)
	if !h.Time.IsZero() {
		at = h.Time.UTC().Format(time.RFC3339Nano)
	}
	if len(h.Filters) == 0 {
		filters = document.IfSet("")
	}
	return document.Object{document.Begin(document.Of(verb), h.Warnings), "binary", h.Binary, "build_id", h.BuildID, "sample_type", h.SampleType, "unit", h.Unit,
		"time", document.IfSet(at), "duration_ns", document.IfSet(h.DurationNs), "filters", filters, "samples", h.Samples, h.amount("total", h.Total)}
}

// amount is v, as -divide_by has it, with a key that names its unit; one of the
// profile's own has a key without.
func (h *Head) amount(key string, v int64) document.Object {
	return document.Amount(key, h.Unit, h.scaled(v))
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

// shared returns a value with its share of the total.
func (h *Head) shared(key string, v int64) document.Object {
	return document.Object{h.amount(key, v), key + "_ratio", h.share(v)}
}

// costs are flat and cum of a node.
func (h *Head) costs(flat, cum int64) document.Object {
	return document.Object{h.shared("flat", flat), h.shared("cum", cum)}
}

// sums are flat and cum of a place, without their shares.
func (h *Head) sums(flat, cum int64) document.Object {
	return document.Object{h.amount("flat", flat), h.amount("cum", cum)}
}
