package target

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// writeTargets writes targets in vegeta's http format. Bodies go into files: body
// is given each one that is not empty, with its target's number from 0, and
// returns the name to write down. What the format cannot say is an error.
func writeTargets(w io.Writer, targets []Target, body func(i int, body []byte) (name string, err error)) error {
	out := bufio.NewWriter(w)
	for i := range targets {
		if err := writeTarget(out, i, &targets[i], body); err != nil {
			return fmt.Errorf("write targets: target %d: %w", i+1, err)
		}
	}
	return out.Flush()
}

func writeTarget(out *bufio.Writer, i int, t *Target, body func(int, []byte) (string, error)) error {
	if i > 0 {
		out.WriteByte('\n')
	}
	if t.Weight > 0 {
		fmt.Fprintf(out, "# weight: %s\n", strconv.FormatFloat(t.Weight, 'g', -1, 64))
	}
	first := t.Method + " " + t.URL
	if method, url, ok := requestLine(first); !sayable(first) || !ok || method != t.Method || url != t.URL || strings.HasPrefix(first, "#") {
		return fmt.Errorf("%.60q cannot be a line of the http format", first)
	}
	fmt.Fprintln(out, first)
	for _, f := range t.Header {
		line := f.Name + ": " + f.Value
		name, value, _ := strings.Cut(line, ":")
		// An empty value leaves a blank at the end, which reading takes off.
		if !sayable(strings.TrimSuffix(line, " ")) || strings.TrimSpace(name) != f.Name || strings.TrimSpace(value) != f.Value ||
			f.Name == "" || strings.HasPrefix(line, "@") || strings.HasPrefix(line, "#") || startsRequest(strings.TrimSpace(line)) {
			return fmt.Errorf("header %.60q cannot be a line of the http format", line)
		}
		fmt.Fprintln(out, strings.TrimSuffix(line, " "))
	}
	if len(t.Body) > 0 {
		name, err := body(i, t.Body)
		if err != nil {
			return err
		}
		if line := "@" + name; !sayable(line) {
			return fmt.Errorf("the name of a body's file, %.60q, cannot be a line of the http format", name)
		}
		fmt.Fprintln(out, "@"+name)
	}
	return nil
}

// sayable reports whether a line is read as it was written.
func sayable(line string) bool {
	return len(line) < maxLine-2 && !strings.Contains(line, "\n") && strings.TrimSpace(line) == line
}

// writeJSON writes targets in vegeta's JSON format, one a line.
func writeJSON(w io.Writer, targets []Target) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range targets {
		t := &targets[i]
		v := jsonTarget{Method: t.Method, URL: t.URL, Body: t.Body, Weight: t.Weight}
		if v.Method == "" || v.URL == "" {
			return fmt.Errorf("write targets: target %d: has no method or no URL", i+1)
		}
		for _, text := range append([]string{t.Method, t.URL}, fieldTexts(t.Header)...) {
			if !utf8.ValidString(text) {
				return fmt.Errorf("write targets: target %d: %.60q is no UTF-8, as JSON has to be", i+1, text)
			}
		}
		for _, f := range t.Header {
			if v.Header == nil {
				v.Header = make(map[string][]string)
			}
			v.Header[f.Name] = append(v.Header[f.Name], f.Value)
		}
		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("write targets: target %d: %w", i+1, err)
		}
	}
	return nil
}

func fieldTexts(header []Field) []string {
	var all []string
	for _, f := range header {
		all = append(all, f.Name, f.Value)
	}
	return all
}
