package selection

import "whet/internal/callstack"

// Options are pprof's, by its names. The zero value selects everything, by
// function, with the profile's default sample type.
type Options struct {
	SampleIndex string // a sample type or its number; "" is the profile's default
	Mean        bool   // values divided by the first sample type's

	// Regular expressions; "" selects nothing away.
	Focus, Ignore, Hide, Show, ShowFrom, PruneFrom string
	TagFocus, TagIgnore, TagShow, TagHide          string

	TagRoot, TagLeaf []string // keys of labels that become frames
	Unit             string   // that numbers among them are printed in; "" is "minimum"

	Granularity string // functions (as is ""), filefunctions, files, lines or addresses
	ShowColumns bool   // distinguish lines by column, too
	NoInlines   bool   // inlined calls count for the function they were inlined into
	AllFrames   bool   // frames that the recorder asked to drop are kept

	// ObjectNames keeps the binary and the first line of every node's function,
	// as views of source and assembly need them; others count a function of two
	// binaries once.
	ObjectNames bool
	// TrimPath and SourcePath shorten file names as pprof does; RawPaths leaves
	// them alone, as pprof's traces do.
	TrimPath, SourcePath string
	RawPaths             bool

	// SumsOnly is for views that only add up (all but stacks, raw and merge):
	// a DiffBase is then put after the other samples instead of being merged
	// with them, in a fraction of the time. Samples that are equal stay apart,
	// and those that are zero are kept for expressions to match; no sum is
	// another.
	SumsOnly bool

	Normalize           bool    // scale the profiles to the totals of their base
	RelativePercentages bool    // of the selection, not of everything
	DropNegative        bool    // for the views: nodes below zero are not shown
	DivideBy            float64 // for the views: values are printed as their DivideBy-th part; 0 is 1
}

// AllSamples reports whether the options select whole samples, and all of them.
func (o *Options) AllSamples() bool {
	return o.Focus+o.Ignore+o.Hide+o.Show+o.ShowFrom+o.PruneFrom == "" && !o.labels()
}

// Role is the role of a profile in a comparison.
type Role int

const (
	Measured Role = iota
	Base          // subtracted; samples equal in both cancel
	DiffBase      // subtracted; percentages are of the base's total
)

// Source is one of the profiles of a view.
type Source struct {
	Profile *callstack.Profile
	Role    Role
}
