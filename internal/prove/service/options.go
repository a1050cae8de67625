package service

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/load"
	"whet/internal/prove"
	"whet/internal/schedule"
)

// Options configure a comparison of services. Start from DefaultOptions.
type Options struct {
	// Old and New are the addresses of two services that run already; or, where
	// URL is set, the command lines that start them.
	prove.Options

	// URL is the address of the service that either command starts. In it, in the
	// commands and in Pprof, {port} means a free port.
	URL string

	// Load configures the requests: method, headers, body, connections, timeout,
	// certificates. Its address, rate and durations are not used.
	Load load.Options
	Rate float64       // requests per second, the same for both; 0: half of the slower side's throughput
	Span time.Duration // of the open loop in a slice; 0: from 1 s, longer where the rate is low
	// Ready bounds the time until a command's service answers.
	Ready time.Duration
	// Pprof are base addresses of net/http/pprof or of whet's agent: none, one
	// for both sides, or two. There {port} is the port of the side's address.
	Pprof []string

	// SameAnswers compares answers first; AnswersOnly measures nothing after it.
	SameAnswers, AnswersOnly bool
	Requests                 string   // name of a file of requests; "": one request, that of the load
	Ignore                   []string // fields of JSON bodies, as in "id", "items.*.time", "**.stamp"
	Headers                  []string // of answers that are compared
}

// DefaultOptions returns the default options of whet prove -url.
func DefaultOptions() Options {
	o := Options{Options: prove.DefaultOptions(), Load: load.DefaultOptions(), Ready: 30 * time.Second}
	o.Headers = []string{"Content-Type", "Content-Encoding", "Location"} // which clients act on
	return o
}

// portMark is the placeholder of a port in addresses and commands.
const portMark = "{port}"

// shortestSpan and longestSpan bound the open loop of a slice that a user may
// ask for.
const (
	shortestSpan = 100 * time.Millisecond
	longestSpan  = time.Minute
)

// commands reports whether the sides are commands.
func (o *Options) commands() bool { return o.URL != "" }

// Validate reports the first option that cannot be used.
func (o *Options) Validate() error {
	if o.Old == "" || o.New == "" {
		return errors.New("give two sides: two URLs, or one URL and two commands that start a service there")
	}
	for _, address := range o.addresses() {
		l := o.Load
		l.URL = strings.ReplaceAll(address, portMark, "1")
		l.Schedule = schedule.Constant(o.Rate)
		if err := l.Validate(); err != nil {
			return err
		}
	}
	if !(o.Rate >= 0) {
		return fmt.Errorf("rate %v: give requests per second, or 0 to let the throughput decide", o.Rate)
	}
	if o.commands() {
		if _, err := o.Split(); err != nil {
			return err
		}
	}
	switch {
	case o.Span != 0 && (o.Span < shortestSpan || o.Span > longestSpan):
		return fmt.Errorf("a slice of %v: give %v to %v, or 0 to let the rate decide", o.Span, shortestSpan, longestSpan)
	case o.Ready <= 0:
		return fmt.Errorf("-ready %v: give a positive time", o.Ready)
	case len(o.Pprof) > 2:
		return fmt.Errorf("-pprof: %d URLs for two sides", len(o.Pprof))
	case o.AnswersOnly && !o.SameAnswers:
		return errors.New("choose measuring, comparing answers, or both")
	case o.Requests != "" && !o.SameAnswers:
		return errors.New("replaying requests needs -same-answers")
	case o.SameAnswers && o.commands() && !strings.Contains(o.URL, portMark):
		return fmt.Errorf("-same-answers needs both services at once on different ports: write {port} in the URL and in the commands, as in http://127.0.0.1:{port}/")
	case o.commands() && strings.Contains(o.URL, portMark) && (!strings.Contains(o.Old, portMark) || !strings.Contains(o.New, portMark)):
		return errors.New("the URL contains {port}: write it in the commands too, as in 'server -addr 127.0.0.1:{port}'")
	}
	for _, p := range o.Pprof {
		u, err := url.Parse(strings.ReplaceAll(p, portMark, "1"))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return fmt.Errorf("-pprof %s: give a URL like http://localhost:6060", prove.Show(p))
		}
	}
	if _, err := parseIgnored(o.Ignore); err != nil {
		return err
	}
	return o.Options.Validate()
}

// addresses returns the addresses that the user gave.
func (o *Options) addresses() []string {
	if o.commands() {
		return []string{o.URL}
	}
	return []string{o.Old, o.New}
}

// pprof returns the address of a side's instruments; "": none was given.
func (o *Options) pprof(side compare.Side, port string) string {
	if len(o.Pprof) == 0 {
		return ""
	}
	return strings.ReplaceAll(o.Pprof[min(int(side), len(o.Pprof)-1)], portMark, port)
}

// label names the load in the rows.
func (o *Options) label(rate float64) string {
	u, err := url.Parse(strings.ReplaceAll(o.addresses()[0], portMark, "1"))
	path := "/"
	if err == nil && u.Path != "" {
		path = u.EscapedPath()
	}
	if rate == 0 { // it is not known yet
		return o.Load.Method + " " + path
	}
	return fmt.Sprintf("%s %s at %.4g/s", o.Load.Method, path, rate)
}
