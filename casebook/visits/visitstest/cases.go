package visitstest

import (
	"net/http"
	"strings"

	"whet/casebook/visits"
)

const (
	form      = "application/x-www-form-urlencoded"
	multipart = "multipart/form-data; boundary=X"
)

// request is one row of the table. status 0 stands for 200.
type request struct {
	what        string
	method      string // GET if empty
	query       string
	contentType string
	body        string

	status       int
	name, colour string
}

func part(name, value string) string {
	return "--X\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
}

var requests = []request{
	{what: "name and colour", query: "name=Ann&color=teal", name: "Ann", colour: "teal"},
	{what: "order does not matter", query: "color=teal&name=Ann", name: "Ann", colour: "teal"},
	{what: "other keys", query: "x=1&name=Ann&names=B&Name=C&color=teal&colors=red", name: "Ann", colour: "teal"},
	{what: "empty pairs", query: "&&name=Ann&&color=teal&", name: "Ann", colour: "teal"},

	// reading the query
	{what: "percent", query: "name=J%C3%BCrgen%20%26%3d%25&color=%23FFcc00", name: "Jürgen &=%", colour: "#FFcc00"},
	{what: "percent in small letters", query: "name=%c3%bc", name: "ü", colour: "black"},
	{what: "percent in a key", query: "n%61me=Ann&c%6Flor=red", name: "Ann", colour: "red"},
	{what: "plus", query: "name=Ann+Lee+&color=red", name: "Ann Lee ", colour: "red"},
	{what: "plus in a key", query: "name+=A&name=B&+color=red", name: "B", colour: "black"},
	{what: "escaped plus", query: "name=a%2Bb", name: "a+b", colour: "black"},
	{what: "first value", query: "name=Ann&name=Bob&color=red&color=blue", name: "Ann", colour: "red"},
	{what: "first value, two spellings of the key", query: "n%61me=Ann&name=Bob", name: "Ann", colour: "black"},
	{what: "first value is empty", query: "name=&name=Bob", status: http.StatusBadRequest},
	{what: "equals sign in a value", query: "name=a=b=&color=red", name: "a=b=", colour: "red"},
	{what: "semicolon drops its pair", query: "name=Ann;Bob&name=Cid&color=red;", name: "Cid", colour: "black"},
	{what: "semicolon does not separate", query: "color=red;name=Ann", status: http.StatusBadRequest},
	{what: "semicolon in a key", query: "a;name=Ann&name=Bob", name: "Bob", colour: "black"},
	{what: "escaped semicolon", query: "name=a%3Bb", name: "a;b", colour: "black"},
	{what: "bad escape drops its pair", query: "name=%zz&name=Bob&color=%2&color=red", name: "Bob", colour: "red"},
	{what: "bad escape at the end", query: "name=Ann&color=red%", name: "Ann", colour: "black"},
	{what: "bad escape in a key", query: "%=1&%g0=2&name=Ann", name: "Ann", colour: "black"},
	{what: "key without value", query: "name&name=Ann", status: http.StatusBadRequest},
	{what: "value without key", query: "=Ann&name=Bob", name: "Bob", colour: "black"},
	{what: "NUL and DEL", query: "name=a%00b%7f", name: "a\x00b\x7f", colour: "black"},
	{what: "bytes that are not UTF-8", query: "name=%ff%fe%c3-%e2%82", name: "\xff\xfe\xc3-\xe2\x82", colour: "black"},
	{what: "raw bytes", query: "name=ü\x80", name: "ü\x80", colour: "black"},
	{what: "more pairs than url.ParseQuery reads", query: "name=Ann" + strings.Repeat("&", 10_000), status: http.StatusBadRequest},
	{what: "as many pairs as it reads", query: strings.Repeat("&", 9_999) + "name=Ann", name: "Ann", colour: "black"},
	{what: "long name", query: "name=" + strings.Repeat("n<", 40_000), name: strings.Repeat("n<", 40_000), colour: "black"},

	// no name
	{what: "no query", status: http.StatusBadRequest},
	{what: "no name", query: "color=red", status: http.StatusBadRequest},
	{what: "empty name", query: "name=&color=red", status: http.StatusBadRequest},
	{what: "blank name is one", query: "name=+", name: " ", colour: "black"},

	// markup and log records
	{what: "markup", query: "name=%3C/p%3E%3Cscript%3Ealert(%271%27)%3C/script%3E%26amp;&name=%3C/p%3E%3Cimg+src=x+onerror=%22alert(%271%27)%22%3E%26amp%3B",
		name: `</p><img src=x onerror="alert('1')">&amp;`, colour: "black"},
	{what: "record in a name", query: "name=a%0Alevel%3Derror+msg%3D%22gone%22%0d%0a%7B%22level%22:%22error%22%7D%E2%80%A8", name: "a\nlevel=error msg=\"gone\"\r\n{\"level\":\"error\"}\u2028", colour: "black"},
	{what: "field in a name", query: `name=x"+count=9+msg="y`, name: `x" count=9 msg="y`, colour: "black"},
	{what: "field in a JSON name", query: `name=x","count":9,"y":"`, name: `x","count":9,"y":"`, colour: "black"},
	{what: "backslash in a name", query: `name=\%5C\"\n`, name: `\\\"\n`, colour: "black"},
	{what: "tab and bell", query: "name=%09%07%08%0c%1b[31m", name: "\t\a\b\f\x1b[31m", colour: "black"},

	// colours
	{what: "no colour", query: "name=A", name: "A", colour: "black"},
	{what: "empty colour", query: "name=A&color=", name: "A", colour: "black"},
	{what: "colour in capitals", query: "name=A&color=RebeccaPurple", name: "A", colour: "RebeccaPurple"},
	{what: "three digits", query: "name=A&color=%23f0A", name: "A", colour: "#f0A"},
	{what: "eight digits", query: "name=A&color=%2312345678", name: "A", colour: "#12345678"},
	{what: "five digits", query: "name=A&color=%2312345", name: "A", colour: "black"},
	{what: "not a colour", query: "name=A&color=reddish", name: "A", colour: "black"},
	{what: "colour with a space", query: "name=A&color=red+", name: "A", colour: "black"},
	{what: "colour function", query: "name=A&color=rgb(1,2,3)", name: "A", colour: "black"},
	{what: "declaration in a colour", query: "name=A&color=red%3Bbackground:url(//x)", name: "A", colour: "black"},
	{what: "attribute in a colour", query: "name=A&color=red'+onclick='alert(1)", name: "A", colour: "black"},
	{what: "markup in a colour", query: "name=A&color='%3E%3Cscript%3E", name: "A", colour: "black"},

	// POST
	{what: "POST form", method: "POST", contentType: form, body: "name=Ann&color=teal", name: "Ann", colour: "teal"},
	{what: "POST form with charset", method: "POST", contentType: form + "; charset=utf-8", body: "name=Ann+%26&color=%23fff", name: "Ann &", colour: "#fff"},
	{what: "POST goes before the query", method: "POST", query: "name=Query&color=red", contentType: form, body: "name=Form&name=Second", name: "Form", colour: "red"},
	{what: "POST with an empty name goes before the query", method: "POST", query: "name=Query", contentType: form, body: "name=", status: http.StatusBadRequest},
	{what: "POST without a form", method: "POST", query: "name=Query&color=red", name: "Query", colour: "red"},
	{what: "POST of another type", method: "POST", query: "name=Query", contentType: "text/plain", body: "name=Body", name: "Query", colour: "black"},
	{what: "POST with a bad pair", method: "POST", contentType: form, body: "name=%zz&name=Ann&color=red;&x", name: "Ann", colour: "black"},
	{what: "POST of nothing", method: "POST", contentType: form, status: http.StatusBadRequest},
	{what: "POST multipart", method: "POST", contentType: multipart, body: part("name", "Ann & <b>") + part("color", "teal") + "--X--\r\n", name: "Ann & <b>", colour: "teal"},
	{what: "query goes before multipart", method: "POST", query: "name=Query", contentType: multipart, body: part("name", "Part") + part("color", "red") + "--X--\r\n", name: "Query", colour: "red"},
	{what: "broken multipart", method: "POST", query: "name=Query", contentType: multipart, body: part("color", "red"), name: "Query", colour: "black"},
	{what: "multipart without boundary", method: "POST", query: "name=Query", contentType: "multipart/form-data", body: "x", name: "Query", colour: "black"},
	{what: "GET with a form is read by its query", query: "name=Query", contentType: form, body: "name=Form", name: "Query", colour: "black"},
	{what: "GET multipart", query: "color=red", contentType: multipart, body: part("name", "Part") + "--X--\r\n", name: "Part", colour: "red"},
	{what: "form of the greatest size", method: "POST", contentType: form, body: sized(visits.MaxBody), name: "Ann", colour: "black"},
	{what: "form too large", method: "POST", contentType: form, body: sized(visits.MaxBody + 1), status: http.StatusBadRequest},
	{what: "form too large, name in the query", method: "POST", query: "name=Query", contentType: form, body: sized(visits.MaxBody + 1), name: "Query", colour: "black"},
	{what: "multipart too large", method: "POST", query: "name=Query", contentType: multipart, body: part("color", "red") + part("x", sized(visits.MaxBody)) + "--X--\r\n", name: "Query", colour: "black"},

	// methods
	{what: "HEAD", method: "HEAD", query: "name=Ann", status: http.StatusMethodNotAllowed},
	{what: "PUT", method: "PUT", query: "name=Ann", contentType: form, body: "name=Ann", status: http.StatusMethodNotAllowed},
	{what: "DELETE", method: "DELETE", query: "name=Ann", status: http.StatusMethodNotAllowed},
	{what: "OPTIONS", method: "OPTIONS", status: http.StatusMethodNotAllowed},
	{what: "method in small letters", method: "get", query: "name=Ann", status: http.StatusMethodNotAllowed},
}

// sized returns a form of n bytes.
func sized(n int) string {
	const head = "name=Ann&x="
	return head + strings.Repeat("x", n-len(head))
}
