package load

import (
	"fmt"

	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/quantity"
)

// KneeGrowth is the growth of costs per response between two levels, in profiles of
// one kind.
type KneeGrowth struct {
	Kind         string                    `json:"kind"`        // "cpu"
	Column       string                    `json:"sample_type"` // "cpu"
	Unit         string                    `json:"unit"`        // "nanoseconds"
	Open         bool                      `json:"open"`        // levels are rates; else connections
	LowLevel     float64                   `json:"low_level"`
	HighLevel    float64                   `json:"high_level"`
	LowRequests  int64                     `json:"low_requests"`
	HighRequests int64                     `json:"high_requests"`
	LowTotal     float64                   `json:"low_per_request"`
	HighTotal    float64                   `json:"high_per_request"`
	Rows         document.Array[GrowthRow] `json:"functions"`
}

// GrowthRow is a function, with its cost for each request at either level.
type GrowthRow struct {
	Function string  `json:"function"`
	File     string  `json:"file"`
	LowFlat  float64 `json:"low_flat_per_request"`
	HighFlat float64 `json:"high_flat_per_request"`
	LowCum   float64 `json:"low_cum_per_request"`
	HighCum  float64 `json:"high_cum_per_request"`
}

// growthRows is the number of functions that are shown.
const growthRows = 10

func (t *writer) growth(g *KneeGrowth) {
	t.Heading("What grew · "+printable.Line(g.Kind), g.between())
	rows := [][]string{{"flat", "flat now", "cum", "cum now", "", ""}}
	rows = append(rows, []string{g.grew(g.LowTotal, g.HighTotal), g.value(g.HighTotal), "", "", "all of it", ""})
	for _, r := range g.Rows[:min(len(g.Rows), growthRows)] {
		rows = append(rows, []string{g.grew(r.LowFlat, r.HighFlat), g.value(r.HighFlat), g.grew(r.LowCum, r.HighCum), g.value(r.HighCum), printable.Line(r.Function), ""})
	}
	t.Table(rows)
	if len(g.Rows) == 0 {
		t.Hang(2, "", 0, nothingGrew)
	}
	t.Hang(2, "", 0, g.of())
}

const nothingGrew = "No function grew by more than chance."

// between says between which levels.
func (g *KneeGrowth) between() string {
	unit := "connections"
	if g.Open {
		unit = "requests a second"
	}
	return fmt.Sprintf("for each request, from %s to %s %s", quantity.Count(g.LowLevel), quantity.Count(g.HighLevel), unit)
}

// of says how many requests it is about.
func (g *KneeGrowth) of() string {
	return fmt.Sprintf("Of %s and %s.", quantity.Plural(int(g.LowRequests), "request"), quantity.Plural(int(g.HighRequests), "request"))
}

// value prints a cost in the unit that the service's profile names.
func (g *KneeGrowth) value(v float64) string { return printable.Line(quantity.Value(v, g.Unit)) }

func (g *KneeGrowth) grew(low, high float64) string {
	if high < low {
		return g.value(high - low)
	}
	return "+" + g.value(high-low)
}
