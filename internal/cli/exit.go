package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"whet/internal/gobench"
)

// Exit codes, as every verb uses them.
const (
	ExitDone        = 0
	ExitFound       = 1 // a check failed: something slower, a broken bound, a finding
	ExitUsage       = 2
	ExitFailed      = 3 // failed, or the measurement is not valid
	ExitCannotTell  = 4 // prove only
	ExitInterrupted = 130
)

// ExitError has an exit code other than ExitFailed. With a nil Err nothing is printed:
// the verb has reported the error.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// UsageError returns an error about a command line that cannot be run.
func UsageError(format string, args ...any) error {
	return &ExitError{ExitUsage, fmt.Errorf(format, args...)}
}

// MeasuringError gives an error of tune or prove its exit code; interrupted is the
// message after Ctrl-C.
func MeasuringError(err error, interrupted string) error {
	var ge *gobench.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return &ExitError{ExitInterrupted, errors.New(interrupted)}
	case errors.As(err, &ge):
		switch ge.Kind {
		case gobench.KindUsage, gobench.KindNoModule, gobench.KindNoPackage, gobench.KindNoBenchmarks:
			return &ExitError{ExitUsage, err}
		}
	}
	return err
}

// KeptError returns the error of a measurement whose partial results were kept.
func KeptError(err error, had, path string) error {
	err = MeasuringError(err, "interrupted")
	var ee *ExitError
	if errors.As(err, &ee) {
		return &ExitError{ee.Code, fmt.Errorf("%w; %s is in %s", ee.Err, had, path)}
	}
	return fmt.Errorf("%w; %s is in %s", err, had, path)
}

// NewDefect returns a Defect with the value of recover and the current stack.
func NewDefect(value any) *Defect { return &Defect{value, debug.Stack()} }

// Defect is a panic on its way to the one place that reports it.
type Defect struct {
	value any
	Stack []byte
}

func (d *Defect) Error() string {
	return fmt.Sprintf("internal error: %v (this is a bug in whet; WHET_DEBUG=1 prints the stack)", d.value)
}
