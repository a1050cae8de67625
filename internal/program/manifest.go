package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/recording"
)

// Manifest is agent.json, which describes the files written by the agent of a run.
// Times are nanoseconds on the monotonic clock of the process since Origin.
type Manifest struct {
	Schema     string    `json:"schema"`
	PID        int       `json:"pid"`
	GoVersion  string    `json:"go_version"`
	GOMAXPROCS int       `json:"gomaxprocs"`
	Origin     time.Time `json:"origin"` // wall time of 0 ns
	EndNs      int64     `json:"end_ns"`
	// Ended is EndedExit, EndedStop, or EndedRunning: the process was killed,
	// or panicked, after this was written.
	Ended    string   `json:"ended"`
	Files    []File   `json:"files"`
	Warnings []string `json:"warnings"`
}

// What Manifest.Ended may say.
const (
	EndedExit    = "exit"
	EndedStop    = "stop"
	EndedRunning = "running"
)

// File is a file in the directory of the manifest. Name is a plain file name.
type File struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // of internal/recording
	Part    string `json:"part"` // recording.PartBefore: of an earlier moment; "": of the end, or of all of it
	StartNs int64  `json:"start_ns"`
	EndNs   int64  `json:"end_ns"`
}

const (
	manifestFile = "agent.json"
	maxManifest  = 4 << 20
	maxFiles     = 10_000
	maxWarnings  = 100
	maxText      = 400 // of a warning
)

// Read reads the agent's files. A listed file that is missing, or not a regular file,
// is left out with a warning.
func (a *Agent) Read() (Manifest, error) {
	root, err := os.OpenRoot(a.dir)
	if err != nil {
		return Manifest{}, fmt.Errorf("read the agent's files: %w", err)
	}
	defer root.Close()
	data, err := readManifest(root)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !a.Started():
		return Manifest{}, fmt.Errorf("read the agent's files: the agent never started: the program ended during package initialization, or executed another program: %w", err)
	case errors.Is(err, fs.ErrNotExist):
		return Manifest{}, fmt.Errorf("read the agent's files: the program ended before the agent wrote any: %w", err)
	case err != nil:
		return Manifest{}, fmt.Errorf("read the agent's files: %w", err)
	}
	m, err := parseManifest(data)
	if err != nil {
		return Manifest{}, fmt.Errorf("read the agent's files: %s: %w", manifestFile, err)
	}
	kept := m.Files[:0]
	for _, f := range m.Files {
		switch st, err := root.Lstat(f.Name); {
		case err != nil:
			m.Warnings = append(m.Warnings, fmt.Sprintf("the agent lists %s, which does not exist", f.Name))
		case !st.Mode().IsRegular():
			m.Warnings = append(m.Warnings, fmt.Sprintf("the agent lists %s, which is not a file", f.Name))
		default:
			kept = append(kept, f)
		}
	}
	m.Files = kept
	return m, nil
}

func readManifest(root *os.Root) ([]byte, error) {
	// A pipe would keep the reader waiting.
	if st, err := root.Lstat(manifestFile); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() || st.Size() > maxManifest {
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", manifestFile, maxManifest)
	}
	f, err := root.Open(manifestFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxManifest))
}

// parseManifest reads agent.json. It trusts nothing in it: the measured
// program could have written it.
func parseManifest(data []byte) (Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return Manifest{}, err
	}
	if m.Schema != document.Agent {
		return Manifest{}, fmt.Errorf("schema %.40q, want %q", m.Schema, document.Agent)
	}
	switch m.Ended {
	case EndedExit, EndedStop, EndedRunning:
	default:
		return Manifest{}, fmt.Errorf("unknown ending of the program: %.40q", m.Ended)
	}
	if m.EndNs < 0 || m.Origin.IsZero() {
		return Manifest{}, fmt.Errorf("its clock begins at %v and ends at %d ns", m.Origin, m.EndNs)
	}
	if len(m.Files) > maxFiles {
		return Manifest{}, fmt.Errorf("it lists %d files, more than %d", len(m.Files), maxFiles)
	}
	seen := map[string]bool{}
	for i, f := range m.Files {
		switch {
		case !plain(f.Name):
			return Manifest{}, fmt.Errorf("file %d: %.80q is not a plain file name", i, f.Name)
		case seen[f.Name]:
			return Manifest{}, fmt.Errorf("file %d: %s is listed twice", i, f.Name)
		case !known(f.Kind):
			return Manifest{}, fmt.Errorf("file %d: %s is of an unknown kind, %.40q", i, f.Name, f.Kind)
		case f.Part != "" && f.Part != recording.PartBefore:
			return Manifest{}, fmt.Errorf("file %d: %s is an unknown part, %.40q", i, f.Name, f.Part)
		case f.StartNs < 0 || f.EndNs < f.StartNs:
			return Manifest{}, fmt.Errorf("file %d: %s runs from %d to %d ns", i, f.Name, f.StartNs, f.EndNs)
		}
		seen[f.Name] = true
	}
	if len(m.Warnings) > maxWarnings {
		const kept = maxWarnings - 1
		m.Warnings = append(m.Warnings[:kept], fmt.Sprintf("the agent gave %d more warnings", len(m.Warnings)-kept))
	}
	for i, w := range m.Warnings {
		m.Warnings[i] = line(w)
	}
	m.GoVersion = line(m.GoVersion)
	return m, nil
}

// known reports whether an agent writes files of a kind.
func known(kind string) bool {
	switch kind {
	case recording.KindCPU, recording.KindAllocs, recording.KindHeap, recording.KindBlock, recording.KindMutex,
		recording.KindGoroutine, recording.KindThreads, recording.KindLeaked, recording.KindTrace, recording.KindFlight, recording.KindMetrics:
		return true
	}
	return false
}

// plain reports whether a name can only be that of a file in the directory
// itself, on every system.
func plain(name string) bool {
	return name != "" && len(name) <= 100 && name[0] != '.' && strings.Trim(name,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// line makes a text of the program's fit for a page.
func line(text string) string { return printable.Cut(printable.Spaces(text), maxText-len("…")) }
