package profiles

import (
	"os"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/format/profile"
)

// sum makes one source of several files and their bases, and holds no samples but those
// of the sum. It reports false, and has changed nothing, where the profiles are not alike
// and sound, or need names: then they are read one by one.
func (f *Options) sum(s *Set, all []*pendingLoad) bool {
	if s.binary != "" || f.BuildID != "" || f.Symbolize != "" {
		return false
	}
	var sum *callstack.Merger
	var files []string
	for i, l := range all {
		if l.role == selection.DiffBase || !IsFile(l.operand) {
			return false
		}
		files = append(files, l.operand)
		if i > 0 {
			if !f.addFile(sum, l) {
				return false
			}
			continue
		}
		p, err := f.loadFile(l.operand, nil)
		if err != nil || len(p.Warnings) > 0 || len(p.Mappings) == 0 || hasNameless(p) || !p.DistinctTypes() {
			return false
		}
		if f.AllFrames {
			p.DropFrames, p.KeepFrames = "", ""
		}
		sum = callstack.NewMerger(&p.Meta)
		if sum.Add(1, p) != nil {
			return false
		}
	}
	s.files = files
	s.Sources = []selection.Source{{Profile: sum.Merged()}}
	return true
}

func (f *Options) addFile(sum *callstack.Merger, l *pendingLoad) bool {
	file, err := os.Open(l.operand)
	if err != nil {
		return false
	}
	defer file.Close()
	st, err := file.Stat()
	limits := f.Limits()
	if err != nil || st.Size() > limits.MaxBytes {
		return false
	}
	scale := 1.0
	if l.role == selection.Base {
		scale = -1
	}
	return profile.AddTo(sum, scale, file, st.Size(), limits)
}
