package message

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// template is text with generators. nil is a constant text, which is in compiled.fixed.
type template []part

// part is a piece of a template.
type part struct {
	kind    kind
	text    string   // of kindText
	low     int64    // of kindInt, and the first value of kindSeq
	span    uint64   // of kindInt: how many values there are; 0: all
	length  int      // of kindString and kindHex
	choices []string // of kindPick, escaped for their place
	column  int      // of kindCSV
	escape  escape   // of kindCSV
}

type kind int

const (
	kindText kind = iota
	kindSeq
	kindInt
	kindString
	kindHex
	kindUUID
	kindPick
	kindCSV
)

// generators lists the generators for errors.
const generators = `{{seq}}, {{int 1 1000}}, {{string 12}}, {{hex 16}}, {{uuid}}, {{pick a b c}}, {{csv.NAME}}`

// longestValue bounds the length of {{string}} and {{hex}}.
const longestValue = 1 << 20

const (
	opening = "{{"
	closing = "}}"
)

// parseTemplate reads a text at a position. Values are escaped for it, unless the text
// has a filter.
func parseTemplate(text string, table *Table, at escape) (template, error) {
	var t template
	for {
		before, rest, found := strings.Cut(text, opening)
		if before != "" {
			t = append(t, part{text: before})
		}
		if !found {
			return t, nil
		}
		words, after, err := parseWords(rest)
		if err != nil {
			return nil, err
		}
		p, err := parsePart(words, table, at)
		if err != nil {
			return nil, err
		}
		t = append(t, p)
		text = after
	}
}

// word is a word between braces.
type word struct {
	text   string
	quoted bool
}

// parseWords reads the words up to the closing braces, and returns the text after
// those.
func parseWords(text string) (words []word, after string, err error) {
	rest := text
	for {
		rest = strings.TrimLeft(rest, " \t")
		if after, ok := strings.CutPrefix(rest, closing); ok {
			return words, after, nil
		}
		if rest == "" {
			return nil, "", fmt.Errorf(`%s%s: the closing }} is missing; a plain {{ is written as {{"{{"}}`, opening, clip(text))
		}
		if rest[0] == '"' {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, "", fmt.Errorf("%s%s: the closing quote is missing", opening, clip(text))
			}
			plain, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, "", fmt.Errorf("%s%s: %w", opening, clip(text), err)
			}
			words = append(words, word{plain, true})
			rest = rest[len(quoted):]
			continue
		}
		end := strings.IndexAny(rest, " \t")
		if end < 0 {
			end = len(rest)
		}
		if i := strings.Index(rest[:end], closing); i >= 0 {
			end = i
		}
		words = append(words, word{rest[:end], false})
		rest = rest[end:]
	}
}

