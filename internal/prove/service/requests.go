package service

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"whet/internal/load"
	"whet/internal/prove"
)

// Bounds of a file of requests.
const (
	maxRequests    = 100_000
	maxRequestLine = 1 << 20
	maxRequestFile = 64 << 20
)

// readRequests reads a file of requests.
func readRequests(name string) ([]load.Request, error) {
	// Opening a pipe would wait for its writer.
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("read requests %s: not a regular file: write the requests to one", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	defer f.Close()
	requests, err := parseRequests(f)
	if err != nil {
		return nil, fmt.Errorf("read requests %s: %w", name, err)
	}
	return requests, nil
}

// parseRequests reads requests, one a line:
//
//	METHOD PATH [HEADERS] [BODY]
//
// PATH begins with a slash and may have a query. HEADERS is a JSON object of
// strings. BODY is the rest of the line, without the space around it. A body that is itself a JSON object needs HEADERS before it, which may be
// {}. Lines that are empty or begin with # are passed over.
func parseRequests(r io.Reader) ([]load.Request, error) {
	limited := &io.LimitedReader{R: r, N: maxRequestFile + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxRequestLine)
	var out []load.Request
	n := 0
	for lines.Scan() {
		n++
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		q, err := parseRequest(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if len(out) == maxRequests {
			return nil, fmt.Errorf("line %d: more than %d requests", n, maxRequests)
		}
		out = append(out, q)
	}
	switch {
	case errors.Is(lines.Err(), bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d: longer than 1 MiB", n+1)
	case lines.Err() != nil:
		return nil, lines.Err()
	case limited.N == 0:
		return nil, errors.New("larger than 64 MiB")
	case len(out) == 0:
		return nil, errors.New("no requests: write lines like GET /items?id=7")
	}
	return out, nil
}

func parseRequest(text string) (load.Request, error) {
	method, rest := cutWord(text)
	path, rest := cutWord(rest)
	if path == "" {
		return load.Request{}, fmt.Errorf("%s has no path: write lines like GET /items?id=7", prove.Show(text))
	}
	q := load.Request{Method: method, Target: path}
	if err := q.Validate(); err != nil {
		return load.Request{}, err
	}
	if strings.HasPrefix(rest, "{") {
		d := json.NewDecoder(strings.NewReader(rest))
		if err := d.Decode(&q.Header); err != nil {
			return load.Request{}, fmt.Errorf("headers %s: not a JSON object of strings (put {} before a body that is an object)", prove.Show(rest))
		}
		rest = strings.TrimSpace(rest[d.InputOffset():])
	}
	if rest != "" {
		q.Body = []byte(rest)
	}
	return q, q.Validate()
}

// cutWord takes the first word off a text without space around it.
func cutWord(text string) (word, rest string) {
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}
