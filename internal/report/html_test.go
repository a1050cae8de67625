package report

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

	"whet/internal/printable"
	"whet/internal/report/flame"
)

// documents are the HTML files of all test pages, reports and flame graphs.
func documents(t *testing.T) map[string][]byte {
	out := make(map[string][]byte)
	for name, p := range pages() {
		out[name] = html(t, p)
		var b bytes.Buffer
		if err := flame.WriteHTML(&b, flame.Page{Title: p.Target, Module: p.Module, Views: FlameViews(p.Profiles)}); err != nil {
			t.Fatal(err)
		}
		out[name+" flame"] = b.Bytes()
	}
	for name, p := range loadPages() {
		out["load "+name] = loadHTML(t, p)
	}
	return out
}

// raw matches the elements whose content is no markup. A name that could end
// one early would leave a second end tag behind, which the walk finds.
var raw = regexp.MustCompile(`(?s)<(script|style)([^>]*)>(.*?)</(?:script|style)>`)

// element is one start tag of a document with its attributes.
type element struct {
	name  string
	attrs map[string]string
	text  string // of title, h1 and the like: all text directly inside
}

// walk reads a document as strictly as XML where HTML would guess: every
// element is closed in order, and attributes have one value each.
func walk(doc []byte) ([]*element, error) {
	void := []string{"meta", "wbr", "input", "br"}
	d := xml.NewDecoder(bytes.NewReader(raw.ReplaceAll(doc, []byte("<$1$2></$1>"))))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	var all, open []*element
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
			e := &element{name: tok.Name.Local, attrs: make(map[string]string)}
			for _, a := range tok.Attr {
				if _, twice := e.attrs[a.Name.Local]; twice {
					return nil, fmt.Errorf("<%s> has %s twice", e.name, a.Name.Local)
				}
				e.attrs[strings.ToLower(a.Name.Local)] = a.Value
			}
			all = append(all, e)
			if !slices.Contains(void, e.name) {
				open = append(open, e)
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1].name != tok.Name.Local {
				return nil, fmt.Errorf("</%s> closes nothing at byte %d", tok.Name.Local, d.InputOffset())
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(tok)
			} else if strings.TrimSpace(string(tok)) != "" {
				return nil, fmt.Errorf("text %q outside", tok)
			}
		case xml.Comment:
			return nil, fmt.Errorf("comment %q: nothing here writes one", tok)
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("<%s> is not closed", open[len(open)-1].name)
	}
	return all, nil
}

// The elements and attributes that the templates use. What is not here came
// out of a name.
func TestHTMLHoldsOnlyItsOwnMarkup(t *testing.T) {
	elements := strings.Fields(`html head meta title style body header main section nav footer article div p span h1 h2 h3 a ul li dl dt dd
		table caption thead tbody tr th td details summary code pre strong b svg rect script noscript label select option input output button canvas wbr
		dd ol small path line text`)
	attributes := strings.Fields(`lang charset http-equiv content name class id aria-label aria-labelledby aria-describedby aria-hidden aria-pressed
		href scope colspan tabindex role title width height viewbox preserveaspectratio type hidden for placeholder autocomplete autocapitalize
		spellcheck open data-of value d x y x1 x2 y1 y2 text-anchor`)
	for name, doc := range documents(t) {
		all, err := walk(doc)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ids := make(map[string]bool)
		for _, e := range all {
			if !slices.Contains(elements, e.name) {
				t.Errorf("%s: element <%s>", name, e.name)
			}
			for a, v := range e.attrs {
				if !slices.Contains(attributes, a) {
					t.Errorf("%s: <%s %s=%q>", name, e.name, a, v)
				}
			}
			if id, ok := e.attrs["id"]; ok {
				if ids[id] {
					t.Errorf("%s: two elements have the id %q", name, id)
				}
				ids[id] = true
			}
		}
		for _, e := range all {
			if href, ok := e.attrs["href"]; ok && (!strings.HasPrefix(href, "#") || !ids[href[1:]]) {
				t.Errorf("%s: link to %q", name, href)
			}
			for _, a := range []string{"aria-labelledby", "aria-describedby", "for"} {
				for _, id := range strings.Fields(e.attrs[a]) {
					if !ids[id] {
						t.Errorf("%s: %s=%q names nothing", name, a, id)
					}
				}
			}
		}
	}
}

