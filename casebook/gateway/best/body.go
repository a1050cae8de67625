package best

import (
	"slices"
	"strings"
	"unsafe"

	"whet/casebook/gateway"
	"whet/casebook/gateway/syntax"
)

// body is what one request says. Its strings are parts of what was read.
type body struct {
	business, session []byte
	payload           []byte
	wrong             bool // some member that is known is of another type, pairs of qua apart

	// A slice of few in a field would move all of it to the heap: what is stored
	// through a pointer is taken to outlive the function.
	few     [16]pair
	n       int    // of few
	many    []pair // all pairs, n of few among them, where there came more; else nil
	settled int    // how many were left of many when it was last settled
}

// pair is one of qua, of which a name may have several.
type pair struct {
	name, value string
	wrong       bool // the value is not a string
}

// maxUnsettled is how many pairs may wait for the end of qua, repeats and all.
// What qua may hold is far less.
const maxUnsettled = 256

func (b *body) add(p pair) {
	switch {
	case b.many == nil && b.n < len(b.few):
		b.few[b.n] = p
		b.n++
		return
	case b.many == nil:
		b.many = append(b.many, b.few[:]...)
	case len(b.many) >= max(maxUnsettled, 2*b.settled):
		// A pair takes eight times the memory that it can be written in: repeats go
		// before there are more of them than names. As many pairs have come since
		// the last time as were left then, which bounds how often this is done, and
		// is how many there is room for now.
		b.many = settle(b.many)
		b.settled = len(b.many)
		b.many = slices.Grow(b.many, b.settled)
	}
	b.many = append(b.many, p)
}

func (b *body) qua() []pair {
	if b.many != nil {
		return b.many
	}
	return b.few[:b.n]
}

// parse reads a body, and finds the faults that checking it finds.
func (b *body) parse(text []byte) error {
	c := syntax.On(text)
	if err := b.object(&c, 1); err != nil {
		return gateway.BodyFault(err)
	}
	return gateway.BodyFault(c.End())
}

// object reads the body, level 1, or the header, level 2.
func (b *body) object(c *syntax.Cursor, level int) error {
	if err := c.Enter(); err != nil {
		return err
	}
	var seen gateway.Field
	for first := true; ; first = false {
		name, ok, err := c.Name(first)
		if err != nil || !ok {
			return err
		}
		field := gateway.FieldOf(syntax.Unquote(name), level)
		if seen&field != 0 {
			return gateway.Twice
		}
		seen |= field
		next := c.Peek()
		switch {
		case field == gateway.HeaderField && next == '{':
			err = b.object(c, level+1)
		case field == gateway.QuaField && next == '{':
			err = b.readQua(c, level+1)
		default:
			var value []byte
			if value, err = c.Value(gateway.MaxDepth - level); err == nil {
				b.set(field, value)
			}
		}
		if err != nil {
			return err
		}
	}
}

// set takes the value of a member that is not an object to be read.
func (b *body) set(field gateway.Field, value []byte) {
	switch field {
	case gateway.PayloadField:
		b.payload = value
	case gateway.BusinessField, gateway.SessionField:
		s, ok := text(value)
		if !ok {
			b.wrong = true
		}
		if field == gateway.BusinessField {
			b.business = s
		} else {
			b.session = s
		}
	case gateway.HeaderField, gateway.QuaField:
		if value[0] != 'n' {
			b.wrong = true
		}
	}
}

// text returns what a value stands for that is a string; null is as if empty.
func text(value []byte) (s []byte, ok bool) {
	if value[0] == '"' {
		return syntax.Unquote(value[1 : len(value)-1]), true
	}
	return nil, value[0] == 'n'
}

func (b *body) readQua(c *syntax.Cursor, level int) error {
	if err := c.Enter(); err != nil {
		return err
	}
	for first := true; ; first = false {
		name, ok, err := c.Name(first)
		if err != nil || !ok {
			return err
		}
		value, err := c.Value(gateway.MaxDepth - level)
		if err != nil {
			return err
		}
		s, ok := text(value)
		b.add(pair{view(syntax.Unquote(name)), view(s), !ok})
	}
}

// settle sorts qua and leaves the last pair of each name.
func settle(qua []pair) []pair {
	slices.SortStableFunc(qua, func(x, y pair) int { return strings.Compare(x.name, y.name) })
	kept := qua[:0]
	for i, p := range qua {
		if i+1 == len(qua) || p.name != qua[i+1].name {
			kept = append(kept, p)
		}
	}
	return kept
}

// call returns what the downstream is to be called with. Types are looked at
// before values, as in the other stages.
func (b *body) call() (gateway.Call, error) {
	qua := settle(b.qua())
	if b.wrong || slices.ContainsFunc(qua, func(p pair) bool { return p.wrong }) {
		return gateway.Call{}, gateway.WrongTypes
	}
	c := gateway.Call{Business: view(b.business), Session: view(b.session), Payload: "null"}
	if err := gateway.CheckNames(c.Business, c.Session); err != nil {
		return gateway.Call{}, err
	}
	size := max(0, len(qua)-1)
	for _, p := range qua {
		if err := gateway.CheckPair(p.name, p.value); err != nil {
			return gateway.Call{}, err
		}
		size += len(p.name) + len("=") + len(p.value)
	}
	if err := gateway.CheckQua(len(qua), size); err != nil {
		return gateway.Call{}, err
	}
	joined := make([]byte, 0, size)
	for i, p := range qua {
		if i > 0 {
			joined = append(joined, '&')
		}
		joined = append(joined, p.name...)
		joined = append(joined, '=')
		joined = append(joined, p.value...)
	}
	c.Qua = view(joined)
	if b.payload != nil {
		c.Payload = view(b.payload)
	}
	return c, nil
}

// view returns bytes that nobody will write to any more as a string.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
