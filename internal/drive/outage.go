package drive

import (
	"fmt"

	"whet/internal/loadresult"
	"whet/internal/quantity"
)

// mostOutages is the number of levels that are driven again: a service that refuses more often
// is not one that starts again.
const mostOutages = 10

// outages are the times in a search at which the service refused connections
// throughout a level. Such a level says nothing about load, and is driven again
// once the service is back. A load of its own goes on meanwhile, and counts what was
// refused.
type outages struct {
	answered bool // the service did, at some level
	n        int
}

// level drives a level. ready waits for the service, and fails where it does not
// come back.
func (x *outages) level(drive func() (*loadresult.Result, error), ready func() error) (*loadresult.Result, error) {
	for {
		r, err := drive()
		switch {
		case err != nil || r.Interrupted || r.Requests == 0:
			return r, err
		case r.Answered() > 0:
			x.answered = true
			return r, nil
		case !x.answered || x.n == mostOutages || r.Commonest() != loadresult.Refused || ready() != nil:
			return nil, fmt.Errorf("no request was answered%s", firstFailure(r))
		}
		x.n++
	}
}

// warnings says what the search waited for.
func (x *outages) warnings() []string {
	if x.n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the service refused all connections at %s (a restart?); whet waited for it, and the figures around that time may include part of the outage",
		quantity.Plural(x.n, "level"))}
}
