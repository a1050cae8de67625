package gateway

import (
	"strings"
	"unsafe"

	"whet/casebook/gateway/syntax"
)

// CheckBody returns nil if a body is a JSON object that has no known member
// twice. What its members are it leaves to the decoder.
func CheckBody(body []byte) error {
	c := syntax.On(body)
	if err := checkObject(&c, 1); err != nil {
		return BodyFault(err)
	}
	return BodyFault(c.End())
}

// BodyFault says what is wrong with a body in the gateway's words.
func BodyFault(err error) error {
	switch err {
	case syntax.Broken:
		return NotJSON
	case syntax.Deep:
		return TooDeep
	}
	return err
}

// checkObject walks over the body, level 1, or the header, level 2.
func checkObject(c *syntax.Cursor, level int) error {
	if err := c.Enter(); err != nil {
		return err
	}
	var seen Field
	for first := true; ; first = false {
		name, ok, err := c.Name(first)
		if err != nil || !ok {
			return err
		}
		field := FieldOf(syntax.Unquote(name), level)
		if seen&field != 0 {
			return Twice
		}
		seen |= field
		if field == HeaderField && c.Peek() == '{' {
			err = checkObject(c, level+1)
		} else {
			_, err = c.Value(MaxDepth - level)
		}
		if err != nil {
			return err
		}
	}
}

// Field is a set of members that are known.
type Field uint8

const (
	HeaderField Field = 1 << iota
	PayloadField
	BusinessField
	QuaField
	SessionField
)

// FieldOf returns the member of that name in the body, level 1, or in the
// header, level 2, and 0 if none is known by it.
func FieldOf(name []byte, level int) Field {
	switch {
	case level == 1 && string(name) == "header":
		return HeaderField
	case level == 1 && string(name) == "payload":
		return PayloadField
	case level == 2 && string(name) == "businessName":
		return BusinessField
	case level == 2 && string(name) == "qua":
		return QuaField
	case level == 2 && string(name) == "sessionId":
		return SessionField
	}
	return 0
}

// CheckNames checks the strings of a header.
func CheckNames(business, session string) error {
	if business == "" {
		return NoBusiness
	}
	if len(business) > MaxName || len(session) > MaxName {
		return LongName
	}
	return nil
}

// CheckPair checks one pair of qua.
func CheckPair(name, value string) error {
	if name == "" || strings.IndexByte(name, '=') >= 0 || strings.IndexByte(name, '&') >= 0 || strings.IndexByte(value, '&') >= 0 {
		return BadQua
	}
	return nil
}

// CheckQua checks qua as a whole.
func CheckQua(pairs, joined int) error {
	if pairs > MaxQua || joined > MaxQuaBytes {
		return BadQua
	}
	return nil
}

// CheckAnswer returns nil if what the downstream answered is JSON.
func CheckAnswer(answer string) error {
	// Nothing writes to it and nothing keeps it.
	text := unsafe.Slice(unsafe.StringData(answer), len(answer))
	if syntax.Check(text, MaxDepth-1) != nil { // it is put in an object
		return DownstreamNonsense
	}
	return nil
}
