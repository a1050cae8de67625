package finding

import (
	"bytes"
	"encoding/json"
)

// plain is a finding without its methods. The fields of wire hide those of the
// same name in it.
type plain Finding

// wire holds what may be unknown: null is unknown, 0 is measured.
type wire struct {
	Rule                     string   `json:"rule"`
	Title                    string   `json:"title"`
	Function                 string   `json:"function"`
	File                     string   `json:"file"`
	Line                     int      `json:"line"`
	CPURatio                 *float64 `json:"cpu_ratio"`
	AllocBytesRatio          *float64 `json:"alloc_bytes_ratio"`
	DelayRatio               *float64 `json:"delay_ratio"`
	CeilingRatio             *float64 `json:"ceiling_ratio"`
	CeilingWithGCRatio       *float64 `json:"ceiling_with_gc_ratio"`
	AvoidableCPURatio        *float64 `json:"avoidable_cpu_ratio"`
	AvoidableAllocBytesRatio *float64 `json:"avoidable_alloc_bytes_ratio"`
	WorthRatio               *float64 `json:"worth_ratio"`
	*plain
}

func (f *Finding) wire(p *plain) wire {
	return wire{
		Rule: f.Rule, Title: f.Title, Function: f.Function, File: f.File, Line: f.Line,
		CPURatio: &f.CPURatio, AllocBytesRatio: &f.AllocBytesRatio, DelayRatio: &f.DelayRatio,
		CeilingRatio: &f.CeilingRatio, CeilingWithGCRatio: &f.CeilingWithGCRatio,
		AvoidableCPURatio: &f.AvoidableCPURatio, AvoidableAllocBytesRatio: &f.AvoidableAllocBytesRatio, WorthRatio: &f.WorthRatio,
		plain: p,
	}
}

// MarshalJSON writes what is unknown as null.
func (f Finding) MarshalJSON() ([]byte, error) {
	p := plain(f)
	w := f.wire(&p)
	if f.Unknown.CPU {
		w.CPURatio, w.AvoidableCPURatio, w.CeilingRatio, w.CeilingWithGCRatio = nil, nil, nil, nil
	}
	if f.Unknown.AllocBytes {
		w.AllocBytesRatio, w.AvoidableAllocBytesRatio = nil, nil
	}
	if f.Unknown.Delay {
		w.DelayRatio = nil
	}
	if f.Leak != nil {
		w.WorthRatio = nil
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false) // the document's own encoder decides
	if err := e.Encode(w); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON wrote: null, or no such key, is unknown.
func (f *Finding) UnmarshalJSON(data []byte) error {
	var p plain
	w := wire{plain: &p}
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*f = Finding(p)
	f.Rule, f.Title, f.Function, f.File, f.Line = w.Rule, w.Title, w.Function, w.File, w.Line
	f.Unknown = Unknown{CPU: w.CPURatio == nil, AllocBytes: w.AllocBytesRatio == nil, Delay: w.DelayRatio == nil}
	for to, from := range map[*float64]*float64{
		&f.CPURatio: w.CPURatio, &f.AllocBytesRatio: w.AllocBytesRatio, &f.DelayRatio: w.DelayRatio,
		&f.CeilingRatio: w.CeilingRatio, &f.CeilingWithGCRatio: w.CeilingWithGCRatio,
		&f.AvoidableCPURatio: w.AvoidableCPURatio, &f.AvoidableAllocBytesRatio: w.AvoidableAllocBytesRatio, &f.WorthRatio: w.WorthRatio,
	} {
		if from != nil {
			*to = *from
		}
	}
	return nil
}
