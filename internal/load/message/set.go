package message

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
)

// Set is the set of messages that a load sends. It does not change, but for the
// numbers of its Streams, so any number of them may be used at once.
type Set struct {
	targets []compiled
	hosts   []string
	upTo    []float64 // weights summed up to each target; nil: in turn
	seed    uint64
	table   *Table

	turns atomic.Int64 // targets handed out in turn
	rows  atomic.Int64 // rows of the table, likewise
	seqs  atomic.Int64 // values of {{seq}}
}

// compiled is a target ready to make messages of.
type compiled struct {
	fixed    Message  // all that does not change from message to message
	path     template // of Message.Target; nil: it is fixed
	header   []headerTemplate
	body     template // nil: it is fixed
	template bool     // one of these is not nil
	rowed    bool     // a row of the table is needed
	counted  bool     // a value of {{seq}} is needed
}

// headerTemplate is a header's value that changes.
type headerTemplate struct {
	field int // in the fixed message's Header
	value template
}

// New makes a set of at least one target. Its errors name the target and its fault.
func New(targets []Target, o Options) (*Set, error) {
	if len(targets) == 0 {
		return nil, errors.New("make requests: no targets")
	}
	s := &Set{seed: o.Seed, table: o.Table}
	origins := make(map[string]int)
	for i := range targets {
		c, err := compile(&targets[i], o.Table)
		if err != nil {
			return nil, fmt.Errorf("make requests: %s: %w", targets[i].name(i, len(targets)), err)
		}
		// Only the zone of an IPv6 address holds a percent sign, which a URL escapes.
		origin := c.fixed.Scheme + "://" + strings.ReplaceAll(c.fixed.Host, "%", "%25")
		at, seen := origins[origin]
		if !seen {
			at = len(s.hosts)
			origins[origin] = at
			s.hosts = append(s.hosts, origin)
		}
		c.fixed.Index, c.fixed.Origin = i, at
		s.targets = append(s.targets, c)
	}
	if err := s.weigh(targets); err != nil {
		return nil, fmt.Errorf("make requests: %w", err)
	}
	return s, nil
}

// name returns how a target is called in an error.
func (t *Target) name(i, of int) string {
	switch {
	case t.From != "":
		return t.From
	case of > 1:
		return fmt.Sprintf("target %d", i+1)
	}
	return "target"
}

// weigh sums up the weights.
func (s *Set) weigh(targets []Target) error {
	var sum float64
	var given int
	upTo := make([]float64, len(targets))
	for i := range targets {
		w := targets[i].Weight
		switch {
		case w < 0 || math.IsNaN(w) || math.IsInf(w, 0):
			return fmt.Errorf("%s: weight %g is not a number above 0", targets[i].name(i, len(targets)), w)
		case w > 0:
			given++
		}
		sum += w
		upTo[i] = sum
	}
	if given == 0 {
		return nil
	}
	if given < len(targets) {
		for i := range targets {
			if targets[i].Weight == 0 {
				return fmt.Errorf("%s has no weight but others do; give a weight to each target or to none", targets[i].name(i, len(targets)))
			}
		}
	}
	if math.IsInf(sum, 0) {
		return errors.New("the sum of the weights overflows")
	}
	if len(targets) > 1 {
		s.upTo = upTo
	}
	return nil
}

// UsesTable reports whether any target takes values of the table.
func (s *Set) UsesTable() bool {
	return slices.ContainsFunc(s.targets, func(c compiled) bool { return c.rowed })
}

// Len returns the number of targets.
func (s *Set) Len() int { return len(s.targets) }

// One returns the message of a set whose requests are all the same bytes.
func (s *Set) One() (*Message, bool) {
	if len(s.targets) > 1 {
		return nil, false
	}
	return s.Fixed(0)
}

// Fixed returns the message of target i if it is always the same, so that its
// bytes can be made once.
func (s *Set) Fixed(i int) (*Message, bool) {
	c := &s.targets[i]
	if c.template {
		return nil, false
	}
	m := c.fixed
	return &m, true
}

// Hosts returns the origins the targets are sent to, as "https://example.com:8443",
// in the order of the targets; Message.Origin counts in it.
func (s *Set) Hosts() []string { return s.hosts }

// pick returns the target that a number in [0, 1) falls on.
func (s *Set) pick(u float64) int {
	x := u * s.upTo[len(s.upTo)-1]
	i := sort.Search(len(s.upTo), func(i int) bool { return s.upTo[i] > x })
	return min(i, len(s.upTo)-1)
}
