package visits

import (
	"regexp"
	"strings"
	"testing"
)

func TestIsColour(t *testing.T) {
	for _, s := range []string{
		"red", "RED", "Red", "tan", "aliceblue", "yellowgreen", "lightgoldenrodyellow", "LightGoldenRodYellow",
		"gray", "grey", "darkslategrey", "rebeccapurple", "#000", "#fff", "#FFF", "#09af", "#123456", "#AbCdEf", "#12345678",
	} {
		if !IsColour(s) || !IsColour([]byte(s)) || Colour(s) != s {
			t.Errorf("%q is a colour and was not taken for one", s)
		}
	}
	for _, s := range []string{
		"", " ", "re", "redd", " red", "red ", "r ed", "red;", "red\n", "red\x00", "\x00red", "\x12ed", "r\u00e9d", "R\x45\x04",
		"transparent", "currentcolor", "inherit", "lightgoldenrodyellowx", strings.Repeat("red", 1000),
		"#", "#0", "#00", "#00000", "#0000000", "#000000000", "#ggg", "#00g", "000", "# 00", "##00", "#0:0", "#0/0", "#0@0", "#0G0", "#0`0", "#\x10\x11\x12", "#０",
		"rgb(0,0,0)", "hsl(0 0% 0%)", "url(x)", "var(--x)", "red}", "red'", "expression(alert(1))",
	} {
		if IsColour(s) || IsColour([]byte(s)) || Colour(s) != DefaultColour {
			t.Errorf("%q is not a colour and was taken for one", s)
		}
	}
}

// The 16 names of HTML 4.01, section 6.5, and the two that CSS 2.1 and CSS 4
// added one by one, as a list from another source.
func TestOldNames(t *testing.T) {
	for s := range strings.FieldsSeq("Black Green Silver Lime Gray Olive White Yellow Maroon Navy Red Blue Purple Teal Fuchsia Aqua orange rebeccapurple") {
		if !IsColour(s) {
			t.Errorf("%s is not a colour", s)
		}
	}
}

var safe = regexp.MustCompile(`\A(?:[A-Za-z]{3,20}|#(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8}))\z`)
var hash = regexp.MustCompile(`\A#`)

// FuzzIsColour: what passes can leave neither an attribute nor a declaration,
// every number that is one passes, and case does not matter.
func FuzzIsColour(f *testing.F) {
	for _, s := range []string{"red", "#fff", "#FFFFFFFF", "#12", "Red'", "rebeccapurple", "\x52ed", "\x12ed", "#\x10\x10\x10"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := IsColour(s)
		if got && !safe.MatchString(s) {
			t.Errorf("%q was taken for a colour", s)
		}
		if !got && hash.MatchString(s) && safe.MatchString(s) {
			t.Errorf("%q was not taken for a colour", s)
		}
		if safe.MatchString(s) && IsColour(strings.ToUpper(s)) != got {
			t.Errorf("%q and its capitals differ", s)
		}
		if IsColour([]byte(s)) != got {
			t.Errorf("%q differs as bytes", s)
		}
	})
}
