package message

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"whet/internal/recording"
)

// compile checks a target and makes it ready.
func compile(t *Target, table *Table) (compiled, error) {
	var c compiled
	m := &c.fixed
	m.Method = t.Method
	if m.Method == "" {
		m.Method = "GET"
		if len(t.Body) > 0 {
			m.Method = "POST"
		}
	}
	switch {
	case !IsToken(m.Method):
		return compiled{}, fmt.Errorf("method %q: invalid characters; give a word such as GET", clip(m.Method))
	case m.Method == "CONNECT":
		return compiled{}, errors.New("method CONNECT: opens a tunnel through a proxy and cannot be timed")
	}
	rest, user, err := compileOrigin(t, m)
	if err != nil {
		return compiled{}, fmt.Errorf("URL %q: %w", clip(recording.Redacted(t.URL)), err)
	}
	if err := c.compilePath(t, rest, table); err != nil {
		return compiled{}, fmt.Errorf("URL %q: %w", clip(recording.Redacted(t.URL)), err)
	}
	if err := c.compileHeader(t, table); err != nil {
		return compiled{}, err
	}
	if user != "" && !has(m.Header, "Authorization") {
		m.Header = append(m.Header, Field{"Authorization", user})
	}
	if err := c.compileBody(t, table); err != nil {
		return compiled{}, fmt.Errorf("body: %w", err)
	}
	c.finish()
	return c, nil
}

// finish records the needs of the templates.
func (c *compiled) finish() {
	look := func(t template) {
		c.template = c.template || t != nil
		for i := range t {
			c.rowed = c.rowed || t[i].kind == kindCSV
			c.counted = c.counted || t[i].kind == kindSeq
		}
	}
	look(c.path)
	for _, h := range c.header {
		look(h.value)
	}
	look(c.body)
}

// compileOrigin reads scheme and host, and returns the rest of the URL, and the
// Authorization if the URL has a user.
func compileOrigin(t *Target, m *Message) (rest, authorization string, err error) {
	scheme, after, ok := strings.Cut(t.URL, "://")
	m.Scheme = strings.ToLower(scheme)
	if !ok || m.Scheme != "http" && m.Scheme != "https" {
		return "", "", errors.New("write it in full, as http://localhost:8080/path or https://example.com/")
	}
	authority := after
	if i := strings.IndexAny(after, "/?#"); i >= 0 {
		authority, rest = after[:i], after[i:]
	}
	if strings.Contains(authority, opening) {
		return "", "", errors.New("the host cannot be a template; write one target for each host")
	}
	u, err := url.Parse(m.Scheme + "://" + authority)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return "", "", err
	}
	if err := checkHost(u); err != nil {
		return "", "", err
	}
	m.Host = u.Host
	if u.User != nil {
		password, _ := u.User.Password()
		authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
	}
	return rest, authorization, nil
}

// checkHost refuses hosts that cannot be asked.
func checkHost(u *url.URL) error {
	host := u.Hostname()
	if host == "" {
		return errors.New("the host is missing")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return fmt.Errorf("port %s is not within 1 to 65535", clip(port))
		}
	} else if strings.HasSuffix(u.Host, ":") {
		return errors.New("the port is missing after the colon")
	}
	if strings.HasPrefix(u.Host, "[") {
		return nil // net/url has read the address
	}
	for i := range len(host) {
		switch c := host[i]; {
		case c >= 0x80:
			return fmt.Errorf("host %q: write it in its ASCII form, which begins with xn--", clip(host))
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		default:
			return fmt.Errorf("host %q: invalid character %q", clip(host), c)
		}
	}
	return nil
}

// parse makes a template of a text, or of a literal target's text one that is
// this text.
func (t *Target) parse(text string, table *Table, at escape) (template, error) {
	if t.Literal {
		return template{{text: text}}, nil
	}
	return parseTemplate(text, table, at)
}

// compilePath makes the request's target from the part after the host.
func (c *compiled) compilePath(t *Target, rest string, table *Table) error {
	if !strings.HasPrefix(rest, "/") {
		rest = "/" + rest
	}
	// Values are escaped for their position, which the question mark in the text before
	// them determines; one in a template's own words does not count.
	parts, err := t.parse(rest, table, inPath)
	if err != nil {
		return err
	}
	if query := queryFrom(parts); query < len(parts) {
		inside, err := t.parse(rest, table, inQuery)
		if err != nil {
			return err
		}
		copy(parts[query:], inside[query:])
	}
	for i := range parts {
		if parts[i].kind != kindText {
			continue
		}
		text, _, fragment := strings.Cut(parts[i].text, "#")
		for at := range len(text) {
			if text[at] == '%' && !percentAt(text, at) {
				return fmt.Errorf("%q is not an escaped character; write a plain percent sign as %%25", clip(text[at:min(at+3, len(text))]))
			}
		}
		parts[i].text = string(rawURL.append(nil, text))
		if fragment { // which is never sent
			parts = parts[:i+1]
			break
		}
	}
	if err := parts.fits(maxURL, table); err != nil {
		return err
	}
	c.fixed.Target, c.path = settle(parts)
	return nil
}

