package engine

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"whet/internal/load/record"
	"whet/internal/loadresult"
)

// Check defines correct responses. The zero value accepts every status below 400.
type Check struct {
	Status []Range // those that are right; none: all below 400
	Header []Field // lines that the answer's head has, among others
	Bytes  *Range  // how long the body is; nil: any length
	SHA256 string  // of the body, in hexadecimal; "": any
	// JSON are values in the body. Name is the way to one, as in user.id or
	// items.0.name: names of an object's members and places in a list, from 0; a dot
	// in a name is \. there. The Value is a string's text, or a number, true, false or
	// null as it is written.
	JSON []Field
}

// Range are the numbers from First to Last.
type Range struct{ First, Last int64 }

func (r Range) has(n int64) bool { return r.First <= n && n <= r.Last }

func (r Range) String() string {
	if r.First == r.Last {
		return fmt.Sprint(r.First)
	}
	return fmt.Sprintf("%d to %d", r.First, r.Last)
}

// Field is a name and the value that it is to have.
type Field struct{ Name, Value string }

// maxFields bounds how much every answer is looked at for.
const maxFields = 100

// Validate reports an error if the check is invalid. A nil check is valid.
func (c *Check) Validate() error {
	if c == nil {
		return nil
	}
	for _, r := range c.Status {
		if r.First < 100 || r.Last > 999 || r.First > r.Last {
			return fmt.Errorf("check status %v: want 100 to 999", r)
		}
	}
	if r := c.Bytes; r != nil && (r.First < 0 || r.First > r.Last) {
		return fmt.Errorf("check %v bytes: too long for a body", r)
	}
	if sum, err := hex.DecodeString(c.SHA256); err != nil || len(sum) != 0 && len(sum) != 32 {
		return fmt.Errorf("check sha256 %.80q: give the 64 digits that sha256sum prints", c.SHA256)
	}
	if len(c.Header)+len(c.JSON) > maxFields {
		return fmt.Errorf("check %d fields: give up to %d", len(c.Header)+len(c.JSON), maxFields)
	}
	for _, f := range c.Header {
		if f.Name == "" || strings.ContainsAny(f.Name, " \t\r\n:") {
			return fmt.Errorf("check header %.80q: not a header name", f.Name)
		}
	}
	for _, f := range c.JSON {
		if slices.Contains(steps(f.Name), "") {
			return fmt.Errorf("check json %.80q: give the path of a value, like user.id or items.0.name", f.Name)
		}
	}
	return nil
}

// Looks reports whether the check looks at more than the status, so that a
// Verifier has to see head and body.
func (c *Check) Looks() bool {
	return c != nil && (len(c.Header) > 0 || c.Bytes != nil || c.SHA256 != "" || len(c.JSON) > 0)
}

// StatusKind returns the kind of failure of an answer by its status alone; "": none.
func (c *Check) StatusKind(status int) string {
	if c == nil || len(c.Status) == 0 {
		return record.StatusKind(status)
	}
	for _, r := range c.Status {
		if r.has(int64(status)) {
			return ""
		}
	}
	if kind := record.StatusKind(status); kind != "" {
		return kind
	}
	return loadresult.WrongAnswer
}
