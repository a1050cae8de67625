package message

import (
	"bytes"
	"slices"
	"strings"
)

// Message is a request, ready to be written.
//
// What a Stream filled in may lie in the Stream's own memory and is then valid
// until its next call of Next; Detach makes it stay.
type Message struct {
	Method string
	Scheme string // "http" or "https"
	Host   string // as in the URL: a name or an address, with the port where the URL has one
	Target string // what the request line asks for: path and query, or "*"
	Header []Field
	Body   []byte
	Index  int // which target of the set this is
	Origin int // which of Set.Hosts it goes to

	borrowed bool // some of it lies in a Stream's memory
}

// Field is a line of a header. The names are as the user wrote them; "Host"
// among them stands in for Message.Host in what is sent.
type Field struct{ Name, Value string }

// Detach copies what lies in a Stream's memory, so that m stays as it is
// whatever becomes of the Stream.
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
	// Literal targets are sent as they stand, also where they hold "{{": those of
	// a recording are no templates.
	Literal bool
	// From says where the target was written, such as "targets.txt:12", for
	// errors. It may be empty.
	From string
}

// Options are the options for the targets of a set.
type Options struct {
	Seed uint64 // equal seeds make equal requests
	// Table has the values of {{csv.NAME}}; nil if there are none.
	Table *Table
}
