package load

import (
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// htmlGrowthRows is how many functions of a kind of profile a page shows.
const htmlGrowthRows = 25

// growthView is what grew in profiles of one kind, for each request.
type growthView struct {
	Run                        string // whose profiles they are, of several runs
	Kind, Between, Of, Nothing string
	Low, High                  string // the levels
	Rows                       []growthViewRow
	More                       string
}

// growthViewRow has flat and then cum: at the low level, at the high one, and
// how much it grew.
type growthViewRow struct {
	Function, File string
	Cells          []string
}

func newGrowthView(run string, g *KneeGrowth) growthView {
	v := growthView{Run: run, Kind: printable.Line(g.Kind), Between: g.between(), Of: g.of(), Low: quantity.Count(g.LowLevel), High: quantity.Count(g.HighLevel), More: page.More(len(g.Rows), htmlGrowthRows)}
	if len(g.Rows) == 0 {
		v.Nothing = nothingGrew
	}
	cells := func(low, high float64) []string { return []string{g.value(low), g.value(high), g.grew(low, high)} }
	v.Rows = []growthViewRow{{Function: "all of it", Cells: append(cells(g.LowTotal, g.HighTotal), "", "", "")}}
	for _, r := range g.Rows[:min(len(g.Rows), htmlGrowthRows)] {
		v.Rows = append(v.Rows, growthViewRow{printable.Line(r.Function), printable.Line(r.File), append(cells(r.LowFlat, r.HighFlat), cells(r.LowCum, r.HighCum)...)})
	}
	return v
}
