package history

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"whet/internal/format/benchmark"
	"whet/internal/recording"
)

// Entry is the results of one run on one host.
type Entry struct {
	Host  recording.Host
	Name  string // of the host, by the user; "": the host's facts name it
	Date  time.Time
	Tool  string   // version of whet
	Flags []string // of the build
	// Results by package, in order.
	Packages []Package
}

// Package is the results of one package.
type Package struct {
	ImportPath string
	Revision   string    // "": unknown
	Dirty      *bool     // nil: unknown
	Committed  time.Time // zero: unknown
	GoVersion  string
	Lines      []benchmark.Line
}

// The configuration lines of a file, besides goos, goarch, pkg and cpu.
const (
	keyHost      = "host"
	keyRevision  = "revision"
	keyDirty     = "dirty"
	keyCommitted = "commit-time"
	keyDate      = "date"
	keyCores     = "cores"
	keyLimit     = "cpu-limit-cores"
	keyKernel    = "kernel"
	keyGo        = "go-version"
	keyFlags     = "build-flags"
	keyTool      = "whet"
)

// HostKey names a host: a readable part, and a hash of all its properties. The user's
// own name for it comes first.
func HostKey(h *recording.Host, name string) string {
	limit := ""
	if h.CPULimitCores != nil {
		limit = strconv.FormatFloat(*h.CPULimitCores, 'g', -1, 64)
	}
	all := strings.Join([]string{name, h.OS, h.Arch, h.CPU, strconv.Itoa(h.Cores), limit}, "\x00")
	sum := sha256.Sum256([]byte(all))
	about := fmt.Sprintf("%s-%s-%s-%d-cores", h.OS, h.Arch, cmp.Or(h.CPU, "unknown"), h.Cores)
	if name != "" {
		about = name
	}
	return cmp.Or(slug(about, 60), "host") + "-" + hex.EncodeToString(sum[:4])
}

// slug makes one element of a file's name of any text.
func slug(s string, limit int) string {
	var b strings.Builder
	dash := true // none at the beginning
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
			b.WriteRune(r)
			dash = false
		} else if !dash {
			b.WriteByte('-')
			dash = true
		}
	}
	out := b.String()
	return strings.Trim(out[:min(len(out), limit)], "-")
}

// CheckDir reports whether results can be kept in dir.
func CheckDir(dir string) error {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // it is made
	case err != nil:
		return fmt.Errorf("history %s: %w", dir, recording.RootCause(err))
	case !st.IsDir():
		return fmt.Errorf("history %s: it is a file: name a directory for the results of many runs", dir)
	}
	return nil
}

// TryDir tries to write in dir, or in the directory where it would be made: an obstacle
// to storing results is reported before they are measured.
func TryDir(dir string) error {
	if err := CheckDir(dir); err != nil {
		return err
	}
	at, err := filepath.Abs(dir)
	for err == nil {
		if _, err = os.Lstat(at); err == nil {
			break
		}
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			at, err = filepath.Dir(at), nil
		}
	}
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(at, ".run.tmp-"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("history %s: %w: name a writable directory", dir, recording.RootCause(err))
	}
	return nil
}

// Append adds a run to the store in dir and returns the file it is in. The
// file appears when it is whole.
func Append(dir string, e *Entry) (path string, err error) {
	if err := CheckDir(dir); err != nil {
		return "", err
	}
	text, err := e.text()
	if err != nil {
		return "", fmt.Errorf("history %s: %w", dir, err)
	}
	host := filepath.Join(dir, HostKey(&e.Host, e.Name))
	if err := os.MkdirAll(host, 0o755); err != nil {
		return "", fmt.Errorf("history %s: %w", dir, recording.RootCause(err))
	}
	f, err := os.CreateTemp(host, ".run.tmp-")
	if err != nil {
		return "", fmt.Errorf("history %s: %w", dir, recording.RootCause(err))
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return "", fmt.Errorf("history %s: %w", host, recording.RootCause(err))
	}
	for n := range 1000 {
		path = filepath.Join(host, e.fileName(n))
		if err = claim(f.Name(), path); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("history %s: %w", host, recording.RootCause(err))
	}
	return path, nil
}

// claim gives the file at from the name to, unless that is taken. A link does
// it in one step; where the file system has none, an empty file takes the name
// before it is replaced.
func claim(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// fileName is that of the n-th file of the same moment.
func (e *Entry) fileName(n int) string {
	revision := "unversioned"
	for _, p := range e.Packages {
		if p.Revision == "" {
			continue
		}
		revision = slug(p.Revision, 12)
		if p.Dirty == nil || *p.Dirty {
			revision += "-dirty"
		}
		break
	}
	again := ""
	if n > 0 {
		again = "." + strconv.Itoa(n+1)
	}
	return revision + "." + e.Date.UTC().Format("20060102T150405Z") + again + ".txt"
}

// text returns the file's content.
func (e *Entry) text() (string, error) {
	var b strings.Builder
	w := benchmark.NewWriter(&b)
	set := func(key, value string) {
		if value != "" {
			w.Set(key, value)
		}
	}
	h := &e.Host
	set(keyHost, HostKey(h, e.Name))
	set(keyDate, e.Date.UTC().Format(time.RFC3339))
	set(keyTool, e.Tool)
	set("goos", h.OS)
	set("goarch", h.Arch)
	set("cpu", h.CPU)
	set(keyCores, strconv.Itoa(h.Cores))
	if h.CPULimitCores != nil {
		set(keyLimit, strconv.FormatFloat(*h.CPULimitCores, 'g', -1, 64))
	}
	set(keyKernel, h.Kernel)
	set(keyFlags, strings.Join(e.Flags, " "))
	n := 0
	for _, p := range e.Packages {
		if len(p.Lines) == 0 {
			continue
		}
		// An empty value takes back what holds for the package before.
		w.Set(keyRevision, p.Revision)
		dirty, committed := "", ""
		if p.Dirty != nil {
			dirty = strconv.FormatBool(*p.Dirty)
		}
		if !p.Committed.IsZero() {
			committed = p.Committed.UTC().Format(time.RFC3339)
		}
		w.Set(keyDirty, dirty)
		w.Set(keyCommitted, committed)
		w.Set(keyGo, p.GoVersion)
		w.Set("pkg", p.ImportPath)
		for _, l := range p.Lines {
			w.Write(l)
			n++
		}
	}
	if n == 0 {
		return "", errors.New("no results to keep")
	}
	return b.String(), w.Err()
}
