package rules_test

import (
	"slices"
	"testing"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
)

// Of these loops, pools and parameters a shape would be wrong, or gains nothing.
func TestShapeSilentAgain(t *testing.T) {
	const (
		names  = "type index struct{ names, other []string }\n\nfunc (x *index) sort() { sort.Strings(x.names) }\n"
		people = "type person struct{ name string; age int }\n\ntype crowd struct{ all []person }\n\nfunc (c *crowd) sort() { sort.Slice(c.all, func(i, j int) bool { return c.all[i].age < c.all[j].age }) }\n"
		lines  = "var lines = sync.Pool{New: func() any { b := make([]byte, 0, 64); return &b }}\n"
		steps  = "type source interface{ next() int }\n\ntype steps struct{ n int }\n\nfunc (s *steps) next() int { s.n++; return s.n }\n"
		dear   = "type source interface{ next() int }\n\ntype steps struct{ list []int }\n\nfunc (s *steps) next() (n int) {\n\tfor _, x := range s.list {\n\t\tn += x\n\t}\n\treturn n\n}\n"
		shared = "type Source interface{ next() int }\n\ntype steps struct{ n int }\n\nfunc (s *steps) next() int { s.n++; return s.n }\n"
		open   = "type source interface{ Next() int }\n\ntype steps struct{ n int }\n\nfunc (s *steps) Next() int { s.n++; return s.n }\n"
		large  = "type message struct{ words [128]int }\n"
		bodies = "type body interface{ volume() int }\n\ntype block struct{ sides [16]int }\n\nfunc (b block) volume() int { return b.sides[0] }\n\ntype cell struct{ side int }\n\nfunc (c cell) volume() int { return c.side }\n"
		leaks  = "type point struct{ x, y int }\n\nvar last *point\n\n//go:noinline\nfunc always(p *point) int { last = p; return p.x }\n\n//go:noinline\nfunc never(p *point) int { return p.x }\n\n//go:noinline\nfunc both(p *point) int {\n\tif p.x < 0 {\n\t\tlast = p\n\t}\n\tlast = p\n\treturn p.y\n}\n"
	)
	for _, s := range []silence{
		{"counter-modulo", "text []byte", "", "for i := range text {\n\ttext[i] = byte(i % 16)\n}", ""},
		{"counter-modulo", "text, key []byte", "", "for i := range text {\n\tkey = append(key, 1)\n\ttext[i] ^= key[i%len(key)]\n}", ""},
		{"counter-modulo", "text, key []byte, f func(byte)", "", "for i := range text {\n\tf(key[i%len(key)])\n}", ""},
		{"counter-modulo", "list []int, n int", "int", "sum := 0\nfor _, x := range list {\n\tsum += x % n\n}\nreturn sum", ""},
		{"counter-modulo", "text string, n int", "int", "sum := 0\nfor i := range text {\n\tsum += i % n\n}\nreturn sum", ""},
		{"counter-modulo", "n, by int", "int", "sum := 0\nfor i := 0; i < n; i++ {\n\tsum += i % by\n\ti++\n}\nreturn sum", ""},
		{"counter-modulo", "n, by int", "int", "sum := 0\nfor i := 0; i < n; i += 2 {\n\tsum += i % by\n}\nreturn sum", ""},
		{"floats-divided", "list []float64", "", "for i := range list {\n\tlist[i] /= 3\n}", ""},
		{"floats-divided", "list, by []float64", "", "for i := range list {\n\tlist[i] /= by[i]\n}", ""},
		{"floats-divided", "list []int, by int", "", "for i := range list {\n\tlist[i] /= by\n}", ""},
		{"floats-divided", "list []float64, by float64", "", "for i := range list {\n\tlist[i] = by / list[i]\n}", ""},
		{"floats-divided", "list []float64, by float64", "", "for i := range list {\n\tlist[i] /= by\n\tby++\n}", ""},
		{"slot-modulo", "s []int, hashes []uint64", "int", "n := 0\nfor _, h := range hashes {\n\tn += s[h%8]\n}\nreturn n", ""},
		{"slot-modulo", "s []int, of []int, hashes []uint64", "int", "n := 0\nfor _, h := range hashes {\n\tn += s[h%uint64(len(of))]\n}\nreturn n", ""},
		{"slot-modulo", "s []int, hashes []int", "int", "n := 0\nfor _, h := range hashes {\n\tn += s[h%len(s)]\n}\nreturn n", ""},
		{"slot-modulo", "s []int, names []string, hash func(string) uint64", "int", "n := 0\nfor _, name := range names {\n\tn += s[hash(name)%uint64(len(s))]\n}\nreturn n", ""},
		{"sorted-scanned", "x *index, name string", "int", "for i, s := range x.other {\n\tif s == name {\n\t\treturn i\n\t}\n}\nreturn -1", names},
		{"sorted-scanned", "x *index, name string", "bool", "return slices.Contains(x.other, name)", names},
		{"sorted-scanned", "x *index, list []string, name string", "bool", "sort.Strings(list)\nreturn slices.Contains(list, name)", names},
		{"sorted-scanned", "c *crowd, name string", "int", "for i, p := range c.all {\n\tif p.name == name {\n\t\treturn i\n\t}\n}\nreturn -1", people},
		{"sorted-scanned", "c *crowd, age int", "int", "for i, p := range c.all {\n\tif p.age == age {\n\t\treturn i\n\t}\n}\nreturn -1", people + "\nfunc (c *crowd) byName() { sort.Slice(c.all, func(i, j int) bool { return c.all[i].name < c.all[j].name }) }\n"},
		{"sorted-scanned", "x *index, name string", "", "if !slices.Contains(x.names, name) {\n\tx.names = append(x.names, name)\n}", names},
		{"sorted-scanned", "x *index, name string", "bool", "return slices.Contains(x.names, name)", names + "\nfunc (x *index) add(name string) { x.names = append(x.names, name) }\n"},
		{"sorted-scanned", "x *index, name string", "bool", "return slices.Contains(x.names, name)", names + "\nfunc (x *index) set(i int, name string) { x.names[i] = name }\n"},
		{"total-again", "list []int, at []int", "int", "most := 0\nfor range at {\n\tsum := 0\n\tfor _, x := range list {\n\t\tsum += x\n\t}\n\tmost = max(most, sum)\n}\nreturn most", ""},
		{"total-again", "lists [][]int", "int", "most := 0\nfor i, list := range lists {\n\tlist[0] = i\n\tsum := 0\n\tfor _, x := range list {\n\t\tsum += x\n\t}\n\tmost = max(most, sum)\n}\nreturn most", ""},
		{"total-again", "list []int, at []int", "int", "most := 0\nfor range at {\n\tfor i := range list {\n\t\tlist[i]++\n\t}\n\tsum := 0\n\tfor _, x := range list {\n\t\tsum += x\n\t}\n\tmost = max(most, sum)\n}\nreturn most", ""},
		{"total-again", "list []int, at []int, f func([]int)", "int", "most := 0\nfor _, i := range at {\n\tlist[i]++\n\tf(list)\n\tsum := 0\n\tfor _, x := range list {\n\t\tsum += x\n\t}\n\tmost = max(most, sum)\n}\nreturn most", ""},
		{"total-again", "list []int, at []int", "int", "sum := 0\nfor _, i := range at {\n\tlist[i]++\n\tfor _, x := range list {\n\t\tsum += x\n\t}\n}\nreturn sum", ""},
		{"least-scanned", "list []int, n int", "int", "sum := 0\nfor range n {\n\tleast := 0\n\tfor i, x := range list {\n\t\tif x < list[least] {\n\t\t\tleast = i\n\t\t}\n\t}\n\tsum += list[least]\n}\nreturn sum", ""},
		{"least-scanned", "list []int", "int", "sum := 0\nfor len(list) > 0 {\n\tleast := 0\n\tfor i, x := range list {\n\t\tif x < list[least] {\n\t\t\tleast = i\n\t\t}\n\t}\n\tsum += list[least]\n\tlist = list[1:]\n}\nreturn sum", ""},
		{"least-scanned", "list []int", "int", "least := 0\nfor i, x := range list {\n\tif x < list[least] {\n\t\tleast = i\n\t}\n}\nlist = append(list[:least], list[least+1:]...)\nreturn len(list)", ""},
		{"interface-of-one", "s source", "int", "n := 0\nfor range 9 {\n\tn += s.next()\n}\nreturn n", steps + "\ntype others struct{}\n\nfunc (others) next() int { return 1 }\n"},
		{"interface-of-one", "s source", "int", "n := 0\nfor range 9 {\n\tn += s.next()\n}\nreturn n", dear},
		{"interface-of-one", "s Source", "int", "n := 0\nfor range 9 {\n\tn += s.next()\n}\nreturn n", shared},
		{"interface-of-one", "s source", "int", "return s.next()", steps},
		{"interface-of-one", "s source", "int", "n := 0\nfor range 9 {\n\tn += s.Next()\n}\nreturn n", open},
		{"interface-of-one", "w io.Writer", "", "for range 9 {\n\tw.Write(nil)\n}", steps},
		{"pool-growth-lost", "list []string", "", "p := lines.Get().(*[]byte)\nb := (*p)[:0]\nfor _, s := range list {\n\tb = append(b, s...)\n}\n*p = b\nlines.Put(p)", lines},
		{"pool-growth-lost", "list []string", "", "p := lines.Get().(*[]byte)\nfor _, s := range list {\n\t*p = append(*p, s...)\n}\nlines.Put(p)", lines},
		{"pool-growth-lost", "list []string", "", "p := lines.Get().(*[]byte)\nb := (*p)[:0]\nfor _, s := range list {\n\tb = append(b, s...)\n}\nlines.Put(&b)", lines},
		{"pool-growth-lost", "list []string", "", "b := lines.Get().([]byte)[:0]\nfor _, s := range list {\n\tb = append(b, s...)\n}\nlines.Put(b)", lines},
		{"pool-any-size", "n int", "", "b := lines.Get().(*[]byte)\nif cap(*b) < n {\n\tc := make([]byte, 2*n)\n\tb = &c\n}\nlines.Put(b)", lines},
		{"pool-any-size", "n int", "", "b := lines.Get().(*[]byte)\nif cap(*b) < 512 {\n\tc := make([]byte, 512)\n\tb = &c\n}\nlines.Put(b)", lines},
		{"pool-any-size", "n int", "", "b := lines.Get().(*[]byte)\nif len(*b) < n {\n\tc := make([]byte, n)\n\tb = &c\n}\nlines.Put(b)", lines},
		{"large-value-sent", "list []message, ch chan *message", "", "for i := range list {\n\tch <- &list[i]\n}", large},
		{"large-value-sent", "list []message, ch chan message", "", "ch <- list[0]", large},
		{"large-value-sent", "n int, ch chan message", "", "for range n {\n\tch <- message{}\n}", large},
		{"large-value-sent", "list []message, ch chan message", "", "for i := range list {\n\tlist[i].words[0] = i\n\tch <- list[i]\n}", large},
		{"large-value-sent", "list []int, ch chan int", "", "for _, x := range list {\n\tch <- x\n}", large},
		{"large-value-boxed", "list []cell, out []body", "", "for i := range list {\n\tout[i] = list[i]\n}", bodies},
		{"large-value-boxed", "list []block, out []any", "", "for i := range list {\n\tout[i] = list[i]\n}", bodies},
		{"large-value-boxed", "list []block, out []body", "", "for i := range list {\n\tout[i] = &list[i]\n}", bodies},
		{"joined-key", "m map[string]int, a, b string", "string", "k := a + \":\" + b\nm[k]++\nreturn k", ""},
		{"joined-key", "list map[int]string, a, b string", "bool", "k := a + \":\" + b\nreturn list[0] == k", ""},
		{"index-set", "ids []int", "int", "seen, n := make(map[int]bool), 0\nfor _, id := range ids {\n\tif !seen[id] {\n\t\tseen[id] = true\n\t\tn++\n\t}\n}\nreturn n", ""},
		{"index-set", "next []int", "int", "seen, i := make(map[int]bool), 0\nfor !seen[i] {\n\tseen[i] = true\n\ti = next[i]\n}\nreturn len(seen)", ""},
		{"index-set", "next []int, seen map[int]bool", "int", "i := 0\nfor !seen[i] {\n\tseen[i] = true\n\ti = next[i]\n}\nreturn i", ""},
		{"index-set", "ids []edge", "int", "seen, n := make(map[id]bool), 0\nfor _, e := range ids {\n\tif !seen[e.to] {\n\t\tseen[e.to] = true\n\t\tn++\n\t}\n}\nreturn n", edges},
		{"index-set", "next map[int]int", "int", "seen, i := make(map[int]bool), 0\nfor !seen[i] {\n\tseen[i] = true\n\ti = next[i]\n}\nreturn i", ""},
		{"index-set", "next []int", "map[int]bool", "seen, i := make(map[int]bool), 0\nfor !seen[i] {\n\tseen[i] = true\n\ti = next[i]\n}\nreturn seen", ""},
		{"leaks-for-branch", "n int", "int", "p := point{n, n}\nreturn always(&p)", leaks},
		{"leaks-for-branch", "n int", "int", "p := point{n, n}\nreturn never(&p)", leaks},
		{"leaks-for-branch", "n int", "int", "p := point{n, n}\nreturn both(&p)", leaks},
		{"leaks-for-branch", "n int", "*point", "p := point{n, n}\nnever(&p)\nreturn &p", leaks},
	} {
		s.check(t)
	}
}

const edges = "type id int\n\ntype edge struct{ to id }\n"

// A type of numbers of which one is an index in the function is one of indexes.
func TestIndexesByType(t *testing.T) {
	found := lineByLine(t, &knowledge.Example{Params: "of [][]edge, at id", Result: "int", Decls: edges},
		"seen, n := map[id]bool{at: true}, 0\nfor _, e := range of[at] {\n\tif !seen[e.to] {\n\t\tseen[e.to] = true\n\t\tn++\n\t}\n}\nreturn n", false)
	if !slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Row == "index-set" }) {
		t.Errorf("it says nothing of the set: %v", found)
	}
}
