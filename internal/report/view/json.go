package view

import (
	"bytes"
	"encoding/json"
	"time"

	"whet/internal/document"
)

// jsonObject is a JSON object with its members in order: a document, which the schema
// and the warnings begin, or a part of one.
type jsonObject []member

type member struct {
	key   string
	value any
}

func (o jsonObject) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for _, m := range o {
		if m.value == (absent{}) {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + m.key + `":`)
		if err := e.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Header is that of an object which is a document.
func (o jsonObject) Header() document.Head {
	return document.Head{Schema: o[0].value.(string), Warnings: o[1].value.([]string)}
}

// absent is the value of a member that is left out.
type absent struct{}

// known is a value; one that is zero is left out.
func known[T comparable](v T) any {
	if v == *new(T) {
		return absent{}
	}
	return v
}

// each makes an object of each of a list.
func each[T any](list []T, of func(*T) jsonObject) []jsonObject {
	out := make([]jsonObject, len(list))
	for i := range list {
		out[i] = of(&list[i])
	}
	return out
}

// document begins that of a view.
func (h *Head) document(verb string) jsonObject {
	head := document.New(document.Of(verb), h.Warnings)
	o := jsonObject{{"schema", head.Schema}, {"warnings", head.Warnings}, {"binary", h.Binary}, {"build_id", h.BuildID}, {"sample_type", h.SampleType}, {"unit", h.Unit}}
	if !h.Time.IsZero() {
		o = append(o, member{"time", h.Time.UTC().Format(time.RFC3339Nano)})
	}
	o = append(o, member{"duration_ns", known(h.DurationNs)})
	if len(h.Filters) > 0 {
		o = append(o, member{"filters", h.Filters})
	}
	return append(o, member{"samples", h.Samples}, h.amount("total", h.Total))
}

// amount is v, as -divide_by has it, with a key that names its unit; one of the
// profile's own has a key without.
func (h *Head) amount(key string, v int64) member {
	return member{key + map[string]string{"nanoseconds": "_ns", "bytes": "_bytes", "count": "_count"}[h.Unit], h.scaled(v)}
}

// share of the total, in [0,1] but for differences.
func (h *Head) share(v int64) float64 { return share(v, h.Total) }

// share is part/whole; 0 where there is no whole.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// shared is a value with its share of the total.
func (h *Head) shared(key string, v int64) jsonObject {
	return jsonObject{h.amount(key, v), {key + "_ratio", h.share(v)}}
}

// costs are flat and cum of a node.
func (h *Head) costs(flat, cum int64) jsonObject {
	return append(h.shared("flat", flat), h.shared("cum", cum)...)
}
