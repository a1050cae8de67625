package gatewaytest

import (
	"fmt"
	"strings"

	"whet/casebook/gateway"
)

// request is one row of the table. refused is nil where the downstream is
// called, and the rest is what it gets then; a session "" is one that is made.
type request struct {
	what    string
	body    string
	refused error

	business, qua, session string
	payload                string // any JSON of the same value
}

// with is a body with a business name and some more of a header.
func with(header string) string {
	return `{"header":{"businessName":"shop",` + header + `},"payload":1}`
}

// carrying is a body with a payload.
func carrying(payload string) string {
	return `{"header":{"businessName":"shop","qua":{"v":"1"},"sessionId":"s"},"payload":` + payload + `}`
}

// ok is the row of a body whose header is of no interest.
func carried(what, payload string) request {
	return request{what: what, body: carrying(payload), business: "shop", qua: "v=1", session: "s", payload: payload}
}

func pairs(n int, format string) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(format, i))
	}
	return strings.Join(all, ",")
}

func nested(levels int) string {
	return strings.Repeat(`[{"a":`, levels/2) + strings.Repeat("[", levels%2) + "1" + strings.Repeat("]", levels%2) + strings.Repeat("}]", levels/2)
}

var requests = []request{
	{what: "all there is", body: `{"header":{"businessName":"shop","qua":{"v":"7.1","os":"linux"},"sessionId":"abc"},"payload":{"a":[1,"x",null,true]}}`,
		business: "shop", qua: "os=linux&v=7.1", session: "abc", payload: `{"a":[1,"x",null,true]}`},
	{what: "order does not matter", body: ` { "payload" : [ 1 ] , "header" : { "sessionId" : "abc" , "qua" : { } , "businessName" : "shop" } } `,
		business: "shop", session: "abc", payload: `[1]`},
	{what: "white space everywhere", body: "\t{\r\n\"header\"\t:\n{\"businessName\"\r:\t\"shop\"}\n,\"payload\"\t:\r\n{ \"a\" :\t1 }\n}\r\n", business: "shop", payload: `{"a":1}`},
	{what: "business name alone", body: `{"header":{"businessName":"s"}}`, business: "s", payload: `null`},

	// names of members
	{what: "members that are not known", body: `{"v":[1],"header":{"trace":{"qua":{"a":1}},"businessName":"shop","x":0.1e60},"payload":1,"sessionId":"no","z":{"header":5}}`, business: "shop", payload: `1`},
	{what: "not known, given twice", body: `{"x":1,"x":2,"header":{"businessName":"shop","y":1,"y":{}},"payload":1}`, business: "shop", payload: `1`},
	{what: "another case is another name", body: `{"Header":{"businessName":"a"},"header":{"businessName":"shop","BusinessName":"b","SESSIONID":"c","Qua":5},"PAYLOAD":2,"payload":1}`, business: "shop", payload: `1`},
	{what: "another case alone", body: `{"Header":{"businessName":"a"},"payload":1}`, refused: gateway.NoBusiness},
	{what: "business name in another case alone", body: `{"header":{"businessname":"a"},"payload":1}`, refused: gateway.NoBusiness},
	{what: "names in escapes", body: `{"he\u0061der":{"\u0062usinessName":"shop","\u0071ua":{"\u0061":"1"},"session\u0049d":"s"},"p\u0061yload":7}`, business: "shop", qua: "a=1", session: "s", payload: `7`},
	{what: "names that begin alike", body: `{"head":1,"headers":2,"header":{"businessName":"shop","businessNames":1,"qu":2,"quas":3},"payload":1,"":2}`, business: "shop", payload: `1`},
	{what: "header twice", body: `{"header":{"businessName":"shop"},"header":{"businessName":"shop"},"payload":1}`, refused: gateway.Twice},
	{what: "header twice, once null", body: `{"header":{"businessName":"shop"},"payload":1,"header":null}`, refused: gateway.Twice},
	{what: "header twice, in escapes", body: `{"header":{"businessName":"shop"},"h\u0065ader":{}}`, refused: gateway.Twice},
	{what: "payload twice", body: `{"header":{"businessName":"shop"},"payload":1,"payload":1}`, refused: gateway.Twice},
	{what: "business name twice", body: with(`"businessName":"shop"`), refused: gateway.Twice},
	{what: "qua twice", body: with(`"qua":{"a":"1"},"qua":{"b":"2"}`), refused: gateway.Twice},
	{what: "session twice", body: with(`"sessionId":"a","sessionId":"a"`), refused: gateway.Twice},
	{what: "known names elsewhere twice", body: `{"header":{"businessName":"shop","header":1,"header":2,"payload":1,"payload":2},"qua":1,"qua":2,"payload":{"payload":1,"header":2}}`, business: "shop", payload: `{"payload":1,"header":2}`},

	// header
	{what: "no header", body: `{"payload":1}`, refused: gateway.NoBusiness},
	{what: "nothing", body: `{}`, refused: gateway.NoBusiness},
	{what: "null header", body: `{"header":null,"payload":1}`, refused: gateway.NoBusiness},
	{what: "empty header", body: `{"header":{},"payload":1}`, refused: gateway.NoBusiness},
	{what: "null business name", body: `{"header":{"businessName":null}}`, refused: gateway.NoBusiness},
	{what: "empty business name", body: `{"header":{"businessName":""}}`, refused: gateway.NoBusiness},
	{what: "blank business name is one", body: `{"header":{"businessName":" "},"payload":1}`, business: " ", payload: `1`},
	{what: "header is an array", body: `{"header":[],"payload":1}`, refused: gateway.WrongTypes},
	{what: "header is a string", body: `{"header":"businessName","payload":1}`, refused: gateway.WrongTypes},
	{what: "header is a number", body: `{"header":0}`, refused: gateway.WrongTypes},
	{what: "header is a boolean", body: `{"header":false}`, refused: gateway.WrongTypes},
	{what: "business name is a number", body: `{"header":{"businessName":1}}`, refused: gateway.WrongTypes},
	{what: "business name is an object", body: `{"header":{"businessName":{}}}`, refused: gateway.WrongTypes},
	{what: "session is a boolean", body: with(`"sessionId":true`), refused: gateway.WrongTypes},
	{what: "session is an array", body: with(`"sessionId":["s"]`), refused: gateway.WrongTypes},
	{what: "a wrong type goes before what is missing", body: `{"header":{"sessionId":5}}`, refused: gateway.WrongTypes},
	{what: "business name in escapes", body: `{"header":{"businessName":"\u0073h\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"},"payload":1}`, business: "sh\"\\/\b\f\n\r\té😀", payload: `1`},
	{what: "business name with markup and NUL", body: `{"header":{"businessName":"<&>\u0000\u2028"},"payload":1}`, business: "<&>\x00\u2028", payload: `1`},
	{what: "longest business name", body: `{"header":{"businessName":"` + strings.Repeat("é", 32) + `"},"payload":1}`, business: strings.Repeat("é", 32), payload: `1`},
	{what: "longest business name, in escapes", body: `{"header":{"businessName":"` + strings.Repeat(`\u0061`, 64) + `"},"payload":1}`, business: strings.Repeat("a", 64), payload: `1`},
	{what: "business name too long", body: `{"header":{"businessName":"` + strings.Repeat("a", 65) + `"}}`, refused: gateway.LongName},
	{what: "longest session", body: with(`"sessionId":"` + strings.Repeat("s", 64) + `"`), business: "shop", session: strings.Repeat("s", 64), payload: `1`},
	{what: "session too long", body: with(`"sessionId":"` + strings.Repeat("s", 65) + `"`), refused: gateway.LongName},
	{what: "null session", body: with(`"sessionId":null`), business: "shop", payload: `1`},
	{what: "empty session", body: with(`"sessionId":""`), business: "shop", payload: `1`},
	{what: "session that nobody made here", body: with(`"sessionId":"ü\n\"x"`), business: "shop", session: "ü\n\"x", payload: `1`},

	// qua
	{what: "null qua", body: with(`"qua":null`), business: "shop", payload: `1`},
	{what: "empty qua", body: with(`"qua":{}`), business: "shop", payload: `1`},
	{what: "qua is sorted by bytes", body: with(`"qua":{"b":"1","a":"2","B":"3","ab":"4","a.":"5","é":"6","a\u0000":"7"}`), business: "shop", qua: "B=3&a=2&a\x00=7&a.=5&ab=4&b=1&é=6", payload: `1`},
	{what: "qua in escapes", body: with(`"qua":{"\u0061\n":"\"\\x\ud83d\ude00","b":"\u2028<"}`), business: "shop", qua: "a\n=\"\\x😀&b=\u2028<", payload: `1`},
	{what: "null and empty in qua", body: with(`"qua":{"a":null,"b":""}`), business: "shop", qua: "a=&b=", payload: `1`},
	{what: "equals sign in a value", body: with(`"qua":{"a":"b=c="}`), business: "shop", qua: "a=b=c=", payload: `1`},
	{what: "last one of a name in qua", body: with(`"qua":{"a":"1","b":"2","\u0061":"3","a":"4"}`), business: "shop", qua: "a=4&b=2", payload: `1`},
	{what: "last one of a name is null", body: with(`"qua":{"a":"1","a":null}`), business: "shop", qua: "a=", payload: `1`},
	{what: "an earlier one of a name is no string", body: with(`"qua":{"a":5,"a":"1"}`), business: "shop", qua: "a=1", payload: `1`},
	{what: "the last one of a name is no string", body: with(`"qua":{"a":"1","a":5}`), refused: gateway.WrongTypes},
	{what: "qua is an array", body: with(`"qua":[]`), refused: gateway.WrongTypes},
	{what: "qua is a string", body: with(`"qua":"a=1"`), refused: gateway.WrongTypes},
	{what: "number in qua", body: with(`"qua":{"v":7}`), refused: gateway.WrongTypes},
	{what: "object in qua", body: with(`"qua":{"v":{}}`), refused: gateway.WrongTypes},
	{what: "false in qua", body: with(`"qua":{"a":"1","v":false}`), refused: gateway.WrongTypes},
	{what: "ampersand in a value", body: with(`"qua":{"a":"1&b=2"}`), refused: gateway.BadQua},
	{what: "ampersand in a value, in escapes", body: with(`"qua":{"a":"1\u0026b=2"}`), refused: gateway.BadQua},
	{what: "ampersand in a name", body: with(`"qua":{"a&b":"1"}`), refused: gateway.BadQua},
	{what: "equals sign in a name", body: with(`"qua":{"a=b":"1"}`), refused: gateway.BadQua},
	{what: "equals sign in a name, in escapes", body: with(`"qua":{"a\u003d":"1"}`), refused: gateway.BadQua},
	{what: "empty name in qua", body: with(`"qua":{"":"1"}`), refused: gateway.BadQua},
	{what: "a name too long goes before qua", body: with(`"sessionId":"` + strings.Repeat("s", 65) + `","qua":{"":"1"}`), refused: gateway.LongName},
	{what: "a wrong type goes before qua", body: with(`"qua":{"":"1","x":1}`), refused: gateway.WrongTypes},
	{what: "most pairs", body: with(`"qua":{` + pairs(32, `"k%02d":"v"`) + `}`), business: "shop", qua: strings.ReplaceAll(pairs(32, `k%02d=v`), ",", "&"), payload: `1`},
	{what: "most pairs, others replaced", body: with(`"qua":{` + pairs(40, `"k00":"%d"`) + `,` + pairs(32, `"k%02d":"v"`) + `}`), business: "shop", qua: strings.ReplaceAll(pairs(32, `k%02d=v`), ",", "&"), payload: `1`},
	{what: "two names over and over", body: with(`"qua":{` + strings.Repeat(`"b":"1","a":2,"a":"x",`, 300) + `"b":"y","a":"z"}`), business: "shop", qua: "a=z&b=y", payload: `1`},
	{what: "two names over and over, the last one no string", body: with(`"qua":{` + strings.Repeat(`"b":"1","a":"2",`, 300) + `"b":3}`), refused: gateway.WrongTypes},
	{what: "most pairs over and over", body: with(`"qua":{` + strings.Repeat(pairs(32, `"k%02d":"u"`)+`,`, 40) + pairs(32, `"k%02d":"v"`) + `}`), business: "shop", qua: strings.ReplaceAll(pairs(32, `k%02d=v`), ",", "&"), payload: `1`},
	{what: "far too many pairs, then repeats", body: with(`"qua":{` + pairs(700, `"k%03d":"u"`) + `,` + pairs(700, `"k%03d":"v"`) + `}`), refused: gateway.BadQua},
	{what: "far too many pairs, an early one no string", body: with(`"qua":{"k000":1,` + pairs(700, `"k%03d":"u"`) + `,"k":1,` + pairs(700, `"j%03d":"v"`) + `}`), refused: gateway.WrongTypes},
	{what: "too many pairs", body: with(`"qua":{` + pairs(33, `"k%02d":"v"`) + `}`), refused: gateway.BadQua},
	{what: "longest qua", body: with(`"qua":{"a":"` + strings.Repeat("v", 1000) + `","b":"` + strings.Repeat("v", 1043) + `"}`), business: "shop", qua: "a=" + strings.Repeat("v", 1000) + "&b=" + strings.Repeat("v", 1043), payload: `1`},
	{what: "qua too long", body: with(`"qua":{"a":"` + strings.Repeat("v", 1000) + `","b":"` + strings.Repeat("v", 1044) + `"}`), refused: gateway.BadQua},

	// payload
	{what: "no payload", body: `{"header":{"businessName":"shop","qua":{"v":"1"},"sessionId":"s"}}`, business: "shop", qua: "v=1", session: "s", payload: `null`},
	carried("null payload", `null`),
	carried("true", `true`), carried("false", `false`), carried("string", `"x"`), carried("empty string", `""`), carried("empty object", `{}`), carried("empty array", `[]`),
	carried("string that is JSON", `"{\"a\":1}"`),
	carried("every kind", `{"a":[{},[],"",0,null,true,false,{"b":[[1]]}],"":{"":""}}`),
	carried("long integer", `[12345678901234567890,9007199254740993,-9223372036854775809]`),
	carried("long fraction", `[0.1000000000000000055511151231257827,3.14159265358979323846264338327950288]`),
	carried("forms of numbers", `[0,-0,0.0,-0.0,1.0,1.50,1e2,1E2,1e+2,1E-02,100,0e0,0.10e1]`),
	carried("beyond a float64", `[1e400,-1e400,1e-400,`+strings.Repeat("9", 400)+`]`),
	carried("beyond a float32, and begins with 0", `{"x":0.1e39,"y":[0.5E60],"z":-0.1e60}`),
	carried("a float32's end", `[0.34028235677973366e39,0.34028234663852886e39]`),
	carried("alone, and beyond a float32", `0.1e39`),
	carried("escapes", `"\"\\\/\b\f\n\r\t\u0000\u001f\u007f\u00e9\u2028\ud83d\ude00\ufffd\uffff"`),
	carried("markup", `{"<&>'":"</script><!-- \u003c\u0026"}`),
	carried("text beyond ASCII", `{"é€😀":"é€😀`+"\u2028\u2029\ufffd\x7f"+`"}`),
	carried("white space", " {\t\"a\" :\r\n[ 1 , 2 ] } "),
	carried("order of an array", `[3,1,2,{"b":1,"a":2}]`),
	carried("names that differ in case", `{"a":1,"A":2,"header":{"payload":3}}`),
	carried("names repeated", `{"a":1,"b":{"c":1,"c":{"d":2}},"a":{"x":1},"a":3}`),
	carried("names repeated in escapes", `{"a":1,"\u0061":2}`),
	carried("as deep as may be", nested(99)),
	{what: "too deep", body: carrying(nested(100)), refused: gateway.TooDeep},
	{what: "too deep where nobody looks", body: `{"header":{"businessName":"shop"},"x":` + nested(100) + `}`, refused: gateway.TooDeep},
	{what: "as deep as may be in the header", body: with(`"x":` + nested(98)), business: "shop", payload: `1`},
	{what: "too deep in the header", body: with(`"x":` + nested(99)), refused: gateway.TooDeep},
	{what: "too deep in qua", body: with(`"qua":{"x":` + nested(98) + `}`), refused: gateway.TooDeep},
	{what: "deep in qua", body: with(`"qua":{"x":` + nested(97) + `}`), refused: gateway.WrongTypes},
	{what: "far too deep", body: strings.Repeat(`{"payload":`, 20_000), refused: gateway.TooDeep},
	carried("a longer one", string(Body(7, 60_000))),

	// what is no JSON
	{what: "no body", refused: gateway.NotJSON},
	{what: "blank", body: " \n", refused: gateway.NotJSON},
	{what: "null", body: `null`, refused: gateway.NotJSON},
	{what: "array", body: `[{"header":{"businessName":"shop"}}]`, refused: gateway.NotJSON},
	{what: "string", body: `"{}"`, refused: gateway.NotJSON},
	{what: "breaks off", body: `{"header":{"businessName":"shop"},"payload":{"a":1}`, refused: gateway.NotJSON},
	{what: "two bodies", body: carrying(`1`) + carrying(`1`), refused: gateway.NotJSON},
	{what: "something follows", body: carrying(`1`) + `]`, refused: gateway.NotJSON},
	{what: "NUL follows", body: carrying(`1`) + "\x00", refused: gateway.NotJSON},
	{what: "NUL and a body follow", body: carrying(`1`) + "\x00" + carrying(`2`), refused: gateway.NotJSON},
	{what: "comma at the end", body: carrying(`[1,]`), refused: gateway.NotJSON},
	{what: "comma at the end of the header", body: `{"header":{"businessName":"shop",},"payload":1}`, refused: gateway.NotJSON},
	{what: "null as a name", body: carrying(`{null:1}`), refused: gateway.NotJSON},
	{what: "null as a name of qua", body: with(`"qua":{null:"x"}`), refused: gateway.NotJSON},
	{what: "null as a known name", body: `{null:1,"header":{"businessName":"shop"}}`, refused: gateway.NotJSON},
	{what: "two signs", body: carrying(`-+1`), refused: gateway.NotJSON},
	{what: "zero before digits", body: carrying(`[-01]`), refused: gateway.NotJSON},
	{what: "number of signs", body: carrying(`[1+-.eE2]`), refused: gateway.NotJSON},
	{what: "point without digits", body: carrying(`[1.]`), refused: gateway.NotJSON},
	{what: "number that breaks off", body: carrying(`[1e]`), refused: gateway.NotJSON},
	{what: "NaN", body: carrying(`NaN`), refused: gateway.NotJSON},
	{what: "newline in a string", body: carrying("\"a\nb\""), refused: gateway.NotJSON},
	{what: "newline in a string with an escape before it", body: carrying("\"\\t\n\""), refused: gateway.NotJSON},
	{what: "escape that is none", body: carrying(`"\x41"`), refused: gateway.NotJSON},
	{what: "byte order mark", body: "\ufeff" + carrying(`1`), refused: gateway.NotJSON},
	{what: "not UTF-8", body: carrying("\"\xff\""), refused: gateway.NotJSON},
	{what: "not UTF-8 in a name that is not known", body: `{"header":{"businessName":"shop"},"` + "\xc3" + `":1}`, refused: gateway.NotJSON},
	{what: "half a surrogate pair", body: carrying(`"\ud800"`), refused: gateway.NotJSON},
	{what: "a half and a pair", body: carrying(`"\ud800\ud800\udc00"`), refused: gateway.NotJSON},
	{what: "half a pair in the business name", body: `{"header":{"businessName":"\udc00"}}`, refused: gateway.NotJSON},
	{what: "single quotes", body: `{'header':{'businessName':'shop'}}`, refused: gateway.NotJSON},
	{what: "comment", body: `{/**/}`, refused: gateway.NotJSON},
	{what: "broken goes before a wrong type", body: `{"header":5,"payload":}`, refused: gateway.NotJSON},
	{what: "broken goes before what is missing", body: `{"payload":tru}`, refused: gateway.NotJSON},
	{what: "broken before given twice", body: `{"payload":tru,"payload":1}`, refused: gateway.NotJSON},
	{what: "given twice before broken", body: `{"payload":1,"payload":tru}`, refused: gateway.Twice},
	{what: "too deep before broken", body: carrying(strings.Repeat("[", 100) + "}"), refused: gateway.TooDeep},
}

