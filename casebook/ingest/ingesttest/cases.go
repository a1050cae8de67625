package ingesttest

import (
	"strconv"
	"strings"

	"whet/casebook/ingest"
)

// request is one row of the table.
type request struct {
	what   string
	body   string
	bulk   string // what the sink gets; empty: it is not called
	answer string
}

// at is a document of day 2026-11-20 in UTC.
const at = `{"type":"app","time":"2026-11-20T10:00:00Z"}`

const (
	notJSON = `want one JSON object in UTF-8, nested at most 100 deep`
	badType = `\"type\": want it once, as text of 1 to 64 of a-z, 0-9, _ and -, a letter or digit first`
	badTime = `\"time\": want it once, as text in the form of RFC 3339, such as 2026-11-20T10:00:00Z`
	tooLong = `the line is longer than 65536 bytes`
)

// bulk is documents for one index.
func bulk(index string, documents ...string) string {
	var b strings.Builder
	for _, d := range documents {
		b.WriteString(`{"index":{"_index":"` + index + `"}}` + "\n" + d + "\n")
	}
	return b.String()
}

func taken(n int) string { return `{"taken":` + strconv.Itoa(n) + `,"broken":0}` + "\n" }

// broken is the answer to n documents, and lines broken for one reason.
func broken(n int, why string, lines ...int) string {
	b := `{"taken":` + strconv.Itoa(n) + `,"broken":` + strconv.Itoa(len(lines)) + `,"lines":[`
	for i, line := range lines {
		if i == ingest.MaxReported {
			break
		}
		if i > 0 {
			b += ","
		}
		b += `{"line":` + strconv.Itoa(line) + `,"why":"` + why + `"}`
	}
	return b + "]}\n"
}

// one is a row of one document that is taken as it is.
func one(what, index, document string) request {
	return request{what, document + "\n", bulk(index, document), taken(1)}
}

// bad is a row of one broken line between two good ones.
func bad(what, why, line string) request {
	return request{what, at + "\n" + line + "\n" + at + "\n", bulk("app-2026.11.20", at, at), broken(2, why, 2)}
}

func typed(kind string) string { return `{"type":` + kind + `,"time":"2026-11-20T10:00:00Z"}` }

func timed(when string) string { return `{"type":"app","time":` + when + `}` }

// sized is a line of n bytes without its \n, which is a document.
func sized(n int) string {
	const head, tail = `{"type":"app","time":"2026-11-20T10:00:00Z","x":"`, `"}`
	return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
}

