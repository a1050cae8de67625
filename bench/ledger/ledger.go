package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"whet/internal/capture/host"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// Entry is a run of one program.
type Entry[T any] struct {
	Program   string         `json:"program"` // "bench/top"
	Args      []string       `json:"args"`    // files without their directories
	Date      time.Time      `json:"date"`    // of its start, UTC
	Commit    string         `json:"commit"`  // "" when unknown
	Dirty     bool           `json:"dirty"`   // the tree differed from the commit, figures apart
	GoVersion string         `json:"go_version"`
	Host      recording.Host `json:"host"`
	Samples   T              `json:"samples"` // raw

	meter *host.Meter
}

// Begin notes where and when a run starts.
func Begin[T any](program string) *Entry[T] {
	e := &Entry[T]{
		Program: program, Args: bare(os.Args[1:]), Date: time.Now().UTC().Truncate(time.Second),
		GoVersion: runtime.Version(), Host: host.Facts(nil), meter: host.Start(),
	}
	if out, err := exec.Command("git", "rev-parse", "HEAD").Output(); err == nil {
		e.Commit = strings.TrimSpace(string(out))
	}
	// Figures of an earlier run that are not committed yet change no code.
	if out, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no", "--", ":/", ":!/bench/results", ":!/bench/README.md").Output(); err == nil {
		e.Dirty = len(bytes.TrimSpace(out)) > 0
	}
	return e
}

// bare returns arguments without the directories of the files they name, which
// are this machine's: of a list of files each.
func bare(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		files := strings.Split(arg, ",")
		for j, f := range files {
			if filepath.IsAbs(f) {
				files[j] = filepath.Base(f)
			}
		}
		out[i] = strings.Join(files, ",")
	}
	return out
}

// Save writes the entry, raw samples and all, to dir/results/NAME.json.
func (e *Entry[T]) Save(dir, name string) error {
	e.meter.Stop(&e.Host)
	data, err := json.MarshalIndent(e, "", "\t")
	if err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	file := filepath.Join(dir, "results", name+".json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

// Load reads the entry back.
func Load[T any](dir, name string) (*Entry[T], error) {
	data, err := os.ReadFile(filepath.Join(dir, "results", name+".json"))
	if err != nil {
		return nil, err
	}
	e := new(Entry[T])
	if err := json.Unmarshal(data, e); err != nil {
		return nil, fmt.Errorf("read %s.json: %w", name, err)
	}
	return e, nil
}

// Caption says where the figures of a table are from.
func (e *Entry[T]) Caption() string {
	commit := e.Commit
	if len(commit) > 12 {
		commit = commit[:12]
	}
	if e.Dirty {
		commit += " with changes"
	}
	cpu := e.Host.CPU
	if cpu == "" {
		cpu = e.Host.Arch
	}
	s := fmt.Sprintf("%s, %s, %d cores, %s/%s, %s, commit %s", e.Date.Format(time.DateOnly), cpu, e.Host.Cores, e.Host.OS, e.Host.Arch, e.GoVersion, commit)
	if e.Host.LoadStart != nil && e.Host.LoadEnd != nil {
		s += fmt.Sprintf(", load %.1f to %.1f", *e.Host.LoadStart, *e.Host.LoadEnd)
	}
	if e.Host.StealRatio != nil {
		s += ", steal " + quantity.Percent(*e.Host.StealRatio)
	}
	return s
}

// Table is Markdown.
type Table struct {
	Head []string
	Rows [][]string
}

// Markdown prints the table; all columns but the first are aligned right.
func (t Table) Markdown() string {
	var b strings.Builder
	row := func(cells []string) {
		b.WriteByte('|')
		for _, c := range cells {
			b.WriteString(" " + strings.ReplaceAll(c, "|", `\|`) + " |")
		}
		b.WriteByte('\n')
	}
	row(t.Head)
	b.WriteString("|---|" + strings.Repeat("---:|", len(t.Head)-1) + "\n")
	for _, r := range t.Rows {
		row(r)
	}
	return b.String()
}

func markers(name string) (begin, end string) {
	return "<!-- table " + name + ": generated, do not edit -->", "<!-- end " + name + " -->"
}

// Replace puts text between the markers of name in document.
func Replace(document []byte, name, text string) ([]byte, error) {
	begin, end := markers(name)
	i, j := bytes.Index(document, []byte(begin)), bytes.Index(document, []byte(end))
	if i < 0 || j < i {
		return nil, fmt.Errorf("the markers %q and %q are missing", begin, end)
	}
	var out bytes.Buffer
	out.Write(document[:i+len(begin)])
	out.WriteString("\n\n" + strings.TrimSpace(text) + "\n\n")
	out.Write(document[j:])
	return out.Bytes(), nil
}

// Publish puts text between the markers of name in dir/README.md.
func Publish(dir, name, text string) error {
	file := filepath.Join(dir, "README.md")
	document, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	document, err = Replace(document, name, text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, document, 0o644)
}
