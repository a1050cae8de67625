package message

import (
	"strings"
	"testing"
)

// TestBounds: what is written out and what templates make is bounded alike, to
// the byte, and the row of the CSV file is named that goes beyond.
func TestBounds(t *testing.T) {
	// In a URL each é takes six bytes: %C3%A9.
	wide := strings.Repeat("é", maxURL/6)
	big := &Table{name: "users.csv", columns: []string{"id", "name"}, rows: [][]string{{"1", "Ann"}, {"2", wide}, {"3", "Bob"}}, longest: []int{1, len(wide)}}
	x := func(n int) string { return strings.Repeat("x", n) }
	room := maxURL - len(wide)*3 // beside it
	for name, tc := range map[string]struct {
		target Target
		want   string // "": it is made
	}{
		"url":               {Target{URL: "http://h/" + x(maxURL-1)}, ""},
		"long url":          {Target{URL: "http://h/" + x(maxURL)}, "1048577 bytes are more than the limit of 1048576"},
		"literal url":       {Target{URL: "http://h/" + x(maxURL), Literal: true}, "1048577 bytes are more than"},
		"header":            {Target{URL: "http://h/", Header: []Field{{"A", x(maxValue)}}}, ""},
		"long header":       {Target{URL: "http://h/", Header: []Field{{"A", x(maxValue + 1)}}}, "header A: 1048577 bytes are more than"},
		"body":              {Target{URL: "http://h/", Body: make([]byte, MaxBody)}, ""},
		"long body":         {Target{URL: "http://h/", Body: make([]byte, MaxBody+1)}, "body: 67108865 bytes are more than the limit of 67108864"},
		"strings":           {Target{URL: "http://h/{{string 1048575}}"}, ""},
		"two strings":       {Target{URL: "http://h/{{string 1048575}}{{hex 1}}"}, "1048577 bytes are more than"},
		"pick":              {Target{URL: `http://h/` + x(maxURL-9) + `{{pick a "/////"}}`}, "1048583 bytes are more than"}, // %2F each
		"numbers":           {Target{URL: "http://h/" + x(maxURL-21) + "{{int -9223372036854775808 0}}"}, ""},
		"more than numbers": {Target{URL: "http://h/" + x(maxURL-20) + "{{seq}}"}, "1048577 bytes are more than"},
		"uuid":              {Target{URL: "http://h/", Header: []Field{{"A", x(maxValue-36) + "{{uuid}}"}}}, ""},
		"row":               {Target{URL: "http://h/" + x(room-1) + "{{csv.name}}"}, ""},
		"long row":          {Target{URL: "http://h/" + x(room) + "{{csv.name}}"}, "users.csv, row 2, column name: 1048577 bytes are more than"},
		"its longest":       {Target{URL: "http://h/" + x(room-1) + "{{csv.id}}{{csv.name}}{{csv.id}}"}, "users.csv, row 2, column name: 1048578 bytes"},
		"shorter as it is":  {Target{URL: "http://h/", Header: []Field{{"A", "{{csv.name}}{{csv.name}}{{csv.name}}"}}}, ""},
		"row in a header":   {Target{URL: "http://h/", Header: []Field{{"A", "{{csv.name}}{{csv.name}}{{csv.name}}{{csv.id}}" + x(room)}}}, "header A: users.csv, row 2, column name: 1048577 bytes"},
		"row in a body":     {Target{URL: "http://h/", Body: []byte(x(MaxBody-len(wide)) + "{{csv.name}}")}, ""},
		"long, in a body":   {Target{URL: "http://h/", Body: []byte(x(MaxBody-len(wide)) + "{{csv.name}}.")}, "body: users.csv, row 2, column name: 67108865 bytes"},
	} {
		_, err := New([]Target{tc.target}, Options{Table: big})
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 300):
			t.Errorf("%s: %.300v, want %q", name, err, tc.want)
		}
	}
}
