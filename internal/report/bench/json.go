package bench

import (
	"io"
	"math"
	"time"

	"whet/internal/document"
	"whet/internal/recording"
)

// jsonDocument is what whet bench -json prints: of a run without courses, of a
// history without benchmarks. Keys are only ever added.
type jsonDocument struct {
	document.Head
	Benchmarks []jsonRow       `json:"benchmarks"`
	Failures   []jsonFail      `json:"failures"`
	Without    int             `json:"packages_without"`
	BenchTime  string          `json:"benchtime"`
	Rounds     int             `json:"rounds"`
	Planned    int             `json:"rounds_planned"`
	ElapsedNs  int64           `json:"elapsed_ns"`
	Partial    string          `json:"partial"`
	Host       *recording.Host `json:"host"`
	Recording  string          `json:"recording,omitempty"`
	History    string          `json:"history,omitempty"`
	AlphaRatio *float64        `json:"alpha_ratio"`
	Courses    []jsonCourse    `json:"courses"`
}

type jsonRow struct {
	Package   string        `json:"package"`
	Name      string        `json:"name"`
	Procs     int           `json:"procs"`
	GoVersion string        `json:"go_version"`
	Revision  string        `json:"revision"`
	Dirty     *bool         `json:"dirty"`
	Samples   []jsonSample  `json:"samples"`
	Profiles  []jsonProfile `json:"profiles"`
}

type jsonSample struct {
	Iterations int64              `json:"iterations"`
	Metrics    []recording.Metric `json:"metrics"`
}

type jsonProfile struct {
	Kind    string      `json:"kind"`
	Path    string      `json:"path"`
	Samples int64       `json:"samples"`
	Top     []jsonShare `json:"top_flat"`
}

type jsonShare struct {
	Function  string  `json:"function"`
	FlatRatio float64 `json:"flat_ratio"`
}

type jsonFail struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"`
	Text      string `json:"text"`
}

type jsonCourse struct {
	Host    string       `json:"host"`
	Package string       `json:"package"`
	Name    string       `json:"name"`
	Unit    string       `json:"unit"`
	Points  []jsonPoint  `json:"points"`
	Changes []jsonChange `json:"changes"`
}

type jsonPoint struct {
	Revision  string    `json:"revision"`
	Dirty     bool      `json:"dirty"`
	Time      string    `json:"time"`
	Runs      int       `json:"runs"`
	GoVersion string    `json:"go_version"`
	Values    []float64 `json:"values"`
}

type jsonChange struct {
	At         int      `json:"at"`
	Revision   string   `json:"revision"`
	Old        float64  `json:"old"`
	New        float64  `json:"new"`
	Ratio      *float64 `json:"ratio"`
	PValue     float64  `json:"p_value"`
	Confidence float64  `json:"confidence_ratio"`
	Also       []string `json:"also"`
}

func newDocument(warnings []string) *jsonDocument {
	return &jsonDocument{Head: document.New(document.Bench, warnings),
		Benchmarks: []jsonRow{}, Failures: []jsonFail{}, Courses: []jsonCourse{}}
}

// WriteJSON writes a run as one JSON document.
func WriteJSON(w io.Writer, r *Page) error {
	d := newDocument(r.Warnings)
	d.Without, d.BenchTime, d.Rounds, d.Planned, d.ElapsedNs = r.Without, r.BenchTime, r.Rounds, r.Planned, r.ElapsedNs
	d.Partial, d.Host, d.Recording, d.History = r.Partial, &r.Host, r.Recording, r.History
	for _, f := range r.Failures {
		d.Failures = append(d.Failures, jsonFail(f))
	}
	for i := range r.Packages {
		p := &r.Packages[i]
		for _, b := range p.Benchmarks {
			row := jsonRow{Package: p.ImportPath, Name: b.Name, Procs: b.Procs, GoVersion: p.GoVersion, Revision: p.Revision, Dirty: p.Dirty,
				Samples: []jsonSample{}, Profiles: []jsonProfile{}}
			for _, s := range b.Samples {
				row.Samples = append(row.Samples, jsonSample{s.Iterations, append([]recording.Metric{}, s.Values...)})
			}
			for _, p := range b.Profiles {
				profile := jsonProfile{Kind: p.Kind, Path: p.Path, Samples: p.Samples, Top: []jsonShare{}}
				for _, f := range p.Top {
					profile.Top = append(profile.Top, jsonShare(f))
				}
				row.Profiles = append(row.Profiles, profile)
			}
			d.Benchmarks = append(d.Benchmarks, row)
		}
	}
	return document.Write(w, d)
}

// WriteHistoryJSON writes a history as one JSON document.
func WriteHistoryJSON(w io.Writer, h *History) error {
	d := newDocument(h.Warnings)
	d.AlphaRatio = &h.AlphaRatio
	for i := range h.Courses {
		c := &h.Courses[i]
		course := jsonCourse{Host: c.Host, Package: c.Package, Name: c.Name, Unit: c.Unit, Points: []jsonPoint{}, Changes: []jsonChange{}}
		for _, p := range c.Points {
			when := ""
			if !p.When.IsZero() {
				when = p.When.UTC().Format(time.RFC3339)
			}
			course.Points = append(course.Points, jsonPoint{p.Revision, p.Dirty, when, p.Runs, p.GoVersion, append([]float64{}, p.Values...)})
		}
		for _, ch := range c.Changes {
			j := jsonChange{At: ch.At, Revision: c.Points[ch.At].Revision, Old: ch.Old, New: ch.New, PValue: ch.PValue, Confidence: 1 - ch.PValue, Also: append([]string{}, ch.Also...)}
			if !math.IsNaN(ch.Ratio) {
				j.Ratio = &ch.Ratio
			}
			course.Changes = append(course.Changes, j)
		}
		d.Courses = append(d.Courses, course)
	}
	return document.Write(w, d)
}