// clip bounds a text quoted in an error.
func clip(text string) string {
	const most = 40
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// parsePart makes a part of the words between braces.
func parsePart(words []word, table *Table, at escape) (part, error) {
	p, err := parseGenerator(words, table, at)
	if err != nil {
		var all []string
		for _, w := range words {
			if w.quoted {
				w.text = strconv.Quote(w.text)
			}
			all = append(all, w.text)
		}
		return part{}, fmt.Errorf("%s%s%s: %w", opening, clip(strings.Join(all, " ")), closing, err)
	}
	return p, nil
}

func parseGenerator(words []word, table *Table, at escape) (part, error) {
	if len(words) == 0 {
		return part{}, errors.New("empty braces; want one of " + generators)
	}
	if words[0].quoted {
		if len(words) > 1 {
			return part{}, errors.New("a quoted text must be alone between the braces")
		}
		return part{text: words[0].text}, nil
	}
	name, args := words[0].text, words[1:]
	if e, ok := filters[name]; ok {
		if len(args) == 0 {
			return part{}, fmt.Errorf("name the value, as {{%s csv.NAME}}", name)
		}
		at, err := at.filtered(e)
		if err != nil {
			return part{}, err
		}
		return parseGenerator(args, table, at)
	}
	column, csv := strings.CutPrefix(name, "csv.")
	switch {
	case csv && column != "" && len(args) == 0:
		return parseColumn(column, table, at)
	case name == "csv":
		if len(args) != 1 {
			return part{}, errors.New(`write {{csv.NAME}}, or {{csv "A NAME"}}`)
		}
		return parseColumn(args[0].text, table, at)
	}
	switch name {
	case "seq":
		return parseSeq(args)
	case "int":
		return parseInt(args)
	case "string":
		return parseLength(kindString, args)
	case "hex":
		return parseLength(kindHex, args)
	case "uuid":
		if len(args) > 0 {
			return part{}, errors.New("uuid takes no arguments")
		}
		return part{kind: kindUUID}, nil
	case "pick":
		if len(args) == 0 {
			return part{}, errors.New("list the choices, as {{pick a b c}}")
		}
		p := part{kind: kindPick}
		for _, a := range args {
			p.choices = append(p.choices, string(at.append(nil, a.text)))
		}
		return p, nil
	}
	return part{}, errors.New("unknown generator; want one of " + generators)
}

func parseColumn(name string, table *Table, at escape) (part, error) {
	if table == nil {
		return part{}, errors.New("no CSV file was given")
	}
	i := slices.Index(table.columns, name)
	if i < 0 {
		return part{}, fmt.Errorf("%s has no column %q; it has %s", table.name, name, clip(strings.Join(table.columns, ", ")))
	}
	return part{kind: kindCSV, column: i, escape: at}, nil
}

func parseSeq(args []word) (part, error) {
	p := part{kind: kindSeq, low: 1}
	if len(args) > 1 {
		return part{}, errors.New("write {{seq}}, or {{seq 1000}} to begin with 1000")
	}
	if len(args) == 1 {
		first, err := strconv.ParseInt(args[0].text, 10, 64)
		if err != nil {
			return part{}, fmt.Errorf("%q is not a whole number to begin with", clip(args[0].text))
		}
		p.low = first
	}
	return p, nil
}

func parseInt(args []word) (part, error) {
	if len(args) != 2 {
		return part{}, errors.New("give the lowest and the highest number, as {{int 1 1000}}")
	}
	low, err := strconv.ParseInt(args[0].text, 10, 64)
	high, err2 := strconv.ParseInt(args[1].text, 10, 64)
	switch {
	case err != nil || err2 != nil:
		return part{}, errors.New("the lowest and the highest must be 64-bit integers, as in {{int 1 1000}}")
	case low > high:
		return part{}, fmt.Errorf("the lowest, %d, is above the highest, %d", low, high)
	}
	return part{kind: kindInt, low: low, span: uint64(high) - uint64(low) + 1}, nil
}

func parseLength(k kind, args []word) (part, error) {
	p := part{kind: k}
	var err error
	if len(args) == 1 {
		p.length, err = strconv.Atoi(args[0].text)
	}
	if len(args) != 1 || err != nil || p.length < 1 || p.length > longestValue {
		return part{}, fmt.Errorf("give a number of characters from 1 to %d", longestValue)
	}
	return p, nil
}

// append writes the value of the part for the current message of st.
func (p *part) append(dst []byte, st *Stream) []byte {
	switch p.kind {
	case kindSeq:
		return strconv.AppendInt(dst, p.low+st.seq, 10)
	case kindInt:
		n := st.rng.Uint64()
		if p.span != 0 {
			n = st.rng.Uint64N(p.span)
		}
		return strconv.AppendInt(dst, int64(uint64(p.low)+n), 10)
	case kindString:
		return st.appendDigits(dst, p.length, letters)
	case kindHex:
		return st.appendDigits(dst, p.length, letters[:16])
	case kindUUID:
		return st.appendUUID(dst)
	case kindPick:
		return append(dst, p.choices[st.rng.IntN(len(p.choices))]...)
	case kindCSV:
		return p.escape.append(dst, st.row[p.column])
	}
	return append(dst, p.text...)
}

// letters begins with the sixteen of hexadecimal numbers.
const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// appendDigits writes n characters drawn from an alphabet.
func (st *Stream) appendDigits(dst []byte, n int, alphabet string) []byte {
	for range n {
		dst = append(dst, alphabet[st.rng.IntN(len(alphabet))])
	}
	return dst
}

// appendUUID writes a random UUID: version 4 of RFC 9562.
func (st *Stream) appendUUID(dst []byte) []byte {
	high, low := st.rng.Uint64(), st.rng.Uint64()
	high = high&^0xf000 | 0x4000 // the version
	low = low&^(3<<62) | 1<<63   // the variant
	var id [16]byte
	for i := range 8 {
		id[i], id[8+i] = byte(high>>(56-8*i)), byte(low>>(56-8*i))
	}
	for i, end := range []int{4, 6, 8, 10, 16} {
		from := []int{0, 4, 6, 8, 10}[i]
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, id[from:end])
	}
	return dst
}
