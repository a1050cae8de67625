package source

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"whet/internal/analyze/selection"
)

// Options are the known facts about the profiled program and this machine. Unknown ones
// are empty.
type Options struct {
	GOROOT     string
	GOMODCACHE string
	// Dir lies in the user's module or workspace.
	Dir string
	// Info is the build information that the go command wrote into the binary.
	Info *debug.BuildInfo
	// Functions are those of the profile or the binary, with their files.
	Functions iter.Seq2[string, string]

	// SourcePath and TrimPath are pprof's -source_path and -trim_path, lists
	// of directories.
	SourcePath, TrimPath string

	// Recorded returns the copy of a file that was taken with the profile, and the
	// recorder's doubt about it.
	Recorded func(frameFile string) (text []byte, differs string, ok bool)
	// Sum returns the SHA-256, in hexadecimal, that a file had when the
	// program was built.
	Sum func(frameFile string) (string, bool)
	// Profiled is when the profile was taken, zero when unknown.
	Profiled time.Time
}

// Resolver finds the source of frames, with doubts about it. It may be used
// concurrently.
type Resolver struct {
	Finder

	o        Options
	warnings []string
	packages map[string][]string // of files that have no directory

	mu    sync.Mutex
	texts map[string]cachedText
}

// cachedText is the result of reading a file.
type cachedText struct {
	text *Text
	err  error
}

// Text is the source of a frame's file.
type Text struct {
	Path   string // on this machine; "" where it comes from a recording
	Origin Origin
	Lines  []string
	// Doubts are the reasons, each a sentence, that it may differ from the file that
	// was built. There are none if a version or a checksum matches.
	Doubts []string
	// Generated reports that a program wrote it: the source of that program's input is
	// more useful.
	Generated bool

	display string
}

// New returns a resolver. An unreadable go.mod or go.work is not an error: Warnings
// lists what is missing.
func New(o Options) *Resolver {
	r := &Resolver{o: o, texts: make(map[string]cachedText)}
	r.GOROOT, r.GOMODCACHE = o.GOROOT, o.GOMODCACHE
	if o.Dir != "" {
		r.readTree(o.Dir)
	}
	r.addBuild(o.Info)
	if o.Functions != nil {
		r.readFunctions(o.Functions)
	}
	return r
}

// Warnings lists unreadable module files, and a missing version of the standard
// library.
func (r *Resolver) Warnings() []string { return r.warnings }

// Text returns the source of a frame's file. The error has the reason that there is
// none.
func (r *Resolver) Text(frameFile string) (*Text, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.texts[frameFile]
	if !ok {
		a.text, a.err = r.resolve(frameFile)
		r.texts[frameFile] = a
	}
	return a.text, a.err
}

func (r *Resolver) resolve(frameFile string) (*Text, error) {
	if r.o.Recorded != nil {
		if data, differs, ok := r.o.Recorded(frameFile); ok {
			t := r.text(data, "", OfRecord, frameFile)
			if differs != "" {
				t.doubt("source may differ from the profiled build: %s: %s", t.display, differs)
			}
			return t, nil
		}
	}
	p, err := r.locate(frameFile)
	if err != nil {
		return nil, err
	}
	data, _, err := p.read()
	if err != nil {
		return nil, err
	}
	t := r.text(data, p.path, p.origin, frameFile)
	if r.o.Sum != nil {
		if want, ok := r.o.Sum(frameFile); ok {
			if have := sha256.Sum256(data); !strings.EqualFold(hex.EncodeToString(have[:]), want) {
				t.doubt("source differs from the profiled build: the sum of %s is another than when it was built", t.display)
			}
			return t, nil // the sum vouches for it
		}
	}
	r.check(t, p, frameFile)
	return t, nil
}

