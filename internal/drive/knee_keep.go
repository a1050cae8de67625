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
	"whet/internal/recording"
	"whet/internal/report/load"
)

// loadKneePath is the search in a recording: what -json prints.
const loadKneePath = "load/knee.json"

// kneeLevel is a run of a level, with its seconds where they are to be written.
type kneeLevel struct {
	result *loadresult.Result
	course *load.Course
	open   bool
	// times are the seconds as an interval log, response times behind the service
	// times of the same second: a histogram of each second of each level would take
	// a hundred times the room.
	times bytes.Buffer
	log   *hdrlog.Writer
	err   error // the first
}

func newKneeLevel(open bool) *kneeLevel {
	return &kneeLevel{open: open, course: load.NewCourse(open)}
}

func (l *kneeLevel) interval(iv loadresult.Interval) {
	l.course.Add(iv)
	if l.log == nil && l.err == nil {
		l.log, l.err = hdrlog.NewWriter(&l.times, iv.Start)
	}
	add := func(tag string, h *hist.Histogram) {
		if l.err == nil {
			l.err = l.log.Write(&hdrlog.Interval{Tag: tag, Start: iv.Start, Length: iv.Length, Histogram: h})
		}
	}
	add(loadformat.ServiceTag, iv.Service)
	if l.open {
		add("", iv.Response)
	}
}

// replay hands the seconds on.
func (l *kneeLevel) replay(to func(loadresult.Interval)) error {
	if l.err != nil || l.log == nil {
		return l.err
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
		page.Warnings = append(page.Warnings, fmt.Sprintf("%s is not written: no knee was found whose run it would hold; -o NAME.html has the levels", html))
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
	kept, err := s.l.keep(context.Background(), e, &plan)
	if err != nil {
		return "", err
	}
	defer kept.discard()
	kept.meter, kept.writer.Manifest.Origin = s.meter, s.began
	if err := s.knee.replay(func(iv loadresult.Interval) { kept.interval(iv) }); err != nil {
		return "", err
	}
	var document bytes.Buffer
	if err := load.WriteSearchJSON(&document, page, load.Files{}); err != nil {
		return "", err
	}
	end := run.Result.End.Sub(s.began)
	err = kept.writer.Write(recording.Artifact{Path: loadKneePath, Kind: recording.KindKnee, EndNs: int64(end)}, document.Bytes())
	if err != nil {
		return "", err
	}
	for _, p := range s.profiles {
		if err := kept.writer.Write(p.artifact, p.data); err != nil {
			return "", err
		}
	}
	bounds := slo.Bounds(nil)
	if run.Result.Open {
		bounds = s.plan.bounds
	}
	return kept.finish(run, bounds)
}

// readKnee reads the search that a load was found by; nil: there was none.
func readKnee(rec *recording.Recording) (*load.Search, error) {
	for _, a := range rec.Artifacts {
		if a.Path == loadKneePath {
			data, err := rec.Read(a)
			if err != nil {
				return nil, err
			}
			s, err := load.ReadSearch(data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", loadKneePath, err)
			}
			return s, nil
		}
	}
	return nil, nil
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
