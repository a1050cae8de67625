package page

import (
	"encoding/json"
	"html/template"
	"math"
)

// ReadData are the values of a chart's lines, which the script reads to the
// mouse. Values are printed here, so that they are rounded as all others.
type ReadData struct {
	Lines []ReadLine `json:"lines"`
}

// ReadLine is a line: At are places from 0 to 1440, ascending, and Values and
// Places say what is there.
type ReadLine struct {
	At     []int    `json:"at"`
	Places []string `json:"places"`
	Values []string `json:"values"`
}

// newReadData has so many samples of each line at most, of longer ones every
// second, third, ….
func newReadData(unit string, x Axis, lines []Line, most int) template.JS {
	var d ReadData
	for n, l := range lines {
		var r ReadLine
		each := (len(l.Samples) + most - 1) / most
		for i, s := range l.Samples {
			if i%each != 0 {
				continue
			}
			value := "–"
			if Known(s.V) {
				value = Amount(s.V, unit)
			}
			r.At = append(r.At, int(math.Round(x.At(s.T)*ChartX)))
			if n == 0 { // the others' are beside it
				r.Places = append(r.Places, "at "+Seconds(math.Round(float64(s.T)/1e6)*1e6))
			}
			r.Values = append(r.Values, value)
		}
		d.Lines = append(d.Lines, r)
	}
	return d.Script()
}

func (d *ReadData) Script() template.JS { return Script(d) }

// Script is data for a page's script: text, and numbers that are finite.
func Script(data any) template.JS {
	text, err := json.Marshal(data) // escapes <, > and &
	if err != nil {
		panic(err)
	}
	return template.JS(text)
}
