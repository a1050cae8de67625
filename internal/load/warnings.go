package load

import (
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/record"
	"whet/internal/loadresult"
	"whet/internal/quantity"
)

// warner collects the warnings about a result.
type warner struct {
	res     *loadresult.Result
	options *Options
	job     *engine.Job
	report  *engine.Report
	check   *selfCheck
	origin  *url.URL

	// Warnings already given, which are not repeated.
	saidLate, saidCrowded bool
}

func (w *warner) add(format string, args ...any) {
	w.res.Warnings = append(w.res.Warnings, fmt.Sprintf(format, args...))
}

// redirects returns the number of answers that were redirects.
func (w *warner) redirects() (n int64) {
	for status, count := range w.res.Status {
		if status/100 == 3 && status != 304 {
			n += count
		}
	}
	return n
}

func (w *warner) warn() {
	w.validity()
	w.redirected()
	w.unfinished()
	w.failures()
	w.waits()
	w.fellBehind()
	for _, note := range w.report.Notes {
		w.add("%s", note)
	}
}

func (w *warner) redirected() {
	n := w.redirects()
	if n == 0 {
		return
	}
	what, answered := "some", w.res.Answered()
	if n == answered {
		what = "all"
	}
	w.add("%s answers (%s of %s) were redirects, which are not followed%s", what,
		quantity.Count(float64(n)), quantity.Count(float64(answered)), leadsTo(w.options.URL, w.report.Location))
}

// longInFlight is how long a request must have been under way at the end to be
// spoken of: in a closed loop there is always one for each connection.
const longInFlight = time.Second

func (w *warner) unfinished() {
	res := w.res
	switch {
	case res.Requests == 0 && res.InFlight > 0 && res.End.After(res.Start):
		w.add("no request ended within %s: %s still in flight, the oldest for %s; raise -d above the time of an answer, or find the cause of the hang",
			quantity.Nanoseconds(float64(res.End.Sub(res.Start))), quantity.Plural(res.InFlight, "request"), quantity.Nanoseconds(float64(res.OldestInFlight)))
	case res.OldestInFlight > max(longInFlight, 2*time.Duration(res.Service.Max())):
		w.add("%s still in flight when the load ended, the oldest for %s: much longer than the service times, which do not include it; find the cause of the hang",
			quantity.Plural(res.InFlight, "request"), quantity.Nanoseconds(float64(res.OldestInFlight)))
	}
	if n := w.backlog(); n > 0 {
		w.add("about %s due requests were still waiting for a free connection when the load was interrupted: no figure includes them; with them response times would be longer",
			quantity.Count(n))
	}
}

// backlog returns how many requests of an open loop an interruption left unsent; 0
// where those may be the accident of arrivals at random.
func (w *warner) backlog() float64 {
	res := w.res
	if !res.Open || !res.Interrupted {
		return 0
	}
	planned := res.Rate * res.End.Sub(res.Start).Seconds()
	n := planned - float64(res.Requests) - float64(res.InFlight)
	if n < waitedShare*planned+3*math.Sqrt(planned) {
		return 0
	}
	return n
}

func (w *warner) failures() {
	res := w.res
	failed := res.Failed()
	switch {
	case res.Requests > 0 && failed == res.Requests:
		w.add("every request failed: the figures describe failures only")
	case failed > 0 && float64(failed) >= 0.01*float64(res.Requests):
		kind := res.Commonest()
		w.add("%s of the requests failed, most with %s", quantity.Percent(float64(failed)/float64(res.Requests)), strings.TrimSuffix(kind+": "+res.Examples[kind], ": "))
	}
	if n := res.Errors[loadresult.NoFiles]; n > 0 {
		w.add("%s failed because file descriptors ran out: raise the limit (ulimit -n), or lower -c", quantity.Plural(int(n), "request"))
	}
	if n := res.Errors[loadresult.NoPorts]; n > 0 {
		w.add("%s failed because local ports ran out: a closed connection holds its port for a minute; use keep-alive, or widen net.ipv4.ip_local_port_range", quantity.Plural(int(n), "request"))
	}
	if n := res.Errors[loadresult.TimedOut] - res.Unsent; n > 0 {
		w.add("%s timed out%s; service times count each with the timeout, less than its true time",
			quantity.Plural(int(n), "request"), w.begun(n))
	}
}

// begun says of how many of the requests that timed out the answer had begun.
func (w *warner) begun(n int64) string {
	switch b := w.res.Begun; b {
	case 0:
		return ""
	case n:
		return " after the head of the answer arrived"
	default:
		return fmt.Sprintf(", %s of them after the head of the answer arrived,", quantity.Count(float64(b)))
	}
}

// waits says which requests found no connection free.
func (w *warner) waits() {
	if n := w.res.Unsent; n > 0 {
		w.add("%s of the requests were never sent because all connections were busy until the load ended; they count as timed out",
			quantity.Percent(float64(n)/float64(w.res.Requests)))
	}
	if w.waited() {
		w.add("%s of requests waited for a free connection (all %s busy); the wait is included in response time. Raise -c to allow more concurrency.",
			quantity.Percent(float64(w.res.Waited+w.res.Unsent)/float64(w.res.Requests)), quantity.Count(float64(w.job.Connections)))
	}
}

// fellBehind says from which rate of a changing plan on the service was after to
// the end.
func (w *warner) fellBehind() {
	res := w.res
	plan, begin := w.job.Arrivals, res.Start.Sub(res.Began)
	took := time.Duration(res.Service.Quantile(0.5))
	if w.options.Schedule.Span() == 0 || res.Invalid != "" {
		return
	}
	at := time.Duration(-1)
	for i := len(res.Seconds) - 1; i >= 0; i-- {
		s := &res.Seconds[i]
		from := s.Start.Sub(res.Start)
		// Requests due in the warm-up are not among the answered ones.
		due := plan.Planned(begin+max(from+s.Length-took, 0)) - plan.Planned(begin+max(from-took, 0))
		if !loadresult.Short(due, plan.Random(), s.Answered-s.Behind) {
			break
		}
		at = from
	}
	if at < 0 {
		return
	}
	w.add("the service fell behind the plan at %s a second, %v after the start: in each second from then on it answered less than 95 %% of the due requests",
		quantity.Count(plan.Rate(begin+at)), at)
}

// waited reports whether many of an open loop's requests waited for a connection.
func (w *warner) waited() bool {
	return float64(w.res.Waited+w.res.Unsent) > waitedShare*float64(w.res.Requests)
}

// waitedShare is the share of requests that waited for a connection from which
// on that is spoken of.
const waitedShare = 0.05

// leadsTo describes the remedy for a redirect.
func leadsTo(asked, location string) string {
	sent, err := url.Parse(asked)
	if err != nil || asked == "" || location == "" {
		return ""
	}
	sent.User = nil
	to, err := sent.Parse(location)
	switch {
	case err != nil:
		return ""
	case to.String() == sent.String():
		return ": they lead back to the same address"
	}
	return ": use the address they lead to, " + record.Line(to.Redacted())
}