// Bodies returns the bodies of the table, for a fuzz target to begin with.
func Bodies() []string {
	var all []string
	for _, q := range requests {
		if len(q.body) < 1<<12 {
			all = append(all, q.body)
		}
	}
	return all
}

// answers is the table of what the downstream may answer.
var answers = []struct {
	what, text string
	refused    error
}{
	{"an object", `{"a":[1,"x"]}`, nil}, {"null", `null`, nil}, {"a string", ` "x\n\u0041" `, nil}, {"an array", "[ 1,\n2 ]", nil},
	{"numbers", `[12345678901234567890,1e400,0.1e39,-0,1.0]`, nil}, {"markup", `"<script>&\u2028"`, nil}, {"names repeated", `{"a":1,"a":2}`, nil},
	{"as deep as may be", nested(99), nil}, {"long", string(Body(9, 50_000)), nil},
	{"too deep", nested(100), gateway.DownstreamNonsense}, {"nothing", ``, gateway.DownstreamNonsense}, {"text", `OK`, gateway.DownstreamNonsense},
	{"markup alone", `<html>`, gateway.DownstreamNonsense}, {"two values", `1 2`, gateway.DownstreamNonsense}, {"half", `{"a":`, gateway.DownstreamNonsense},
	{"forged", `1,"x":2`, gateway.DownstreamNonsense}, {"closes what it is in", `1}{"a":1`, gateway.DownstreamNonsense}, {"not UTF-8", "\"\xff\"", gateway.DownstreamNonsense},
	{"half a surrogate pair", `"\ud800"`, gateway.DownstreamNonsense}, {"NUL after", "{}\x00", gateway.DownstreamNonsense},
}

// Answers returns the answers of the table, for a fuzz target to begin with.
func Answers() []string {
	var all []string
	for _, a := range answers {
		all = append(all, a.text)
	}
	return all
}
