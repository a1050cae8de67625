package ingesttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"whet/casebook/ingest"
)

// Expect returns what a body has to become: the bulk form its sink must be
// given, and the answer. It is a second implementation of the rules, over
// encoding/json.
func Expect(body []byte) (bulk []byte, report ingest.Report) {
	for i, line := range strings.Split(string(body), "\n") {
		document, index, err := expectLine(line)
		if err != nil {
			report.Broken++
			if report.Broken <= ingest.MaxReported {
				report.Lines = append(report.Lines, ingest.BrokenLine{Line: i + 1, Why: err.Error()})
			}
		} else if document != "" {
			report.Taken++
			bulk = fmt.Appendf(bulk, "{\"index\":{\"_index\":\"%s\"}}\n%s\n", index, document)
		}
	}
	return bulk, report
}

func expectLine(line string) (document, index string, err error) {
	if len(line) > 65536 {
		return "", "", ingest.ErrLong
	}
	document = strings.Trim(line, " \t\r")
	if document != "" {
		index, err = ExpectRoute(document)
	}
	return document, index, err
}

var (
	kind  = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	stamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)
)

// ExpectRoute returns the index that a document has to go to.
func ExpectRoute(document string) (string, error) {
	members, ok := members(document)
	if !ok {
		return "", ingest.ErrJSON
	}
	text := func(name string) (string, bool) {
		values := members[name]
		if len(values) != 1 || values[0][0] != '"' {
			return "", false
		}
		var s string
		err := json.Unmarshal(values[0], &s)
		return s, err == nil
	}
	of, ok := text("type")
	// A regular expression's $ without (?m) is the end of the text alone.
	if !ok || !kind.MatchString(of) {
		return "", ingest.ErrType
	}
	when, ok := text("time")
	var at time.Time
	if !ok || !stamp.MatchString(when) || at.UnmarshalText([]byte(when)) != nil || at.UTC().Year() < 0 || at.UTC().Year() > 9999 {
		return "", ingest.ErrTime
	}
	return of + at.UTC().Format("-2006.01.02"), nil
}

// members returns the members of an object by their names, and false if the
// text is not one object by the rules.
func members(document string) (map[string][]json.RawMessage, bool) {
	if !utf8.ValidString(document) || !json.Valid([]byte(document)) || !strings.HasPrefix(document, "{") || !strings.HasSuffix(document, "}") {
		return nil, false
	}
	depth := 0
	tokens := json.NewDecoder(strings.NewReader(document))
	tokens.UseNumber()
	for {
		t, err := tokens.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, false
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			if depth++; depth > 100 {
				return nil, false
			}
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	values := json.NewDecoder(strings.NewReader(document))
	values.Token() // the brace
	out := make(map[string][]json.RawMessage)
	for values.More() {
		name, err := values.Token()
		if err != nil {
			return nil, false
		}
		var v json.RawMessage
		if err := values.Decode(&v); err != nil {
			return nil, false
		}
		out[name.(string)] = append(out[name.(string)], bytes.TrimSpace(v))
	}
	return out, true
}
