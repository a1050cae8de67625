package target

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// harEntry is what is read of an entry of log.entries.
type harEntry struct {
	Request *struct {
		Method   string      `json:"method"`
		URL      string      `json:"url"`
		Headers  []Field     `json:"headers"`
		PostData *harContent `json:"postData"`
	} `json:"request"`
}

type harContent struct {
	MimeType string  `json:"mimeType"`
	Text     string  `json:"text"`
	Encoding string  `json:"encoding"` // of the proposed version 1.3
	Params   []Field `json:"params"`
}

// harReader reads an HTTP archive. It goes through the tokens around the entries
// itself, so that no more than one entry is in memory at a time.
type harReader struct {
	r     *Reader
	dec   *json.Decoder
	state harState
}

type harState int

const (
	harBegin   harState = iota // of the file
	harEntries                 // within log.entries
	harEnd                     // of the file
)

func newHAR(r *Reader) *harReader {
	return &harReader{r: r, dec: json.NewDecoder(r.in)}
}

// fault returns an error at the place that the decoder has reached.
func (h *harReader) fault(err error) error {
	return h.r.at(h.r.in.line(h.dec.InputOffset()), explain(err))
}

func (h *harReader) next() (Target, error) {
	if h.state == harBegin {
		if err := h.enter(); err != nil {
			return Target{}, h.fault(err)
		}
		h.state = harEntries
	}
	for h.state == harEntries && h.dec.More() {
		var e harEntry
		line, err := h.r.value(h.dec, &e)
		if err != nil {
			return Target{}, h.r.at(line, explain(err))
		}
		t, skipped, err := e.target()
		if err != nil {
			return Target{}, h.r.at(line, err)
		}
		if skipped != "" {
			h.r.skip(line, skipped)
			continue
		}
		t.Line = line
		return t, nil
	}
	if h.state == harEntries {
		if err := h.leave(); err != nil {
			return Target{}, h.fault(err)
		}
		h.state = harEnd
	}
	return Target{}, io.EOF
}

// enter goes to the first entry.
func (h *harReader) enter() error {
	if err := h.open("it", '{'); err != nil {
		return err
	}
	if err := h.find("it", "log"); err != nil {
		return err
	}
	if err := h.open(`"log"`, '{'); err != nil {
		return err
	}
	if err := h.find(`"log"`, "entries"); err != nil {
		return err
	}
	return h.open(`"entries"`, '[')
}

// open goes into an object or an array.
func (h *harReader) open(what string, delim json.Delim) error {
	token, err := h.dec.Token()
	if err == nil && token != delim {
		err = fmt.Errorf("not an HTTP archive: %s does not begin with %v", what, delim)
	}
	return err
}

// find goes to the value of a key of an object.
func (h *harReader) find(object, key string) error {
	found, err := h.seek(key)
	if err == nil && !found {
		err = fmt.Errorf("not an HTTP archive: %s has no %q", object, key)
	}
	return err
}

// seek goes to the value of a key, or out of the object where there is none.
func (h *harReader) seek(key string) (found bool, err error) {
	for h.dec.More() {
		name, err := h.dec.Token()
		if err != nil || name == key {
			return err == nil, err
		}
		if err := h.over(); err != nil {
			return false, err
		}
	}
	_, err = h.dec.Token()
	return false, err
}

// over goes over a value, token by token.
func (h *harReader) over() error {
	for depth := 0; ; {
		token, err := h.dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// leave reads the rest of the file after the entries, which must hold no other
// entries.
func (h *harReader) leave() error {
	if _, err := h.dec.Token(); err != nil {
		return err
	}
	for _, key := range []string{"entries", "log"} {
		found, err := h.seek(key)
		if err != nil {
			return err
		}
		if found {
			return fmt.Errorf("%q appears twice", key)
		}
	}
	token, err := h.dec.Token()
	switch {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%v follows the end of the archive", token)
}

// target returns an entry's request, or why there is none that can be sent.
func (e *harEntry) target() (t Target, skipped string, err error) {
	q := e.Request
	if q == nil || q.Method == "" || q.URL == "" {
		return Target{}, "", errors.New(`an entry needs a "request" with "method" and "url"`)
	}
	scheme, rest, _ := strings.Cut(q.URL, ":")
	if s := strings.ToLower(scheme); s != "http" && s != "https" {
		return Target{}, fmt.Sprintf("%.40q is not an http or https URL", q.URL), nil
	}
	if q.Method == "CONNECT" {
		return Target{}, "CONNECT opens a tunnel through a proxy", nil
	}
	t = Target{Method: q.Method, URL: q.URL, Recorded: true}
	host := strings.TrimPrefix(rest, "//")
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	if strings.EqualFold(headerOf(q.Headers, "Upgrade"), "websocket") {
		return Target{}, "it opens a WebSocket", nil
	}
	for _, p := range q.Headers {
		if p.Name == "" || strings.HasPrefix(p.Name, ":") || ofConnection(p.Name) || strings.EqualFold(p.Name, "Host") && p.Value == host {
			continue
		}
		t.Header = append(t.Header, p)
	}
	if q.PostData == nil {
		return t, "", nil
	}
	if t.Body, skipped, err = q.PostData.body(); err != nil || skipped != "" {
		return Target{}, skipped, err
	}
	if len(t.Body) > 0 && q.PostData.MimeType != "" && headerOf(q.Headers, "Content-Type") == "" {
		t.Header = append(t.Header, Field{"Content-Type", q.PostData.MimeType})
	}
	return t, "", nil
}

// headerOf returns the first value of a header, or "".
func headerOf(header []Field, name string) string {
	for _, p := range header {
		if strings.EqualFold(p.Name, name) {
			return p.Value
		}
	}
	return ""
}

// ofConnection reports whether a header is about the connection it went over
// (RFC 9110, 7.6.1), or follows from the body.
func ofConnection(name string) bool {
	switch strings.ToLower(name) {
	case "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection", "upgrade", "te", "trailer", "http2-settings", "expect":
		return true
	}
	return false
}

// body returns the request's body, or why it cannot be had.
func (c *harContent) body() (body []byte, skipped string, err error) {
	form, _, _ := strings.Cut(c.MimeType, ";")
	form = strings.ToLower(strings.TrimSpace(form))
	switch {
	case c.Text != "" && strings.EqualFold(c.Encoding, "base64"):
		b, err := base64.StdEncoding.DecodeString(c.Text)
		if err != nil {
			return nil, "", fmt.Errorf("postData.text is not base64, though postData.encoding says so: %w", err)
		}
		return b, "", nil
	case c.Text != "" && c.Encoding != "":
		return nil, fmt.Sprintf("postData has the unknown encoding %.40q", c.Encoding), nil
	case c.Text != "" || len(c.Params) == 0:
		return []byte(c.Text), "", nil
	case form != "application/x-www-form-urlencoded":
		return nil, fmt.Sprintf("the body, of type %.40q, was not recorded", c.MimeType), nil
	}
	var b strings.Builder
	for i, p := range c.Params {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(p.Name) + "=" + url.QueryEscape(p.Value))
	}
	return []byte(b.String()), "", nil
}
