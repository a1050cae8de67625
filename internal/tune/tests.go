package tune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"whet/internal/gobench"
	"whet/internal/report/run"
)

const (
	// testLimit bounds the package's own tests: they are run so that nobody tunes code
	// that is broken without knowing it, not to prove it right.
	testLimit = 10 * time.Second
	// passLife is how long it is remembered that tests passed.
	passLife = 30 * 24 * time.Hour
)

// runTests runs the package's own tests, as go test does before benchmarks,
// concurrently with the other work before measuring. Tests that fail may have had too
// little processor time: they are run again, alone. If they fail again, the report
// begins with that. Tests that passed in the same build, environment and directory, by
// the marks in files, are not run again.
func (r *recorder) runTests(ctx context.Context, files map[string]fileMark, beside func()) error {
	if r.o.Run == "^$" {
		beside()
		return nil
	}
	pass := r.passFile(files)
	if _, err := os.Stat(pass); err == nil {
		beside()
		return nil
	}
	var tests gobench.Tests
	var err error
	test := func() { tests, err = r.bin.Test(ctx, r.o.Run, testLimit) }
	r.progress(Progress{Stage: "running the tests"})
	var testing sync.WaitGroup
	testing.Go(test)
	beside()
	testing.Wait()
	if err == nil && !tests.Passed && !tests.TimedOut {
		first := tests.FirstFailure
		r.progress(Progress{Stage: "running the tests again, alone"})
		if test(); err == nil && tests.Passed {
			r.w.Warn("the tests of %s failed during a build (%s) and passed alone: they depend on machine load or on their order", r.target.ImportPath, first)
		}
	}
	switch {
	case err != nil:
		return err
	case tests.TimedOut:
		r.w.Warn("the tests took longer than %v and were stopped: run go test yourself", testLimit)
	case !tests.Passed:
		// Often such a test wants a network, a time or a file that is not here, and has
		// nothing to do with the benchmarks; nobody can tell that from outside.
		r.out.begin("tests")
		r.out.to(nil).Write([]byte(tests.Output))
		r.w.Warn(run.TestsFail+"%s: the measured code may be wrong: fix the tests, or choose tests with -run ('^$' runs none)", tests.FirstFailure)
	default:
		remember(pass, r.c.Now())
	}
	return nil
}

// passFile returns the file that there is where these tests passed in this build, the
// same environment and directory; "": nobody can tell.
func (r *recorder) passFile(files map[string]fileMark) string {
	cache, err := os.UserCacheDir()
	if err != nil || files == nil {
		return ""
	}
	bin, err := os.Open(r.bin.Path)
	if err != nil {
		return ""
	}
	defer bin.Close()
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q\n", r.target.Dir, r.o.Run, slices.Sorted(slices.Values(os.Environ())))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		info := files[name].info
		fmt.Fprintf(sum, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	}
	if _, err := io.Copy(sum, bin); err != nil {
		return ""
	}
	return filepath.Join(cache, "whet", "tests", hex.EncodeToString(sum.Sum(nil)[:16]))
}

// remember makes an empty file, and removes old ones in the same directory. If that
// fails, tests are run once more than necessary.
func remember(pass string, now time.Time) {
	dir := filepath.Dir(pass)
	if pass == "" || os.MkdirAll(dir, 0o700) != nil || os.WriteFile(pass, nil, 0o600) != nil {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > passLife {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
