package sharing

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"whet/internal/recording"
)

// Copied is the result of copying a recording.
type Copied struct {
	Path    string   // of the copy
	LeftOut []string // kinds of artifacts, "sources" among them
}

// kept are the kinds of artifacts that a copy has, by how they are cleaned.
var kept = map[string]func(*cleaner, []byte) ([]byte, error){
	recording.KindCPU: packedProfile, recording.KindAllocs: packedProfile, recording.KindHeap: packedProfile, recording.KindBlock: packedProfile,
	recording.KindMutex: packedProfile, recording.KindGoroutine: packedProfile, recording.KindThreads: packedProfile, recording.KindLeaked: packedProfile,
	recording.KindWall: packedProfile,

	recording.KindMetrics: plain, recording.KindGC: plain, recording.KindBench: plain, recording.KindHistograms: plain,

	recording.KindLoad: documents, recording.KindLoadRun: documents, recording.KindKnee: documents, recording.KindFindings: documents, recording.KindProof: documents,
}

// Copy writes a copy of a recording for sharing that contains none of the names: a home
// directory, the name of a host. On error it removes the copy.
func Copy(rec *recording.Recording, to string, names []string) (Copied, error) {
	c := newCleaner(rec.Sources, names)
	w, err := recording.Create(to, rec.Origin)
	if err != nil {
		return Copied{}, err
	}
	defer w.Discard()
	m := rec.Manifest
	w.Manifest.Tool, w.Manifest.Kind, w.Manifest.Target, w.Manifest.Command = m.Tool, m.Kind, c.operand(m.Target), c.operands(m.Command)
	w.Manifest.Host, w.Manifest.Build, w.Manifest.Plan = m.Host, m.Build, m.Plan
	b := &w.Manifest.Build
	b.Flags, b.Args, b.Settings = c.operands(b.Flags), []string{}, settings(b.Settings)
	for _, u := range m.Unknown {
		w.Manifest.Unknown = append(w.Manifest.Unknown, recording.Unknown{What: u.What, Why: c.operand(u.Why), How: c.operand(u.How)})
	}
	w.Manifest.Warnings = c.operands(m.Warnings)
	for _, s := range m.Sources {
		w.Manifest.Sources = append(w.Manifest.Sources, recording.Source{Frame: s.Path, Path: s.Path, Module: s.Module, SHA256: s.SHA256, Bytes: s.Bytes, Differs: c.operand(s.Differs)})
	}
	var left []string
	if len(m.Sources) > 0 {
		left = []string{"sources"}
	}
	leave := func(kind string) {
		if !slices.Contains(left, kind) {
			left = append(left, kind)
		}
	}
	for _, a := range m.Artifacts {
		clean := kept[a.Kind]
		if clean == nil {
			leave(a.Kind)
			continue
		}
		data, err := rec.Read(a)
		if err == nil {
			data, err = clean(c, data)
		}
		if err != nil {
			w.Warn("%s was left out: %v", a.Path, err)
			leave(a.Kind)
			continue
		}
		if c.holds(unpacked(data)) || c.holds([]byte(a.Path)) {
			w.Warn("a file of kind %s was left out: it still contains a name of this machine", a.Kind)
			leave(a.Kind)
			continue
		}
		a.Path, a.Packed = strings.TrimSuffix(a.Path, packedSuffix(a)), ""
		if err := w.Put(a, data); err != nil {
			return Copied{}, err
		}
	}
	w.Warn("made for sharing: without %s", strings.Join(left, ", "))
	manifest, err := json.Marshal(w.Manifest)
	if err != nil {
		return Copied{}, fmt.Errorf("share %s: %w", rec.Dir, err)
	}
	if c.holds(manifest) {
		return Copied{}, fmt.Errorf("share %s: its own metadata (such as a benchmark's or a module's name) contains a name of this machine: nothing was written", rec.Dir)
	}
	path, err := w.Finish(time.Duration(m.EndNs), c.operand(m.Partial))
	return Copied{Path: path, LeftOut: left}, err
}

// packedSuffix returns what packing added to an artifact's name.
func packedSuffix(a recording.Artifact) string {
	if a.Packed == "" {
		return ""
	}
	return ".gz"
}

// settings returns the settings of a build that say nothing of where it was made.
func settings(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		key, _, _ := strings.Cut(s, "=")
		return !strings.HasPrefix(key, "GO") && !slices.Contains([]string{"-buildmode", "-compiler", "-race", "-cover", "-trimpath", "CGO_ENABLED", "vcs", "vcs.revision", "vcs.time", "vcs.modified"}, key)
	})
}

func plain(c *cleaner, data []byte) ([]byte, error) { return []byte(c.text(string(data))), nil }

// documents cleans JSON documents, one or several, each on a line or over several.
func documents(c *cleaner, data []byte) ([]byte, error) {
	var out bytes.Buffer
	in := json.NewDecoder(bytes.NewReader(data))
	in.UseNumber() // as they are written
	for {
		var v any
		err := in.Decode(&v)
		if errors.Is(err, io.EOF) {
			return out.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(c.value(v)); err != nil {
			return nil, err
		}
	}
}

// mostUnpacked bounds a profile.
const mostUnpacked = 1 << 30

func packedProfile(c *cleaner, data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(z, mostUnpacked+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > mostUnpacked {
		return nil, fmt.Errorf("unpacked it exceeds %d bytes", mostUnpacked)
	}
	if raw, err = c.profile(raw); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	pack := gzip.NewWriter(&out)
	_, err = pack.Write(raw)
	err = errors.Join(err, pack.Close())
	return out.Bytes(), err
}

// unpacked is data without gzip, where it is packed.
func unpacked(data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return data
	}
	raw, err := io.ReadAll(io.LimitReader(z, mostUnpacked))
	if err != nil {
		return data
	}
	return raw
}
