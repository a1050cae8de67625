package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"whet/internal/prove"
)

// pattern names fields of a JSON value to ignore, by their path from its top: "*"
// matches any one name or index, "**" any number of them.
type pattern []string

const maxPatterns = 1000

// parseIgnored reads patterns such as "id", "items.*.time" and "**.stamp".
func parseIgnored(texts []string) ([]pattern, error) {
	var out []pattern
	for _, text := range texts {
		p := pattern(strings.Split(text, "."))
		if slices.Contains(p, "") || p[len(p)-1] == "**" || len(p) > 100 {
			return nil, fmt.Errorf("-ignore-fields %s: give names with dots between them, as in id, items.*.time or **.stamp", prove.Show(text))
		}
		out = append(out, p)
	}
	if len(out) > maxPatterns {
		return nil, fmt.Errorf("-ignore-fields: more than %d", maxPatterns)
	}
	return out, nil
}

// matches reports whether the pattern names exactly this path.
func (p pattern) matches(path []string) bool {
	switch {
	case len(p) == 0:
		return len(path) == 0
	case p[0] == "**":
		return p[1:].matches(path) || len(path) > 0 && p.matches(path[1:])
	}
	return len(path) > 0 && (p[0] == "*" || p[0] == path[0]) && p[1:].matches(path[1:])
}

// jsonValue reads a body that is one JSON value; numbers keep their digits.
func jsonValue(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("data follows the value")
	}
	return v, nil
}

// difference is a path at which two values differ.
type difference struct{ path, old, new string }

// values compares two JSON values.
type values struct {
	ignored []pattern
	path    []string
	found   []difference // the first of them
	count   int
}

// mostPerResponse bounds the differences kept of one pair of responses.
const mostPerResponse = 10

// absent is shown of a side that has nothing there.
const absent = "(absent)"

func (c *values) differ(old, new string) {
	if c.count++; len(c.found) < mostPerResponse {
		c.found = append(c.found, difference{strings.Join(c.path, "."), old, new})
	}
}

// below compares the values of both sides under one name or index.
func (c *values) below(name string, old, new any, hasOld, hasNew bool) {
	c.path = append(c.path, name)
	defer func() { c.path = c.path[:len(c.path)-1] }()
	for _, p := range c.ignored {
		if p.matches(c.path) {
			return
		}
	}
	switch {
	case !hasOld:
		c.differ(absent, showValue(new))
	case !hasNew:
		c.differ(showValue(old), absent)
	default:
		c.compare(old, new)
	}
}

func (c *values) compare(old, new any) {
	switch o := old.(type) {
	case map[string]any:
		n, ok := new.(map[string]any)
		if !ok {
			break
		}
		names := slices.Collect(maps.Keys(o))
		for name := range n {
			if _, both := o[name]; !both {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			a, hasOld := o[name]
			b, hasNew := n[name]
			c.below(name, a, b, hasOld, hasNew)
		}
		return
	case []any:
		n, ok := new.([]any)
		if !ok {
			break
		}
		for i := range max(len(o), len(n)) {
			var a, b any
			if i < len(o) {
				a = o[i]
			}
			if i < len(n) {
				b = n[i]
			}
			c.below(strconv.Itoa(i), a, b, i < len(o), i < len(n))
		}
		return
	case json.Number:
		if n, ok := new.(json.Number); ok && sameNumber(string(o), string(n)) {
			return
		}
	default: // string, bool, nil
		switch new.(type) {
		case map[string]any, []any: // cannot be compared with ==
		default:
			if old == new {
				return
			}
		}
	}
	c.differ(showValue(old), showValue(new))
}

// sameNumber compares by value: 1, 1.0 and 10e-1 are one number, and no digit
// is lost. Beyond an exponent of four digits only the text decides, since its
// value would fill the memory.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, ok := rational(a)
	y, ok2 := rational(b)
	return ok && ok2 && x.Cmp(y) == 0
}

func rational(s string) (*big.Rat, bool) {
	if i := strings.IndexAny(s, "eE"); len(s) > 4096 || i >= 0 && len(strings.TrimLeft(s[i+1:], "+-0")) > 3 {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

func showValue(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return prove.Show(fmt.Sprint(v))
	}
	return short(string(text))
}
