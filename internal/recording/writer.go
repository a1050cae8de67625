package recording

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/internal/document"
)

const (
	// ManifestName is the name of the file that describes a recording.
	ManifestName   = "recording.json"
	checkpointName = "checkpoint.json" // the manifest of a run that has not ended
	suffix         = ".whet"
)

// Writer fills a recording. It is not safe for concurrent use.
type Writer struct {
	Manifest Manifest

	final string   // the name it gets
	dir   string   // the temporary directory
	alive *os.File // says that somebody writes it; nil: locks are not known here
	done  bool
}

// Create makes a temporary directory beside path, which must end in ".whet" and be free
// or an earlier recording. Only its owner may read it, under its final name too: it
// contains source and the output of a program.
func Create(path string, origin time.Time) (*Writer, error) {
	if err := CheckName(path); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-")
	if err != nil {
		return nil, fmt.Errorf("create recording %s: %w", path, RootCause(err))
	}
	w := &Writer{final: path, dir: dir}
	w.Manifest.Schema = document.Recording
	w.Manifest.Origin = origin
	w.Manifest.Partial = "not finished"
	w.Manifest.parts = map[string]any{BenchmarksKey: json.RawMessage("[]"), CostsKey: json.RawMessage("[]")}
	if err := w.Checkpoint(); err != nil {
		w.Discard()
		return nil, fmt.Errorf("create recording %s: %w", path, err)
	}
	w.lock()
	return w, nil
}

// CheckName reports whether a recording may be written to path: the name ends
// in ".whet", and nothing but a recording is there.
func CheckName(path string) error {
	if !strings.HasSuffix(path, suffix) || filepath.Base(path) == suffix {
		return fmt.Errorf("a recording's name ends in %[1]s, as in run%[2]s: %[3]q does not", suffix, suffix, path)
	}
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		parent := filepath.Dir(path)
		if st, err := os.Stat(parent); err != nil || !st.IsDir() {
			return fmt.Errorf("write recording %s: no directory %s", path, parent)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("write recording %s: %w", path, RootCause(err))
	}
	if !st.IsDir() || !replaceable(path) {
		return fmt.Errorf("%s exists and is not a recording: choose another name with -o", path)
	}
	return nil
}

// replaceable reports whether a new recording may take a directory's place: it
// is an earlier one, or empty.
func replaceable(dir string) bool {
	entries, err := os.ReadDir(dir)
	return Is(dir) || err == nil && len(entries) == 0
}

// File returns the absolute path for a new file rel inside the recording, and
// makes its directory.
func (w *Writer) File(rel string) (string, error) {
	name := filepath.Join(w.dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", fmt.Errorf("recording %s: %w", w.final, RootCause(err))
	}
	return filepath.Abs(name)
}

// Create makes a new file rel inside the recording, for data that arrives gradually.
// Add enters it after it is closed.
func (w *Writer) Create(rel string) (io.WriteCloser, error) {
	name, err := w.File(rel)
	if err != nil {
		return nil, err
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("recording: write %s: %w", rel, RootCause(err))
	}
	return file{f}, nil
}

// file is a file of the recording, whose errors do not show its temporary name.
type file struct{ *os.File }

func (f file) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	return n, RootCause(err)
}

func (f file) Close() error { return RootCause(f.File.Close()) }

// Add enters a file that an instrument has written into the manifest, with
// its size and hash. Times are since the recording's origin.
func (w *Writer) Add(a Artifact) error {
	if err := w.add(a); err != nil {
		return err
	}
	return w.Checkpoint()
}

func (w *Writer) add(a Artifact) error {
	f, err := os.Open(filepath.Join(w.dir, filepath.FromSlash(a.Path)))
	if err != nil {
		return fmt.Errorf("recording: add %s: %w", a.Path, RootCause(err))
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return fmt.Errorf("recording: add %s: %w", a.Path, RootCause(err))
	}
	a.Bytes, a.SHA256 = n, hex.EncodeToString(h.Sum(nil))
	w.Manifest.Artifacts = append(w.Manifest.Artifacts, a)
	return nil
}

// Write stores data as a new artifact.
func (w *Writer) Write(a Artifact, data []byte) error {
	if err := w.Put(a, data); err != nil {
		return err
	}
	return w.Checkpoint()
}

// Put is Write for an artifact that need not be visible before the next checkpoint.
func (w *Writer) Put(a Artifact, data []byte) error {
	name, err := w.File(a.Path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return fmt.Errorf("recording: write %s: %w", a.Path, RootCause(err))
	}
	return w.add(a)
}

// AddSource stores one source file, packed, under its hash.
func (w *Writer) AddSource(s Source, data []byte) error {
	sum := sha256.Sum256(data)
	s.SHA256, s.Bytes, s.Packed = hex.EncodeToString(sum[:]), int64(len(data)), packedGzip
	name, err := w.File(s.file())
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(data)
	if err = errors.Join(err, z.Close()); err == nil {
		err = os.WriteFile(name, packed.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("recording: write source of %s: %w", s.Path, RootCause(err))
	}
	w.Manifest.Sources = append(w.Manifest.Sources, s)
	return nil
}

// Warn adds a warning once.
func (w *Writer) Warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(w.Manifest.Warnings, text) {
		w.Manifest.Warnings = append(w.Manifest.Warnings, text)
	}
}

