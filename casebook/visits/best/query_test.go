package best

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unsafe"
)

// FuzzReadQuery: what is read in place is what url.ParseQuery finds, and
// ordinary queries are read in place.
func FuzzReadQuery(f *testing.F) {
	for _, s := range []string{
		"", "name=A&color=b", "name=%41%zz", "n%61me=A", "name=+%2B", "name=a;b&name=c", "&&&name=x", "name&color", "name=x&name=%",
		"a&b&c&d&e&f&g&name=H", "a&b&c&d&e&f&g&h&name=I", "name=%4", "name=%", "%&name=x", "=name", "name==;&name==", "color=%23f00&name=%F0%9F",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		s := &scratch{name: []byte("left over"), colour: []byte("left over")}
		s.name, s.colour = s.name[:0], s.colour[:0]
		if !s.readQuery(query) {
			if strings.Count(query, "&") < maxPairs && !strings.Contains(query, "%") {
				t.Errorf("%q was not read in place", query)
			}
			return
		}
		want, _ := url.ParseQuery(query) // bad pairs are left out
		if string(s.name) != want.Get("name") || string(s.colour) != want.Get("color") {
			t.Errorf("%q gives name %q and colour %q, want %q and %q", query, s.name, s.colour, want.Get("name"), want.Get("color"))
		}
	})
}

func TestReadInPlace(t *testing.T) {
	for _, query := range []string{"name=A&color=b", "name=%41+b&color=%23f00", "a&b&c&d&e&f&g&name=H", "x=%20&y=%zz&name=A", "name=x;y&z;"} {
		r := &http.Request{Method: http.MethodGet, URL: &url.URL{RawQuery: query}}
		new(scratch).read(r)
		if r.Form != nil {
			t.Errorf("%s went through http.Request.FormValue", query)
		}
	}
	for _, query := range []string{"n%61me=A", strings.Repeat("a&", maxPairs) + "name=A"} {
		r := &http.Request{Method: http.MethodGet, URL: &url.URL{RawQuery: query}}
		new(scratch).read(r)
		if r.Form == nil {
			t.Errorf("%s did not go through http.Request.FormValue", query)
		}
	}
}

// A name that is counted does not hold the memory of its request.
func TestNameIsCopied(t *testing.T) {
	h := New(nil)
	name := []byte("Ann")
	h.visit(nil, name)
	h.visit(nil, name)
	for key := range h.counts {
		if unsafe.StringData(key) == unsafe.SliceData(name) {
			t.Error("the map's key is the visitor's memory")
		}
	}
	copy(name, "Bob")
	if h.Count("Ann") != 2 || h.Count("Bob") != 0 {
		t.Error("the map's key changed with the visitor's memory")
	}
}

// Large memory does not go back to the pool, ordinary memory may.
func TestRelease(t *testing.T) {
	for _, s := range []*scratch{
		{name: make([]byte, maxPooled+1)},
		{colour: make([]byte, maxPooled+1)},
		{out: make([]byte, maxPooled+1)},
	} {
		s.release()
		for range 100 {
			if scratches.Get().(*scratch) == s {
				t.Fatal("more than maxPooled bytes came out of the pool")
			}
		}
	}
}
