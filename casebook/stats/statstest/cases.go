package statstest

import (
	"net/http"
	"strings"

	"whet/casebook/stats"
)

// name is one row of the names: the host, endpoint, os and browser tags.
type name struct {
	what string
	tags [4]string
	want string
}

var names = []name{
	{"all four", [4]string{"web1", "hello", "Linux", "Firefox"}, "recv.web1.hello.Linux.Firefox"},
	{"no host", [4]string{"", "hello", "Linux", "Firefox"}, "recv.hello.Linux.Firefox"},
	{"no endpoint", [4]string{"web1", "", "Linux", "Firefox"}, "recv.web1.no-endpoint.Linux.Firefox"},
	{"no os", [4]string{"web1", "hello", "", "Firefox"}, "recv.web1.hello.no-os.Firefox"},
	{"no browser", [4]string{"web1", "hello", "Linux", ""}, "recv.web1.hello.Linux.no-browser"},
	{"nothing", [4]string{}, "recv.no-endpoint.no-os.no-browser"},
	{"host alone", [4]string{"web1"}, "recv.web1.no-endpoint.no-os.no-browser"},
	{"host with its domain", [4]string{"web1.example.net", "hello", "OS X", "Chrome"}, "recv.web1-example-net.hello.OS-X.Chrome"},
	{"every character that is replaced", [4]string{"{a}", `/b\`, ":c.", " d\te"}, "recv.-a-.-b-.-c-.-d-e"},
	{"nothing else is", [4]string{"a-b_c", "~!@#$%^&*()+=", "[]|;'\",<>?", "`é😀"}, "recv.a-b_c.~!@#$%^&*()+=.[]|;'\",<>?.`é😀"},
	{"a tag of these alone", [4]string{".", "//", " ", "\\"}, "recv.-.--.-.-"},
	{"runs are not joined", [4]string{"a..b", "c  d", "", ""}, "recv.a--b.c--d.no-os.no-browser"},
	{"other space stays", [4]string{"a\vb", "c\u00a0d", "e\u2028f", "g\u0085h"}, "recv.a\vb.c\u00a0d.e\u2028f.g\u0085h"},
	{"NUL and DEL stay", [4]string{"\x00", "a\x7f", "\x1b[31m", "x"}, "recv.\x00.a\x7f.\x1b[31m.x"},
	{"bytes that are no UTF-8 stay", [4]string{"\xff", "a\xc3.b", "\xe2\x80 ", "\xf0"}, "recv.\xff.a\xc3-b.\xe2\x80-.\xf0"},
	{"a value that says it is missing", [4]string{"no-host", "no-os", "no-os", "no-os"}, "recv.no-host.no-os.no-os.no-os"},
	{"a long tag", [4]string{strings.Repeat("h.", 5000), "e", "o", "b"}, "recv." + strings.Repeat("h-", 5000) + ".e.o.b"},
	{"128 bytes", [4]string{strings.Repeat("h", 117), "e", "o", "b"}, "recv." + strings.Repeat("h", 117) + ".e.o.b"},
	{"129 bytes", [4]string{strings.Repeat("h", 118), ".", "o", "b"}, "recv." + strings.Repeat("h", 118) + ".-.o.b"},
}

// set returns the row's tags: those that are empty left out, or there and empty.
func (n name) set(empty bool) stats.Tags {
	tags := stats.Tags{"region": "of no effect", "Host": "neither"}
	for i, tag := range []string{"host", "endpoint", "os", "browser"} {
		if n.tags[i] != "" || empty {
			tags[tag] = n.tags[i]
		}
	}
	return tags
}

// request is one row of the requests; it is counted if endpoint is not empty.
type request struct {
	what, method, path, agent string

	status   int // 0 stands for 200
	endpoint string
	system   string
	browser  string
}

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"

var requests = []request{
	{what: "simple is not counted", path: "/simple", agent: firefox},
	{what: "advance", path: "/advance", agent: firefox, endpoint: "advance", system: "Linux", browser: "Firefox"},
	{what: "a slash at the end", path: "/advance/", agent: firefox, endpoint: "advance", system: "Linux", browser: "Firefox"},
	{what: "below", path: "/advance/shop/cart", agent: firefox, endpoint: "cart", system: "Linux", browser: "Firefox"},
	{what: "below, a slash at the end", path: "/advance/shop/cart/", agent: firefox, endpoint: "cart", system: "Linux", browser: "Firefox"},
	{what: "dots and colons", path: "/advance/v1.2:list", agent: firefox, endpoint: "v1-2-list", system: "Linux", browser: "Firefox"},
	{what: "a record in a path", path: "/advance/x\"\nname=y\r\ntook_ns=1", agent: firefox, endpoint: "x\"-name=y--took_ns=1", system: "Linux", browser: "Firefox"},
	{what: "two dots", path: "/advance/..", agent: firefox, endpoint: "--", system: "Linux", browser: "Firefox"},
	{what: "no User-Agent", path: "/advance", endpoint: "advance", system: "no-os", browser: "no-browser"},
	{what: "a User-Agent of no rule", path: "/advance", agent: "curl/8.5.0", endpoint: "advance", system: "no-os", browser: "no-browser"},
	{what: "an os alone", path: "/advance", agent: "Lynx (Linux)", endpoint: "advance", system: "Linux", browser: "no-browser"},
	{what: "a browser alone", path: "/advance", agent: "Firefox/1", endpoint: "advance", system: "no-os", browser: "Firefox"},
	{what: "spaces in what is found", path: "/advance", agent: "Mozilla/5.0 (X11; CrOS x86_64) Trident/7.0", endpoint: "advance", system: "Chrome-OS", browser: "Internet-Explorer"},
	{what: "POST", method: http.MethodPost, path: "/advance", agent: firefox, endpoint: "advance", system: "Linux", browser: "Firefox"},
	{what: "HEAD", method: http.MethodHead, path: "/advance", agent: firefox, endpoint: "advance", system: "Linux", browser: "Firefox"},
	{what: "the longest endpoint", path: "/advance/" + strings.Repeat(".", stats.MaxEndpoint), agent: firefox, endpoint: strings.Repeat("-", stats.MaxEndpoint), system: "Linux", browser: "Firefox"},
	{what: "an endpoint too long", path: "/advance/" + strings.Repeat("x", stats.MaxEndpoint+1), agent: firefox, status: http.StatusNotFound},
	{what: "a long path to a short endpoint", path: "/advance/" + strings.Repeat("x/", 1000), agent: firefox, endpoint: "x", system: "Linux", browser: "Firefox"},
	{what: "another path", path: "/advanced", agent: firefox, status: http.StatusNotFound},
	{what: "below simple", path: "/simple/x", agent: firefox, status: http.StatusNotFound},
	{what: "capitals", path: "/Advance", agent: firefox, status: http.StatusNotFound},
	{what: "the root", path: "/", agent: firefox, status: http.StatusNotFound},
	{what: "no path", path: "", agent: firefox, status: http.StatusNotFound},
}
