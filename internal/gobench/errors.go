package gobench

import (
	"errors"
	"strings"

	"whet/internal/printable"
)

// Kind classifies errors by the caller's reaction.
type Kind string

const (
	KindUsage        Kind = "usage"         // the operand or a pattern makes no sense
	KindNoModule     Kind = "no-module"     // no go.mod
	KindNoPackage    Kind = "no-package"    // no such package, or no Go files in it
	KindCompile      Kind = "compile"       // the package or its tests do not build
	KindNoBenchmarks Kind = "no-benchmarks" // nothing to run
	KindTestFailed   Kind = "test-failed"   // for callers of Test
	KindPanic        Kind = "panic"         // a panic or a fatal error of the runtime
	KindTimeout      Kind = "timeout"       // not done in time
	KindExit         Kind = "exit"          // the process ended early
	KindFailed       Kind = "failed"        // b.Fatal, b.Error
	KindOutput       Kind = "output"        // printed without end
	KindNoResult     Kind = "no-result"     // ended well, without a result
	KindNoMatch      Kind = "no-match"      // the benchmark has no sub-benchmark of the pattern
	KindStart        Kind = "start"         // go or the binary could not be started
)

// Error describes a failure in one line, with a remedy if there is one.
type Error struct {
	Kind      Kind
	Benchmark string // "" when it was not one benchmark's doing
	Text      string // one line, no control characters
	Detail    string // output, bounded; may have many lines
}

func (e *Error) Error() string { return e.Text }

// Of reports whether an error is one of the kind.
func (k Kind) Of(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == k
}

const (
	maxText   = 400
	maxDetail = 16 << 10
)

func newError(kind Kind, benchmark, text, detail string) *Error {
	return &Error{Kind: kind, Benchmark: benchmark, Text: shortLine(text, maxText), Detail: bound(detail)}
}

// shortLine makes text fit for one line of a terminal: blanks and control
// characters become single spaces.
func shortLine(text string, limit int) string {
	return printable.Cut(strings.Join(strings.Fields(printable.Spaces(text)), " "), limit)
}

// bound keeps the head and the tail of a long text.
func bound(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxDetail {
		return text
	}
	const half = maxDetail / 2
	return strings.ToValidUTF8(text[:half], "") + "\n[…]\n" + strings.ToValidUTF8(text[len(text)-half:], "")
}
