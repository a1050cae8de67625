package target

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// httpReader reads vegeta's http format.
type httpReader struct {
	r       *Reader
	scanner *bufio.Scanner
	line    int
	text    string
	again   bool // the line is to be looked at once more
	weight  float64
}

func newHTTP(r *Reader) *httpReader {
	h := &httpReader{r: r, scanner: bufio.NewScanner(r.in)}
	h.scanner.Buffer(nil, maxLine)
	return h
}

// scan goes to the next line that is no comment.
func (h *httpReader) scan() (bool, error) {
	if h.again {
		h.again = false
		return true, nil
	}
	for h.scanner.Scan() {
		h.line++
		h.text = strings.TrimSpace(h.scanner.Text())
		comment, ok := strings.CutPrefix(h.text, "#")
		if !ok {
			return true, nil
		}
		if err := h.comment(comment); err != nil {
			return false, h.r.at(h.line, err)
		}
	}
	if err := h.scanner.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("a line is longer than %d bytes", maxLine)
		}
		return false, h.r.at(h.line+1, err)
	}
	return false, nil
}

// comment takes a weight from a comment.
func (h *httpReader) comment(text string) error {
	value, ok := strings.CutPrefix(strings.TrimSpace(text), "weight:")
	if !ok {
		return nil
	}
	value = strings.TrimSpace(value)
	weight, err := strconv.ParseFloat(value, 64)
	if err != nil || !(weight > 0) {
		return fmt.Errorf("weight %.40q is not a number above 0; want a line such as # weight: 3", value)
	}
	h.weight = weight
	return nil
}

func (h *httpReader) next() (Target, error) {
	for {
		ok, err := h.scan()
		switch {
		case err != nil:
			return Target{}, err
		case !ok && h.weight != 0:
			return Target{}, h.r.at(h.line, errors.New("no target follows the last weight"))
		case !ok:
			return Target{}, io.EOF
		}
		if h.text != "" {
			break
		}
	}
	t := Target{Line: h.line, Weight: h.weight}
	h.weight = 0
	var ok bool
	if t.Method, t.URL, ok = requestLine(h.text); !ok {
		return Target{}, h.r.at(h.line, fmt.Errorf("%.60q is not a request; want a line such as GET http://localhost:8080/", h.text))
	}
	for {
		ok, err := h.scan()
		switch {
		case err != nil:
			return Target{}, err
		case !ok || h.text == "":
			return t, nil
		}
		if name, ok := strings.CutPrefix(h.text, "@"); ok {
			if t.Body, err = h.r.body(name); err != nil {
				return Target{}, h.r.at(h.line, err)
			}
			return t, nil
		}
		// A weight above this line belongs to what begins here.
		if h.weight != 0 || startsRequest(h.text) {
			h.again = true
			return t, nil
		}
		name, value, ok := strings.Cut(h.text, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return Target{}, h.r.at(h.line, fmt.Errorf("%.60q is not a header; want Name: value", h.text))
		}
		if len(t.Header) == maxHeader {
			return Target{}, h.r.at(h.line, fmt.Errorf("more than %d headers", maxHeader))
		}
		t.Header = append(t.Header, Field{name, strings.TrimSpace(value)})
	}
}

// requestLine takes a line apart that begins a target. Methods of our own making
// are taken; what may be sent is for the sender to say.
func requestLine(text string) (method, url string, ok bool) {
	method, url, ok = strings.Cut(text, " ")
	url = strings.TrimSpace(url)
	return method, url, ok && url != "" && !strings.ContainsAny(method, ":@\t")
}

// startsRequest reports whether a line after a header begins another target, as
// vegeta tells: by a word of capital letters and a blank.
func startsRequest(text string) bool {
	method, rest, ok := strings.Cut(text, " ")
	return ok && rest != "" && method != "" && strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
