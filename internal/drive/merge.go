package drive

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"whet/internal/cli"
	"whet/internal/format/hdrlog"
	loadformat "whet/internal/format/load"
	"whet/internal/hist"
	"whet/internal/read"
	"whet/internal/recording"
	"whet/internal/report/load"
	pagereport "whet/internal/report/page"
)

// maxLogBytes bounds a log that is read; one of a day takes some 200 MB.
const maxLogBytes = 1 << 30

// mergeInput is a log to be merged: a file, or one in a recording.
type mergeInput struct {
	name string
	tag  string // of the intervals that have none; "": it is not known which times those hold
	open func() (io.ReadCloser, error)
}

// maxTags bounds how many kinds of times are told apart: each takes a histogram.
const maxTags = 100

// merge adds up the histograms of several generators.
func (l *loadFlags) merge(ctx context.Context, e *cli.Env, names []string) error {
	if len(names) == 0 {
		return cli.UsageError("load merge: name interval logs (written by -hdr) or recordings")
	}
	if err := l.mergeNames(names); err != nil {
		return cli.UsageError("load merge: %w", err)
	}
	page := load.Merge{Times: make(map[string]*hist.Histogram)}
	var start time.Time // of the first interval of all
	var inputs []mergeInput
	for _, name := range names {
		more, err := mergeInputs(name, &page)
		if err != nil {
			return err
		}
		inputs = append(inputs, more...)
	}
	for _, in := range inputs {
		n, err := in.read(func(i *hdrlog.Interval) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if start.IsZero() || i.Start.Before(start) {
				start = i.Start
			}
			sum := page.Times[i.Tag]
			switch {
			case sum == nil && len(page.Times) == maxTags:
				return fmt.Errorf("with this log, the tags number more than %d", maxTags)
			case sum == nil:
				sum = new(hist.Histogram)
				page.Times[i.Tag] = sum
			case i.Histogram.Count() > math.MaxInt64-sum.Count():
				return errors.New("with this log, the count of times overflows an int64")
			}
			sum.Merge(i.Histogram)
			return nil
		}, func(w string) { page.Warnings = append(page.Warnings, in.name+": "+w) })
		if err != nil {
			return err
		}
		page.Inputs = append(page.Inputs, load.MergeInput{Name: in.name, Intervals: n})
	}
	if l.out != "" {
		if err := cli.WriteFile(ctx, l.out, func(w io.Writer) error { return writeMerged(w, inputs, start) }); err != nil {
			return err
		}
		page.Output = l.out
	}
	if l.hgrm != "" {
		if err := cli.WriteFile(ctx, l.hgrm, func(w io.Writer) error { return hdrlog.WritePercentiles(w, usualTimes(page.Times)) }); err != nil {
			return err
		}
	}
	if l.asJSON {
		return load.WriteMergeJSON(e.Stdout, &page)
	}
	return load.WriteMergeText(e.Stdout, &page, pagereport.TextOptions{Width: e.Width, Color: e.Color})
}

// mergeNames refuses names by which a log would count twice, or be lost.
func (l *loadFlags) mergeNames(names []string) error {
	var logs []namedFile
	seen := make(map[string]bool)
	for _, name := range names {
		if seen[realName(name)] {
			return fmt.Errorf("%s is named twice: leave one out", name)
		}
		seen[realName(name)] = true
		logs = append(logs, namedFile{"the log", name})
	}
	return checkOutputs(logs, []namedFile{{"-o", l.out}, {"-hgrm", l.hgrm}}, "")
}

// fileInput returns the log in a file.
func fileInput(name string) (mergeInput, error) {
	in := mergeInput{name: name, open: func() (io.ReadCloser, error) { return openRegular(name) }}
	f, err := in.open()
	if err != nil {
		return in, err
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 1<<10)).ReadString('\n')
	if err != nil && err != io.EOF {
		return in, fmt.Errorf("read histogram log: %w", err)
	}
	in.tag = loadformat.Untagged(line)
	return in, nil
}

// usualTimes returns those without a tag, else response times, else service times,
// else the first.
func usualTimes(times map[string]*hist.Histogram) *hist.Histogram {
	for _, tag := range append([]string{"", loadformat.ResponseTag, loadformat.ServiceTag}, slices.Sorted(maps.Keys(times))...) {
		if h := times[tag]; h != nil {
			return h
		}
	}
	return new(hist.Histogram)
}

