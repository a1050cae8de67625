package target

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// jsonTarget is a target of vegeta's JSON format.
type jsonTarget struct {
	Method string              `json:"method"`
	URL    string              `json:"url"`
	Body   []byte              `json:"body,omitempty"`
	Header map[string][]string `json:"header,omitempty"`
	Weight float64             `json:"weight,omitempty"`
}

// jsonReader reads vegeta's JSON format.
type jsonReader struct {
	r     *Reader
	dec   *json.Decoder
	array bool // the targets stand in one array, whose begin was not read yet
	end   json.Token
}

func newJSON(r *Reader) *jsonReader {
	text := bytes.TrimLeft(bytes.TrimPrefix(head(r.in.r, 1), []byte(byteOrderMark)), " \t\r\n")
	return &jsonReader{r: r, dec: json.NewDecoder(r.in), array: bytes.HasPrefix(text, []byte("["))}
}

func (j *jsonReader) next() (Target, error) {
	if j.array {
		if _, err := j.dec.Token(); err != nil {
			return Target{}, j.r.at(1, explain(err))
		}
		j.array, j.end = false, json.Delim(']')
	}
	if !j.dec.More() {
		return Target{}, j.finish()
	}
	var v *jsonTarget
	line, err := j.r.value(j.dec, &v)
	if err != nil {
		return Target{}, j.r.at(line, explain(err))
	}
	switch {
	case v == nil:
		return Target{}, j.r.at(line, errors.New("null is not a target"))
	case v.Method == "" || v.URL == "":
		return Target{}, j.r.at(line, errors.New(`a target needs "method" and "url"`))
	}
	t := Target{Method: v.Method, URL: v.URL, Body: v.Body, Weight: v.Weight, Line: line}
	for _, name := range slices.Sorted(maps.Keys(v.Header)) {
		for _, value := range v.Header[name] {
			t.Header = append(t.Header, Field{name, value})
		}
	}
	return t, nil
}

// finish reads what stands after the last target, which must be the end.
func (j *jsonReader) finish() error {
	for {
		token, err := j.dec.Token()
		switch {
		case err == io.EOF && j.end == nil:
			return io.EOF
		case err != nil:
			return j.r.at(j.r.in.line(j.dec.InputOffset()), explain(err))
		case token != j.end:
			return j.r.at(j.r.in.line(j.dec.InputOffset()), fmt.Errorf("%v, want a target or the end", token))
		}
		j.end = nil
	}
}

// value reads the next value of a decoder, and says on which line it begins. Of
// what is no JSON that is the line on which what was read before ends.
func (r *Reader) value(dec *json.Decoder, v any) (line int, err error) {
	before := dec.InputOffset()
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return r.in.line(before), err
	}
	return r.in.line(dec.InputOffset() - int64(len(raw))), json.Unmarshal(raw, v)
}

// explain says in words of the file what a decoder found.
func explain(err error) error {
	var wrong *json.UnmarshalTypeError
	var corrupt base64.CorruptInputError
	switch {
	case errors.As(err, &wrong):
		if wrong.Field == "" {
			return fmt.Errorf("a JSON %s, want an object", wrong.Value)
		}
		return fmt.Errorf("%q cannot be a JSON %s", wrong.Field, wrong.Value)
	case errors.As(err, &corrupt):
		return fmt.Errorf("the body is not base64 at byte %d", int64(corrupt))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the file is truncated")
	}
	return err
}
