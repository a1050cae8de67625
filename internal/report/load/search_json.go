package load

import (
	"io"

	"whet/internal/document"
	"whet/internal/stat"
)

// jsonSearch is the document of a search. Keys are only ever added; null is
// unknown.
type jsonSearch struct {
	document.Head
	URL         string                     `json:"url"`
	Targets     int                        `json:"targets"`
	TargetsFrom string                     `json:"targets_from"`
	Method      string                     `json:"method"`
	Protocol    string                     `json:"protocol"`
	SLO         string                     `json:"slo"`
	Throughput  *jsonKnee                  `json:"throughput"` // the best one; null: not looked for
	Rate        *jsonKnee                  `json:"rate"`       // the highest that keeps the bounds
	Growth      document.Array[KneeGrowth] `json:"growth"`
	Recording   string                     `json:"recording,omitempty"`
	Report      string                     `json:"report,omitempty"`
}

type jsonKnee struct {
	Found          bool                      `json:"found"`
	Text           string                    `json:"text"`
	Procedure      string                    `json:"procedure"`
	At             *float64                  `json:"at"`
	Low            *float64                  `json:"low"`
	High           *float64                  `json:"high"`
	ThroughputPerS float64                   `json:"throughput_per_s"`
	Plateau        *jsonPlateau              `json:"plateau"`
	Law            *jsonLaw                  `json:"law"`
	Unstable       document.Array[float64]   `json:"unstable"`
	Levels         document.Array[KneeLevel] `json:"levels"`
	Complete       bool                      `json:"complete"`
	SpentNs        int64                     `json:"spent_ns"`
	Valid          bool                      `json:"valid"`
	Reason         string                    `json:"reason"`
	Warnings       document.Array[string]    `json:"warnings"`
}

type jsonPlateau struct {
	PerS       float64  `json:"per_s"`
	LowPerS    *float64 `json:"low_per_s"`
	HighPerS   *float64 `json:"high_per_s"`
	From       float64  `json:"from"`
	To         float64  `json:"to"`
	NoiseRatio *float64 `json:"noise_ratio"`
}

type jsonLaw struct {
	LambdaPerS     jsonInterval           `json:"lambda_per_s"`
	Sigma          jsonInterval           `json:"sigma"`
	Kappa          jsonInterval           `json:"kappa"`
	Peak           jsonInterval           `json:"peak"`
	R2             *float64               `json:"r2"`
	DeviationRatio *float64               `json:"deviation_ratio"`
	Warnings       document.Array[string] `json:"warnings"`
}

// jsonInterval has null for what is not finite.
type jsonInterval struct {
	Center *float64 `json:"center"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
}

// WriteSearchJSON writes what was found as one document: whet/knee/1.
func WriteSearchJSON(w io.Writer, s *Search, files Files) error {
	d := jsonSearch{Head: document.New(document.Knee, s.Warnings), URL: s.Plan.URL, Targets: s.Plan.Targets, TargetsFrom: s.Plan.TargetsFrom,
		Method: s.Plan.Method, Protocol: s.Plan.Protocol, SLO: s.SLO, Growth: s.Growth, Recording: files.Recording, Report: files.Report}
	for i := range s.Found {
		k := newJSONKnee(&s.Found[i])
		if s.Found[i].Open {
			d.Rate = k
		} else {
			d.Throughput = k
		}
	}
	return document.Write(w, d)
}

func newJSONKnee(k *KneeSearch) *jsonKnee {
	j := &jsonKnee{Found: k.Found, Text: k.Headline, Procedure: k.Procedure, ThroughputPerS: k.Throughput, Levels: k.Levels,
		Complete: k.Complete, SpentNs: int64(k.Spent), Valid: k.Invalid == "", Reason: k.Invalid, Warnings: k.Warnings}
	if k.Found {
		j.At, j.Low, j.High = document.Known(&k.At), document.Known(&k.Low), document.Known(&k.High)
	}
	if p := k.Plateau; p != nil {
		noise := p.NoiseRatio()
		j.Plateau = &jsonPlateau{PerS: p.Throughput.Center, LowPerS: document.Known(&p.Throughput.Low), HighPerS: document.Known(&p.Throughput.High), From: p.From, To: p.To, NoiseRatio: document.Known(&noise)}
	}
	if f := k.Law; f != nil {
		j.Law = &jsonLaw{newJSONInterval(f.LambdaInterval), newJSONInterval(f.SigmaInterval), newJSONInterval(f.KappaInterval), newJSONInterval(f.Peak),
			document.Known(&f.R2), document.Known(&f.Deviation), f.Warnings}
	}
	if u := k.Unstable; u != nil {
		j.Unstable = u[:]
	}
	return j
}

func newJSONInterval(iv stat.Interval) jsonInterval {
	return jsonInterval{document.Known(&iv.Center), document.Known(&iv.Low), document.Known(&iv.High)}
}
