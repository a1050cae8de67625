package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"whet/internal/document"
)

// Part is the part of the manifest with a given key. A package declares its own,
//
//	const Knee = recording.Part[Result]("knee")
//
// and the manifest treats it as JSON. The key must not be one of the manifest's own.
type Part[T any] string

// Keys of lists that every recording has had, empty ones too.
const (
	BenchmarksKey = "benchmarks"
	CostsKey      = "costs"
)

// Set puts the part into the manifest, which is written with the value of *v at that
// time.
func (p Part[T]) Set(m *Manifest, v *T) {
	if m.parts == nil {
		m.parts = make(map[string]any)
	}
	m.parts[string(p)] = v
}

// Of returns the part; nil: there is none.
func (p Part[T]) Of(m *Manifest) (*T, error) {
	switch v := m.parts[string(p)].(type) {
	case *T:
		return v, nil
	case json.RawMessage:
		out := new(*T) // nil for null
		if err := json.Unmarshal(v, out); err != nil {
			return nil, damaged(string(p), err)
		}
		p.Set(m, *out)
		return *out, nil
	}
	return nil, nil
}

// RequiredPart is a part that the caller of Open will read: Open reports damage in
// it.
type RequiredPart interface{ look(*Manifest) error }

func (p Part[T]) look(m *Manifest) error {
	_, err := p.Of(m)
	return err
}

// manifestFields are the manifest's own keys.
type manifestFields Manifest

// MarshalJSON writes the manifest's own keys, then those of the parts.
func (m Manifest) MarshalJSON() ([]byte, error) {
	data, err := document.Format(manifestFields(m))
	for _, key := range slices.Sorted(maps.Keys(m.parts)) {
		var part []byte
		if err == nil {
			part, err = document.Format(m.parts[key])
		}
		data = fmt.Appendf(bytes.TrimSuffix(data, []byte("}\n")), ",%q:%s}\n", key, part)
	}
	return data, err
}

// UnmarshalJSON reads the manifest's own keys and keeps the rest for the readers of
// parts.
func (m *Manifest) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*manifestFields)(m)); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	own, err := json.Marshal(manifestFields{Partial: "named"})
	if err != nil {
		return err
	}
	var known map[string]json.RawMessage
	if err := json.Unmarshal(own, &known); err != nil {
		return err
	}
	m.parts = make(map[string]any)
	for key, value := range all {
		if _, ok := known[key]; !ok {
			m.parts[key] = value
		}
	}
	return nil
}
