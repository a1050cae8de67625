package engine

import "whet/internal/load/record"

// Check says which answers are right. The zero value takes every answer whose
// status is below 400.
type Check struct {
	Status []Range // those that are right; none: all below 400
	Header []Field // that the answer has, each with this value
	Bytes  *Range  // how long the body is; nil: any length
	SHA256 string  // of the body, in hexadecimal; "": any
	JSON   []Field // values in the body: Name is a path such as user.id or items.0.name
}

// Range are the numbers from First to Last.
type Range struct{ First, Last int64 }

// Field is a name and the value that it is to have.
type Field struct{ Name, Value string }

// Looks reports whether the check looks at more than the status, so that a
// Verifier has to see header and body.
func (c *Check) Looks() bool {
	return c != nil && (len(c.Header) > 0 || c.Bytes != nil || c.SHA256 != "" || len(c.JSON) > 0)
}

// StatusKind is the kind of failure of an answer by its status alone; "": none.
func (c *Check) StatusKind(status int) string {
	if c == nil || len(c.Status) == 0 {
		return record.StatusKind(status)
	}
	for _, r := range c.Status {
		if r.First <= int64(status) && int64(status) <= r.Last {
			return ""
		}
	}
	if kind := record.StatusKind(status); kind != "" {
		return kind
	}
	return record.WrongAnswer
}

// Validate reports what of the check cannot be looked at.
func (c *Check) Validate() error { return nil }
