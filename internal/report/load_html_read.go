package report

import (
	"encoding/json"
	"html/template"
	"math"
	"strconv"

	"whet/internal/quantity"
)

// readSamples is how many samples of a line the page carries beside its drawing.
// The values of longer loads stand in the CSV.
const readSamples = 720

// readData are the values of a chart's lines, which the script reads to the
// mouse. Values are printed here, so that they are rounded as all others.
type readData struct {
	Lines []readLine `json:"lines"`
}

// readLine is a line: At are places from 0 to 1440, ascending, and Values and
// Places say what is there.
type readLine struct {
	At     []int    `json:"at"`
	Places []string `json:"places"`
	Values []string `json:"values"`
}

// newReadData is empty where a line has more samples than a page carries.
func newReadData(unit string, x axis, lines []lineOf) template.JS {
	var d readData
	for _, l := range lines {
		if len(l.samples) > readSamples {
			return ""
		}
		var r readLine
		for _, s := range l.samples {
			value := "–"
			if isKnown(s.v) {
				value = amount(s.v, unit)
			}
			r.At = append(r.At, int(math.Round(x.at(s.t)*chartX)))
			r.Places = append(r.Places, "at "+seconds(float64(s.t)))
			r.Values = append(r.Values, value)
		}
		d.Lines = append(d.Lines, r)
	}
	return d.script()
}

// newQuantileData has a place every sixth of a decade.
func newQuantileData(lines []quantileLine, decades float64) template.JS {
	const each = 12 // of a decade
	var d readData
	for _, l := range lines {
		var r readLine
		end := min(math.Log10(float64(l.h.Count())), decades)
		for k := 0; ; k++ {
			at := min(float64(k)/each, end)
			q := 1 - math.Pow(10, -at)
			r.At = append(r.At, int(math.Round(at/decades*chartX)))
			r.Values = append(r.Values, quantity.Nanoseconds(float64(l.h.Quantile(q))))
			r.Places = append(r.Places, "of "+shareOf(at))
			if at >= end {
				r.Values[k], r.Places[k] = ns(l.h.Max()), "the longest"
				break
			}
		}
		d.Lines = append(d.Lines, r)
	}
	return d.script()
}

// shareOf prints 1−10⁻ᵃᵗ with a digit more than it has nines.
func shareOf(at float64) string {
	digits := max(int(at)-1, 0) + 1
	return strconv.FormatFloat(100*(1-math.Pow(10, -at)), 'f', digits, 64) + " %"
}

func (d *readData) script() template.JS {
	text, err := json.Marshal(d) // escapes <, > and &
	if err != nil {
		panic(err) // numbers and their own print
	}
	return template.JS(text)
}
