package history

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"whet/internal/format/benchmark"
	"whet/internal/recording"
)

// Bounds on what is read: a store may come from anywhere.
const (
	maxHosts     = 1000
	maxFiles     = 50_000
	maxFileBytes = 64 << 20
	maxLineBytes = 1 << 20
	maxResults   = 2_000_000
	maxProblems  = 20 // told apart; of more only the number
)

// Result is a line of a file with the configuration that applies to it.
type Result struct {
	Host      string // by its own line, or else its directory; "": unknown
	File      string // in the store, slash-separated
	Package   string
	Revision  string
	Dirty     bool // with changes, or not known to have none
	Committed time.Time
	Date      time.Time
	CPU       string
	GoVersion string
	Kernel    string
	Flags     string
	Line      benchmark.Line
}

// Store is a history that was read.
type Store struct {
	Results []Result // by host, then file
	// Problems are files and lines that could not be used, one line each.
	Problems []string
}

// Read reads the store in dir: every host's files, in the order of their names. A
// damaged file is a problem and not an error.
func Read(dir string) (*Store, error) {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read history %s: no such directory: whet bench -history %s PACKAGE… creates it", dir, dir)
	case err != nil:
		return nil, fmt.Errorf("read history %s: %w", dir, recording.RootCause(err))
	case !st.IsDir():
		return nil, fmt.Errorf("read history %s: it is a file: name the directory of the results", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("read history %s: %w", dir, recording.RootCause(err))
	}
	defer root.Close()
	return read(root.FS())
}

// read is Read of a file system.
func read(fsys fs.FS) (*Store, error) {
	r := &reader{fsys: fsys, store: &Store{}}
	hosts, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("read history: %w", recording.RootCause(err))
	}
	nhosts := 0
	for _, h := range hosts {
		if strings.HasPrefix(h.Name(), ".") {
			continue
		}
		if !h.IsDir() {
			r.entry("", h.Name()) // somebody named a host's own directory
			continue
		}
		if nhosts++; nhosts > maxHosts {
			r.problem("more than %d hosts: the others were not read", maxHosts)
			break
		}
		r.host(h.Name())
	}
	if r.more > 0 {
		r.store.Problems = append(r.store.Problems, fmt.Sprintf("%d more entries could not be read", r.more))
	}
	return r.store, nil
}

type reader struct {
	fsys  fs.FS
	store *Store
	files int
	more  int // problems beyond those that are told
}

func (r *reader) problem(format string, args ...any) {
	if len(r.store.Problems) == maxProblems {
		r.more++
		return
	}
	r.store.Problems = append(r.store.Problems, fmt.Sprintf(format, args...))
}

func (r *reader) host(name string) {
	entries, err := fs.ReadDir(r.fsys, name)
	if err != nil {
		r.problem("%s: %v: its results are left out", name, recording.RootCause(err))
		return
	}
	for _, e := range entries {
		r.entry(name, path.Join(name, e.Name()))
	}
}

// entry reads one entry of a directory, if it is a file of results.
func (r *reader) entry(host, name string) {
	if strings.HasPrefix(path.Base(name), ".") || path.Ext(name) != ".txt" {
		return
	}
	if r.files++; r.files > maxFiles {
		if r.files == maxFiles+1 {
			r.problem("more than %d files: those from %s on were not read", maxFiles, name)
		}
		return
	}
	// Opening a pipe waits for a writer: check first.
	st, err := fs.Stat(r.fsys, name)
	switch {
	case err != nil:
		r.problem("%s: %v: it is left out", name, recording.RootCause(err))
	case !st.Mode().IsRegular():
		r.problem("%s: not a regular file: it is left out", name)
	case st.Size() > maxFileBytes:
		r.problem("%s: larger than %d MiB: it is left out; split it", name, maxFileBytes>>20)
	default:
		r.file(host, name)
	}
}