// Finish writes the manifest and gives the recording its name, replacing an earlier
// recording. partial is the reason that the recording is incomplete, "" if it is
// complete; a partial one does not replace a complete one but gets a name beside it.
// Finish returns the final name.
func (w *Writer) Finish(end time.Duration, partial string) (string, error) {
	w.Manifest.EndNs, w.Manifest.Partial = int64(end), partial
	w.unlock()
	w.pack(KindBinary, KindDiagnostics, KindTrace, KindFlight)
	err := w.writeManifest(ManifestName)
	if err != nil && w.Drop(KindBinary) {
		// On a full disk the profiles are worth more than the binary, which can
		// be built again.
		w.Warn("the binary was left out to save space for the rest: %v", err)
		err = w.writeManifest(ManifestName)
	}
	// From here on Discard takes nothing away: the error says where it lies.
	w.done = true
	if err != nil {
		return w.dir, fmt.Errorf("finish recording %s: %w (the part written is in %s)", w.final, err, w.dir)
	}
	os.Remove(filepath.Join(w.dir, checkpointName))
	if w.Manifest.DefaultName != "" {
		return w.takeFree()
	}
	final := w.final
	if partial != "" && exists(final) {
		final = strings.TrimSuffix(final, suffix) + ".partial" + suffix
		if err := CheckName(final); err != nil {
			return w.dir, fmt.Errorf("finish recording: %w (the part written is in %s)", err, w.dir)
		}
	}
	// The old recording steps aside before the new one takes its name: at no
	// moment is there neither.
	old := ""
	if exists(final) {
		old = w.dir + ".old"
		if err := os.Rename(final, old); err != nil {
			return w.dir, fmt.Errorf("finish recording: replace %s: %w (the part written is in %s)", final, RootCause(err), w.dir)
		}
	}
	if err := os.Rename(w.dir, final); err != nil {
		if old != "" {
			err = errors.Join(err, os.Rename(old, final))
		}
		return w.dir, fmt.Errorf("finish recording %s: %w (the part written is in %s)", final, RootCause(err), w.dir)
	}
	if old != "" {
		os.RemoveAll(old)
	}
	return final, nil
}

// takeFree gives a recording with a default name a free one, with a number if
// necessary. Renaming never replaces a directory with files, so the earlier recording
// stays.
func (w *Writer) takeFree() (string, error) {
	parent := filepath.Dir(w.final)
	for {
		entries, err := os.ReadDir(parent)
		if err != nil {
			return w.dir, fmt.Errorf("finish recording %s: %w (the part written is in %s)", w.final, RootCause(err), w.dir)
		}
		last := 0
		for _, e := range entries {
			last = max(last, Numbered(w.Manifest.DefaultName, e.Name()))
		}
		name := w.Manifest.DefaultName
		if last > 0 {
			name += "-" + strconv.Itoa(last+1)
		}
		final := filepath.Join(parent, name+suffix)
		if err = os.Rename(w.dir, final); err == nil {
			return final, nil
		}
		if !exists(final) {
			return w.dir, fmt.Errorf("finish recording %s: %w (the part written is in %s)", final, RootCause(err), w.dir)
		}
	}
}

// Numbered returns the number of a file's name in the sequence of a recording's default
// name: 1 for "chi.whet", 2 for "chi-2.whet"; 0 if it is not in the sequence.
func Numbered(defaultName, file string) int {
	rest, ours := strings.CutPrefix(strings.TrimSuffix(file, suffix), defaultName)
	if !ours || !strings.HasSuffix(file, suffix) {
		return 0
	}
	if rest == "" {
		return 1
	}
	n, err := strconv.Atoi(strings.TrimPrefix(rest, "-"))
	if err != nil || n < 2 || rest != "-"+strconv.Itoa(n) || n > 1<<30 {
		return 0
	}
	return n
}

// Drop removes the artifacts of a kind and reports whether there was one.
func (w *Writer) Drop(kind string) bool {
	before := len(w.Manifest.Artifacts)
	w.Manifest.Artifacts = slices.DeleteFunc(w.Manifest.Artifacts, func(a Artifact) bool {
		if a.Kind == kind {
			os.Remove(filepath.Join(w.dir, filepath.FromSlash(a.Path)))
		}
		return a.Kind == kind
	})
	return len(w.Manifest.Artifacts) < before
}

// DropSources removes all source files.
func (w *Writer) DropSources() {
	os.RemoveAll(filepath.Join(w.dir, "source"))
	w.Manifest.Sources = nil
}

// Discard removes everything written so far, unless Finish was called.
func (w *Writer) Discard() {
	if !w.done {
		w.unlock()
		os.RemoveAll(w.dir)
	}
}

// Dir returns the directory the files are in now: an absolute path.
func (w *Writer) Dir() string {
	if abs, err := filepath.Abs(w.dir); err == nil {
		return abs
	}
	return w.dir
}

// Checkpoint writes the manifest as it is now, so that Open of Dir sees it.
func (w *Writer) Checkpoint() error { return w.writeManifest(checkpointName) }

func (w *Writer) writeManifest(name string) error {
	w.Manifest.fillLists()
	data, err := document.Format(&w.Manifest)
	if err != nil {
		return err
	}
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path+".new", data, 0o644); err != nil {
		return RootCause(err)
	}
	return RootCause(os.Rename(path+".new", path))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// RootCause strips the path from a file system error: the caller names the
// file in its own words.
func RootCause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}
