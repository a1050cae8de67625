package record

import (
	"fmt"

	"whet/internal/format/profile"
	"whet/internal/recording"
)

// Profiles are the profiles of instruments, by kind, before they become artifacts: all
// profiles of a kind, from several runs of a program or pieces of a CPU profile, become
// one artifact.
type Profiles map[string]*Profile

// Profile is one of a kind. Times are since the recording's origin.
type Profile struct {
	StartNs, EndNs int64
	Cost           *float64 // recording.Artifact.Cost
	parts          [][]byte
}

// File is an instrument's output that is not merged: a trace, or a profile of a
// moment. Times are since the recording's origin.
type File struct {
	Kind, Part     string
	Data           []byte
	StartNs, EndNs int64
}

// Add takes one profile in.
func (p *Profiles) Add(kind string, data []byte, start, end int64) {
	if *p == nil {
		*p = make(Profiles)
	}
	of := (*p)[kind]
	if of == nil {
		of = &Profile{StartNs: start}
		(*p)[kind] = of
	}
	of.EndNs = end
	switch kind {
	case recording.KindHeap, recording.KindGoroutine, recording.KindThreads, recording.KindLeaked:
		of.parts, of.StartNs = nil, start // a state, not a sum: the last one
	}
	of.parts = append(of.parts, data)
}

// Last returns the profile added last.
func (p *Profile) Last() []byte { return p.parts[len(p.parts)-1] }

// Data returns the sum of the profiles, as a gzipped pprof file.
func (p *Profile) Data() ([]byte, error) {
	if len(p.parts) == 1 {
		return p.parts[0], nil
	}
	return profile.Merge(p.parts...)
}

// profileKinds is the order in which profiles are stored.
var profileKinds = []string{recording.KindCPU, recording.KindAllocs, recording.KindHeap, recording.KindBlock, recording.KindMutex,
	recording.KindGoroutine, recording.KindThreads, recording.KindLeaked}

// AddProfiles keeps the profiles of a run; part is recording.Artifact.Part.
func (r *Recorder) AddProfiles(of Profiles, part string) {
	suffix := part
	if part != "" {
		suffix = "-" + part
	}
	for _, kind := range profileKinds {
		r.AddProfile(recording.Artifact{Path: "profiles/" + kind + suffix + ".pb.gz", Kind: kind, Part: part}, of[kind])
	}
}

// AddProfile keeps a profile, if there is one, as an artifact with its times.
func (r *Recorder) AddProfile(a recording.Artifact, p *Profile) {
	if p == nil {
		return
	}
	data, err := p.Data()
	if err != nil {
		r.Keep(fmt.Errorf("merge %s profiles: %w", a.Kind, err))
		return
	}
	a.StartNs, a.EndNs, a.Cost = p.StartNs, p.EndNs, p.Cost
	r.Keep(r.Write(a, data))
}
