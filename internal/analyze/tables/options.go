package tables

import (
	"errors"
	"fmt"
	"strings"
)

// Adjust is the method for the p-values of one run.
type Adjust string

const (
	Holm   Adjust = "holm" // all comparisons of the run are read together
	Single Adjust = "none" // each separately, as in benchstat
)

// Order is the order of a table's rows.
type Order string

const (
	ByProjection Order = "none" // as -row says: first seen, unless it has an order of its own
	ByName       Order = "name"
	ByDelta      Order = "delta" // the worst first, the best last, no difference between
)

// Options are the options of a comparison. Expressions are those of
// golang.org/x/perf/benchproc/syntax.
type Options struct {
	Filter                  string
	Table, Row, Col, Ignore string
	Sort                    Order
	Reverse                 bool // of Sort
	Alpha                   float64
	Confidence              float64 // of the medians' intervals
	Margin                  float64 // share below which a difference hardly matters; 0: none
	Adjust                  Adjust
}

// DefaultOptions are benchstat's, with all comparisons read together.
func DefaultOptions() Options {
	return Options{
		Filter: "*", Table: ".config", Row: ".fullname", Col: ".file",
		Sort: ByProjection, Alpha: 0.05, Confidence: 0.95, Adjust: Holm,
	}
}

// Validate checks the options that are not expressions; NewCollector checks those.
func (o Options) Validate() error {
	switch {
	case !(o.Alpha >= 0 && o.Alpha <= 1):
		return fmt.Errorf("-alpha is %v: want a probability from 0 to 1", o.Alpha)
	case !(o.Confidence >= 0 && o.Confidence <= 1):
		return fmt.Errorf("-confidence is %v: want a probability from 0 to 1", o.Confidence)
	case !(o.Margin >= 0 && o.Margin < 1):
		return errors.New("-margin: want a share of the first column's value, at least 0 and below 1 (2% or 0.02)")
	case o.Adjust != Holm && o.Adjust != Single:
		return fmt.Errorf("-adjust is %q: want holm or none", o.Adjust)
	case o.Sort != ByProjection && o.Sort != ByName && o.Sort != ByDelta:
		return fmt.Errorf("-sort is %q: want delta, name or none, or -delta or -name for the reverse order", o.Sort)
	}
	return nil
}

// SetSort reads an order as a user gives it, with a "-" before it for the reverse.
// Validate reports an unknown order.
func (o *Options) SetSort(s string) {
	name, reverse := strings.CutPrefix(s, "-")
	o.Sort, o.Reverse = Order(name), reverse
}
