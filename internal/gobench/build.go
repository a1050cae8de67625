package gobench

import (
	"context"
	"debug/buildinfo"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"whet/internal/lazyregexp"
)

// Binary is a test binary, or a program, that was built.
type Binary struct {
	Path      string
	Target    *Target
	GoVersion string
	// BuildID is the GNU build ID if the binary has one, as in profiles; otherwise that
	// of the Go toolchain.
	BuildID  string
	Settings []string // of the binary's build info, key=value
	// Race, Cover and Unoptimized (-N or -l) report that times measured with this
	// binary are not those of an ordinary build.
	Race, Cover, Unoptimized bool
	// VCS, Revision and Dirty describe the module's directory; Dirty is nil
	// when unknown.
	VCS, Revision string
	Dirty         *bool
	// Env are further variables of its processes, KEY=value.
	Env []string

	outputLimit int64  // of a run; 0: maxOutput
	work        string // BuildOptions.Work
}

// Build builds the package's test binary at out; on Windows its name gets the
// ending .exe. Binary.Path is where it is.
func Build(ctx context.Context, t *Target, o BuildOptions, out string) (*Binary, error) {
	if len(t.TestFiles) == 0 {
		return nil, noTestFiles(t)
	}
	b, err := build(ctx, t, o, out, "build the tests of "+t.ImportPath, "test", "-c", "-vet=off")
	if errors.Is(err, errNothingBuilt) {
		return nil, noTestFiles(t)
	}
	return b, err
}

// BuildProgram builds the main package at out as go build does, with the files of an
// overlay replacing or extending those on disk. The binary has no version control
// stamp: Binary.Revision comes from git directly, and a tree that git refuses to read
// is not an error.
func BuildProgram(ctx context.Context, t *Target, o BuildOptions, overlay, out string) (*Binary, error) {
	o.Flags = append(o.Flags[:len(o.Flags):len(o.Flags)], "-overlay="+overlay)
	b, err := build(ctx, t, o, out, "build "+t.ImportPath, "build", "-buildvcs=false")
	if errors.Is(err, errNothingBuilt) {
		return nil, newError(KindUsage, "", fmt.Sprintf("build %s: the flags %q produce no program: leave out flags that only list or check", t.ImportPath, o.Flags), "")
	}
	return b, err
}

// errNothingBuilt says that the go command was content and made no file.
var errNothingBuilt = errors.New("no binary was built")

// build has the go command build the target at out and describes the result.
func build(ctx context.Context, t *Target, o BuildOptions, out, what string, args ...string) (*Binary, error) {
	out, err := t.make(ctx, o, out, what, args...)
	if err != nil {
		return nil, err
	}
	b := &Binary{Path: out, Target: t, GoVersion: t.GOVERSION, BuildID: gnuBuildID(out), work: o.Work}
	if info, err := buildinfo.ReadFile(out); err == nil {
		b.GoVersion = info.GoVersion
		for _, s := range info.Settings {
			b.Settings = append(b.Settings, s.Key+"="+s.Value)
		}
	}
	if b.BuildID == "" {
		if id, _, res, err := goCommand(ctx, t.WorkDir, nil, "tool", "buildid", out); err == nil && res.OK() {
			b.BuildID = strings.TrimSpace(string(id))
		}
	}
	b.Race, b.Cover, b.Unoptimized = spoilt(b.Settings, o.Flags, t.GOFLAGS)
	if t.ModuleVersion == "" && t.ModuleDir != "" {
		b.VCS, b.Revision, b.Dirty = revision(ctx, t.tree(ctx))
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", what, context.Cause(ctx))
	}
	return b, nil
}

// make has the go command build the target at out and returns where that is.
func (t *Target) make(ctx context.Context, o BuildOptions, out, what string, args ...string) (string, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	if runtime.GOOS == "windows" && filepath.Ext(out) != ".exe" {
		out += ".exe" // without it Windows starts nothing
	}
	args = append(args, o.flags()...)
	run, env := goCommand, o.Env
	if o.Work != "" {
		if err := emptied(o.Work); err != nil {
			return "", fmt.Errorf("%s: make a work directory: %w", what, err)
		}
		args, env, run = append(args, "-work"), append(env[:len(env):len(env)], "GOTMPDIR="+o.Work), goCommandIn
	}
	// The last -o counts, whatever the user's flags say.
	args = append(args, "-o", out, t.Operand)
	_, stderr, res, err := run(ctx, t.WorkDir, env, args...)
	if err != nil {
		return "", err
	}
	if !res.OK() {
		said := string(stderr)
		if o.Work != "" {
			said = workLine.Regexp().ReplaceAllString(said, "")
		}
		return "", buildFailed(t, what, said, res.Status())
	}
	if _, err := os.Stat(out); errors.Is(err, fs.ErrNotExist) {
		return "", errNothingBuilt
	}
	return out, nil
}

