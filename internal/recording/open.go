package recording

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"whet/internal/filelock"
)

// Bounds on the size of a recording, which may come from anywhere.
const (
	maxManifestBytes = 64 << 20
	maxArtifactBytes = 1 << 30
	maxTraceBytes    = 512 << 20 // whet trace reads no more of a pipe
	maxArtifacts     = 10_000
)

// Recording is an opened recording.
type Recording struct {
	Manifest
	Dir string

	root    *os.Root
	reading *os.File       // the manifest, locked, so that nobody removes the recording meanwhile
	sources map[string]int // frame file → index in Manifest.Sources
}

// Is reports whether path looks like a recording: a directory with a manifest.
func Is(path string) bool {
	for _, name := range []string{ManifestName, checkpointName} {
		if st, err := os.Stat(filepath.Join(path, name)); err == nil && st.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Open reads the manifest of the recording in dir, with the parts that will be
// asked for. Close it after use.
func Open(dir string, parts ...RequiredPart) (*Recording, error) {
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		return nil, fmt.Errorf("open recording %s: it is a file; a recording is a directory NAME%s: whet top, list and flame read profiles", dir, suffix)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open recording %s: %w", dir, RootCause(err))
	}
	r := &Recording{Dir: dir, root: root}
	if err := errors.Join(r.lock(), r.readManifest(parts)); err != nil {
		r.Close()
		return nil, fmt.Errorf("open recording %s: %w", dir, err)
	}
	return r, nil
}

func (r *Recording) readManifest(parts []RequiredPart) error {
	data, err := r.readBounded(ManifestName, maxManifestBytes)
	checkpoint := errors.Is(err, fs.ErrNotExist)
	if checkpoint {
		data, err = r.readBounded(checkpointName, maxManifestBytes)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("it has no %s", ManifestName)
	case err != nil:
		return fmt.Errorf("%s: %w", ManifestName, err)
	}
	// The version decides how the rest is read, so it is looked at first.
	var head struct {
		Schema string `json:"schema"`
		Tool   string `json:"tool"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return damaged("", err)
	}
	if err := checkSchema(head.Schema, head.Tool); err != nil {
		return err
	}
	if err = json.Unmarshal(data, &r.Manifest); err == nil {
		err = checkArtifacts(r.Artifacts)
	}
	if err != nil {
		return damaged("", err)
	}
	for _, p := range parts {
		if err := p.look(&r.Manifest); err != nil {
			return err
		}
	}
	if checkpoint && r.Partial == "" {
		r.Partial = "not finished"
	}
	r.sources = make(map[string]int, len(r.Sources))
	for i, s := range r.Sources {
		r.sources[s.Frame] = i
	}
	return nil
}

// damaged says in words for users why the manifest, or a part of it, cannot be
// read.
func damaged(part string, err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		field := cmp.Or(strings.Trim(part+"."+wrong.Field, "."), "the whole")
		return fmt.Errorf("%s is damaged: %s cannot be %.60s", ManifestName, field, wrong.Value)
	}
	return fmt.Errorf("%s is damaged: %w", ManifestName, err)
}

// checkArtifacts bounds the work that a manifest can ask for: each artifact is
// read once, under its one name.
func checkArtifacts(list []Artifact) error {
	if len(list) > maxArtifacts {
		return fmt.Errorf("it lists %d artifacts, more than the limit of %d", len(list), maxArtifacts)
	}
	seen := make(map[string]bool, len(list))
	for _, a := range list {
		if seen[a.Path] {
			return fmt.Errorf("it lists %q twice", a.Path)
		}
		seen[a.Path] = true
	}
	return nil
}

func checkSchema(schema, tool string) error {
	digits, ok := strings.CutPrefix(schema, SchemaPrefix)
	version, err := strconv.Atoi(digits)
	if !ok || err != nil || version < 1 {
		return fmt.Errorf("schema %q is not that of a whet recording", schema)
	}
	if version > SchemaVersion {
		return fmt.Errorf("a newer whet wrote it (%s, schema %d; this one reads up to %d): update whet to open it", tool, version, SchemaVersion)
	}
	return nil
}

// lock marks the recording as being read, where it is whole.
func (r *Recording) lock() error {
	if st, err := r.root.Stat(ManifestName); err != nil || !st.Mode().IsRegular() {
		return nil // readManifest reports the error
	}
	f, err := r.root.Open(ManifestName)
	if err != nil {
		return nil
	}
	if r.reading = f; !filelock.Shared(f) {
		return errors.New("it is being removed")
	}
	return nil
}

// Close releases the directory.
func (r *Recording) Close() error {
	if r.reading != nil {
		r.reading.Close()
	}
	return r.root.Close()
}

// Read returns an artifact's bytes, uncompressed, after checking them against the
// manifest. A changed file is an error that says so. The error does not name the
// recording: reports include it, and must not depend on the recording's path.
func (r *Recording) Read(a Artifact) ([]byte, error) {
	limit := int64(maxArtifactBytes)
	if a.Kind == KindTrace || a.Kind == KindFlight {
		limit = maxTraceBytes
	}
	if st, err := r.root.Stat(a.Path); err == nil && st.Mode().IsRegular() && st.Size() != a.Bytes {
		return nil, fmt.Errorf("read %s: it differs from the recorded file (%d bytes, then %d)", a.Path, st.Size(), a.Bytes)
	}
	data, err := r.readBounded(a.Path, limit)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", a.Path, err)
	}
	if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != a.SHA256 {
		return nil, fmt.Errorf("read %s: it differs from the recorded file (sha256 differs)", a.Path)
	}
	if a.Packed == "" {
		return data, nil
	}
	if data, err = unpack(a.Packed, data, limit); err != nil {
		return nil, fmt.Errorf("read %s: %w", a.Path, err)
	}
	return data, nil
}

// Source returns the recorded copy of the file a frame names.
func (r *Recording) Source(frameFile string) ([]byte, Source, error) {
	i, ok := r.sources[frameFile]
	if !ok {
		return nil, Source{}, fmt.Errorf("source of %s: %w in the recording", frameFile, fs.ErrNotExist)
	}
	s := r.Sources[i]
	if !validSHA256(s.SHA256) {
		return nil, Source{}, fmt.Errorf("source of %s: malformed sha256 in the manifest", frameFile)
	}
	data, err := r.readBounded(s.file(), maxArtifactBytes)
	if err == nil && s.Packed != "" {
		data, err = unpack(s.Packed, data, maxArtifactBytes)
	}
	if err != nil {
		return nil, s, fmt.Errorf("read %s: %w", s.file(), err)
	}
	if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != s.SHA256 {
		return nil, s, fmt.Errorf("read %s: it differs from the recorded file (sha256 differs)", s.file())
	}
	return data, s, nil
}

// file returns the path of the copy in the recording.
func (s *Source) file() string {
	if s.Packed == packedGzip {
		return "source/" + s.SHA256 + ".gz"
	}
	return "source/" + s.SHA256
}

func validSHA256(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size
}

func (r *Recording) readBounded(name string, limit int64) ([]byte, error) {
	// Opening a pipe waits for a writer: check first.
	st, err := r.root.Stat(name)
	if err != nil {
		return nil, RootCause(err)
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := r.root.Open(name)
	if err != nil {
		return nil, RootCause(err)
	}
	defer f.Close()
	if st, err = f.Stat(); err != nil {
		return nil, RootCause(err)
	}
	if st.Size() > limit {
		return nil, fmt.Errorf("%d bytes are more than the limit of %d", st.Size(), limit)
	}
	var data bytes.Buffer
	data.Grow(int(st.Size()) + bytes.MinRead)
	_, err = data.ReadFrom(io.LimitReader(f, limit))
	return data.Bytes(), err
}
