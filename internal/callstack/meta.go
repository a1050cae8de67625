package callstack

import (
	"fmt"
	"strconv"
	"strings"
)

// ValueType names one value that each sample carries, in pprof's words:
// {"cpu", "nanoseconds"}, {"alloc_space", "bytes"}, {"samples", "count"}.
type ValueType struct {
	Type string
	Unit string
}

func (t ValueType) String() string { return t.Type + "/" + t.Unit }

// Label is a key with its value on a sample. A numeric label has Str == "".
type Label struct {
	Key  string
	Str  string
	Num  int64
	Unit string
}

// BaseKey is the key of the label that pprof gives the samples of the profile that
// was subtracted.
const BaseKey = "pprof::base"

// QuotedLabels reads "key": "value", … as far as it goes, with this between a
// key and its value.
func QuotedLabels(text, between string) (out []Label) {
	for {
		key, rest, ok := quoted(text)
		if !ok || !strings.HasPrefix(rest, between) {
			return out
		}
		value, rest, ok := quoted(rest[len(between):])
		if !ok {
			return out
		}
		out = append(out, Label{Key: key, Str: value})
		if text, ok = strings.CutPrefix(rest, ", "); !ok {
			return out
		}
	}
}

// quoted takes a quoted string off text.
func quoted(text string) (value, rest string, ok bool) {
	q, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", text, false
	}
	value, err = strconv.Unquote(q)
	return value, text[len(q):], err == nil
}

// Meta is the metadata of a profile.
type Meta struct {
	Types       []ValueType // one per value column
	DefaultType int         // the column a view shows unless asked otherwise
	// DefaultNamed reports whether the recorder chose DefaultType. If not, it is
	// the last column, and a merge takes that of another profile that named one.
	DefaultNamed bool
	PeriodType   ValueType
	Period       int64 // one sample per Period of PeriodType
	TimeNanos    int64 // wall time of the recording's start, 0 when unknown
	Duration     int64 // nanoseconds, 0 when unknown
	Mappings     []Mapping
	Comments     []string
	DocURL       string // of the recorder's documentation of the sample types
	DropFrames   string // regular expression of pprof: frames to drop, as the recorder asked
	KeepFrames   string
	Warnings     []string // data that the reader dropped or doubts, each a sentence fragment for the user
}

// TypeIndex returns the column of a sample type as pprof's -sample_index names
// it: by type, by number, or with the "inuse_" that old heap profiles leave
// out. "" is the default column. The error lists the names there are.
func (m *Meta) TypeIndex(name string) (int, error) {
	if name == "" {
		return m.DefaultType, nil
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(m.Types) {
		return i, nil
	}
	names := make([]string, len(m.Types))
	for i, t := range m.Types {
		if t.Type == name || t.Type == strings.TrimPrefix(name, "inuse_") {
			return i, nil
		}
		names[i] = t.Type
	}
	return 0, fmt.Errorf("sample type %q is not in the profile, which has %q", name, names)
}

// Mapping is an executable or library the addresses of a profile lie in.
type Mapping struct {
	File    string
	BuildID string
	// Addresses from Start to below Limit are the file's from Offset on.
	Start, Limit, Offset uint64
	// The parts of its locations that the recorder has resolved.
	HasFunctions, HasFilenames, HasLineNumbers, HasInlineFrames bool
}

// DistinctTypes reports whether there are sample types, and no name twice.
func (m *Meta) DistinctTypes() bool {
	names := make(map[string]bool)
	for _, t := range m.Types {
		names[t.Type] = true
	}
	return len(names) > 0 && len(names) == len(m.Types)
}
