package message

import (
	"bytes"
	"slices"
	"strings"
)

// Message is a request, ready to be written.
//
// A Message that a Stream filled may refer to the Stream's memory and is valid until
// the next call of Next; Detach copies it.
type Message struct {
	Method string
	Scheme string // "http" or "https"
	Host   string // as in the URL: a name or an address, with the port where the URL has one
	Target string // of the request line: path and query, or "*"
	Header []Field
	Body   []byte
	Index  int // which target of the set this is
	Origin int // index in Set.Hosts of its destination

	borrowed bool // some of it lies in a Stream's memory
}

// Field is a line of a header. Names are as the user wrote them; a field "Host"
// replaces Message.Host in the request.
type Field struct{ Name, Value string }

// Detach copies the parts of m in a Stream's memory, so that m stays valid.
func (m *Message) Detach() {
	if !m.borrowed {
		return
	}
	m.Target = strings.Clone(m.Target)
	m.Header = slices.Clone(m.Header)
	for i := range m.Header {
		m.Header[i].Value = strings.Clone(m.Header[i].Value)
	}
	m.Body = bytes.Clone(m.Body)
	m.borrowed = false
}

// Target is a request of the user's: its URL's path and query, header values and body
// may be templates.
type Target struct {
	Method string // "" is GET, and POST where there is a body
	URL    string
	Header []Field
	Body   []byte

	// Weight is this target's share among those of its set. Without weights the
	// targets are sent in turn.
	Weight float64
	// Literal targets are sent unchanged, even if they contain "{{": those of a
	// recording are not templates.
	Literal bool
	// From is the position of the target, such as "targets.txt:12", for errors. It may
	// be empty.
	From string
}

// Options are the options for the targets of a set.
type Options struct {
	Seed uint64 // equal seeds make equal requests
	// Table has the values of {{csv.NAME}}; nil if there are none.
	Table *Table
}
