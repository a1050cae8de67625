package lazyregexp

import (
	"regexp"
	"sync"
)

// Pattern is an expression that a package declares as a variable.
//
//	var digits = lazyregexp.Pattern{Text: `^[0-9]+$`}
//
//	if digits.Regexp().MatchString(s) { … }
type Pattern struct {
	Text string

	once     sync.Once
	compiled *regexp.Regexp
}

// Regexp returns the expression compiled. That it is none is a defect of the
// program, and a panic.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.Text) })
	return p.compiled
}
