package parcel

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"whet/internal/document"
	"whet/internal/recording"
)

// types begins a file that is packed after a line of text.
const types = document.Types + "\n"

// What the names of members end in whose files are packed in a recording.
const (
	wasPacked = "#packed"
	wasTypes  = "#types"
)

// Pack writes an archive of recordings, each a directory.
func Pack(archive string, recordings ...string) (err error) {
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(32<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, dir := range recordings {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(filepath.Dir(dir), name)
			if err != nil {
				return err
			}
			member, data := taken(filepath.ToSlash(rel), data)
			if err := t.WriteHeader(&tar.Header{Name: member, Size: int64(len(data)), Mode: 0o644}); err != nil {
				return err
			}
			_, err = t.Write(data)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := errors.Join(t.Close(), z.Close()); err != nil {
		return err
	}
	return os.WriteFile(archive, out.Bytes(), 0o644)
}

// taken returns a file as the archive has it.
func taken(name string, data []byte) (member string, raw []byte) {
	rest, isTypes := bytes.CutPrefix(data, []byte(types))
	z, err := gzip.NewReader(bytes.NewReader(rest))
	if err != nil {
		return name, data
	}
	if raw, err = io.ReadAll(z); err != nil {
		return name, data
	}
	if isTypes {
		return name + wasTypes, raw
	}
	return name + wasPacked, raw
}

// given returns a file as the recording has it.
func given(member string, raw []byte) (name string, data []byte, changed bool) {
	var out bytes.Buffer
	name, isTypes := strings.CutSuffix(member, wasTypes)
	if isTypes {
		out.WriteString(types)
	} else if name, changed = strings.CutSuffix(member, wasPacked); !changed {
		return member, raw, false
	}
	z := gzip.NewWriter(&out)
	z.Write(raw) // a buffer takes all
	z.Close()
	return name, out.Bytes(), true
}

// Unpack makes a recording of an archive in a directory of the test's own, and returns
// where it is.
func Unpack(t testing.TB, archive, recordingName string) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := unpack(archive, recordingName, dir); err != nil {
		t.Fatalf("%s of %s: %v", recordingName, archive, err)
	}
	return filepath.Join(dir, recordingName)
}

// Replace puts a recording in the place of the one of its name, or beside the others.
func Replace(t testing.TB, archive, recordingDir string) {
	t.Helper()
	dir := t.TempDir()
	names, err := unpack(archive, "", dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	all := []string{recordingDir}
	for _, name := range names {
		if name != filepath.Base(recordingDir) {
			all = append(all, filepath.Join(dir, name))
		}
	}
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	if err := Pack(archive, all...); err != nil {
		t.Fatal(err)
	}
}

// Names returns the recordings in an archive.
func Names(t testing.TB, archive string) []string {
	t.Helper()
	names, err := unpack(archive, "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// unpack makes the recording of that name, or all of them, in a directory, and returns
// their names.
func unpack(archive, only, dir string) (names []string, err error) {
	data, err := os.ReadFile(archive)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	again := make(map[string]map[string][]byte) // what was packed anew, by recording and path in it
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		of, member, _ := strings.Cut(h.Name, "/")
		if only != "" && of != only {
			continue
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		if again[of] == nil {
			names, again[of] = append(names, of), make(map[string][]byte)
		}
		name, data, changed := given(member, raw)
		if changed {
			again[of][name] = data
		}
		to := filepath.Join(dir, of, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, data, 0o666)); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, fs.ErrNotExist
	}
	for _, of := range names {
		if err := sign(filepath.Join(dir, of, recording.ManifestName), again[of]); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// sign puts the sums of files into a manifest.
func sign(name string, files map[string][]byte) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return err
	}
	artifacts, _ := m["artifacts"].([]any)
	for _, a := range artifacts {
		a, _ := a.(map[string]any)
		path, _ := a["path"].(string)
		if data, ok := files[path]; ok {
			sum := sha256.Sum256(data)
			a["sha256"], a["bytes"] = hex.EncodeToString(sum[:]), len(data)
		}
	}
	if text, err = json.Marshal(m); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}
