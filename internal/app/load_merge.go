package app

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"

	"whet/internal/format/hdrlog"
	"whet/internal/hist"
	"whet/internal/recording"
	"whet/internal/report"
)

// maxLogBytes bounds a log that is read; one of a day takes some 200 MB.
const maxLogBytes = 1 << 30

// mergeInput is a log to be merged: a file, or one in a recording.
type mergeInput struct {
	name string
	tag  string // of the intervals that have none; "": it is not known which times those hold
	open func() (io.ReadCloser, error)
}

// merge adds up the histograms of several generators.
func (l *loadFlags) merge(ctx context.Context, e *env, names []string) error {
	if len(names) == 0 {
		return usageError("load merge: name interval logs (-hdr wrote them) or recordings")
	}
	page := report.LoadMerge{Times: make(map[string]*hist.Histogram)}
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
			sum := page.Times[i.Tag]
			if sum == nil {
				sum = new(hist.Histogram)
				page.Times[i.Tag] = sum
			}
			sum.Merge(i.Histogram)
			return nil
		}, func(w string) { page.Warnings = append(page.Warnings, in.name+": "+w) })
		if err != nil {
			return err
		}
		page.Inputs = append(page.Inputs, report.LoadMergeInput{Name: in.name, Intervals: n})
	}
	if l.out != "" {
		if err := writeFile(ctx, l.out, func(w io.Writer) error { return writeMerged(w, inputs) }); err != nil {
			return err
		}
		page.Output = l.out
	}
	if l.hgrm != "" {
		if err := writeFile(ctx, l.hgrm, func(w io.Writer) error { return hdrlog.WritePercentiles(w, usualTimes(page.Times)) }); err != nil {
			return err
		}
	}
	if l.asJSON {
		return report.WriteLoadMergeJSON(e.stdout, &page)
	}
	return report.WriteLoadMergeText(e.stdout, &page, report.LoadTextOptions{Width: e.width, Color: e.color})
}

// Tags of what whet measured.
const (
	serviceTag  = "service"
	responseTag = "response"
)

// The first line of a log that whet wrote: times without a tag are those that
// most viewers show, and only a closed loop's are service times.
const (
	loggedWith       = "Logged with whet "
	untaggedResponse = ", response times without a tag"
	untaggedService  = ", service times without a tag"
)

// untagged is the tag of the times without one in a log that begins so. "":
// another program's, of which that is not known.
func untagged(line string) string {
	line, ours := strings.CutPrefix(strings.TrimSpace(line), "#["+loggedWith)
	switch {
	case ours && strings.HasSuffix(line, untaggedResponse+"]"):
		return responseTag
	case ours && strings.HasSuffix(line, untaggedService+"]"):
		return serviceTag
	}
	return ""
}

// fileInput is the log in a file.
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
	in.tag = untagged(line)
	return in, nil
}

// usualTimes are those without a tag, else response times, else service times,
// else the first.
func usualTimes(times map[string]*hist.Histogram) *hist.Histogram {
	for _, tag := range append([]string{"", responseTag, serviceTag}, slices.Sorted(maps.Keys(times))...) {
		if h := times[tag]; h != nil {
			return h
		}
	}
	return new(hist.Histogram)
}

// mergeInputs are the logs of an operand; the counts of a recording are added
// to the page.
func mergeInputs(name string, page *report.LoadMerge) ([]mergeInput, error) {
	if !isRecording(name) {
		in, err := fileInput(name)
		return []mergeInput{in}, err
	}
	kept, err := openLoad(name)
	if err != nil {
		return nil, err
	}
	page.Add(kept.result)
	logs := []struct{ path, tag string }{{loadServicePath, serviceTag}, {loadResponsePath, responseTag}}
	if !kept.result.Open {
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
			data, err := readPath(rec, log.path)
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
		return nil, fmt.Errorf("read histogram log: %s is no file", name)
	case st.Size() > maxLogBytes:
		return nil, fmt.Errorf("read histogram log: %s is larger than the %d MiB that are read", name, maxLogBytes>>20)
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

// intervals iterates over a log; of an error it is not told, since the log was
// read to its end before.
func (in *mergeInput) intervals() iter.Seq[*hdrlog.Interval] {
	return func(yield func(*hdrlog.Interval) bool) {
		in.read(func(i *hdrlog.Interval) error {
			if !yield(i) {
				return io.EOF
			}
			return nil
		}, func(string) {})
	}
}

// writeMerged writes the intervals of all logs in the order of their beginning.
// It holds one of each at a time: an hour of four generators would be most of a
// gigabyte.
func writeMerged(w io.Writer, inputs []mergeInput) error {
	type source struct {
		next func() (*hdrlog.Interval, bool)
		head *hdrlog.Interval
	}
	var sources []*source
	for i := range inputs {
		next, stop := iter.Pull(inputs[i].intervals())
		defer stop()
		if head, ok := next(); ok {
			sources = append(sources, &source{next, head})
		}
	}
	var log *hdrlog.Writer
	for len(sources) > 0 {
		first := slices.MinFunc(sources, func(a, b *source) int { return a.head.Start.Compare(b.head.Start) })
		if log == nil {
			var err error
			if log, err = hdrlog.NewWriter(w, first.head.Start, fmt.Sprintf("Merged from %d logs with whet %s", len(inputs), Version())); err != nil {
				return err
			}
		}
		if err := log.Write(first.head); err != nil {
			return err
		}
		next, ok := first.next()
		if first.head = next; !ok {
			sources = slices.DeleteFunc(sources, func(s *source) bool { return s == first })
		}
	}
	if log == nil {
		return fmt.Errorf("there is no interval in any of the logs")
	}
	return nil
}
