package rules_test

import (
	"slices"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/knowledge"
	"whet/internal/diagnose/rules"
)

// silent are functions that call what a row is about where its remedy would be
// wrong, or gain nothing.
var silent = []struct{ row, params, result, body string }{
	{"container-list-queue", "l *list.List", "", "l.PushBack(1)"},
	{"container-list-queue", "", "int", "l := list.New()\nfor i := range 9 {\n\tl.PushBack(i)\n}\nn := 0\nfor e := l.Front(); e != nil; e = e.Next() {\n\tl.MoveToFront(e)\n\tn++\n}\nreturn n"},
	{"slices-collect-counted", "m map[string]int", "[]string", "keys := slices.Collect(maps.Keys(m))\nif len(keys) == 0 {\n\treturn nil\n}\nreturn keys"},
	{"slices-collect-ranged", "m map[string]int", "int", "n := 0\nfor i := range slices.Collect(maps.Keys(m)) {\n\tn += i\n}\nreturn n"},
	{"slices-contains-in-loop", "names []string", "int", "var seen []string\nfor _, name := range names {\n\tif !slices.Contains(seen, name) {\n\t\tseen = append(seen, name)\n\t}\n}\nreturn len(seen)"},
	{"slices-contains-in-loop", "names []string", "int", "n := 0\nwanted := []string{\"a\", \"b\"}\nfor _, name := range names {\n\tif slices.Contains(wanted, name) {\n\t\tn++\n\t}\n}\nreturn n"},
	{"slices-index-in-loop", "names []string, change func([]string)", "int", "n := 0\nfor _, name := range names {\n\tn += slices.Index(names, name)\n\tchange(names)\n}\nreturn n"},
	{"sort-in-loop", "lists [][]int", "", "for _, list := range lists {\n\tslices.Sort(list)\n}"},
	{"sort-slice-typed", "list any, less func(i, j int) bool", "", "sort.Slice(list, less)"},
	{"sort-slice-typed", "list [][20]string", "", "sort.Slice(list, func(i, j int) bool { return list[i][0] < list[j][0] })"},
}

func TestKnowledgeSilent(t *testing.T) {
	reg, err := diagnose.NewRegistry(rules.All()...)
	if err != nil {
		t.Fatal(err)
	}
	rows := knowledge.Table()
	for _, s := range silent {
		t.Run(s.row, func(t *testing.T) {
			i := slices.IndexFunc(rows, func(r knowledge.Row) bool { return r.ID == s.row })
			if i < 0 {
				t.Fatal("there is no such row")
			}
			row := knowledge.Row{Example: knowledge.Example{Params: s.params, Result: s.result, Imports: rows[i].Example.Imports}}
			for _, f := range findingsOf(t, reg, &row, s.body) {
				if strings.HasPrefix(f.Row, s.row) {
					t.Errorf("line %d: %s: %s", f.Line, f.Row, f.Why)
				}
			}
		})
	}
}
