package tune

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/format/profile"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/record"
	"whet/internal/recording"
)

// After so many runs it shows whether more of them give the samples that a verdict
// needs.
const tellingRuns = 10

// hopeless reports whether runs that took so long and gave so many samples will not
// give a verdict's in the time left.
func hopeless(runs int, samples int64, took, left time.Duration) bool {
	return runs >= tellingRuns && float64(samples)*(1+left.Seconds()/took.Seconds()) < enoughSamples/2
}

// hopelessText describes the result of hopeless runs, and the number of runs that a
// verdict's samples need at their rate, with a tenth to spare.
func hopelessText(runs int, samples int64, took time.Duration) string {
	text := fmt.Sprintf("%d runs in %v gave %s of the program's own code, but a verdict needs %d, more than the budget allows: give the program more work", runs, took.Round(100*time.Millisecond), quantity.Plural(int(samples), "CPU sample"), enoughSamples)
	if samples == 0 {
		return text
	}
	needed := time.Duration(float64(took) * enoughSamples / float64(samples) * 1.1)
	return fmt.Sprintf("%s, or use -budget %v", text, max(needed.Round(5*time.Second), 5*time.Second))
}

// footprint records the effects of a program that would change a second run: its reads
// of standard input, and changes of files below its directory.
type footprint struct {
	stdin *os.File // which tells how far it was read; nil: there is nothing to read
	at    int64    // in stdin
	blind bool     // reads of standard input are unknown
	files map[string]fileMark
	own   []os.FileInfo // files that receive the program's output
}

// look records the state before a program runs.
func (o *ProgramOptions) look() (f footprint) {
	f.files = filesIn(o.Dir)
	for _, w := range []io.Writer{o.Stdout, o.Stderr} {
		if file, ok := w.(*os.File); ok {
			if info, err := file.Stat(); err == nil {
				f.own = append(f.own, info)
			}
		}
	}
	stdin, isFile := o.Stdin.(*os.File)
	if o.Stdin == nil || isFile && isNull(stdin) {
		return f
	}
	f.blind = true
	if isFile {
		if info, err := stdin.Stat(); err == nil && info.Mode().IsRegular() {
			if f.at, err = stdin.Seek(0, io.SeekCurrent); err == nil {
				f.stdin, f.blind = stdin, false
			}
		}
	}
	return f
}

func isNull(file *os.File) bool {
	info, err := file.Stat()
	null, nullErr := os.Stat(os.DevNull)
	return err == nil && nullErr == nil && os.SameFile(info, null)
}

// against returns an effect of the program that forbids another run, with a remedy; "":
// none.
func (f *footprint) against(dir string) string {
	const count = "; -count 5 runs it five times"
	if f.blind {
		return "may have read its standard input (redirect it from /dev/null)"
	}
	if f.stdin != nil {
		if at, err := f.stdin.Seek(0, io.SeekCurrent); err != nil || at != f.at {
			return "read its standard input" + count
		}
	}
	after := filesIn(dir)
	if f.files == nil || after == nil {
		return "may have changed one of the many files below its directory" + count
	}
	names := maps.Clone(after)
	maps.Copy(names, f.files)
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, now := f.files[name], after[name]
		own := slices.ContainsFunc(f.own, func(o os.FileInfo) bool { return now.info != nil && os.SameFile(o, now.info) })
		if !was.same(now) && !own {
			changed = append(changed, printable.Line(name))
		}
	}
	if len(changed) == 0 {
		return ""
	}
	return "changed " + quantity.Some(changed, 2) + count
}

// repeat runs the program until there are samples enough or no time for another
// run, as long as each run is like the first.
func (r *programRecorder) repeat(ctx context.Context) error {
	before := r.o.look()
	for i := 0; ; i++ {
		whole, err := r.run(ctx, i)
		if err != nil || !whole {
			return err
		}
		last := r.result.Runs[i]
		if p := r.taken.profiles[recording.KindCPU]; p != nil && p.EndNs > last.StartNs {
			n, err := baseSamples(p)
			if err != nil {
				return err
			}
			r.samples += n
		}
		length := time.Duration(last.EndNs - last.StartNs)
		took := time.Duration(last.EndNs - r.result.Runs[0].StartNs)
		if r.samples >= enoughSamples || i+1 == maxCount || r.left() < length {
			return nil
		}
		if hopeless(i+1, r.samples, took, r.left()) {
			r.w.Warn("%s", hopelessText(i+1, r.samples, took))
			return nil
		}
		if why := before.against(r.c.Dir); why != "" {
			r.w.Warn("%s of the program's own code were taken in one run; whet did not repeat it because it %s", quantity.Plural(int(r.samples), "CPU sample"), why)
			return nil
		}
	}
}

// baseSamples returns those of the measured code in the profile that was added last.
func baseSamples(p *record.Profile) (int64, error) {
	frames, err := profile.ReadFrames(p.Last(), profile.DefaultLimits())
	if err != nil {
		return 0, fmt.Errorf("read the CPU profile of a run: %w", err)
	}
	return hot.ClassifyProgram(frames).Sums(0)[hot.Base], nil
}
