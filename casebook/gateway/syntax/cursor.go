package syntax

// Fault is why a text does not pass.
type Fault uint8

const (
	// Broken is a text that is no JSON value in UTF-8.
	Broken Fault = iota + 1
	// Deep is one that nests deeper than allowed. What follows the place where
	// it does was not looked at.
	Deep
)

func (f Fault) Error() string {
	if f == Deep {
		return "read JSON: it nests too deep"
	}
	return "read JSON: it is not one JSON value in UTF-8"
}

// MaxDepth is the largest depth that a caller may allow.
const MaxDepth = 128

// Cursor walks over one text. Methods leave it after what they have read, and
// nowhere in particular after a fault.
type Cursor struct {
	text []byte
	at   int
}

// On returns a cursor at the beginning of a text.
func On(text []byte) Cursor { return Cursor{text: text} }

// Peek returns the first byte of what comes after white space, and 0, which
// begins nothing, at the end.
func (c *Cursor) Peek() byte {
	c.at = skipSpace(c.text, c.at)
	if c.at == len(c.text) {
		return 0
	}
	return c.text[c.at]
}

// Enter goes into an object.
func (c *Cursor) Enter() error {
	if c.Peek() != '{' {
		return Broken
	}
	c.at++
	return nil
}

// Name goes to the next member of the object the cursor is in, up to its
// value, and returns its name as it is written, without the quotes. ok is
// false when the object has ended; the cursor is behind it then.
func (c *Cursor) Name(first bool) (name []byte, ok bool, err error) {
	switch b := c.Peek(); {
	case b == '}':
		c.at++
		return nil, false, nil
	case first:
	case b == ',':
		c.at++
		c.Peek()
	default:
		return nil, false, Broken
	}
	start := c.at
	end := skipString(c.text, start)
	if end < 0 {
		return nil, false, Broken
	}
	c.at = end
	if c.Peek() != ':' {
		return nil, false, Broken
	}
	c.at++
	return c.text[start+1 : end-1], true, nil
}

// Value passes over a value in which arrays and objects nest at most depth
// deep, the value itself included, and returns its text.
func (c *Cursor) Value(depth int) ([]byte, error) {
	c.Peek()
	end, err := skipValue(c.text, c.at, min(depth, MaxDepth))
	if err != nil {
		return nil, err
	}
	value := c.text[c.at:end]
	c.at = end
	return value, nil
}

// End checks that nothing follows.
func (c *Cursor) End() error {
	if skipSpace(c.text, c.at) != len(c.text) {
		return Broken
	}
	return nil
}

// Check returns nil if the text is one JSON value in which arrays and objects
// nest at most depth deep.
func Check(text []byte, depth int) error {
	c := On(text)
	if _, err := c.Value(depth); err != nil {
		return err
	}
	return c.End()
}
