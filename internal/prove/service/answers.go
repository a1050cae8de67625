package service

import (
	"context"
	"fmt"
	"mime"
	"strings"
	"unicode"
	"unicode/utf8"

	"whet/internal/analyze/compare"
	"whet/internal/load"
	"whet/internal/printable"
	"whet/internal/prove"
)

// mostDifferences bounds the differences that a result lists.
const mostDifferences = 20

// responseComparer compares the responses of two running sides.
type responseComparer struct {
	o       *Options
	ignored []pattern
	client  [2]*load.Client
	out     compare.OutputComparison
}

// sameAnswers sends every request to both sides, one at a time, and compares the
// responses. An error is that of the side failed, which did not respond.
func (r *runner) sameAnswers(ctx context.Context) (answers *compare.OutputComparison, failed compare.Side, err error) {
	requests := []load.Request{{}}
	if r.o.Requests != "" {
		if requests, err = readRequests(r.o.Requests); err != nil {
			return nil, compare.Old, err
		}
	}
	a := responseComparer{o: r.o, out: compare.OutputComparison{Differences: []compare.Difference{}, Only: r.o.AnswersOnly}}
	if a.ignored, err = parseIgnored(r.o.Ignore); err != nil {
		return nil, compare.Old, err
	}
	var sides [2]*endpoint
	for side := range compare.Sides {
		r.tell("starting %v", side)
		if sides[side], err = r.open(ctx, side); err != nil {
			return nil, side, err
		}
		defer sides[side].close()
		if a.client[side], err = load.NewClient(r.loadOptions(sides[side])); err != nil {
			return nil, side, err
		}
		defer a.client[side].Close()
	}
	for i, q := range requests {
		if i%100 == 0 {
			r.tell("comparing answers, %d of %d", i+1, len(requests))
		}
		if side, err := a.ask(ctx, q); err != nil {
			return nil, side, fmt.Errorf("request %d, %s: %w", i+1, a.name(q), sides[side].explain(err))
		}
	}
	return &a.out, compare.Old, nil
}

func (a *responseComparer) name(q load.Request) string {
	if q.Method == "" {
		return a.o.Load.Method + " of the address"
	}
	return short(q.Method + " " + q.Target)
}

// ask sends one request to both sides.
func (a *responseComparer) ask(ctx context.Context, q load.Request) (compare.Side, error) {
	var got [2]*load.Response
	for side := range compare.Sides {
		var err error
		if got[side], err = a.client[side].Do(ctx, q); err != nil {
			return side, err
		}
	}
	found := a.differences(got[compare.Old], got[compare.New])
	a.out.Requests++
	if len(found) == 0 {
		return 0, nil
	}
	a.out.Differing++
	room := mostDifferences - len(a.out.Differences)
	if room <= 0 {
		return 0, nil
	}
	found = found[:min(room, len(found))]
	// If a side answers one question differently twice, a difference from the other
	// side there means nothing. Only safe requests are repeated (RFC 9110, 9.2.1).
	var unsteady map[string]bool
	if method := a.method(q); method == "GET" || method == "HEAD" {
		again, err := a.client[compare.Old].Do(ctx, q)
		if err != nil {
			return compare.Old, err
		}
		unsteady = make(map[string]bool)
		for _, p := range a.differences(got[compare.Old], again) {
			unsteady[p.path] = true
		}
	}
	for _, p := range found {
		a.out.Differences = append(a.out.Differences, compare.Difference{
			Request: a.name(q), Where: short(p.path), Old: p.old, New: p.new, Unsteady: unsteady[p.path],
		})
	}
	return 0, nil
}

func (a *responseComparer) method(q load.Request) string {
	if q.Method == "" {
		return a.o.Load.Method
	}
	return q.Method
}

// differences returns the first places in which two answers differ.
func (a *responseComparer) differences(old, new *load.Response) []difference {
	var out []difference
	if old.Status != new.Status {
		out = append(out, difference{"status", fmt.Sprint(old.Status), fmt.Sprint(new.Status)})
	}
	for _, name := range a.o.Headers {
		x, y := header(old, name), header(new, name)
		if x != y {
			out = append(out, difference{"header " + name, shownHeader(x), shownHeader(y)})
		}
	}
	return append(out, a.bodies(old, new)...)
}

// bodies compares JSON by its values and anything else by its bytes. Of a body
// longer than is kept the digest decides.
func (a *responseComparer) bodies(old, new *load.Response) []difference {
	if old.SHA256 == new.SHA256 && old.Bytes == new.Bytes {
		return nil
	}
	if whole(old) && whole(new) && isJSON(old) && isJSON(new) {
		x, err := jsonValue(old.Body)
		y, err2 := jsonValue(new.Body)
		if err == nil && err2 == nil {
			c := values{ignored: a.ignored}
			c.compare(x, y)
			for i := range c.found {
				c.found[i].path = strings.TrimSuffix("body."+c.found[i].path, ".")
			}
			return c.found
		}
	}
	n := min(len(old.Body), len(new.Body))
	at := 0
	for at < n && old.Body[at] == new.Body[at] {
		at++
	}
	return []difference{{fmt.Sprintf("body at byte %d", at+1), rest(old, at), rest(new, at)}}
}

func whole(a *load.Response) bool { return int64(len(a.Body)) == a.Bytes }

// rest shows a body from the first byte that differs.
func rest(a *load.Response, at int) string {
	if at >= len(a.Body) {
		if !whole(a) {
			return fmt.Sprintf("%d bytes, sha256 %s", a.Bytes, a.SHA256)
		}
		return fmt.Sprintf("(ends: %d bytes)", a.Bytes)
	}
	return prove.Show(string(a.Body[at:min(len(a.Body), at+60)]))
}

// isJSON reports whether an answer says that it is JSON, or looks like it where
// it says nothing.
func isJSON(a *load.Response) bool {
	kind, _, err := mime.ParseMediaType(header(a, "Content-Type"))
	if err != nil || kind == "text/plain" { // net/http's default for JSON without a type
		text := strings.TrimLeft(string(a.Body[:min(len(a.Body), 64)]), " \t\r\n")
		return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
	}
	return kind == "application/json" || strings.HasSuffix(kind, "+json")
}

func header(a *load.Response, name string) string {
	for have, values := range a.Header {
		if strings.EqualFold(have, name) {
			return strings.Join(values, ", ")
		}
	}
	return ""
}

func shownHeader(value string) string {
	if value == "" {
		return absent
	}
	return short(value)
}

// short makes one bounded line of a service's text; quoted if it contains unprintable
// characters.
func short(text string) string {
	const most = 100
	plain := utf8.ValidString(text)
	for _, r := range text {
		plain = plain && unicode.IsPrint(r)
	}
	if !plain {
		return prove.Show(text)
	}
	return printable.Cut(text, most)
}
