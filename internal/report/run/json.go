package run

import (
	"cmp"
	"io"
	"slices"

	"whet/internal/analyze/hot"
	"whet/internal/document"
	"whet/internal/finding"
	"whet/internal/report/page"
)

// JSONOptions says what a JSON document names beside the page.
type JSONOptions struct {
	Verb      string // "tune" (also when empty) or "diagnose": the schema is whet/Verb/1
	Recording string // path of the recording; "" leaves the key out
	Report    string // path of the HTML report; "" leaves the key out
	All       bool   // findings below the threshold too
}

// The document. Keys are only ever added; units stand in their names. Lists are
// never null.
type jsonDocument struct {
	document.Head
	Verdict        Verdict                          `json:"verdict"`
	HotPlaces      document.Array[finding.HotPlace] `json:"hot_places"`
	Charged        document.Array[finding.Account]  `json:"charged"`
	ThresholdRatio float64                          `json:"threshold_ratio"`
	Findings       document.Array[finding.Finding]  `json:"findings"`
	Benchmarks     document.Array[jsonBenchmark]    `json:"benchmarks"`
	Target         string                           `json:"target"`
	Package        string                           `json:"package"`
	Module         string                           `json:"module"`
	Tool           string                           `json:"tool"`
	Created        string                           `json:"created"`
	Partial        string                           `json:"partial"` // why the recording is not whole; "" when it is
	Facts          document.Array[page.Fact]        `json:"facts"`
	Profiles       document.Array[jsonProfile]      `json:"profiles"`
	jsonRun
	Recording string `json:"recording,omitempty"`
	Report    string `json:"report,omitempty"`
}

// jsonBenchmark: null is unknown.
type jsonBenchmark struct {
	Name        string                 `json:"name"`
	Procs       int                    `json:"procs"`
	Iterations  int64                  `json:"iterations"`
	NsPerOp     *float64               `json:"ns_per_op"`
	BytesPerOp  *float64               `json:"bytes_per_op"`
	AllocsPerOp *float64               `json:"allocs_per_op"`
	Metrics     document.Array[Metric] `json:"metrics"`
	Parallel    bool                   `json:"parallel"`
	Profiled    bool                   `json:"profiled"`
	Failure     string                 `json:"failure"`
}

type jsonProfile struct {
	Kind       string                    `json:"kind"`
	Benchmark  string                    `json:"benchmark"` // "": all of them merged
	SampleType string                    `json:"sample_type"`
	Unit       string                    `json:"unit"`
	Classes    document.Array[jsonClass] `json:"classes"`
	TopFlat    document.Array[jsonRow]   `json:"top_flat"`
	TopCum     document.Array[jsonRow]   `json:"top_cum"`
}

type jsonClass struct {
	Class   string `json:"class"`
	Samples int64  `json:"samples"`
	jsonValue
}

// jsonValue has the one key that names the unit.
type jsonValue struct {
	Ns    *int64 `json:"value_ns,omitempty"`
	Bytes *int64 `json:"value_bytes,omitempty"`
	Count *int64 `json:"value_count,omitempty"`
	Other *int64 `json:"value,omitempty"` // in the profile's unit
}

type jsonRow struct {
	Function  string  `json:"function"`
	File      string  `json:"file"`
	FlatNs    *int64  `json:"flat_ns,omitempty"`
	FlatBytes *int64  `json:"flat_bytes,omitempty"`
	FlatCount *int64  `json:"flat_count,omitempty"`
	Flat      *int64  `json:"flat,omitempty"`
	FlatRatio float64 `json:"flat_ratio"`
	CumNs     *int64  `json:"cum_ns,omitempty"`
	CumBytes  *int64  `json:"cum_bytes,omitempty"`
	CumCount  *int64  `json:"cum_count,omitempty"`
	Cum       *int64  `json:"cum,omitempty"`
	CumRatio  float64 `json:"cum_ratio"`
	// Of shares of samples: see samplingError.
	CumRatioLow  *float64 `json:"cum_ratio_low,omitempty"`
	CumRatioHigh *float64 `json:"cum_ratio_high,omitempty"`
}

// WriteJSON writes the page as one JSON document.
func WriteJSON(w io.Writer, p *Page, o JSONOptions) error {
	d := jsonDocument{
		Head:    document.New(document.Of(cmp.Or(o.Verb, "tune")), warnings(p)),
		Verdict: p.Verdict, ThresholdRatio: p.ThresholdRatio,
		HotPlaces: p.HotPlaces, Charged: p.Accounts, Findings: slices.Clone(p.Findings),
		Target: p.Target, Package: p.Package, Module: p.Module, Tool: p.Tool, Created: p.Created, Partial: p.Partial,
		Facts: p.Facts, jsonRun: newJSONRun(p),
		Recording: o.Recording, Report: o.Report,
	}
	if o.All {
		d.Findings = append(d.Findings, p.Below...)
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		f.Evidence = append([]finding.Evidence{}, f.Evidence...)
		f.Benchmarks = append([]string{}, f.Benchmarks...)
	}
	for _, b := range p.Benchmarks {
		jb := jsonBenchmark{
			Name: b.Name, Procs: b.Procs, Iterations: b.Iterations,
			BytesPerOp: document.Known(b.BytesPerOp), AllocsPerOp: document.Known(b.AllocsPerOp),
			Parallel: b.Parallel, Profiled: b.Profiled, Failure: b.Failure, Metrics: b.Metrics,
		}
		if b.Failure == "" {
			jb.NsPerOp = document.Known(b.time())
		}
		d.Benchmarks = append(d.Benchmarks, jb)
	}
	for i := range p.Profiles {
		d.Profiles = append(d.Profiles, newJSONProfile(&p.Profiles[i]))
	}
	return document.Write(w, d)
}

func newJSONProfile(p *Profile) jsonProfile {
	j := jsonProfile{Kind: p.Kind, Benchmark: p.Benchmark, SampleType: p.Column, Unit: p.Unit}
	for c := range hot.Class(hot.NumClasses) {
		jc := jsonClass{Class: c.String(), Samples: p.Samples[c]}
		jc.Ns, jc.Bytes, jc.Count, jc.Other = document.ByUnit(p.Unit, p.Values[c])
		j.Classes = append(j.Classes, jc)
	}
	rows := func(top []Row) []jsonRow {
		var out []jsonRow
		for _, r := range top {
			jr := jsonRow{Function: r.Function, File: r.File, FlatRatio: page.Share(r.Flat, p.base()), CumRatio: page.Share(r.Cum, p.base())}
			jr.FlatNs, jr.FlatBytes, jr.FlatCount, jr.Flat = document.ByUnit(p.Unit, r.Flat)
			jr.CumNs, jr.CumBytes, jr.CumCount, jr.Cum = document.ByUnit(p.Unit, r.Cum)
			if iv, ok := p.cumError(r.Cum); ok {
				jr.CumRatioLow, jr.CumRatioHigh = &iv.Low, &iv.High
			}
			out = append(out, jr)
		}
		return out
	}
	j.TopFlat, j.TopCum = rows(p.Top), rows(p.TopCum)
	return j
}