func (r *reader) file(host, name string) {
	f, err := r.fsys.Open(name)
	if err != nil {
		r.problem("%s: %v: it is left out", name, recording.RootCause(err))
		return
	}
	defer f.Close()
	results, damage, err := Parse(io.LimitReader(f, maxFileBytes))
	if err != nil {
		r.problem("%s: %v: only the part before was read; fix or delete the file", name, recording.RootCause(err))
	}
	if len(damage) > 0 {
		also := ""
		if n := len(damage) - 1; n > 0 {
			also = fmt.Sprintf(" (and %d more lines)", n)
		}
		r.problem("%s: %s%s: the rest was read; fix or delete the file", name, damage[0], also)
	}
	if room := maxResults - len(r.store.Results); len(results) > room {
		r.problem("%s: more than %d results: the others were not read; move old files away", name, maxResults)
		results = results[:room]
	}
	for i := range results {
		results[i].Host, results[i].File = cmp.Or(results[i].Host, host), name
	}
	r.store.Results = append(r.store.Results, results...)
}

// Parse reads one file: its results, and each line that is none, "line 12: …".
// File of the results is the caller's to fill in, and Host where it is "". The error is that
// of reading, or of a line without end.
func Parse(in io.Reader) (results []Result, damage []string, err error) {
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxLineBytes)
	now := Result{Dirty: true}
	n := 0
	for s.Scan() {
		n++
		line := string(bytes.TrimRight(s.Bytes(), "\r"))
		what := ""
		switch key, value, isSetting := setting(line); {
		case strings.TrimSpace(line) == "" || passing(line):
		case isSetting:
			what = now.set(key, value)
		default:
			lines := benchmark.Parse([]byte(line))
			if len(lines) != 1 || !strings.HasPrefix(line, "Benchmark") {
				what = "no result and no setting"
				break
			}
			one := now
			one.Line = lines[0]
			results = append(results, one)
		}
		if what != "" {
			damage = append(damage, fmt.Sprintf("line %d: %s: %s", n, what, strconv.QuoteToASCII(line[:min(len(line), 60)])))
		}
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return results, damage, fmt.Errorf("line %d is longer than %d bytes", n+1, maxLineBytes)
	} else if err != nil {
		return results, damage, err
	}
	return results, damage, nil
}

// passing recognises what go test prints around results: somebody may have put
// its output here.
func passing(line string) bool {
	return line == "PASS" || line == "FAIL" || strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t") || strings.HasPrefix(line, "#")
}

// setting splits a line "key: value", or "key:" of an empty value.
func setting(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	if !ok || key == "" || key[0] < 'a' || key[0] > 'z' || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 'A' && r <= 'Z' }) {
		return "", "", false
	}
	return key, strings.TrimSpace(value), true
}

// set takes a setting in and says what is wrong with it.
func (r *Result) set(key, value string) (wrong string) {
	at := func(t *time.Time) string {
		*t = time.Time{}
		if value == "" {
			return ""
		}
		parsed, err := time.Parse(time.RFC3339, value)
		if err != nil || parsed.Year() < 1970 || parsed.Year() > 9999 {
			return "not a time like 2026-11-20T17:01:02Z"
		}
		*t = parsed.UTC()
		return ""
	}
	switch key {
	case "pkg":
		r.Package = value
	case keyHost:
		r.Host = value
	case "cpu":
		r.CPU = value
	case keyRevision:
		r.Revision = value
	case keyDirty:
		dirty, err := strconv.ParseBool(value)
		r.Dirty = err != nil || dirty
		if err != nil && value != "" {
			return "neither true nor false"
		}
	case keyCommitted:
		return at(&r.Committed)
	case keyDate:
		return at(&r.Date)
	case keyKernel:
		r.Kernel = value
	case keyGo:
		r.GoVersion = value
	case keyFlags:
		r.Flags = value
	}
	return ""
}

// compareFiles orders results of one point as they were measured.
func compareFiles(a, b *Result) int {
	return cmp.Or(a.Date.Compare(b.Date), cmp.Compare(a.File, b.File))
}