// The policy lets the browser run the script and the style that are there, and
// nothing else; the hashes are computed from the file as a browser does.
func TestHTMLPolicy(t *testing.T) {
	for name, doc := range documents(t) {
		all, err := walk(doc)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		i := slices.IndexFunc(all, func(e *element) bool { return e.attrs["http-equiv"] == "Content-Security-Policy" })
		if i < 0 || all[i+1].name == "script" {
			t.Fatalf("%s: no policy", name)
		}
		rules := make(map[string]string)
		for rule := range strings.SplitSeq(all[i].attrs["content"], "; ") {
			k, v, _ := strings.Cut(rule, " ")
			rules[k] = v
		}
		if rules["default-src"] != "'none'" || rules["base-uri"] != "'none'" || rules["form-action"] != "'none'" || len(rules) != 5 {
			t.Errorf("%s: policy %v", name, rules)
		}
		var scripts, data int
		blocks := raw.FindAllSubmatch(doc, -1)
		for _, m := range blocks {
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
		if scripts != 1 || data > 1 && !strings.HasPrefix(name, "load ") {
			t.Errorf("%s: %d scripts, %d data blocks", name, scripts, data)
		}
		for _, load := range []string{"http://", "https://", "@import", "url(", "import(", "fetch(", "eval(", "innerHTML", "document.write"} {
			for _, m := range blocks {
				if !bytes.Contains(m[2], []byte("json")) && bytes.Contains(m[3], []byte(load)) {
					t.Errorf("%s: %s holds %s", name, m[1], load)
				}
			}
		}
	}
}

// Every name is there to be read, as text.
func TestHTMLShowsHostileNames(t *testing.T) {
	all, err := walk(html(t, hostilePage()))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{hostileTag, hostileQuote, hostileTerm, hostileBidi, hostileUTF8} {
		for where, is := range map[string]func(*element) bool{
			"a finding's title": func(e *element) bool { return e.name == "h3" && e.text == printable.Line(name) },
			"a warning":         func(e *element) bool { return e.name == "li" && e.text == printable.Line(name) },
			"a listing": func(e *element) bool {
				return e.attrs["class"] == "src" && strings.TrimSpace(e.text) == printable.Line(name)
			},
			"a remedy": func(e *element) bool { return e.name == "pre" && e.text == printable.Line(name) },
		} {
			if where == "a remedy" && strings.Contains(name, "\n") {
				continue // two lines there
			}
			if !slices.ContainsFunc(all, is) {
				t.Errorf("%q is not in %s", printable.Line(name), where)
			}
		}
	}
}

func TestHTMLDeterministic(t *testing.T) {
	for name := range pages() {
		a, b := html(t, pages()[name]), html(t, pages()[name])
		if !bytes.Equal(a, b) {
			t.Errorf("%s: two writings differ", name)
		}
	}
}

// The golden file holds the page without its style, script and data, which
// other tests hold to their contracts.
func TestHTMLGolden(t *testing.T) {
	for name, p := range pages() {
		doc := raw.ReplaceAll(html(t, p), []byte("<$1$2></$1>"))
		doc = regexp.MustCompile(`(Security-Policy" content=")[^"]*`).ReplaceAll(doc, []byte("$1"))
		golden(t, name+".html", doc)
	}
}

// The flame graphs of a page stand in the order of its profiles.
func TestFlameViews(t *testing.T) {
	var labels []string
	for _, v := range FlameViews(visitsPage().Profiles) {
		labels = append(labels, v.Label)
	}
	if want := []string{"CPU time", "Allocated bytes", "CPU time · BenchmarkReused", "CPU time · BenchmarkFresh"}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
	p := servicePage()
	if n := len(FlameViews(p.Profiles)); n != len(p.Profiles) {
		t.Errorf("%d flame graphs of %d profiles", n, len(p.Profiles))
	}
}
