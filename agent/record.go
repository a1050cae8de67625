//go:build go1.26

package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	suffix       = ".whet"
	manifestName = "recording.json"
	// checkpointName is the manifest of a recording that whet is writing.
	checkpointName = "checkpoint.json"
)

// recorder makes recordings of the files in a directory of its own beside
// them. A recording is put together under a temporary name and renamed when it
// is whole.
type recorder struct {
	final string // the name the user gave
	dir   string // where the files are
	// aside is where a partial recording went because a whole one had the name.
	aside string
	// ours says that what has the final name is a partial recording of this run.
	ours   bool
	hashes map[file]string // of files that do not change
}

func newRecorder(name string) (*recorder, error) {
	final, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", name, err)
	}
	if !strings.HasSuffix(final, suffix) || filepath.Base(final) == suffix {
		return nil, fmt.Errorf("record %s: a recording's name ends in %s, as in run%s", name, suffix, suffix)
	}
	if err := replaceable(final); err != nil {
		return nil, fmt.Errorf("record %s: %w", name, err)
	}
	dir, err := temporary(final)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", name, err)
	}
	return &recorder{final: final, dir: dir, hashes: make(map[file]string)}, nil
}

func temporary(final string) (string, error) {
	return os.MkdirTemp(filepath.Dir(final), "."+filepath.Base(final)+".tmp-")
}

// replaceable returns an error unless a recording may have this name: it is
// free, or has a recording or an empty directory.
func replaceable(path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.IsDir() {
		entries, err := os.ReadDir(path)
		if err == nil && len(entries) == 0 || exists(filepath.Join(path, manifestName)) || exists(filepath.Join(path, checkpointName)) {
			return nil
		}
	}
	return errors.New("the name exists and is not a recording: choose another")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// folder returns where a recording keeps a kind of file.
func folder(kind string) string {
	switch kind {
	case "metrics":
		return "metrics"
	case "trace", "flight":
		return "trace"
	}
	return "profiles"
}

// publish makes a recording of the files that r names. partial says why it is
// not whole, "" when it is. A partial one does not take the place of a whole
// one but goes beside it.
func (p *recorder) publish(r report, partial string) error {
	tmp, err := temporary(p.final)
	if err != nil {
		return fmt.Errorf("write recording %s: %w", p.final, err)
	}
	defer os.RemoveAll(tmp)
	m := newManifest(r, partial)
	for _, f := range r.Files {
		one, err := p.enter(tmp, f)
		if err != nil {
			m.Warnings = append(m.Warnings, fmt.Sprintf("%s is missing: %v", f.Name, err))
			continue
		}
		m.Artifacts = append(m.Artifacts, one)
	}
	data, err := json.MarshalIndent(m, "", "\t")
	if err == nil {
		err = os.WriteFile(filepath.Join(tmp, manifestName), append(data, '\n'), 0o644)
	}
	if err == nil {
		err = os.Chmod(tmp, 0o755)
	}
	if err == nil {
		err = p.rename(tmp, partial != "")
	}
	if err != nil {
		return fmt.Errorf("write recording %s: %w", p.final, err)
	}
	return nil
}

// rename gives the recording in tmp its name. The one that has it steps aside
// first, and comes back when that fails.
func (p *recorder) rename(tmp string, partial bool) error {
	final := p.final
	if partial && !p.ours && exists(final) {
		final = strings.TrimSuffix(final, suffix) + ".partial" + suffix
	}
	if err := replaceable(final); err != nil {
		return err
	}
	old := ""
	if exists(final) {
		old = tmp + ".old"
		if err := os.Rename(final, old); err != nil {
			return err
		}
	}
	if err := os.Rename(tmp, final); err != nil {
		if old != "" {
			err = errors.Join(err, os.Rename(old, final))
		}
		return err
	}
	if old != "" {
		os.RemoveAll(old)
	}
	if final == p.final {
		p.ours = true
	} else {
		p.aside = final
	}
	return nil
}

// enter puts a file into the recording in tmp and returns its entry.
func (p *recorder) enter(tmp string, f file) (artifact, error) {
	rel := folder(f.Kind) + "/" + f.Name
	one := artifact{Path: rel, Kind: f.Kind, Part: f.Part, StartNs: f.StartNs, EndNs: f.EndNs}
	from, to := filepath.Join(p.dir, f.Name), filepath.Join(tmp, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return one, err
	}
	if sum, ok := p.hashes[f]; ok && os.Link(from, to) == nil {
		one.Bytes, one.SHA256 = f.bytes, sum
		return one, nil
	}
	// Files that still grow are copied, and others where links are not to be had.
	linked := !f.growing && os.Link(from, to) == nil
	h := sha256.New()
	n, err := copyFile(h, from, to, linked)
	if err != nil {
		os.Remove(to)
		return one, err
	}
	one.Bytes, one.SHA256 = n, hex.EncodeToString(h.Sum(nil))
	if !f.growing {
		p.hashes[f] = one.SHA256
	}
	return one, nil
}

// copyFile hashes a file, and copies it unless it is linked already.
func copyFile(h io.Writer, from, to string, linked bool) (int64, error) {
	src, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	if linked {
		return io.Copy(h, src)
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.MultiWriter(h, dst), src)
	if closing := dst.Close(); err == nil {
		err = closing
	}
	return n, err
}

// clean removes the directory of the files, and the partial recording of this
// run that a whole one has followed.
func (p *recorder) clean() {
	os.RemoveAll(p.dir)
	if p.aside != "" {
		os.RemoveAll(p.aside)
	}
}
