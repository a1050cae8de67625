package statstest

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"

	"whet/casebook/stats"
)

// dashes replaces bytes, as package strings understands them.
var dashes = strings.NewReplacer("{", "-", "}", "-", "/", "-", "\\", "-", ":", "-", ".", "-", "\t", "-", "\n", "-", "\f", "-", "\r", "-", " ", "-")

// Want returns the name that a metric with these tags must have.
func Want(metric string, tags stats.Tags) string {
	name := metric
	if host := tags["host"]; host != "" {
		name += "." + dashes.Replace(host)
	}
	for _, tag := range []string{"endpoint", "os", "browser"} {
		value := dashes.Replace(tags[tag])
		if value == "" {
			value = "no-" + tag
		}
		name += "." + value
	}
	return name
}

// Recorder keeps one answer.
type Recorder struct {
	Status int
	Body   bytes.Buffer

	header http.Header
	before func() // if it is not nil, called when the answer is written
}

// NewRecorder returns an empty recorder.
func NewRecorder() *Recorder { return &Recorder{header: make(http.Header)} }

func (w *Recorder) Header() http.Header { return w.header }

func (w *Recorder) WriteHeader(status int) {
	if w.Status == 0 {
		w.Status = status
	}
}

func (w *Recorder) Write(b []byte) (int, error) {
	if w.before != nil {
		w.before()
	}
	w.WriteHeader(http.StatusOK)
	return w.Body.Write(b)
}

// Request builds a request; an agent that is empty is none.
func Request(method, path, agent string) *http.Request {
	r := &http.Request{
		Method: method,
		URL:    &url.URL{Path: path},
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header),
		Body:   http.NoBody,
		Host:   "localhost",
	}
	if agent != "" {
		r.Header.Set("User-Agent", agent)
	}
	return r
}
