package visitstest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Record is one log record, whatever its format.
type Record struct {
	Time    time.Time
	Level   string
	Message string
	Fields  map[string]string // all others; numbers in decimal
}

// Parse reads one line of a log, without its newline.
type Parse func(line []byte) (Record, error)

// Logfmt reads a record of logrus's text format: key=value pairs, one space
// apart, values quoted as Go strings where they are not plain.
func Logfmt(line []byte) (Record, error) {
	raw := make(map[string]string)
	rest := string(line)
	for rest != "" {
		key, after, ok := strings.Cut(rest, "=")
		if !ok || key == "" || strings.ContainsAny(key, "\" \n") {
			return Record{}, fmt.Errorf("read log record: no key=value at %q", rest)
		}
		var value string
		if strings.HasPrefix(after, `"`) {
			quoted, err := strconv.QuotedPrefix(after)
			if err != nil {
				return Record{}, fmt.Errorf("read log record: value of %s: %w", key, err)
			}
			if value, err = strconv.Unquote(quoted); err != nil {
				return Record{}, fmt.Errorf("read log record: value of %s: %w", key, err)
			}
			after = after[len(quoted):]
			if after != "" && after[0] != ' ' {
				return Record{}, fmt.Errorf("read log record: %q follows the value of %s", after, key)
			}
			rest = after
		} else {
			value, _, _ = strings.Cut(after, " ")
			rest = after[len(value):]
			if strings.ContainsAny(value, "\"=\n\r") {
				return Record{}, fmt.Errorf("read log record: value of %s is not plain and not quoted: %q", key, value)
			}
		}
		if rest != "" {
			rest = rest[1:]
			if rest == "" {
				return Record{}, errors.New("read log record: it ends in a space")
			}
		}
		if _, twice := raw[key]; twice {
			return Record{}, fmt.Errorf("read log record: %s stands there twice", key)
		}
		raw[key] = value
	}
	return newRecord(raw, "msg")
}

// JSON reads a record that is one flat JSON object of strings and numbers.
func JSON(line []byte) (Record, error) {
	if bytes.IndexByte(line, '\n') >= 0 {
		return Record{}, errors.New("read log record: it spans lines")
	}
	raw := make(map[string]string)
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return Record{}, fmt.Errorf("read log record: not a JSON object: %q", line)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return Record{}, fmt.Errorf("read log record: %w", err)
		}
		value, err := d.Token()
		if err != nil {
			return Record{}, fmt.Errorf("read log record: value of %v: %w", key, err)
		}
		k := key.(string) // the decoder has checked that a key is a string
		if _, twice := raw[k]; twice {
			return Record{}, fmt.Errorf("read log record: %s stands there twice", k)
		}
		switch v := value.(type) {
		case string:
			raw[k] = v
		case json.Number:
			raw[k] = v.String()
		default:
			return Record{}, fmt.Errorf("read log record: value of %s is neither string nor number", k)
		}
	}
	if _, err := d.Token(); err != nil {
		return Record{}, fmt.Errorf("read log record: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return Record{}, errors.New("read log record: something follows the object")
	}
	return newRecord(raw, "message")
}

func newRecord(raw map[string]string, message string) (Record, error) {
	at, err := time.Parse(time.RFC3339, raw["time"])
	if err != nil {
		return Record{}, fmt.Errorf("read log record: %w", err)
	}
	r := Record{Time: at, Level: raw["level"], Message: raw[message], Fields: raw}
	delete(raw, "time")
	delete(raw, "level")
	delete(raw, message)
	// JSON cannot carry bytes that are not UTF-8 and Go's quoting can: each such
	// byte is U+FFFD here, so that records of all formats compare.
	for k, v := range raw {
		raw[k] = string([]rune(v))
	}
	return r, nil
}
