package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"whet/internal/callstack"
)

// restarted is what Delta warns of when it returns the later profile alone.
const restarted = "the program was restarted between the two profiles: this one counts from the restart only"

// Delta subtracts a cumulative profile from a later one of the same process
// and returns what was added in between, as a gzipped pprof file: what `go
// tool pprof -base BEFORE AFTER` shows, with the samples of which nothing was
// added left out. The strings are warnings.
//
// Of an allocs profile it keeps alloc_objects and alloc_space: the inuse
// columns are no counters. Of block and mutex profiles it keeps both columns.
// Of a heap profile it keeps all four, and inuse_objects and inuse_space of
// the result are growth: below zero where more was freed than kept.
//
// Counters never fall. Where one does, or where the profiles are of different
// binaries, the program was restarted: the result is then the later profile
// alone, with a warning. A restart is missed where the new process has already
// counted at least as much at every single stack.
//
// The runtime's own lag goes through: memory profiles are as of the last but
// one garbage collection. The result says when the interval began, by the
// program's wall clock, and not how long it was: that clock may have jumped.
func Delta(before, after []byte) ([]byte, []string, error) {
	a, err := cumulative(before)
	if err != nil {
		return nil, nil, fmt.Errorf("delta: the earlier profile: %w", err)
	}
	b, err := cumulative(after)
	if err != nil {
		return nil, nil, fmt.Errorf("delta: the later profile: %w", err)
	}
	if a.Period != b.Period {
		// Both are scaled by the rate in force when they were written, and not
		// by that of the samples: neither counts what it seems to.
		return nil, nil, fmt.Errorf("delta: the program changed the profile's rate from %d to %d in between: the difference means nothing", a.Period, b.Period)
	}
	result := b
	var warnings []string
	if otherBinary(a, b) {
		warnings = []string{restarted}
	} else {
		if !slices.Equal(a.Types, b.Types) {
			return nil, nil, fmt.Errorf("delta: incompatible sample types: %v before and %v after", a.Types, b.Types)
		}
		diff, err := callstack.Merge([]float64{1, -1}, b, a)
		if err != nil {
			return nil, nil, fmt.Errorf("delta: %w", err)
		}
		if fell(diff, counts) {
			warnings = []string{restarted}
		} else {
			result = diff
			result.TimeNanos, result.Duration = a.TimeNanos, 0
		}
	}
	out, err := packed(result)
	if err != nil {
		return nil, nil, fmt.Errorf("delta: %w", err)
	}
	return out, warnings, nil
}

// counts reports whether a column only ever grows in a process's life.
func counts(column string) bool {
	return strings.HasPrefix(column, "alloc_") || column == "contentions" || column == "delay"
}

// cumulative reads a profile that counts since the process began, with the
// columns that Delta keeps. It takes no damaged one: a sample that is missing
// on one side is a wrong figure.
func cumulative(data []byte) (*callstack.Profile, error) {
	if what := kindOf(data); what != "" {
		return nil, errors.New(what)
	}
	message, err := unpacked(data)
	if err != nil {
		return nil, err
	}
	p, err := sound(message, DefaultLimits().Of(int64(len(data))))
	if err != nil {
		return nil, fmt.Errorf("not a pprof profile, or a damaged one: %w", err)
	}
	var counters []int
	var names []string
	for t := range p.Types {
		names = append(names, p.Types[t].Type)
		if counts(p.Types[t].Type) {
			counters = append(counters, t)
		}
	}
	if len(counters) == 0 {
		return nil, fmt.Errorf("it counts %q, which is not a counter that runs since the program's start", names)
	}
	if p.DefaultNamed && names[p.DefaultType] == "alloc_space" {
		kept := slices.Index(counters, p.DefaultType)
		p = p.WithColumns(counters...)
		p.DefaultType = kept
	}
	if fell(p, func(string) bool { return true }) {
		return nil, errors.New("it has negative values: it already is a difference")
	}
	return p, nil
}

// unpacked returns the only message of a file.
func unpacked(data []byte) ([]byte, error) {
	if !isGzip(data) {
		return data, nil
	}
	r := bytes.NewReader(data) // an io.ByteReader: gzip takes no byte beyond the member
	zr, err := gzip.NewReader(r)
	if err != nil {
		return nil, gzipDamage(err)
	}
	zr.Multistream(false)
	limit := DefaultLimits().Of(int64(len(data))).MaxBytes
	message, err := io.ReadAll(io.LimitReader(zr, limit+1))
	switch {
	case int64(len(message)) > limit:
		return nil, tooLarge(limit)
	case err == io.ErrUnexpectedEOF || err == nil && r.Len() > 0:
		return nil, errors.New("it is cut off, or contains more than one profile: fetch it again")
	case err != nil:
		return nil, gzipDamage(err)
	}
	return message, nil
}

// otherBinary compares the builds, where both profiles name theirs.
func otherBinary(a, b *callstack.Profile) bool {
	if len(a.Mappings) == 0 || len(b.Mappings) == 0 {
		return false
	}
	x, y := a.Mappings[0].BuildID, b.Mappings[0].BuildID
	return x != "" && y != "" && x != y
}

// fell reports whether a value of a column that of selects is below zero.
func fell(p *callstack.Profile, of func(column string) bool) bool {
	for t := range p.Types {
		if !of(p.Types[t].Type) {
			continue
		}
		for r := p.Rows(t); r.Next(); {
			if r.Value(0) < 0 {
				return true
			}
		}
	}
	return false
}
