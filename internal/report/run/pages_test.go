package run

import (
	"bytes"
	"testing"

	"whet/internal/report/page"
)

func pages() map[string]*Page {
	return map[string]*Page{
		"visits": visitsPage(), "hostile": hostilePage(), "empty": emptyPage(), "quiet": quietPage(), "zero": {},
		"service": servicePage(), "program": programPage(), "courses": coursesPage(), "bare": barePage(),
	}
}

func html(t *testing.T, p *Page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHTML(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func text(t *testing.T, p *Page, o page.TextOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteText(&b, p, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