// mergeInputs returns the logs of an operand; the counts of a recording are added
// to the page.
func mergeInputs(name string, page *load.Merge) ([]mergeInput, error) {
	if !isRecording(name) {
		in, err := fileInput(name)
		return []mergeInput{in}, err
	}
	kept, err := read.OpenLoad(name)
	if err != nil {
		return nil, err
	}
	page.Add(kept.Result)
	if kept.Partial != "" {
		page.Warnings = append(page.Warnings, fmt.Sprintf("%s is incomplete: %s", name, kept.Partial))
	}
	for i, w := range kept.Result.Warnings {
		if i == 0 && kept.Result.Invalid != "" {
			w = "not valid: " + w
		}
		page.Warnings = append(page.Warnings, name+": "+w)
	}
	logs := []struct{ path, tag string }{{loadformat.ServicePath, loadformat.ServiceTag}, {loadformat.ResponsePath, loadformat.ResponseTag}}
	if !kept.Result.Open {
		logs = logs[:1]
	}
	var out []mergeInput
	for _, log := range logs {
		out = append(out, mergeInput{name: name + "/" + log.path, tag: log.tag, open: func() (io.ReadCloser, error) {
			rec, err := recording.Open(name)
			if err != nil {
				return nil, err
			}
			defer rec.Close()
			data, err := loadformat.ReadPath(rec, log.path)
			return io.NopCloser(bytes.NewReader(data)), err
		}})
	}
	return out, nil
}

// openRegular opens a file that ends.
func openRegular(name string) (io.ReadCloser, error) {
	st, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read histogram log: %w", err)
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("read histogram log: %s is not a file", name)
	case st.Size() > maxLogBytes:
		return nil, fmt.Errorf("read histogram log: %s is larger than the limit of %d MiB", name, maxLogBytes>>20)
	}
	return os.Open(name)
}

// read hands out the intervals of a log and returns their number.
func (in *mergeInput) read(each func(*hdrlog.Interval) error, warn func(string)) (int, error) {
	f, err := in.open()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n := 0
	head, err := hdrlog.Read(f, func(i *hdrlog.Interval) error {
		n++
		i.Tag = cmp.Or(i.Tag, in.tag)
		return each(i)
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", in.name, err)
	}
	for _, w := range head.Warnings {
		warn(w)
	}
	return n, nil
}

// intervals iterates over a log. After an error there is no more.
func (in *mergeInput) intervals() iter.Seq2[*hdrlog.Interval, error] {
	return func(yield func(*hdrlog.Interval, error) bool) {
		enough := false
		_, err := in.read(func(i *hdrlog.Interval) error {
			if enough = !yield(i, nil); enough {
				return io.EOF
			}
			return nil
		}, func(string) {})
		if err != nil && !enough {
			yield(nil, err) // it was read to its end before: there are too many files, or it changed
		}
	}
}

// mergeSource is a log of which some intervals were written.
type mergeSource struct {
	next func() (*hdrlog.Interval, error, bool)
	head *hdrlog.Interval // the one to be written next
}

// writeMerged writes the intervals of all logs in the order of their beginning,
// of which start is the first. It holds one of each log at a time: an hour of
// four generators would be most of a gigabyte.
func writeMerged(w io.Writer, inputs []mergeInput, start time.Time) error {
	var sources []*mergeSource // by the beginning of their heads
	advance := func(s *mergeSource) error {
		head, err, ok := s.next()
		if err != nil || !ok {
			return err
		}
		s.head = head
		at, _ := slices.BinarySearchFunc(sources, head.Start, func(s *mergeSource, t time.Time) int { return s.head.Start.Compare(t) })
		sources = slices.Insert(sources, at, s)
		return nil
	}
	for i := range inputs {
		next, stop := iter.Pull2(inputs[i].intervals())
		defer stop()
		if err := advance(&mergeSource{next: next}); err != nil {
			return err
		}
	}
	if len(sources) == 0 {
		return errors.New("the logs have no intervals")
	}
	log, err := hdrlog.NewWriter(w, start, fmt.Sprintf("Merged from %d logs with whet %s", len(inputs), cli.Version()))
	if err != nil {
		return err
	}
	for len(sources) > 0 {
		first := sources[0]
		sources = slices.Delete(sources, 0, 1)
		if err := errors.Join(log.Write(first.head), advance(first)); err != nil {
			return err
		}
	}
	return nil
}