func nested(depth int) string {
	return `{"type":"app","time":"2026-11-20T10:00:00Z","x":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
}

func upTo(n int) []int {
	lines := make([]int, n)
	for i := range lines {
		lines[i] = i + 1
	}
	return lines
}

var requests = []request{
	// lines
	{"nothing", "", "", taken(0)},
	{"one line end", "\n", "", taken(0)},
	{"blank lines", "\n \r\n\t\n\r\n  ", "", taken(0)},
	one("one document", "app-2026.11.20", at),
	{"no line end at the end", at + "\n" + at, bulk("app-2026.11.20", at, at), taken(2)},
	{"space around a document", " \t" + at + " \t\r\n\r\n" + at + "\r\n", bulk("app-2026.11.20", at, at), taken(2)},
	{"other space is no space", "\v" + at + "\n\u00a0" + at + "\n" + at + "\f\n", "", broken(0, notJSON, 1, 2, 3)},
	{"blank lines count", "\n\n{}\n \n[]\n\n" + at, bulk("app-2026.11.20", at), `{"taken":1,"broken":2,"lines":[{"line":3,"why":"` + badType + `"},{"line":5,"why":"` + notJSON + `"}]}` + "\n"},
	{"nothing but broken lines", "{\n}\nx\n", "", broken(0, notJSON, 1, 2, 3)},
	{"more broken lines than are listed", strings.Repeat("x\n", 101) + at, bulk("app-2026.11.20", at), broken(1, notJSON, upTo(101)...)},
	{"order is kept over indexes", typed(`"b"`) + "\n" + typed(`"a"`) + "\n" + typed(`"b"`),
		bulk("b-2026.11.20", typed(`"b"`)) + bulk("a-2026.11.20", typed(`"a"`)) + bulk("b-2026.11.20", typed(`"b"`)), taken(3)},
	{"two documents in a line", at + at + "\n" + at + " " + at + "\n" + at + ",", "", broken(0, notJSON, 1, 2, 3)},
	{"byte order mark", "\ufeff" + at + "\n" + at, bulk("app-2026.11.20", at), broken(1, notJSON, 1)},

	// long lines
	one("longest line", "app-2026.11.20", sized(ingest.MaxLine)),
	bad("line too long", tooLong, sized(ingest.MaxLine+1)),
	bad("space makes a line too long", tooLong, at+strings.Repeat(" ", ingest.MaxLine)),
	bad("line as long as twice the limit", tooLong, sized(2*ingest.MaxLine)),
	bad("a byte less", tooLong, sized(2*ingest.MaxLine-1)),
	bad("a byte more", tooLong, sized(2*ingest.MaxLine+1)),
	bad("line many times too long", tooLong, sized(9*ingest.MaxLine)),
	{"long lines follow one another", sized(3*ingest.MaxLine) + "\n" + sized(2*ingest.MaxLine) + "\n" + at + "\n" + sized(5*ingest.MaxLine-7) + "\n" + at,
		bulk("app-2026.11.20", at, at), broken(2, tooLong, 1, 2, 4)},
	{"long last line", at + "\n" + sized(3*ingest.MaxLine), bulk("app-2026.11.20", at), broken(1, tooLong, 2)},
	{"long last line, less than twice", at + "\n" + sized(ingest.MaxLine+1), bulk("app-2026.11.20", at), broken(1, tooLong, 2)},
	{"documents inside a long line are none", strings.Repeat("x", 2*ingest.MaxLine) + at + "\n" + at, bulk("app-2026.11.20", at), broken(1, tooLong, 1)},
	{"many blank lines", typed(`"a\nb"`) + "\n" + strings.Repeat("\n", 3*ingest.MaxLine) + at + "\n", bulk("app-2026.11.20", at), broken(1, badType, 1)},

	// type
	one("shortest type", "a-2026.11.20", typed(`"a"`)),
	one("type of all characters", "0az9_--2026.11.20", typed(`"0az9_-"`)),
	one("longest type", strings.Repeat("t", 64)+"-2026.11.20", typed(`"`+strings.Repeat("t", 64)+`"`)),
	one("escapes in a type", "app-2026.11.20", typed(`"\u0061p\u0070"`)),
	one("escapes in a name", "app-2026.11.20", `{"t\u0079pe":"app","\u0074ime":"2026-11-20T10:00:00Z"}`),
	one("names inside other members", "app-2026.11.20", `{"x":{"type":"no","time":1},"y":[{"type":"no"}],"type":"app","z":"\"type\":\"no\"","time":"2026-11-20T10:00:00Z"}`),
	one("names in capitals are others", "app-2026.11.20", `{"Type":"no","TIME":"no","type":"app","time":"2026-11-20T10:00:00Z","tYpe":"no"}`),
	one("space inside", "app-2026.11.20", "{ \t\"type\"\r: \"app\" ,\"time\" :\t\"2026-11-20T10:00:00Z\" , \"x\" : [ ] , \"y\" : { } }"),
	bad("type too long", badType, typed(`"`+strings.Repeat("t", 65)+`"`)),
	bad("no type", badType, `{"time":"2026-11-20T10:00:00Z"}`),
	bad("empty type", badType, typed(`""`)),
	bad("type is null", badType, typed(`null`)),
	bad("type is a number", badType, typed(`1`)),
	bad("type is an object", badType, typed(`{"type":"app"}`)),
	bad("type in capitals", badType, typed(`"App"`)),
	bad("type begins with a sign", badType, typed(`"_app"`)),
	bad("type begins with another", badType, typed(`"-app"`)),
	bad("type is a path", badType, typed(`"../app"`)),
	bad("type with a quote", badType, typed(`"a\"}}"`)),
	bad("type with an escaped line end", badType, typed(`"app\n"`)),
	bad("type is two", badType, typed(`"a,b"`)),
	bad("type is a pattern", badType, typed(`"a*"`)),
	bad("type with another letter", badType, typed(`"größe"`)),
	bad("type twice", badType, `{"type":"app","type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("type three times", badType, `{"type":"app","type":"app","type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("type twice, once escaped", badType, `{"type":"app","time":"2026-11-20T10:00:00Z","\u0074ype":"app"}`),
	bad("type in capitals only", badType, `{"Type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("empty object", badType, `{}`),

	// time
	one("time with a fraction", "app-2026.11.20", timed(`"2026-11-20T23:59:59.999999999Z"`)),
	one("day is that in UTC, the next", "app-2026.11.21", timed(`"2026-11-20T23:30:00-01:00"`)),
	one("day is that in UTC, the one before", "app-2025.12.31", timed(`"2026-01-01T05:29:59+05:30"`)),
	one("leap day", "app-2028.02.29", timed(`"2028-02-29T00:00:00Z"`)),
	one("year 0", "app-0000.01.01", timed(`"0000-01-01T00:00:00Z"`)),
	one("year 9999", "app-9999.12.31", timed(`"9999-12-31T23:59:59Z"`)),
	one("escapes in a time", "app-2026.11.20", timed(`"2026\u002d11-20T10:00:00\u005A"`)),
	bad("year before 0", badTime, timed(`"0000-01-01T00:00:00+00:01"`)),
	bad("year 10000", badTime, timed(`"9999-12-31T23:59:59-00:01"`)),
	bad("no time", badTime, `{"type":"app"}`),
	bad("time is null", badTime, timed(`null`)),
	bad("time is a number", badTime, timed(`1763632800`)),
	bad("day that is none", badTime, timed(`"2026-02-29T00:00:00Z"`)),
	bad("hour that is none", badTime, timed(`"2026-11-20T24:00:00Z"`)),
	bad("no zone", badTime, timed(`"2026-11-20T10:00:00"`)),
	bad("day alone", badTime, timed(`"2026-11-20"`)),
	bad("hour of one digit", badTime, timed(`"2026-11-20T1:00:00Z"`)),
	bad("comma for a point", badTime, timed(`"2026-11-20T10:00:00,5Z"`)),
	bad("point without digits", badTime, timed(`"2026-11-20T10:00:00.Z"`)),
	bad("zone of 24 hours", badTime, timed(`"2026-11-20T10:00:00+24:00"`)),
	bad("zone of 60 minutes", badTime, timed(`"2026-11-20T10:00:00+01:60"`)),
	bad("zone without a colon", badTime, timed(`"2026-11-20T10:00:00+0100"`)),
	bad("small letters", badTime, timed(`"2026-11-20t10:00:00z"`)),
	bad("more after the zone", badTime, timed(`"2026-11-20T10:00:00Z "`)),
	bad("leap second", badTime, timed(`"2026-12-31T23:59:60Z"`)),
	bad("space for a T", badTime, timed(`"2026-11-20 10:00:00Z"`)),
	bad("time twice", badTime, `{"type":"app","time":"2026-11-20T10:00:00Z","time":"2026-11-20T10:00:00Z"}`),

	// JSON
	one("all kinds of values", "app-2026.11.20", `{"a":[null,true,false,"",{},[]],"b":[0,-0,1,-1,10,0.5,1e5,1E-5,-1.25e+10],"type":"app","time":"2026-11-20T10:00:00Z"}`),
	one("all escapes", "app-2026.11.20", `{"x":"\"\\\/\b\f\n\r\t\u0000\uD800\uabCD","type":"app","time":"2026-11-20T10:00:00Z"}`),
	one("text of every length", "app-2026.11.20", `{"":"1","22":"333","4444":"55555","666666":"7777777","88888888":"999999999","type":"app","time":"2026-11-20T10:00:00Z","\\":"\\","xxxxxxx\\":"xxxxxxxx\\"}`),
	one("other characters", "app-2026.11.20", `{"größe":"😀\u2028 \u007f","type":"app","time":"2026-11-20T10:00:00Z","x":"`+"\u007f\u0080\U0010ffff"+`"}`),
	one("deepest nesting", "app-2026.11.20", nested(ingest.MaxDepth)),
	bad("nested too deep", notJSON, nested(ingest.MaxDepth+1)),
	bad("objects nested too deep", notJSON, strings.Repeat(`{"type":`, ingest.MaxDepth+1)+"1"+strings.Repeat("}", ingest.MaxDepth+1)),
	bad("array", notJSON, "["+at+"]"),
	bad("text", notJSON, `"{}"`),
	bad("null", notJSON, `null`),
	bad("object without an end", notJSON, at[:len(at)-1]),
	bad("object without a beginning", notJSON, at[1:]),
	bad("text without an end", notJSON, `{"type":"app","time":"2026-11-20T10:00:00Z}`),
	bad("comma at the end", notJSON, `{"type":"app","time":"2026-11-20T10:00:00Z",}`),
	bad("comma at the start", notJSON, `{,"type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("no comma", notJSON, `{"type":"app" "time":"2026-11-20T10:00:00Z"}`),
	bad("no colon", notJSON, `{"type" "app","time":"2026-11-20T10:00:00Z"}`),
	bad("name without a value", notJSON, `{"type":"app","time":"2026-11-20T10:00:00Z","x":}`),
	bad("name without quotes", notJSON, `{type:"app","time":"2026-11-20T10:00:00Z"}`),
	bad("quotes of another kind", notJSON, `{'type':'app','time':'2026-11-20T10:00:00Z'}`),
	bad("comma at an array's end", notJSON, `{"x":[1,],"type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("array closed by a brace", notJSON, `{"x":[1},"type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("zeros in front", notJSON, `{"x":01,"type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("point at the end", notJSON, `{"x":1.,"type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("point at the start", notJSON, `{"x":.5,"type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("exponent without digits", notJSON, `{"x":1e,"type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("sign alone", notJSON, `{"x":-,"type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("plus in front", notJSON, `{"x":+1,"type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("NaN", notJSON, `{"x":NaN,"type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("part of a word", notJSON, `{"x":tru,"type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("word in capitals", notJSON, `{"x":True,"type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("unknown escape", notJSON, `{"x":"\x41","type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("escape too short", notJSON, `{"x":"\u12","type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("escape that is no number", notJSON, `{"x":"\u12g4","type":"app","time":"2026-11-20T10:00:00Z"}`),
	bad("tab in text", notJSON, "{\"x\":\"a\tb\",\"type\":\"app\",\"time\":\"2026-11-20T10:00:00Z\"}"),
	bad("NUL in text", notJSON, "{\"x\":\"a\x00b\",\"type\":\"app\",\"time\":\"2026-11-20T10:00:00Z\"}"),
	bad("byte that is not UTF-8", notJSON, "{\"x\":\"a\xffb\",\"type\":\"app\",\"time\":\"2026-11-20T10:00:00Z\"}"),
	bad("half a character", notJSON, "{\"x\":\"a\xe2\x82\",\"type\":\"app\",\"time\":\"2026-11-20T10:00:00Z\"}"),
	bad("surrogate in UTF-8", notJSON, "{\"x\":\"\xed\xa0\x80\",\"type\":\"app\",\"time\":\"2026-11-20T10:00:00Z\"}"),
	bad("comment", notJSON, `{"type":"app",/**/"time":"2026-11-20T10:00:00Z"}`),
}
