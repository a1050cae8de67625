package view

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/quantity"
)

// Tags is the table of a selection's labels, as pprof's tags command has it.
type Tags struct {
	Head
	Keys []TagKey // by name
}

// TagKey is a key of labels.
type TagKey struct {
	Name   string
	Flat   int64 // of the samples that have it
	Values []TagValue
}

// TagValue is a value under a key: a text, or a number as it is printed.
type TagValue struct {
	Name string
	Flat int64 // of the samples that have it
}

// NewTags sums up a selection by labels. A sample with several values under one
// key counts for each. Samples of value zero count, too: a label that only they
// have is listed with 0.
func NewTags(s *selection.Selection, o Options) *Tags {
	t := &Tags{Head: newHead(s, &o)}
	units, warnings := s.LabelUnits()
	t.Warnings = append(t.Warnings, warnings...)
	p := s.Profile()
	sums := make([]struct {
		flat int64
		any  bool
	}, p.LabelSets())
	for w := s.WalkLabels(); w.Next(); {
		sum := &sums[w.LabelSet()]
		sum.flat += w.Value
		sum.any = true
	}
	keys := make(map[int]int)                // by number: index in t.Keys, -1 of one that is not shown
	texts := make([]tagText, p.LabelTexts()) // by number
	var others callstack.Pairs               // a key's index in t.Keys and the number of a text that another key has first: index of the value
	for set, sum := range sums {
		if !sum.any {
			continue
		}
		for l := range p.NumberedLabels(callstack.LabelSet(set)) {
			text := p.LabelText(l.Str)
			if text == "" && l.Num == 0 && p.LabelText(l.Unit) == "" {
				continue // it says nothing
			}
			key, known := keys[l.Key]
			if !known {
				key = t.key(s, p.LabelText(l.Key))
				keys[l.Key] = key
			}
			if key < 0 {
				continue
			}
			k := &t.Keys[key]
			k.Flat += sum.flat
			k.Values = callstack.Roomy(k.Values)
			if text == "" {
				k.Values = append(k.Values, TagValue{quantity.PprofLabel(l.Num, units[k.Name], t.OutUnit), sum.flat})
				continue
			}
			first := &texts[l.Str]
			at, known := &first.value, first.key == int32(1+key)
			if first.key == 0 {
				first.key = int32(1 + key)
			} else if !known {
				at, known = others.At(int32(key), int32(l.Str))
			}
			if !known {
				*at = int32(len(k.Values))
				k.Values = append(k.Values, TagValue{Name: text})
			}
			k.Values[*at].Flat += sum.flat
		}
	}
	slices.SortFunc(t.Keys, func(a, b TagKey) int { return strings.Compare(a.Name, b.Name) })
	for i := range t.Keys {
		t.Keys[i].sum()
	}
	return t
}

// tagText is where a text is a value.
type tagText struct{ key, value int32 } // 1 + index in Tags.Keys of the first that has it, 0 before; index of the value

// key returns the index of a key, which it adds, or -1 if it is not shown.
func (t *Tags) key(s *selection.Selection, name string) int {
	if !s.ShowsKey(name) {
		return -1
	}
	i := slices.IndexFunc(t.Keys, func(k TagKey) bool { return k.Name == name })
	if i < 0 {
		i = len(t.Keys)
		t.Keys = append(t.Keys, TagKey{Name: name})
	}
	return i
}

// sum adds up the values of one name, and puts the largest first. (They are sorted for it:
// of a hundred thousand values a map takes longer.)
func (k *TagKey) sum() {
	k.sortByName()
	sums := k.Values[:0]
	for _, v := range k.Values {
		if n := len(sums); n > 0 && sums[n-1].Name == v.Name {
			sums[n-1].Flat += v.Flat
		} else {
			sums = append(sums, v)
		}
	}
	slices.SortStableFunc(sums, func(a, b TagValue) int { return cmp.Compare(magnitude(b.Flat), magnitude(a.Flat)) })
	k.Values = sums
}

// sortByName sorts the values by the eight bytes after what all names begin with, which
// are compared as one number, and only where they are the same by the names.
func (k *TagKey) sortByName() {
	if len(k.Values) == 0 {
		return
	}
	common := k.Values[0].Name
	for _, v := range k.Values {
		n := 0
		for n < len(common) && n < len(v.Name) && common[n] == v.Name[n] {
			n++
		}
		common = common[:n]
	}
	type keyed struct {
		key uint64
		TagValue
	}
	values := make([]keyed, len(k.Values))
	for i, v := range k.Values {
		var key [8]byte
		copy(key[:], v.Name[len(common):])
		values[i] = keyed{binary.BigEndian.Uint64(key[:]), v}
	}
	slices.SortFunc(values, func(a, b keyed) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return strings.Compare(a.Name, b.Name)
	})
	for i := range values {
		k.Values[i] = values[i].TagValue
	}
}

// Write prints the table in pprof's layout, after the warnings there are: of each
// key the costs end in one column. (Package text/tabwriter takes ten times as long
// for the hundred thousand values that a goroutine profile may have.)
func (t *Tags) Write(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<16)
	t.writeWarnings(b)
	cost := func(flat int64) string {
		text := t.value(flat)
		if t.Total > 0 {
			text += " (" + t.percent(flat) + ")"
		}
		return text + ":"
	}
	for _, k := range t.Keys {
		percent := ""
		if t.Total > 0 {
			percent = " (" + t.percent(k.Flat) + ")"
		}
		key := printable.Line(k.Name) + ":"
		indent, width := utf8.RuneCountInString(key)+1, 0
		costs := make([]string, len(k.Values))
		for i, v := range k.Values {
			if i > 0 && v.Flat == k.Values[i-1].Flat {
				costs[i] = costs[i-1]
				continue
			}
			costs[i] = cost(v.Flat)
			width = max(width, utf8.RuneCountInString(costs[i])+1)
		}
		fmt.Fprintf(b, "%*s Total %s of %s%s\n", indent, key, t.value(k.Flat), t.value(t.Total), percent)
		blanks := strings.Repeat(" ", indent+width)
		for i, v := range k.Values {
			b.WriteString(blanks[utf8.RuneCountInString(costs[i]):])
			b.WriteString(costs[i])
			b.WriteByte(' ')
			b.WriteString(printable.Line(v.Name))
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write tags: %w", err)
	}
	return nil
}

// WriteJSON prints the table as the document whet/tags/1.
func (t *Tags) WriteJSON(w io.Writer) error {
	return document.Write(w, document.Object{t.document("tags"), "keys", document.Each(t.Keys, func(k *TagKey) document.Object {
		return document.Object{"key", k.Name, t.shared("flat", k.Flat), "values", document.Each(k.Values, func(v *TagValue) document.Object {
			return document.Object{"value", v.Name, t.shared("flat", v.Flat)}
		})}
	})})
}
