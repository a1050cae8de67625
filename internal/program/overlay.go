package program

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"whet"
	"whet/internal/gobench"
)

// ours are what goes beside the agent's own source: its init, and the exit hook
// in runtime/metrics.
//
//go:embed entry.go.txt exit.go.txt
var ours embed.FS

// The names below must not end in those of an operating system or a processor.
const (
	agentDir    = "whetagent"   // below internal of the package
	importFile  = "zwhetagent"  // in the package itself
	exitInRoot  = "whetexit.go" // in runtime/metrics
	entryName   = "whetentry.go"
	maxOverlay  = 16 << 20 // bytes of the user's own overlay
	maxAttempts = 100      // at a name that the user does not have
)

// overlayFile is the file of -overlay. It maps paths to the files that replace them;
// an empty name removes the file.
type overlayFile struct {
	Replace map[string]string
}

// writeOverlay writes the agent's files and an overlay that puts them in their
// places into scratch, and returns the overlay's path. A file of the package
// called importer brings the agent in. The user's own overlay goes into it.
func writeOverlay(t *gobench.Target, o gobench.BuildOptions, importer, goroot, scratch string) (string, error) {
	all, err := usersOverlay(t, o)
	if err != nil {
		return "", err
	}
	taken := func(name string) bool {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
		for k := range all.Replace {
			if !filepath.IsAbs(k) {
				k = filepath.Join(t.WorkDir, k)
			}
			if inside(k, name) {
				return true
			}
		}
		return false
	}
	dir, err := unused(t.Dir, filepath.Join("internal", agentDir), "", taken)
	if err != nil {
		return "", err
	}
	imports, err := unused(t.Dir, importer, ".go", taken)
	if err != nil {
		return "", err
	}

	files := map[string][]byte{ // contents by path
		imports: fmt.Appendf(nil, "package %s\n\nimport _ %q\n", t.Name, path.Join(t.ImportPath, "internal", filepath.Base(dir))),
	}
	for at, name := range map[string]string{
		filepath.Join(dir, entryName):                                  "entry.go.txt",
		filepath.Join(goroot, "src", "runtime", "metrics", exitInRoot): "exit.go.txt",
	} {
		if files[at], err = ours.ReadFile(name); err != nil {
			return "", fmt.Errorf("build %s: read the agent's source: %w", t.ImportPath, err)
		}
	}
	source, err := whet.AgentSource()
	if err != nil {
		return "", fmt.Errorf("build %s: read the agent's source: %w", t.ImportPath, err)
	}
	for name, text := range source {
		files[filepath.Join(dir, name)] = text
	}

	n := 0
	for at, text := range files {
		name := filepath.Join(scratch, strconv.Itoa(n)+".go")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return "", fmt.Errorf("build %s: write the agent's source: %w", t.ImportPath, err)
		}
		all.Replace[at] = name
		n++
	}
	data, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("build %s: write an overlay: %w", t.ImportPath, err)
	}
	name := filepath.Join(scratch, "overlay.json")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		return "", fmt.Errorf("build %s: write an overlay: %w", t.ImportPath, err)
	}
	return name, nil
}

// unused finds a name in dir that nothing has: name, name2, name3…
func unused(dir, name, ext string, taken func(string) bool) (string, error) {
	for i := 1; i <= maxAttempts; i++ {
		full := filepath.Join(dir, name)
		if i > 1 {
			full += strconv.Itoa(i)
		}
		if full += ext; !taken(full) {
			return full, nil
		}
	}
	return "", &gobench.Error{Kind: gobench.KindUsage, Text: fmt.Sprintf(
		"%s and all such names up to %d exist in %s: remove or rename one; whet needs the name for its agent", name+ext, maxAttempts, dir)}
}

// usersOverlay reads the overlay that the user asked for, by a flag or in
// GOFLAGS. Without one it is empty.
func usersOverlay(t *gobench.Target, o gobench.BuildOptions) (overlayFile, error) {
	all := overlayFile{Replace: map[string]string{}}
	name := overlayFlag(strings.Fields(t.GOFLAGS))
	if given := overlayFlag(o.Flags); given != "" {
		name = given
	}
	if name == "" {
		return all, nil
	}
	full := name
	if !filepath.IsAbs(full) {
		full = filepath.Join(t.WorkDir, full) // where the go command runs
	}
	fail := func(why error) error {
		var pe *fs.PathError
		if errors.As(why, &pe) {
			why = pe.Err
		}
		return &gobench.Error{Kind: gobench.KindUsage, Text: fmt.Sprintf("read the overlay %s of -overlay: %v", name, why)}
	}
	st, err := os.Stat(full)
	if err != nil {
		return all, fail(err)
	}
	if !st.Mode().IsRegular() || st.Size() > maxOverlay {
		return all, fail(fmt.Errorf("it is not a regular file of at most %d bytes", maxOverlay))
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return all, fail(err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return all, fail(err)
	}
	if all.Replace == nil {
		all.Replace = map[string]string{}
	}
	return all, nil
}

// overlayFlag returns the value of the last -overlay among flags of the go command,
// "" without one.
func overlayFlag(flags []string) string {
	value := ""
	for i, f := range flags {
		name, v, ok := strings.Cut(f, "=")
		if name != "-overlay" && name != "--overlay" {
			continue
		}
		switch {
		case ok:
			value = v
		case i+1 < len(flags):
			value = flags[i+1]
		}
	}
	return value
}
