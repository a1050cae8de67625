package gatewaytest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"whet/casebook/gateway"
)

// Want is what the rules make of a body.
type Want struct {
	// Faults are what it may be refused for; none: the downstream is called.
	// They are more than one where it has several and the order in which they
	// stand in the text decides.
	Faults  []gateway.Refusal
	Call    gateway.Call // without a session one is made; without the payload
	Payload any          // the payload's value
}

// Expect reads a body by the rules, with encoding/json.
func Expect(body []byte) Want {
	refuse := func(faults ...gateway.Refusal) Want { return Want{Faults: faults} }
	if !isJSON(body) || bytes.TrimLeft(body, " \t\r\n")[0] != '{' {
		return refuse(gateway.NotJSON, gateway.TooDeep, gateway.Twice)
	}
	var faults []gateway.Refusal
	deep, twice := walk(body)
	if deep > gateway.MaxDepth {
		faults = append(faults, gateway.TooDeep)
	}
	if twice {
		faults = append(faults, gateway.Twice)
	}
	if len(faults) > 0 {
		return refuse(faults...)
	}

	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		return refuse(gateway.NotJSON) // it was valid: a test will tell
	}
	header := map[string]any{}
	qua := map[string]any{}
	var business, session string
	ok := true
	as(all["header"], &header, &ok)
	as(header["businessName"], &business, &ok)
	as(header["sessionId"], &session, &ok)
	as(header["qua"], &qua, &ok)
	keys := slices.Sorted(maps.Keys(qua))
	bad := len(qua) > 32
	joined := ""
	for i, name := range keys {
		var value string
		as(qua[name], &value, &ok)
		if i > 0 {
			joined += "&"
		}
		joined += name + "=" + value
		bad = bad || name == "" || strings.ContainsAny(name, "=&") || strings.Contains(value, "&")
	}
	switch {
	case !ok:
		return refuse(gateway.WrongTypes)
	case business == "":
		return refuse(gateway.NoBusiness)
	case len(business) > 64 || len(session) > 64:
		return refuse(gateway.LongName)
	case bad || len(joined) > 2048:
		return refuse(gateway.BadQua)
	}
	return Want{Call: gateway.Call{Business: business, Qua: joined, Session: session}, Payload: all["payload"]}
}

// as takes a value of a type, or null as its zero.
func as[T any](v any, into *T, ok *bool) {
	if v == nil {
		return
	}
	t, is := v.(T)
	*ok = *ok && is
	*into = t
}

var replacement = regexp.MustCompile(`(?i)\\ufffd|` + "\ufffd")

// Passes reports whether a text is JSON by the rules, and nests at most depth
// deep.
func Passes(text []byte, depth int) bool {
	deepest, _ := walk(text)
	return isJSON(text) && deepest <= depth
}

// isJSON does not look at the depth. What encoding/json makes of half a
// surrogate pair is U+FFFD: it is looked for after all that stand for
// themselves are taken away.
func isJSON(text []byte) bool {
	if !json.Valid(text) || !utf8.Valid(text) {
		return false
	}
	plain := replacement.ReplaceAll(bytes.ReplaceAll(text, []byte(`\\`), []byte("xx")), []byte("x"))
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return err == io.EOF
		}
		if s, ok := token.(string); ok && strings.ContainsRune(s, '\ufffd') {
			return false
		}
	}
}

// walk returns how deep a valid text nests, and whether a known member of a
// body is given twice.
func walk(body []byte) (deepest int, twice bool) {
	type level struct {
		object, wantsName bool
		name              string
		seen              map[string]bool
	}
	known := [][]string{{"header", "payload"}, {"businessName", "qua", "sessionId"}}
	var open []level
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return deepest, twice
		}
		if n := len(open); n > 0 && open[n-1].wantsName && token != json.Delim('}') {
			l := &open[n-1]
			l.name, l.wantsName = token.(string), false
			if n == 1 || n == 2 && open[0].name == "header" {
				twice = twice || slices.Contains(known[n-1], l.name) && l.seen[l.name]
			}
			l.seen[l.name] = true
			continue
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			object := token == json.Delim('{')
			open = append(open, level{object: object, wantsName: object, seen: map[string]bool{}})
			deepest = max(deepest, len(open))
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if n := len(open); n > 0 && open[n-1].object {
			open[n-1].wantsName = true
		}
	}
}
