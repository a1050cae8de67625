package pagetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// raw matches the elements whose content is no markup. A name that could end
// one early would leave a second end tag behind, which the walk finds.
var raw = regexp.MustCompile(`(?s)<(script|style)([^>]*)>(.*?)</(?:script|style)>`)

// Bare returns a document without its style, script and data.
func Bare(doc []byte) []byte { return raw.ReplaceAll(doc, []byte("<$1$2></$1>")) }

var amount = regexp.MustCompile(`<span class="amount">([^<]*)</span>`)

// Joined returns a page without the spans that hold figures and their units together.
func Joined(doc []byte) string { return string(amount.ReplaceAll(doc, []byte("$1"))) }

// Element is a start tag of a document with its attributes.
type Element struct {
	Name  string
	Attrs map[string]string
	Text  string // of title, h1 and the like: all text directly inside
}

// Walk reads a document as strictly as XML where HTML would guess: every
// element is closed in order, and attributes have one value each.
func Walk(doc []byte) ([]*Element, error) {
	void := []string{"meta", "wbr", "input", "br"}
	d := xml.NewDecoder(bytes.NewReader(Bare(doc)))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	var all, open []*Element
	for {
		tok, err := d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			e := &Element{Name: tok.Name.Local, Attrs: make(map[string]string)}
			for _, a := range tok.Attr {
				if _, twice := e.Attrs[a.Name.Local]; twice {
					return nil, fmt.Errorf("<%s> has %s twice", e.Name, a.Name.Local)
				}
				e.Attrs[strings.ToLower(a.Name.Local)] = a.Value
			}
			all = append(all, e)
			if !slices.Contains(void, e.Name) {
				open = append(open, e)
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1].Name != tok.Name.Local {
				return nil, fmt.Errorf("</%s> closes nothing at byte %d", tok.Name.Local, d.InputOffset())
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].Text += string(tok)
			} else if strings.TrimSpace(string(tok)) != "" {
				return nil, fmt.Errorf("text %q outside", tok)
			}
		case xml.Comment:
			return nil, fmt.Errorf("comment %q: nothing here writes one", tok)
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("<%s> is not closed", open[len(open)-1].Name)
	}
	return all, nil
}

// CheckMarkup holds a page to the elements and attributes that the templates
// use: what is not here came out of a name.
func CheckMarkup(t *testing.T, name string, doc []byte) {
	t.Helper()
	elements := strings.Fields(`html head meta title style body header main section nav footer article div p span h1 h2 h3 a ul li dl dt dd
		table caption thead tbody tr th td details summary code pre strong b svg rect script noscript label select option input output button canvas wbr
		dd ol small path line text`)
	attributes := strings.Fields(`lang charset http-equiv content name class id aria-label aria-labelledby aria-describedby aria-hidden aria-pressed aria-busy disabled
		href scope colspan tabindex role title width height viewbox preserveaspectratio type hidden for placeholder autocomplete autocapitalize
		spellcheck open data-of value d x y x1 x2 y1 y2 text-anchor`)
	all, err := Walk(doc)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	ids := make(map[string]bool)
	for _, e := range all {
		if !slices.Contains(elements, e.Name) {
			t.Errorf("%s: element <%s>", name, e.Name)
		}
		for a, v := range e.Attrs {
			if !slices.Contains(attributes, a) {
				t.Errorf("%s: <%s %s=%q>", name, e.Name, a, v)
			}
		}
		if id, ok := e.Attrs["id"]; ok {
			if ids[id] {
				t.Errorf("%s: two elements have the id %q", name, id)
			}
			ids[id] = true
		}
	}
	for _, e := range all {
		if href, ok := e.Attrs["href"]; ok && (!strings.HasPrefix(href, "#") || !ids[href[1:]]) {
			t.Errorf("%s: link to %q", name, href)
		}
		for _, a := range []string{"aria-labelledby", "aria-describedby", "for"} {
			for _, id := range strings.Fields(e.Attrs[a]) {
				if !ids[id] {
					t.Errorf("%s: %s=%q names nothing", name, a, id)
				}
			}
		}
	}
}

// CheckPolicy: the policy lets the browser run the script and the style that are there, and
// nothing else; the hashes are computed from the file as a browser does. It has
// at most so many blocks of data.
func CheckPolicy(t *testing.T, name string, doc []byte, blocks int) {
	t.Helper()
	all, err := Walk(doc)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	i := slices.IndexFunc(all, func(e *Element) bool { return e.Attrs["http-equiv"] == "Content-Security-Policy" })
	if i < 0 || all[i+1].Name == "script" {
		t.Fatalf("%s: no policy", name)
	}
	rules := make(map[string]string)
	for rule := range strings.SplitSeq(all[i].Attrs["content"], "; ") {
		k, v, _ := strings.Cut(rule, " ")
		rules[k] = v
	}
	if rules["default-src"] != "'none'" || rules["base-uri"] != "'none'" || rules["form-action"] != "'none'" || len(rules) != 5 {
		t.Errorf("%s: policy %v", name, rules)
	}
	var scripts, data int
	texts := raw.FindAllSubmatch(doc, -1)
	for _, m := range texts {
		sum := sha256.Sum256(m[3])
		source := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		switch {
		case string(m[1]) == "style":
			if rules["style-src"] != source {
				t.Errorf("%s: the policy allows the style %s, it is %s", name, rules["style-src"], source)
			}
		case bytes.Contains(m[2], []byte("application/json")):
			data++
			if bytes.ContainsAny(m[3], "<>&\u2028\u2029") || !json.Valid(m[3]) {
				t.Errorf("%s: data block is not JSON without <, > and &: %.200q", name, m[3])
			}
		default:
			scripts++
			if rules["script-src"] != source {
				t.Errorf("%s: the policy allows the script %s, it is %s", name, rules["script-src"], source)
			}
		}
	}
	if scripts != 1 || data > blocks {
		t.Errorf("%s: %d scripts, %d data blocks", name, scripts, data)
	}
	for _, load := range []string{"http://", "https://", "@import", "url(", "import(", "fetch(", "eval(", "innerHTML", "document.write"} {
		for _, m := range texts {
			if !bytes.Contains(m[2], []byte("json")) && bytes.Contains(m[3], []byte(load)) {
				t.Errorf("%s: %s holds %s", name, m[1], load)
			}
		}
	}
}