// locate returns the path of a frame's file, or an error that says why there is none.
func (r *Resolver) locate(frameFile string) (candidate, error) {
	if p, ok := r.onPath(frameFile); ok {
		return p, nil
	}
	p, err := r.find(frameFile)
	if err != nil {
		if p, ok := r.ofPackage(frameFile); ok {
			return p, nil
		}
	}
	return p, err
}

func (r *Resolver) text(data []byte, path string, origin Origin, frameFile string) *Text {
	t := &Text{Path: path, Origin: origin, Lines: lines(data), display: frameFile}
	t.display, _ = r.Display(frameFile)
	for i, line := range t.Lines {
		if strings.HasPrefix(line, "package ") || i > 200 {
			break
		}
		t.Generated = t.Generated || strings.HasPrefix(line, "// Code generated ") && strings.HasSuffix(line, " DO NOT EDIT.")
	}
	return t
}

func lines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	out := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i := range out {
		out[i] = strings.TrimSuffix(out[i], "\r")
	}
	return out
}

func (t *Text) doubt(format string, args ...any) {
	t.Doubts = append(t.Doubts, fmt.Sprintf(format, args...))
}

// check adds what speaks against a file for which no sum vouches.
func (r *Resolver) check(t *Text, p candidate, frameFile string) {
	switch p.origin {
	case OfCache:
		// Its path names the version, and the go command checks what it puts
		// there.
		if version, ok := r.otherVersion(frameFile); ok {
			t.doubt("source may differ from the profiled build: %s is of another version than the binary, which has %s", t.display, version)
		}
		return
	case OfGOROOT:
		if have, want := r.version(), r.buildVersion(); have != "" && want != "" {
			if have != want {
				t.doubt("source may differ from the profiled build: GOROOT here is of %s, the binary was built with %s", have, want)
			}
			if !p.guess {
				return
			}
		}
	}
	if p.guess {
		t.doubt("source may differ from the profiled build: %s was taken for %s only because their names end alike", p.path, frameFile)
	}
	if r.o.Profiled.IsZero() {
		return
	}
	if info, err := p.stat(); err == nil && info.ModTime().After(r.o.Profiled) {
		t.doubt("source differs from the profiled build: %s was changed after the profile was taken", t.display)
	}
}

// Line returns a line, from 1.
func (t *Text) Line(n int) (string, bool) {
	if t == nil || n < 1 || n > len(t.Lines) {
		return "", false
	}
	return t.Lines[n-1], true
}

// Short reports, as a sentence, that the file ends before a line of the profile; "" if
// it does not.
func (t *Text) Short(line int) string {
	if line <= len(t.Lines) {
		return ""
	}
	return fmt.Sprintf("source differs from the profiled build: %s has %d lines, the profile names line %d", t.display, len(t.Lines), line)
}

// onPath looks for a file as pprof's -source_path and -trim_path say: a
// prefix is cut off, and what is then relative is looked for in every
// directory of the path and in those above it.
func (r *Resolver) onPath(frameFile string) (candidate, bool) {
	if r.o.SourcePath == "" && r.o.TrimPath == "" || !isSource(frameFile) {
		return candidate{}, false
	}
	name := selection.TrimPath(frameFile, r.o.TrimPath, r.o.SourcePath)
	if filepath.IsAbs(name) {
		if name == frameFile {
			return candidate{}, false // as it would be looked for anyway
		}
		p := r.named(filepath.FromSlash(name), OfPath)
		_, err := p.stat()
		return p, err == nil
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return candidate{}, false
	}
	for _, dir := range filepath.SplitList(r.o.SourcePath) {
		// Below a directory of the path a file belongs to that; above, as one
		// that is named.
		p := candidate{path: filepath.Join(dir, filepath.FromSlash(name)), root: dir, origin: OfPath}
		for dir != "" {
			if _, err := p.stat(); err == nil {
				return p, true
			}
			above := filepath.Dir(dir)
			if above == dir {
				break
			}
			dir = above
			p = r.named(filepath.Join(dir, filepath.FromSlash(name)), OfPath)
		}
	}
	return candidate{}, false
}
