package load

import (
	"html/template"
	"math"
	"strconv"

	"whet/internal/quantity"
	"whet/internal/report/page"
)

// newQuantileData has a place every sixth of a decade.
func newQuantileData(lines []quantileLine, decades float64) template.JS {
	const each = 12 // of a decade
	var d page.ReadData
	for _, l := range lines {
		var r page.ReadLine
		end := min(math.Log10(float64(l.h.Count())), decades)
		for k := 0; ; k++ {
			at := min(float64(k)/each, end)
			q := 1 - math.Pow(10, -at)
			r.At = append(r.At, int(math.Round(at/decades*page.ChartX)))
			r.Values = append(r.Values, quantity.Nanoseconds(float64(l.h.Quantile(q))))
			r.Places = append(r.Places, "of "+shareOf(at))
			if at >= end {
				r.Values[k], r.Places[k] = page.Ns(l.h.Max()), "the longest"
				break
			}
		}
		d.Lines = append(d.Lines, r)
	}
	return d.Script()
}

// shareOf prints 1−10⁻ᵃᵗ with a digit more than it has nines.
func shareOf(at float64) string {
	digits := max(int(at)-1, 0) + 1
	return strconv.FormatFloat(100*(1-math.Pow(10, -at)), 'f', digits, 64) + " %"
}
