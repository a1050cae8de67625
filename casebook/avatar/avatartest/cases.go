package avatartest

import (
	"net/http"
	"strings"

	"whet/casebook/avatar"
)

const (
	bad   = http.StatusBadRequest
	large = http.StatusRequestEntityTooLarge
)

// request is one row of the table. status 0 stands for 200.
type request struct {
	what   string
	method string // GET if empty
	path   string // decoded
	query  string
	body   string

	status int
	name   string
	size   int // in pixels; 0 stands for the query's, which is 16 then
}

const small = "size=16"

var requests = []request{
	{what: "two words", path: "/avatar/Ann Lee", query: small, name: "Ann Lee"},
	{what: "one word", path: "/avatar/ann", query: small, name: "ann"},
	{what: "three words", path: "/avatar/Ann van Lee", query: small, name: "Ann van Lee"},
	{what: "a word that is no name", path: "/avatar/Ann - Lee ...", query: small, name: "Ann - Lee ..."},
	{what: "white space around", path: "/avatar/  Ann   Lee ", query: small, name: "  Ann   Lee "},
	{what: "white space that is not a blank", path: "/avatar/Ann\u00a0Lee\u3000Zoe", query: small, name: "Ann\u00a0Lee\u3000Zoe"},
	{what: "punctuation before a letter", path: "/avatar/'t (Hooft)", query: small, name: "'t (Hooft)"},
	{what: "hyphen", path: "/avatar/Jean-Luc", query: small, name: "Jean-Luc"},
	{what: "digits", path: "/avatar/7 of 9", query: small, name: "7 of 9"},
	{what: "marks", path: "/avatar/e\u0301mile Z\u0308oe", query: small, name: "e\u0301mile Z\u0308oe"},
	{what: "Greek and Cyrillic", path: "/avatar/ωμέγα яна", query: small, name: "ωμέγα яна"},
	{what: "letters that the font lacks", path: "/avatar/山田 太郎", query: small, name: "山田 太郎"},
	{what: "letter without a capital", path: "/avatar/ßa ŉb", query: small, name: "ßa ŉb"},
	{what: "letters that touch", path: "/avatar/Ĳsbrand Ĳ", query: small, name: "Ĳsbrand Ĳ"},
	{what: "emoji beside a letter", path: "/avatar/\U0001f600 x", query: small, name: "\U0001f600 x"},
	{what: "joiner", path: "/avatar/می\u200cخواهم", query: small, name: "می\u200cخواهم"},
	{what: "markup", path: "/avatar/<b>\"&'", query: small, name: "<b>\"&'"},
	{what: "record in a name", path: `/avatar/a","level":"error`, query: small, name: `a","level":"error`},
	{what: "replacement character", path: "/avatar/A\ufffd", query: small, name: "A\ufffd"},
	{what: "longest name", path: "/avatar/" + strings.Repeat("é", 64), query: small, name: strings.Repeat("é", 64)},

	// names that are none
	{what: "no name", path: "/avatar/", status: bad},
	{what: "blanks", path: "/avatar/   ", status: bad},
	{what: "no letter", path: "/avatar/-_.!?", status: bad},
	{what: "emoji", path: "/avatar/\U0001f600", status: bad},
	{what: "mark alone", path: "/avatar/\u0301", status: bad},
	{what: "name too long", path: "/avatar/" + strings.Repeat("é", 65), status: bad},
	{what: "name far too long", path: "/avatar/" + strings.Repeat("a", 100_000), status: bad},
	{what: "not UTF-8", path: "/avatar/A\xff", status: bad},
	{what: "half a character", path: "/avatar/A\xc3", status: bad},
	{what: "surrogate", path: "/avatar/A\xed\xa0\x80", status: bad},
	{what: "slash", path: "/avatar/a/b", status: bad},
	{what: "slash at the end", path: "/avatar/a/", status: bad},
	{what: "NUL", path: "/avatar/a\x00", status: bad},
	{what: "newline", path: "/avatar/a\nb", status: bad},
	{what: "next line", path: "/avatar/a\u0085b", status: bad},
	{what: "DEL", path: "/avatar/a\x7f", status: bad},
	{what: "direction override", path: "/avatar/a\u202eb", status: bad},
	{what: "direction isolate", path: "/avatar/a\u2066b", status: bad},
	{what: "other path", path: "/avatars/Ann", status: bad},

	// sizes
	{what: "default size", path: "/avatar/Ann Lee", name: "Ann Lee", size: 128},
	{what: "empty size", path: "/avatar/Ann", query: "size=", name: "Ann", size: 128},
	{what: "size without a value", path: "/avatar/Ann", query: "size", name: "Ann", size: 128},
	{what: "smallest", path: "/avatar/Ann", query: "size=16", name: "Ann", size: 16},
	{what: "odd", path: "/avatar/Ann", query: "size=33", name: "Ann", size: 33},
	{what: "largest", path: "/avatar/W W", query: "size=512", name: "W W", size: 512},
	{what: "leading zeros", path: "/avatar/Ann", query: "size=00000000000020", name: "Ann", size: 20},
	{what: "other keys", path: "/avatar/Ann", query: "x=1&size=20&sizes=9&Size=8", name: "Ann", size: 20},
	{what: "first value", path: "/avatar/Ann", query: "size=20&size=30", name: "Ann", size: 20},
	{what: "escaped", path: "/avatar/Ann", query: "siz%65=2%30", name: "Ann", size: 20},
	{what: "semicolon drops its pair", path: "/avatar/Ann", query: "size=20;&size=21", name: "Ann", size: 21},
	{what: "too small", path: "/avatar/Ann", query: "size=15", status: bad},
	{what: "too large", path: "/avatar/Ann", query: "size=513", status: bad},
	{what: "none at all", path: "/avatar/Ann", query: "size=0", status: bad},
	{what: "negative", path: "/avatar/Ann", query: "size=-20", status: bad},
	{what: "plus", path: "/avatar/Ann", query: "size=%2B20", status: bad},
	{what: "blank before", path: "/avatar/Ann", query: "size=+20", status: bad},
	{what: "hexadecimal", path: "/avatar/Ann", query: "size=0x20", status: bad},
	{what: "underscore", path: "/avatar/Ann", query: "size=2_0", status: bad},
	{what: "fraction", path: "/avatar/Ann", query: "size=20.0", status: bad},
	{what: "more than 16 bits", path: "/avatar/Ann", query: "size=65556", status: bad},
	{what: "more than 64 bits", path: "/avatar/Ann", query: "size=18446744073709551636", status: bad},
	{what: "other digits", path: "/avatar/Ann", query: "size=%D9%A2%D9%A0", status: bad},

	// bodies
	{what: "a body", path: "/avatar/Ann", query: small, body: "size=20", name: "Ann"},
	{what: "the largest body", path: "/avatar/Ann", query: small, body: strings.Repeat("x", avatar.MaxBody), name: "Ann"},
	{what: "body too large", path: "/avatar/Ann", query: small, body: strings.Repeat("x", avatar.MaxBody+1), status: large},
	{what: "body far too large", path: "/avatar/Ann", query: small, body: strings.Repeat("x", 1<<20), status: large},

	// methods
	{what: "POST", method: "POST", path: "/avatar/Ann", query: small, status: http.StatusMethodNotAllowed},
	{what: "PUT with a body", method: "PUT", path: "/avatar/Ann", body: "x", status: http.StatusMethodNotAllowed},
	{what: "method in small letters", method: "get", path: "/avatar/Ann", status: http.StatusMethodNotAllowed},
}
