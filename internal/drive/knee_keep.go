package drive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"whet/internal/cli"
	"whet/internal/format/hdrlog"
	loadformat "whet/internal/format/load"
	"whet/internal/hist"
	"whet/internal/load/slo"
	"whet/internal/loadresult"
	"whet/internal/read"
	"whet/internal/recording"
	"whet/internal/report/load"
)

// kneeLevel is a run of a level, with its seconds where they are to be written.
type kneeLevel struct {
	result *loadresult.Result
	course *load.Course
	open   bool
	// times are the seconds as an interval log, response times after the service
	// times of the same second: a histogram of each second of each level would take
	// a hundred times the room.
	times bytes.Buffer
	log   *loadformat.Log
}

func newKneeLevel(open bool) *kneeLevel {
	l := &kneeLevel{open: open, course: load.NewCourse(open)}
	logged := []loadformat.Logged{{Tag: loadformat.ServiceTag}}
	if open {
		logged = append(logged, loadformat.Logged{Response: true})
	}
	l.log = loadformat.NewLog(&l.times, "", logged...)
	return l
}

func (l *kneeLevel) interval(iv loadresult.Interval) {
	l.course.Add(iv)
	l.log.Interval(iv)
}

// replay hands the seconds on.
func (l *kneeLevel) replay(to func(loadresult.Interval)) error {
	if err := l.log.End(l.result.Start); err != nil {
		return err
	}
	var service *hist.Histogram
	_, err := hdrlog.Read(&l.times, func(i *hdrlog.Interval) error {
		if i.Tag == loadformat.ServiceTag {
			if service = i.Histogram; l.open {
				return nil
			}
		}
		to(loadresult.Interval{Second: loadresult.Second{Start: i.Start, Length: i.Length}, Service: service, Response: i.Histogram})
		return nil
	})
	return err
}

// write writes what -o asks for: a page, or a recording with one beside it. Where
// nothing was found a page has the levels all the same; a recording is of the
// knee's own run, and there is none.
func (s *kneeSearch) write(ctx context.Context, e *cli.Env, page *load.Search) (files load.Files, err error) {
	html := s.l.out
	recorded := strings.HasSuffix(html, ".whet")
	switch {
	case len(s.runs) > 0:
	case recorded:
		page.Warnings = append(page.Warnings, fmt.Sprintf("%s is not written: no knee was found; -o NAME.html writes the levels", html))
		return files, nil
	case !slices.ContainsFunc(page.Found, func(k load.KneeSearch) bool { return len(k.Levels) > 0 }):
		return files, nil
	}
	if recorded {
		if files.Recording, err = s.record(e, page); err != nil {
			return files, err
		}
		html = cli.PageBeside(files.Recording)
	}
	err = cli.WriteResult(ctx, html, func(w io.Writer) error {
		return load.WriteHTML(w, &load.Page{Runs: s.runs, Searches: []load.Search{*page}, Warnings: page.Warnings})
	})
	if err == nil {
		files.Report = html
	}
	return files, err
}

// record keeps the knee's own run, and what the search found beside it. The
// recording begins with the search.
func (s *kneeSearch) record(e *cli.Env, page *load.Search) (path string, err error) {
	run := &s.runs[len(s.runs)-1]
	plan := *s.plan
	if run.Result.Open {
		plan.options = s.options(true, run.Result.Rate, time.Second)
	}
	outputs, err := s.l.openOutputs(context.Background(), e, &plan)
	if err != nil {
		return "", err
	}
	defer outputs.discard()
	w := outputs.writer
	w.Meter, w.Manifest.Origin = s.meter, s.began
	if err := s.knee.replay(func(iv loadresult.Interval) { outputs.interval(iv) }); err != nil {
		return "", err
	}
	w.AddProfiles(s.profiles.knee, "")
	w.AddProfiles(s.profiles.beside, recording.PartBefore)
	page.Warnings = append(page.Warnings, w.Manifest.Warnings...)
	var document bytes.Buffer
	err = load.WriteSearchJSON(&document, page, load.Files{})
	if err == nil {
		err = w.Write(recording.Artifact{Path: read.KneePath, Kind: recording.KindKnee, EndNs: w.Since(run.Result.End)}, document.Bytes())
	}
	if err != nil {
		return "", err
	}
	bounds := slo.Bounds(nil)
	if run.Result.Open {
		bounds = s.plan.bounds
	}
	return outputs.finish(run, bounds)
}

// searched puts the search onto the page of its load, by the name that tells it
// from others.
func searched(page *load.Page, name string, s *load.Search) {
	if s == nil {
		return
	}
	s.Name = name
	page.Searches, page.Warnings = append(page.Searches, *s), append(page.Warnings, warningsOf(name, s.Warnings)...)
}
