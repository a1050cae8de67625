package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"whet/internal/filelock"
)

// ErrRead is a recording that somebody reads.
var ErrRead = errors.New("it is being read")

// DropBinary removes the binary from a recording, adds a warning with the reason, and
// returns the number of freed bytes. A recording in use is not changed: the error is
// ErrRead then. The rest of the manifest is written unchanged.
func DropBinary(dir, why string) (freed int64, err error) {
	fail := func(err error) (int64, error) {
		return 0, fmt.Errorf("drop the binary of %s: %w", dir, RootCause(err))
	}
	lock, locked, err := filelock.Exclusive(filepath.Join(dir, ManifestName), 0)
	if err != nil {
		return fail(err)
	}
	if !locked {
		return 0, ErrRead
	}
	defer lock.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fail(err)
	}
	defer root.Close()
	data, err := root.ReadFile(ManifestName)
	if err != nil {
		return fail(err)
	}
	var m map[string]json.RawMessage
	var artifacts []map[string]any
	var warnings []string
	if err = json.Unmarshal(data, &m); err == nil {
		err = errors.Join(json.Unmarshal(m["artifacts"], &artifacts), json.Unmarshal(m["warnings"], &warnings))
	}
	if err != nil {
		return fail(err)
	}
	var binaries []string
	kept := artifacts[:0]
	for _, a := range artifacts {
		path, _ := a["path"].(string)
		if a["kind"] != KindBinary || !filepath.IsLocal(path) {
			kept = append(kept, a)
			continue
		}
		binaries = append(binaries, path)
	}
	if len(binaries) == 0 {
		return 0, nil
	}
	if m["artifacts"], err = json.Marshal(kept); err == nil {
		m["warnings"], err = json.Marshal(append(warnings, why))
	}
	if err == nil {
		data, err = json.MarshalIndent(m, "", "  ")
	}
	if err != nil {
		return fail(err)
	}
	const next = ManifestName + ".tmp"
	if err := root.WriteFile(next, append(data, '\n'), 0o644); err != nil {
		return fail(err)
	}
	if err := root.Rename(next, ManifestName); err != nil {
		root.Remove(next)
		return fail(err)
	}
	for _, path := range binaries {
		if st, statErr := root.Lstat(path); statErr == nil && st.Mode().IsRegular() {
			freed += st.Size()
			err = errors.Join(err, root.Remove(path))
		}
	}
	if err != nil {
		return fail(err)
	}
	return freed, nil
}
