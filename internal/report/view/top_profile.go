package view

import (
	"whet/internal/callstack"
	"whet/internal/quantity"
)

// Profile returns the table as a profile, as pprof's topproto writes it: a
// sample for each node, with its cum and flat in the unit of the table.
func (t *Top) Profile() *callstack.Profile {
	b := callstack.NewBuilder(callstack.ValueType{Type: "cum", Unit: t.OutUnit}, callstack.ValueType{Type: "flat", Unit: t.OutUnit})
	p := b.Profile()
	p.DefaultType = 1
	p.PeriodType, p.Period, p.TimeNanos, p.Duration = t.meta.PeriodType, t.meta.Period, t.meta.TimeNanos, t.meta.Duration
	for _, n := range t.Graph.Nodes {
		f := b.Function(callstack.Function{Name: n.Info.Name, File: n.Info.File, Start: n.Info.StartLine})
		at := b.NewLocation(callstack.NoMapping, n.Info.Address, false, callstack.SourceLine{Function: f, Line: n.Info.Line, Column: n.Info.Column})
		cum, _ := quantity.PprofScale(n.CumValue(), t.Unit, t.OutUnit)
		flat, _ := quantity.PprofScale(n.FlatValue(), t.Unit, t.OutUnit)
		b.Add([]callstack.LocationID{at}, nil, int64(cum), int64(flat))
	}
	return p
}
