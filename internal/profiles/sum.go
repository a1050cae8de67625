package profiles

import (
	"os"
	"slices"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/format/profile"
)

// sum makes one source of several files and their bases, and holds no samples but those
// of the sum. It reports false, and has changed nothing, where the profiles are not alike
// and sound, or need names: then they are read one by one.
func (f *Options) sum(s *Set, all []*pendingLoad) bool {
	if s.binary != "" || f.BuildID != "" || f.Symbolize != "" ||
		slices.ContainsFunc(all, func(l *pendingLoad) bool { return l.role == selection.DiffBase || !IsFile(l.operand) }) {
		return false
	}
	// While a profile is added, the next file is read for what its samples refer to.
	addends, stop := make(chan *addend), make(chan struct{})
	go func() {
		defer close(addends)
		for _, l := range all[1:] {
			a := f.addend(l)
			select {
			case addends <- a:
			case <-stop:
				a.file.Close()
				return
			}
		}
	}()
	defer func() {
		close(stop)
		for a := range addends {
			a.file.Close()
		}
	}()
	p, err := f.loadFile(all[0].operand, nil)
	if err != nil || len(p.Warnings) > 0 || len(p.Mappings) == 0 || hasNameless(p) || !p.DistinctTypes() {
		return false
	}
	if f.AllFrames {
		p.DropFrames, p.KeepFrames = "", ""
	}
	sum := callstack.NewMerger(&p.Meta)
	if sum.Add(1, p) != nil {
		return false
	}
	for a := range addends {
		ok := a.sound && a.AddTo(sum, a.scale)
		a.file.Close()
		if !ok {
			return false
		}
	}
	for _, l := range all {
		s.files = append(s.files, l.operand)
	}
	s.Sources = []selection.Source{{Profile: sum.Merged()}}
	return true
}

// addend is a file that is added to a sum.
type addend struct {
	*profile.Addend
	file  *os.File
	scale float64
	sound bool
}

func (f *Options) addend(l *pendingLoad) *addend {
	a := &addend{scale: 1}
	if l.role == selection.Base {
		a.scale = -1
	}
	var err error
	if a.file, err = os.Open(l.operand); err != nil {
		return a // on a file that is nil, Close does nothing
	}
	st, err := a.file.Stat()
	limits := f.Limits()
	if err == nil && st.Size() <= limits.MaxBytes {
		a.Addend, a.sound = profile.ReadAddend(a.file, st.Size(), limits)
	}
	return a
}
