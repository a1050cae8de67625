package page

import (
	"encoding/json"
	"html/template"
	"math"
)

// readSamples is how many samples of a line the page carries beside its drawing.
// The values of longer loads stand in the CSV.
const readSamples = 720

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

// newReadData is empty where a line has more samples than a page carries.
func newReadData(unit string, x Axis, lines []Line) template.JS {
	var d ReadData
	for _, l := range lines {
		if len(l.Samples) > readSamples {
			return ""
		}
		var r ReadLine
		for _, s := range l.Samples {
			value := "–"
			if Known(s.V) {
				value = Amount(s.V, unit)
			}
			r.At = append(r.At, int(math.Round(x.At(s.T)*ChartX)))
			r.Places = append(r.Places, "at "+Seconds(float64(s.T)))
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
