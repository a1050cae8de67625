package drive

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"whet/internal/recording"
)

// namedFile is a file, and by which flag or operand it is named.
type namedFile struct{ by, name string }

// outputs looks whether the files can be written, before the load that they are
// for.
func (l *loadFlags) outputs() error {
	var recorded, report string
	switch {
	case l.out == "":
	case strings.HasSuffix(l.out, ".html") && !l.knee:
		return fmt.Errorf("-o: %s is the page of a recording: name the recording, %s.whet", l.out, strings.TrimSuffix(l.out, ".html"))
	case l.knee && !strings.HasSuffix(l.out, ".whet"):
		report = l.out
	default:
		if err := recording.CheckName(l.out); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		recorded, report = l.out, strings.TrimSuffix(l.out, ".whet")+".html"
	}
	body, isFile := strings.CutPrefix(l.body, "@")
	if !isFile {
		body = ""
	}
	targets := l.targets
	if targets == "-" {
		targets = ""
	}
	return checkOutputs(
		[]namedFile{{"-targets", targets}, {"-csv", l.table}, {"-body", body}, {"-cacert", l.options.CAFile}, {"-cert", l.options.Certificate}, {"-key", l.options.Key}},
		[]namedFile{{"-o", report}, {"-hdr", l.hdr}, {"-hgrm", l.hgrm}, {"-csv-out", l.csvOut}}, recorded)
}

// checkOutputs refuses outputs that cannot be written, and those that would take
// the place of an input, of another output or of what is in the recording. What
// is no file, as /dev/null, may be named more than once.
func checkOutputs(inputs, outputs []namedFile, recorded string) error {
	seen := make(map[string]string)
	for _, f := range inputs {
		if f.name != "" {
			seen[realName(f.name)] = f.by
		}
	}
	if recorded != "" {
		seen[realName(recorded)] = "-o"
	}
	for _, f := range outputs {
		if f.name == "" {
			continue
		}
		if err := canWrite(f.name); err != nil {
			return fmt.Errorf("%s: %w", f.by, err)
		}
		if st, err := os.Stat(f.name); err == nil && !st.Mode().IsRegular() {
			continue
		}
		name := realName(f.name)
		switch other := seen[name]; {
		case other != "":
			return fmt.Errorf("%s and %s name the same file %s", other, f.by, f.name)
		case recorded != "" && strings.HasPrefix(name, realName(recorded)+string(filepath.Separator)):
			return fmt.Errorf("%s %s is inside the recording %s, which this run replaces", f.by, f.name, recorded)
		}
		seen[name] = f.by
	}
	return nil
}

// canWrite reports whether a file can be written there.
func canWrite(name string) error {
	st, err := os.Stat(name)
	switch {
	case err == nil && st.IsDir():
		return fmt.Errorf("%s is a directory", name)
	case err == nil:
		return nil
	}
	dir := filepath.Dir(name)
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return fmt.Errorf("no directory %s", dir)
	}
	return nil
}

// realName returns a file's name by which it is known however it was written.
func realName(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	// It is not there yet; its directory may be.
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		return filepath.Join(dir, filepath.Base(name))
	}
	return name
}
