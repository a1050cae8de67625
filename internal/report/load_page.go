package report

import (
	"errors"
	"io"

	"whet/internal/loadresult"
)

// LoadRun is one run of a load as a page shows it.
type LoadRun struct {
	Name   string // tells it from others on the page; may be "" where there is one
	Plan   loadresult.Plan
	Result *loadresult.Result
	Course *LoadCourse // nil: there is no heat map
	Bounds []LoadBound // of -slo, in the order given
}

// LoadBound is one thing that was to hold.
type LoadBound struct {
	Bound   string // "p99<50ms"
	Value   string // measured, printed
	Broken  bool
	Unknown bool
	Note    string // what to think of beside it; "": nothing
}

// LoadKnee is what a search for the knee tried and found, as it is drawn.
type LoadKnee struct {
	Over   string // what a level is: "connections" or overRates
	Points []KneePoint
	// Law is the fitted universal scalability law as throughput over
	// concurrency; nil: none, or it does not apply.
	Law func(concurrency float64) float64
	// Low and High are the bracket: the highest level that did, and the least
	// one that did not. Either may be 0: not known.
	Low, High float64
	// Plateau is the best throughput and its noise, as a share of it; 0: not
	// known.
	Plateau, NoiseRatio float64
	Text                []string // what was found, in sentences
}

// overRates is what the levels of an open loop are.
const overRates = "requests per second"

// KneePoint is one level that was measured.
type KneePoint struct {
	Level       float64
	Concurrency float64
	Throughput  float64 // per second
	ErrorRatio  float64
	P50Ns       int64
	P99Ns       int64
	Meets       bool // what was asked for
}

// WriteLoadHTML writes a load, or several beside each other, as one HTML file
// that loads nothing from elsewhere. Of several the first is what the others
// are compared with. A search that found nothing has a page without a load.
func WriteLoadHTML(w io.Writer, p *Load) error {
	if len(p.Runs) == 0 && len(p.Searches) == 0 {
		return errors.New("write page of a load: there is no run")
	}
	return writeDocument(w, "load.html", newLoadView(p))
}
