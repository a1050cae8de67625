package flame

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"

	"whet/internal/analyze/flamegraph"
	"whet/internal/printable"
)

// The page loads nothing, runs nothing but its own script, and no name ends the
// block of data.
func TestHTMLIsClosed(t *testing.T) {
	v := View{Label: hostile[0], Unit: hostile[1], Graph: hostileGraph(t)}
	for name, doc := range map[string][]byte{
		"shop":    htmlOf(t, Page{Title: "shop", Views: []View{{Graph: graphOf(t, shop(t))}, {}}}),
		"hostile": htmlOf(t, Page{Title: hostile[0], Subtitle: hostile[1], Warnings: hostile, Views: []View{v}}),
		"empty":   htmlOf(t, Page{Title: "empty"}),
	} {
		policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindSubmatch(doc)
		if policy == nil || !strings.HasPrefix(string(policy[1]), "default-src &#39;none&#39;; script-src &#39;sha256-") {
			t.Fatalf("%s: policy %q", name, policy)
		}
		blocks := regexp.MustCompile(`(?s)<(script|style)([^>]*)>(.*?)</(?:script|style)>`).FindAllSubmatch(doc, -1)
		if want := map[string]int{"empty": 2}[name]; len(blocks) != want && len(blocks) != 3 {
			t.Errorf("%s: %d blocks", name, len(blocks))
		}
		for _, b := range blocks {
			if bytes.Contains(b[2], []byte("json")) {
				if bytes.ContainsAny(b[3], "<>&\u2028\u2029") || !json.Valid(b[3]) {
					t.Errorf("%s: data is not JSON without <, > and &", name)
				}
				continue
			}
			sum := sha256.Sum256(b[3])
			if source := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(strings.ReplaceAll(string(policy[1]), "&#43;", "+"), source) {
				t.Errorf("%s: the policy does not allow its own %s", name, b[1])
			}
			for _, load := range []string{"http://", "https://", "@import", "url(", "import(", "fetch(", "eval(", "innerHTML", "document.write"} {
				if bytes.Contains(b[3], []byte(load)) {
					t.Errorf("%s: %s holds %s", name, b[1], load)
				}
			}
		}
		if bytes.Contains(doc, []byte("<img")) {
			t.Errorf("%s: a name has become an element", name)
		}
	}
	if err := WriteHTML(broken{}, Page{Title: "x"}); err == nil {
		t.Error("no error of a broken writer")
	}
	if err := WriteHTML(io.Discard, Page{Link: "javascript:alert(1)"}); err == nil {
		t.Error("a link that runs a script is accepted")
	}
	if err := WriteHTML(io.Discard, Page{Palette: "mauve"}); err == nil {
		t.Error("a palette that there is not is accepted")
	}
	p := Page{Title: "shop", Views: []View{{Graph: graphOf(t, shop(t))}}}
	if !bytes.Equal(htmlOf(t, p), htmlOf(t, p)) {
		t.Error("two writings differ")
	}
}

// The page of a tree as large as they get stays small.
func TestHTMLIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	g := largeGraph(t)
	doc := htmlOf(t, Page{Title: "large", Views: []View{{Graph: g}}})
	if perNode := float64(len(doc)) / float64(len(g.Nodes)); perNode > 25 {
		t.Errorf("%.1f bytes for each of %d nodes", perNode, len(g.Nodes))
	}
}

func TestJSON(t *testing.T) {
	p, err := flamegraph.Sandwich(shop(t), "Pay", func(name string) bool { return strings.HasSuffix(name, ".Pay") }, flamegraph.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, []View{{Kind: "cpu", Benchmark: "BenchmarkX", Graph: diffOf(t)}, {}, {Graph: p.Callees, Callers: p.Callers}}, []string{"doubt"}); err != nil {
		t.Fatal(err)
	}
	var d jsonDocument
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Schema != "whet/flame/1" || len(d.Warnings) != 1 || len(d.Flames) != 2 {
		t.Fatalf("%+v", d)
	}
	first, second := d.Flames[0], d.Flames[1]
	if first.Kind != "cpu" || first.Benchmark != "BenchmarkX" || first.Column != "cpu" || first.Unit != "nanoseconds" || first.ScaleRatio != 1 {
		t.Errorf("%+v", first)
	}
	if root := first.Nodes[0]; root != (jsonNode{Function: "all", Parent: -1, Value: 670, Base: 1000}) {
		t.Errorf("root %+v", root)
	}
	if n := second.Nodes[1]; n != (jsonNode{Function: "encoding/json.Marshal", File: "encoding/json/x.go", Line: 12, Value: 150}) {
		t.Errorf("callee %+v", n)
	}
	if n := second.Callers[2]; n.Function != "main.main" || n.Parent != 1 || n.Value != 200 || len(second.Callers) != 3 {
		t.Errorf("callers %+v", second.Callers)
	}
	var hidden bytes.Buffer
	if err := WriteJSON(&hidden, nil, []string{"a\u009b1m\u202eb"}); err != nil || bytes.ContainsFunc(bytes.TrimSpace(hidden.Bytes()), printable.Hidden) {
		t.Errorf("a terminal obeys %q, %v", hidden.Bytes(), err)
	}
	if WriteJSON(broken{}, nil, nil) == nil {
		t.Error("no error of a broken writer")
	}
}