// queryFrom returns the first part after the one that holds the question mark.
func queryFrom(parts template) int {
	for i := range parts {
		if parts[i].kind == kindText && strings.Contains(parts[i].text, "?") {
			return i + 1
		}
	}
	return len(parts)
}

// settle returns the text of a template that never changes, or the template.
func settle(parts template) (string, template) {
	var b strings.Builder
	for i := range parts {
		if parts[i].kind != kindText {
			return "", parts
		}
		b.WriteString(parts[i].text)
	}
	return b.String(), nil
}

// compileHeader checks the fields and makes their values ready.
func (c *compiled) compileHeader(t *Target, table *Table) error {
	for _, f := range t.Header {
		if !IsToken(f.Name) {
			return fmt.Errorf("header %q: not a header name", clip(f.Name))
		}
		switch {
		case strings.EqualFold(f.Name, "Content-Length"):
			if err := t.checkLength(f.Value); err != nil {
				return err
			}
			continue // it is computed from the body
		case strings.EqualFold(f.Name, "Transfer-Encoding"):
			return errors.New("header Transfer-Encoding: leave it out: bodies are sent whole, with Content-Length")
		case strings.EqualFold(f.Name, "Host") && has(c.fixed.Header, "Host"):
			return errors.New("header Host: is given twice")
		}
		parts, err := t.parse(strings.Trim(f.Value, " \t"), table, plain)
		if err != nil {
			return fmt.Errorf("header %s: %w", clip(f.Name), err)
		}
		for i := range parts {
			if err := parts[i].checkHeader(table); err != nil {
				return fmt.Errorf("header %s: %w", clip(f.Name), err)
			}
		}
		if err := parts.fits(maxValue, table); err != nil {
			return fmt.Errorf("header %s: %w", clip(f.Name), err)
		}
		value, made := settle(parts)
		if made != nil {
			c.header = append(c.header, headerTemplate{len(c.fixed.Header), made})
		}
		c.fixed.Header = append(c.fixed.Header, Field{f.Name, value})
	}
	return nil
}

// checkHeader refuses values that would end a header's line, or are no part of
// one: a line break in them could smuggle in another header, or another request.
func (p *part) checkHeader(table *Table) error {
	switch p.kind {
	case kindText:
		return checkValue(p.text)
	case kindPick:
		for _, v := range p.choices {
			if err := checkValue(v); err != nil {
				return err
			}
		}
	case kindCSV:
		for i, row := range table.rows {
			if err := checkValue(string(p.escape.append(nil, row[p.column]))); err != nil {
				return fmt.Errorf("%s, row %d, column %s: %w", table.name, i+1, table.columns[p.column], err)
			}
		}
	}
	return nil
}

func checkValue(v string) error {
	for i := range len(v) {
		if c := v[i]; c < ' ' && c != '\t' || c == 0x7f {
			return fmt.Errorf("the value %q contains the control character %q", clip(v), c)
		}
	}
	return nil
}

// checkLength refuses a Content-Length other than the body's: the load sends the
// body's own.
func (t *Target) checkLength(value string) error {
	switch value = strings.Trim(value, " \t"); {
	case t.bodyMade():
		return errors.New("header Content-Length: leave it out: the length of each body from the template is sent")
	case value != strconv.Itoa(len(t.Body)):
		return fmt.Errorf("header Content-Length: is %q, but the body has %d bytes; leave the header out: the length is always sent", clip(value), len(t.Body))
	}
	return nil
}

// bodyMade reports whether the body is a template.
func (t *Target) bodyMade() bool {
	return !t.Literal && bytes.Contains(t.Body, []byte(opening))
}

// compileBody makes the body ready.
func (c *compiled) compileBody(t *Target, table *Table) error {
	if !t.bodyMade() {
		if len(t.Body) > MaxBody {
			return errTooLarge(len(t.Body), MaxBody)
		}
		c.fixed.Body = t.Body
		return nil
	}
	parts, err := parseTemplate(string(t.Body), table, plain)
	if err != nil {
		return err
	}
	if err := parts.fits(MaxBody, table); err != nil {
		return err
	}
	text, made := settle(parts)
	c.fixed.Body, c.body = []byte(text), made
	return nil
}

func has(header []Field, name string) bool {
	for _, f := range header {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

// IsToken reports whether a text is a token of RFC 9110, as methods and the
// names of headers are.
func IsToken(s string) bool {
	if s == "" || len(s) > 1<<10 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return true
}
