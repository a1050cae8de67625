package profile

import (
	"slices"

	"whet/internal/callstack"
)

// Want is the part of a profile that a view needs: Read keeps no more and hardly decodes
// the rest, so that damage to it may go unseen. A caller that wants less than everything
// must not read the rest from the profile. The zero value asks for everything.
type Want struct {
	Only   Part
	Column string // the sample type, as [callstack.Meta.TypeIndex] takes it
	Mean   bool   // the first column, too
	Above  int    // of a profile with no more samples than these everything is wanted

	column int  // that of Column
	known  bool // it is
}

// Part is a part of a profile.
type Part int

const (
	Everything Part = iota
	Stacks          // of the samples that are not zero in the columns, without labels
	Labels          // of all samples, without stacks
	Samples         // that are not zero in the columns, with stacks and labels
	tables          // what samples refer to
)

// leastBytes is less than a sample takes in most files that hold many.
const leastBytes = 8

// of returns what is wanted of a file of so many bytes, at first.
func (w Want) of(size int64) Want {
	if size < leastBytes*int64(w.Above) {
		return Want{}
	}
	return w
}

// columns returns the columns of n that are wanted. Which one a sample type is stands after
// the samples in most files. Until it is known, it is the one that it is in Go's own.
func (w *Want) columns(n int) []int {
	at := w.column
	if !w.known {
		at = n - 1
		if i := slices.Index([]string{"alloc_objects", "alloc_space", "inuse_objects"}, w.Column); i >= 0 && n == 4 {
			at = i
		} else if w.Column == "contentions" || w.Column == "samples" || w.Column == "0" {
			at = 0
		}
	}
	if w.Mean && at != 0 {
		return []int{at, 0}
	}
	return []int{at}
}

// after returns what is to be asked for when p was read of a file with these
// strings: the same, if p answers it. What is damaged, a difference, or decides about
// its stacks itself is read whole.
func (w Want) after(p *callstack.Profile, strings []string, d damage) Want {
	if w.Only == Everything {
		return w
	}
	column, err := p.TypeIndex(w.Column)
	switch {
	case err != nil || d != damage{} || p.Len() == 0 || p.Listed() <= w.Above,
		w.Only != Labels && slices.Contains(strings, callstack.BaseKey),
		w.Only == Labels && p.DropFrames != "":
		return Want{}
	case column == w.columns(len(p.Types))[0]:
		return w
	case w.known: // the file has changed
		return Want{}
	}
	w.column, w.known = column, true
	return w
}
