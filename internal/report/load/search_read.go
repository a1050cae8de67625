package load

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"whet/internal/analyze/capacity"
	"whet/internal/document"
	"whet/internal/stat"
)

// ReadSearch reads what WriteSearchJSON wrote, as far as pages show it.
func ReadSearch(data []byte) (*Search, error) {
	var d jsonSearch
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("read search: %w", err)
	}
	if d.Schema != document.Knee {
		return nil, fmt.Errorf("read search: schema %.40q, want %s", d.Schema, document.Knee)
	}
	s := &Search{SLO: d.SLO, Growth: d.Growth, Warnings: d.Warnings}
	for i, j := range []*jsonKnee{d.Throughput, d.Rate} {
		if j == nil {
			continue
		}
		k, err := j.search()
		if err != nil {
			return nil, fmt.Errorf("read search: %w", err)
		}
		k.Open = i == 1
		s.Found = append(s.Found, k)
	}
	return s, nil
}

func (j *jsonKnee) search() (KneeSearch, error) {
	k := KneeSearch{Headline: j.Text, Procedure: j.Procedure, Found: j.Found, At: orNull(j.At, 0), Low: orNull(j.Low, 0), High: orNull(j.High, math.Inf(1)),
		Throughput: j.ThroughputPerS, Complete: j.Complete, Spent: time.Duration(j.SpentNs), Invalid: j.Reason, Levels: j.Levels, Warnings: j.Warnings}
	if len(j.Unstable) == 2 {
		k.Unstable = (*[2]float64)(j.Unstable)
	}
	if p := j.Plateau; p != nil {
		k.Plateau = &capacity.Plateau{Throughput: stat.Interval{Center: p.PerS, Low: orNull(p.LowPerS, math.Inf(-1)), High: orNull(p.HighPerS, math.Inf(1))}, From: p.From, To: p.To}
	}
	if l := j.Law; l != nil {
		k.Law = &capacity.Fit{LambdaInterval: l.LambdaPerS.interval(), SigmaInterval: l.Sigma.interval(), KappaInterval: l.Kappa.interval(), Peak: l.Peak.interval(),
			R2: orNull(l.R2, math.NaN()), Deviation: orNull(l.DeviationRatio, math.NaN()), Warnings: l.Warnings}
		k.Law.Law = capacity.Law{Lambda: k.Law.LambdaInterval.Center, Sigma: k.Law.SigmaInterval.Center, Kappa: k.Law.KappaInterval.Center}
	}
	for _, l := range j.Levels {
		if len(l.Runs) == 0 || !(l.Level >= 1/possible && l.Level <= possible) || !(l.Throughput >= 0 && l.Throughput <= possible) {
			return k, fmt.Errorf("level %v with %v/s in %d runs is impossible", l.Level, l.Throughput, len(l.Runs))
		}
	}
	return k, nil
}

// possible bounds rates and concurrencies: pages draw them to scale.
const possible = 1e12

func (j jsonInterval) interval() stat.Interval {
	return stat.Interval{Center: orNull(j.Center, math.NaN()), Low: orNull(j.Low, math.Inf(-1)), High: orNull(j.High, math.Inf(1))}
}

// orNull returns what null stands for where there is none.
func orNull(v *float64, null float64) float64 {
	if v == nil {
		return null
	}
	return *v
}
