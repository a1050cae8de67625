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

// MarshalJSON writes unknown values as null.
func (f Finding) MarshalJSON() ([]byte, error) {
	p := plain(f)
	w := wire{
		Rule: f.Rule, Title: f.Title, Function: f.Function, File: f.File, Line: f.Line,
		CPURatio: &f.CPURatio, AllocBytesRatio: &f.AllocBytesRatio, DelayRatio: &f.DelayRatio,
		CeilingRatio: &f.CeilingRatio, CeilingWithGCRatio: &f.CeilingWithGCRatio,
		AvoidableCPURatio: &f.AvoidableCPURatio, AvoidableAllocBytesRatio: &f.AvoidableAllocBytesRatio, WorthRatio: &f.WorthRatio,
		plain: &p,
	}
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

// UnmarshalJSON reads the output of MarshalJSON: null, or a missing key, is unknown.
func (f *Finding) UnmarshalJSON(data []byte) error {
	var p plain
	var known struct {
		CPU        *float64 `json:"cpu_ratio"`
		AllocBytes *float64 `json:"alloc_bytes_ratio"`
		Delay      *float64 `json:"delay_ratio"`
	}
	for _, to := range []any{&p, &known} {
		if err := json.Unmarshal(data, to); err != nil {
			return err
		}
	}
	*f = Finding(p)
	f.Unknown = Unknown{CPU: known.CPU == nil, AllocBytes: known.AllocBytes == nil, Delay: known.Delay == nil}
	return nil
}
