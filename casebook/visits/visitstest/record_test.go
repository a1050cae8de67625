package visitstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
)

func TestRecord(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		parse Parse
		line  string
	}{
		{Logfmt, `time="2026-11-20T10:00:00Z" level=info msg=visited count=3 module=hello name="a \"b\"\n=c"`},
		{JSON, `{"level":"info","module":"hello","name":"a \"b\"\n=c","count":3,"time":"2026-11-20T10:00:00Z","message":"visited"}`},
	} {
		r, err := c.parse([]byte(c.line))
		if err != nil {
			t.Errorf("%v in %s", err, c.line)
			continue
		}
		want := map[string]string{"module": "hello", "name": "a \"b\"\n=c", "count": "3"}
		if !r.Time.Equal(at) || r.Level != "info" || r.Message != "visited" || !maps.Equal(r.Fields, want) {
			t.Errorf("%s gives %v", c.line, r)
		}
	}
}

func TestBadRecord(t *testing.T) {
	const at = `time="2026-11-20T10:00:00Z" `
	for line, want := range map[string]string{
		"":                            "cannot parse",
		"level=info":                  "cannot parse",
		at + "level":                  "no key=value",
		at + "=x":                     "no key=value",
		at + `"a"=x`:                  "no key=value",
		at + "a=b ":                   "ends in a space",
		at + "a=b  c=d":               "no key=value",
		at + `a="b`:                   "value of a",
		at + `a="b"c=d`:               "follows the value of a",
		at + "a=b=c":                  "not plain",
		at + "a=b\nc":                 "not plain",
		at + `a=b"c`:                  "not plain",
		at + "a=b a=c":                "twice",
		`time=2026-11-20T10:00 a="b"`: "cannot parse",
	} {
		if _, err := Logfmt([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("logfmt %q: error %v, want one with %q", line, err, want)
		}
	}
	const now = `"time":"2026-11-20T10:00:00Z"`
	for line, want := range map[string]string{
		"":                          "not a JSON object",
		"[1]":                       "not a JSON object",
		"{}":                        "cannot parse",
		"{" + now:                   "read log record",
		"{" + now + "} {}":          "follows the object",
		"{" + now + "}x":            "follows the object",
		"{" + now + `,"a":1,"a":2}`: "twice",
		"{" + now + `,"a":{}}`:      "neither string nor number",
		"{" + now + `,"a":null}`:    "neither string nor number",
		"{" + now + ",\n\"a\":1}":   "spans lines",
		"{" + now + `,"a":01}`:      "read log record",
		`{"time":"noon"}`:           "cannot parse",
	} {
		if _, err := JSON([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("JSON %q: error %v, want one with %q", line, err, want)
		}
	}
}

// FuzzLogfmt: what logrus writes comes back.
func FuzzLogfmt(f *testing.F) {
	f.Add("visited", "Ann", 1)
	f.Add("a \"b\"", "c=d\n", -7)
	f.Add("\xff\u2028", "\\", 0)
	f.Fuzz(func(t *testing.T, message, name string, count int) {
		if message == "" {
			return // logrus leaves the key out
		}
		var out bytes.Buffer
		log := logrus.New()
		log.SetOutput(&out)
		log.WithFields(logrus.Fields{"name": name, "count": count}).Info(message)
		line, _ := bytes.CutSuffix(out.Bytes(), []byte("\n"))
		r, err := Logfmt(line)
		if err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		want := map[string]string{"name": string([]rune(name)), "count": fmt.Sprint(count)}
		if r.Level != "info" || r.Message != message || !maps.Equal(r.Fields, want) {
			t.Errorf("%q gives %q", line, r)
		}
	})
}

// FuzzJSON: a line that is read is what encoding/json reads, and a name that
// encoding/json writes comes back.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"time":"2026-11-20T10:00:00Z","level":"info","message":"visited","name":"A","count":1}`), "Ann")
	f.Add([]byte(`{"time":"2026-11-20T10:00:00Z","a":1e3}`), "\xff\"\\\n")
	f.Add([]byte(`{"time":"2026-11-20T10:00:00Z","a":{"b":1}}`), "")
	f.Fuzz(func(t *testing.T, line []byte, name string) {
		if r, err := JSON(line); err == nil {
			var want map[string]any
			if err := json.Unmarshal(line, &want); err != nil {
				t.Fatalf("%q is no JSON: %v", line, err)
			}
			for k, v := range r.Fields {
				if s, ok := want[k].(string); ok && s != v {
					t.Errorf("%q: %s is %q, want %q", line, k, v, s)
				}
			}
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := JSON([]byte(`{"time":"2026-11-20T10:00:00Z","name":` + string(quoted) + `}`))
		if err != nil || r.Fields["name"] != string([]rune(name)) {
			t.Errorf("%q comes back as %q, %v", name, r.Fields["name"], err)
		}
	})
}
