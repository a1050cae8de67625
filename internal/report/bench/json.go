package bench

import (
	"io"
	"time"

	"whet/internal/document"
	"whet/internal/recording"
)

// jsonDocument is what whet bench -json prints: of a run without courses, of a
// history without benchmarks. Keys are only ever added.
type jsonDocument struct {
	document.Head
	Benchmarks document.Array[jsonRow]    `json:"benchmarks"`
	Failures   document.Array[Failure]    `json:"failures"`
	Without    int                        `json:"packages_without"`
	BenchTime  string                     `json:"benchtime"`
	Rounds     int                        `json:"rounds"`
	Planned    int                        `json:"rounds_planned"`
	ElapsedNs  int64                      `json:"elapsed_ns"`
	Partial    string                     `json:"partial"`
	Host       *recording.Host            `json:"host"`
	Recording  string                     `json:"recording,omitempty"`
	History    string                     `json:"history,omitempty"`
	AlphaRatio *float64                   `json:"alpha_ratio"`
	Courses    document.Array[jsonCourse] `json:"courses"`
}

type jsonRow struct {
	Package   string                  `json:"package"`
	Name      string                  `json:"name"`
	Procs     int                     `json:"procs"`
	GoVersion string                  `json:"go_version"`
	Revision  string                  `json:"revision"`
	Dirty     *bool                   `json:"dirty"`
	Samples   document.Array[Sample]  `json:"samples"`
	Profiles  document.Array[Profile] `json:"profiles"`
}

type jsonCourse struct {
	Host    string                     `json:"host"`
	Package string                     `json:"package"`
	Name    string                     `json:"name"`
	Unit    string                     `json:"unit"`
	Points  document.Array[jsonPoint]  `json:"points"`
	Changes document.Array[jsonChange] `json:"changes"`
}

type jsonPoint struct {
	Revision  string                  `json:"revision"`
	Dirty     bool                    `json:"dirty"`
	Time      string                  `json:"time"`
	Runs      int                     `json:"runs"`
	GoVersion string                  `json:"go_version"`
	Values    document.Array[float64] `json:"values"`
}

type jsonChange struct {
	At         int                    `json:"at"`
	Revision   string                 `json:"revision"`
	Old        float64                `json:"old"`
	New        float64                `json:"new"`
	Ratio      document.Number        `json:"ratio"`
	PValue     float64                `json:"p_value"`
	Confidence float64                `json:"confidence_ratio"`
	Also       document.Array[string] `json:"also"`
}

// WriteJSON writes a run as one JSON document.
func WriteJSON(w io.Writer, r *Page) error {
	d := &jsonDocument{
		Head: document.New(document.Bench, r.Warnings), Failures: r.Failures, Without: r.Without, BenchTime: r.BenchTime, Rounds: r.Rounds, Planned: r.Planned,
		ElapsedNs: r.ElapsedNs, Partial: r.Partial, Host: &r.Host, Recording: r.Recording, History: r.History,
	}
	for i := range r.Packages {
		p := &r.Packages[i]
		for _, b := range p.Benchmarks {
			d.Benchmarks = append(d.Benchmarks, jsonRow{p.ImportPath, b.Name, b.Procs, p.GoVersion, p.Revision, p.Dirty, b.Samples, b.Profiles})
		}
	}
	return document.Write(w, d)
}

// WriteHistoryJSON writes a history as one JSON document.
func WriteHistoryJSON(w io.Writer, h *History) error {
	d := &jsonDocument{Head: document.New(document.Bench, h.Warnings), AlphaRatio: &h.AlphaRatio}
	for i := range h.Courses {
		c := &h.Courses[i]
		course := jsonCourse{Host: c.Host, Package: c.Package, Name: c.Name, Unit: c.Unit}
		for _, p := range c.Points {
			when := ""
			if !p.When.IsZero() {
				when = p.When.UTC().Format(time.RFC3339)
			}
			course.Points = append(course.Points, jsonPoint{p.Revision, p.Dirty, when, p.Runs, p.GoVersion, p.Values})
		}
		for _, ch := range c.Changes {
			course.Changes = append(course.Changes, jsonChange{ch.At, c.Points[ch.At].Revision, ch.Old, ch.New, document.Number(ch.Ratio), ch.PValue, 1 - ch.PValue, ch.Also})
		}
		d.Courses = append(d.Courses, course)
	}
	return document.Write(w, d)
}
