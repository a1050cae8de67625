package selection

// LabelSet tells samples with different labels apart: of samples with equal
// sets, Labels returns the same. The slice is valid until Next.
func (w *Walk) LabelSet() []byte { return w.c.LabelSet() }

// LabelUnit is the unit that numbers under a key are taken to be in: the first
// that a sample names; else bytes for the keys known to be, else the key itself.
func (s *Selection) LabelUnit(key string) string {
	seen := make(map[string]bool)
	for r := s.profile.Rows(); r.Next(); {
		set := r.LabelSet()
		if len(set) == 0 || seen[string(set)] {
			continue
		}
		seen[string(set)] = true
		for _, l := range s.profile.Labels(set) {
			if l.Key == key && l.Str == "" && l.Unit != "" {
				return l.Unit
			}
		}
	}
	switch key {
	case "alignment", "request":
		return "bytes"
	}
	return key
}