// emptied makes an empty directory.
func emptied(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

func noTestFiles(t *Target) *Error {
	return newError(KindNoBenchmarks, "", fmt.Sprintf(
		"%s has no test files, so no benchmarks: write a func BenchmarkX(b *testing.B) in a file x_test.go", t.ImportPath), "")
}

// position is how compilers begin a complaint: file:line:col: message.
var position = lazyregexp.Pattern{Text: `^\S+\.\w+:\d+(:\d+)?: `}

// workLine is how the go command says, asked with -work, where it works.
var workLine = lazyregexp.Pattern{Text: `(?m)^WORK=.*\n`}

// diskTrouble are what systems say when a file cannot be written to its end.
var diskTrouble = lazyregexp.Pattern{Text: `no space left on device|disk quota exceeded|file too large|There is not enough space on the disk`}

func buildFailed(t *Target, what, said, status string) *Error {
	if trouble := diskTrouble.Regexp().FindString(said); trouble != "" {
		return newError(KindFailed, "", fmt.Sprintf(
			"%s: %s: make room where the recording goes (-o), in TMPDIR and in the build cache", what, trouble), said)
	}
	first, more, open := "", 0, false
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		switch {
		case open && line != "": // what to do stands on a line of its own
			first += " " + line
			open = false
		case !position.Regexp().MatchString(line):
		case first == "":
			first = strings.TrimPrefix(strings.TrimPrefix(line, "./"), t.Dir+string(filepath.Separator))
			open = strings.HasSuffix(line, ":")
		default:
			more++
		}
	}
	switch {
	case first == "":
		if e := goTrouble(what, said); e != nil {
			return e
		}
		if first = firstLine(said); first == "" {
			first = "the go command ended with " + status
		}
		if way := importStack(said); way != "" {
			first = way
		}
	case more == 1:
		first += " (and 1 more)"
	case more > 1:
		first += fmt.Sprintf(" (and %d more)", more)
	}
	return newError(KindCompile, "", fmt.Sprintf("%s does not compile: %s", t.ImportPath, first), said)
}

// importStack reads how the go command reports a package that cannot be
// imported where it is, a cycle above all: the way to it, a package a line,
// and the reason with the last. It is "" for any other complaint.
func importStack(said string) string {
	var way []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		name, ok := strings.CutPrefix(line, "package ")
		if !ok {
			name, ok = strings.CutPrefix(line, "imports ")
		}
		if !ok {
			continue
		}
		name, reason, last := strings.Cut(name, ": ")
		way = append(way, name)
		if last {
			return reason + ": " + strings.Join(way, " imports ")
		}
	}
	return ""
}

// spoilt reads the build info of the binary, the flags it was built with, and
// GOFLAGS. The build info has the last word where it speaks; -gcflags for one
// package only stand in it too.
func spoilt(settings, flags []string, goflags string) (race, cover, unoptimized bool) {
	see := func(name, value string) {
		switch name {
		case "-race":
			race = race || value != "false"
		case "-cover", "-covermode", "-coverpkg":
			cover = cover || value != "false"
		case "-gcflags":
			unoptimized = unoptimized || disables(value)
		}
	}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		see(name, value)
	}
	given := append(strings.Fields(goflags), flags...)
	for i, f := range given {
		if !strings.HasPrefix(f, "-") {
			continue
		}
		name, value, ok := strings.Cut("-"+strings.TrimLeft(f, "-"), "=")
		if !ok && name == "-gcflags" && i+1 < len(given) {
			value = given[i+1]
		}
		// A later -race=false takes back an earlier -race, and the build info
		// then says nothing of either.
		if len(settings) > 0 && (name == "-race" || name == "-cover") {
			continue
		}
		see(name, value)
	}
	return race, cover, unoptimized
}

// disables reports whether -gcflags turn optimisation or inlining off:
// "-N -l", "all=-N", "-l=4" is more inlining.
func disables(gcflags string) bool {
	gcflags = strings.Trim(gcflags, `"'`)
	for _, f := range strings.Fields(gcflags) {
		f = strings.Trim(f, `"'`)
		if !strings.HasPrefix(f, "-") {
			_, f, _ = strings.Cut(f, "=") // pattern=flags
		}
		switch f {
		case "-N", "--N", "-l", "--l", "-N=1", "-l=1", "-N=true", "-l=true":
			return true
		}
	}
	return false
}

// gnuBuildID reads the note of an ELF binary, "" where there is none.
func gnuBuildID(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := f.Section(".note.gnu.build-id")
	if s == nil || s.Size > 4096 {
		return ""
	}
	data, err := s.Data()
	// Name size, description size, type, "GNU\0", description.
	if err != nil || len(data) < 16 {
		return ""
	}
	n := f.ByteOrder.Uint32(data[4:])
	if f.ByteOrder.Uint32(data) != 4 || string(data[12:16]) != "GNU\x00" || uint64(len(data)) < 16+uint64(n) {
		return ""
	}
	return hex.EncodeToString(data[16 : 16+n])
}
