package load

import (
	"bytes"
	"strings"
	"testing"

	"whet/internal/printable"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
)

// The unit of a profile is a service's to choose: it moves no cursor, and hides
// nothing on a page.
func TestGrowthOfHostileUnit(t *testing.T) {
	for _, unit := range []string{pagetest.Terminal, pagetest.Bidi} {
		s := searched()
		s.Growth = []KneeGrowth{{Kind: unit, Column: unit, Unit: unit, LowTotal: 2, HighTotal: 1, Rows: []GrowthRow{{unit, unit, 1, 3, 2, 4}}}}
		var b bytes.Buffer
		if err := WriteSearchText(&b, s, page.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		if want := "+2 " + printable.Line(unit); !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
		text := b.String()
		v := newGrowthView("", &s.Growth[0])
		for _, row := range v.Rows {
			text += strings.Join(row.Cells, "\n")
		}
		for _, c := range text {
			if c != '\n' && strings.ContainsRune(unit, c) && !strings.ContainsRune(printable.Line(unit), c) {
				t.Errorf("%U of the unit %q is shown as it is", c, unit)
			}
		}
	}
}
