package ingest

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzCheckAnswer: an answer that is JSON is read as encoding/json reads it.
func FuzzCheckAnswer(f *testing.F) {
	for _, answer := range []string{
		"", "[1]", `{"errors":true}`, `{"took":30, "errors" : true, "items":[]}`, `{"items":[{"errors":true},[{"a":"\\\""}]],"errors":false}`,
		`{"a":{"errors":true},"b":"errors","errors":true}`, `{"errors":[true],"errors":true}`, `{"":"errors"}`,
	} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		got := checkAnswer(strings.NewReader(answer))
		if !json.Valid([]byte(answer)) || strings.Contains(answer, `\u`) {
			return // a name may stand there in escapes, which no engine writes
		}
		if want := saysErrors(answer); (got != nil) != want {
			t.Errorf("%q: %v, want an error: %t", answer, got, want)
		}
	})
}

// saysErrors reports whether the first member "errors" of an object is true.
func saysErrors(answer string) bool {
	d := json.NewDecoder(strings.NewReader(answer))
	if open, _ := d.Token(); open != json.Delim('{') {
		return false
	}
	for d.More() {
		name, _ := d.Token()
		var value any
		if d.Decode(&value) != nil || name == "errors" {
			return value == true
		}
	}
	return false
}
