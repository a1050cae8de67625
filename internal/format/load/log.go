package load

import (
	"io"
	"strings"
	"time"

	"whet/internal/format/hdrlog"
	"whet/internal/loadresult"
)

// Tags of the times in a log that holds both kinds.
const (
	ServiceTag  = "service"
	ResponseTag = "response"
)

// The first line of a log that whet wrote: times without a tag are those that
// most viewers show, and only a closed loop's are service times.
const (
	loggedWith       = "Logged with whet "
	untaggedResponse = ", response times without a tag"
	untaggedService  = ", service times without a tag"
)

// Untagged returns the tag of the times without one in a log that begins with a line.
// "": another program's, of which that is not known.
func Untagged(line string) string {
	line, ours := strings.CutPrefix(strings.TrimSpace(line), "#["+loggedWith)
	switch {
	case ours && strings.HasSuffix(line, untaggedResponse+"]"):
		return ResponseTag
	case ours && strings.HasSuffix(line, untaggedService+"]"):
		return ServiceTag
	}
	return ""
}

// Log is an interval log that grows while a load runs.
type Log struct {
	to    io.Writer
	tool  string // version of whet
	times []Logged
	log   *hdrlog.Writer // nil: nothing was written
	err   error          // the first: what follows is not written, since the log would have a gap
}

// Logged are response or service times, under a tag or none.
type Logged struct {
	Tag      string
	Response bool
}

// NewLog returns a log of some times that is written by a version of whet.
func NewLog(to io.Writer, tool string, times ...Logged) *Log {
	return &Log{to: to, tool: tool, times: times}
}

// begin writes the head of the log.
func (l *Log) begin(start time.Time) error {
	if l.log != nil {
		return nil
	}
	comment := loggedWith + l.tool + untaggedService
	for _, t := range l.times {
		if t.Tag == "" && t.Response {
			comment = loggedWith + l.tool + untaggedResponse
		}
	}
	var err error
	l.log, err = hdrlog.NewWriter(l.to, start, comment)
	return err
}

// Interval adds a second. Whether that went well End says. The first second
// begins with the load after its warm-up.
func (l *Log) Interval(iv loadresult.Interval) {
	if l.err == nil {
		l.err = l.begin(iv.Start)
	}
	for _, t := range l.times {
		times := iv.Service
		if t.Response {
			times = iv.Response
		}
		if l.err == nil {
			l.err = l.log.Write(&hdrlog.Interval{Tag: t.Tag, Start: iv.Start, Length: iv.Length, Histogram: times})
		}
	}
}

// End reports whether all was written. The log has a head even where there was
// nothing to write.
func (l *Log) End(start time.Time) error {
	if l.err == nil {
		l.err = l.begin(start)
	}
	return l.err
}
