package flame

import (
	"fmt"
	"testing"

	"whet/internal/chromium"
)

// tab is a flame graph in a browser.
type tab struct {
	*chromium.Tab
	t *testing.T
}

func openFile(t *testing.T, name string, doc []byte) *tab {
	t.Helper()
	return &tab{chromium.Open(t, name, doc), t}
}

// clickAt clicks the canvas at a place: x in [0,1] of its width, row from the
// top or, for negative ones, from the bottom.
func (b *tab) clickAt(x float64, row int) {
	b.t.Helper()
	px, y := b.place(x, row)
	b.MoveTo(px, y)
	b.ClickAt(px, y)
}

// place returns where a row of the canvas is in the window.
func (b *tab) place(x float64, row int) (px, py float64) {
	b.t.Helper()
	at := chromium.Eval[[]float64](b.Tab, `(() => {
		const c = document.getElementById("flame-canvas");
		c.scrollIntoView({block: "center", behavior: "instant"});
		const r = c.getBoundingClientRect();
		return [r.left, r.top, r.width, r.height];
	})()`)
	py = at[1] + float64(row)*21 + 10
	if row < 0 {
		py = at[1] + at[3] + float64(row)*21 + 10
	}
	return at[0] + at[2]*x, py
}

func (b *tab) keys(keys string) {
	b.t.Helper()
	b.Run(`document.getElementById("flame-canvas").focus({preventScroll: true})`)
	b.Keys(keys)
}

func (b *tab) set(id, event, value string) {
	b.t.Helper()
	b.Run(fmt.Sprintf(`(() => {
		const i = document.getElementById(%q);
		i.value = %q;
		i.dispatchEvent(new Event(%q));
	})()`, id, value, event))
}

// crumbs lists the breadcrumb.
func (b *tab) crumbs() []string {
	return chromium.Eval[[]string](b.Tab, `[...document.querySelectorAll("#flame-crumbs button")].map(e => e.textContent)`)
}
