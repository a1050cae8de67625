package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Why a line is broken.
var (
	ErrLong = fmt.Errorf("the line is longer than %d bytes", MaxLine)
	ErrJSON = fmt.Errorf("want one JSON object in UTF-8, nested at most %d deep", MaxDepth)
	ErrType = fmt.Errorf(`"type": want it once, as text of 1 to %d of a-z, 0-9, _ and -, a letter or digit first`, MaxType)
	ErrTime = errors.New(`"time": want it once, as text in the form of RFC 3339, such as 2026-11-20T10:00:00Z`)
)

// MaxType is the length of the longest type.
const MaxType = 64

// Index is where a document goes. Type is a slice of the document as a rule.
type Index struct {
	Type []byte
	Day  [len("2006.01.02")]byte
}

// Append appends the index's name.
func (x Index) Append(b []byte) []byte {
	b = append(b, x.Type...)
	b = append(b, '-')
	return append(b, x.Day[:]...)
}

func (x Index) String() string { return string(x.Append(nil)) }

// Route returns where a document goes. It reads JSON as RFC 8259 has it, all
// of it, so that nothing is passed on which a search engine cannot read.
//
// The document's type and time are the members of those names of the outermost
// object, however their names are spelled; a second one of either makes the
// document broken, for of two readers one might take the first and one the
// last. A type is made of a few characters only: it becomes part of a name that
// is written into a line of JSON, and that a search engine uses for files. A
// time is one by RFC 3339, section 5.6, with a capital T and Z and no leap
// second; its day is that in UTC, of a year from 0 to 9999.
func Route(document []byte) (Index, error) {
	var m metadata
	if !isDocument(document, &m) {
		return Index{}, ErrJSON
	}
	var x Index
	var ok bool
	if x.Type, ok = m.kind.text(); !ok || !isType(x.Type) {
		return Index{}, ErrType
	}
	when, ok := m.when.text()
	var t time.Time
	if !ok || !isTime(when) || t.UnmarshalText(when) != nil {
		return Index{}, ErrTime
	}
	year, month, day := t.UTC().Date()
	if year < 0 || year > 9999 {
		return Index{}, ErrTime
	}
	x.Day = [...]byte{
		digit(year / 1000), digit(year / 100), digit(year / 10), digit(year), '.',
		digit(int(month) / 10), digit(int(month)), '.', digit(day / 10), digit(day),
	}
	return x, nil
}

func digit(n int) byte { return '0' + byte(n%10) }

func isType(s []byte) bool {
	if len(s) == 0 || len(s) > MaxType || s[0] == '_' || s[0] == '-' {
		return false
	}
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// isTime reports whether s has the form of RFC 3339, some of which package time
// does not insist on. Whether there is such a day it leaves to that package.
func isTime(s []byte) bool {
	const seconds = len("2006-01-02T15:04:05")
	if len(s) <= seconds || !hasForm(s[:seconds], "0000-00-00T00:00:00") {
		return false
	}
	zone := s[seconds:]
	if zone[0] == '.' {
		end := digits(zone, 1)
		if end < 0 {
			return false
		}
		zone = zone[end:]
	}
	if string(zone) == "Z" {
		return true
	}
	return len(zone) == len("+00:00") && (zone[0] == '+' || zone[0] == '-') && hasForm(zone[1:], "00:00") &&
		string(zone[1:3]) < "24" && zone[4] < '6'
}

// hasForm reports whether s is as form, with any digit for a 0.
func hasForm(s []byte, form string) bool {
	if len(s) != len(form) {
		return false
	}
	for i, c := range s {
		if c != form[i] && (form[i] != '0' || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// metadata is what decides where a document goes.
type metadata struct{ kind, when member }

// member is a member of the outermost object.
type member struct {
	value []byte // as it stands there
	twice bool
}

// add is told of each member of the outermost object; name is without its
// quotes.
func (m *metadata) add(name, value []byte) {
	if len(name) != len("type") { // that of "time" too
		if len(name) < len("type") || !hasEscape(name) {
			return
		}
		name = unescape(name)
	}
	switch string(name) {
	case "type":
		m.kind.set(value)
	case "time":
		m.when.set(value)
	}
}

func (m *member) set(value []byte) {
	m.twice = m.value != nil
	m.value = value
}

// text returns a member that is text.
func (m *member) text() ([]byte, bool) {
	if m.value == nil || m.twice || m.value[0] != '"' {
		return nil, false
	}
	text := m.value[1 : len(m.value)-1]
	if hasEscape(text) {
		text = unescape(text)
	}
	return text, true
}

func hasEscape(text []byte) bool { return bytes.IndexByte(text, '\\') >= 0 }

// unescape resolves the escapes of a text that was found to be well formed.
func unescape(text []byte) []byte {
	quoted := append(append([]byte{'"'}, text...), '"')
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return nil // as good as a text that is nobody's name, type or time
	}
	return []byte(s)
}
