package rules_test

import "testing"

// As TestShapeSilent, about memory and streams.
func TestMemorySilent(t *testing.T) {
	for _, s := range []silence{
		{"buffer-cut-to-text", "text string", "string", "buf := make([]byte, 64)\nreturn string(buf[:copy(buf, text)])", ""},
		{"buffer-cut-to-text", "text string", "[]byte", "buf := make([]byte, len(text))\nprintln(string(buf[:1]))\nreturn buf", ""},
		{"buffer-cut-to-text", "text string, keep func([]byte)", "string", "buf := make([]byte, len(text))\nkeep(buf)\nreturn string(buf[:1])", ""},
		{"buffer-cut-to-text", "text string, buf []byte", "string", "if buf == nil {\n\tbuf = make([]byte, len(text))\n}\nreturn string(buf[:1])", ""},
		{"buffer-cut-to-text", "text string", "string", "buf := []byte(text)\nif len(text) > 9 {\n\tbuf = make([]byte, len(text))\n}\nreturn string(buf[:1])", ""},
		{"buffer-to-text", "text string", "string", "buf := make([]byte, len(text))\ns := string(buf)\nbuf[0] = 1\nreturn s + string(buf)", ""},
		{"buffer-to-text", "text string, list []string", "[]string", "buf := make([]byte, len(text))\nfor range 3 {\n\tlist = append(list, string(buf))\n}\nreturn list", ""},
		{"pointer-elements", "n int", "[]*entry", "return append([]*entry(nil), &entry{n})", "type entry struct{ n int }\n\nvar first *entry\n"},
		{"pointer-elements", "n int", "[]*entry", "return append([]*entry(nil), &entry{n})", "type entry struct{ n int }\n\nvar byName map[string]*entry\n"},
		{"pointer-elements", "n int", "[]*entry", "return append([]*entry(nil), &entry{n, nil})", "type entry struct {\n\tn    int\n\tnext *entry\n}\n"},
		{"pointer-elements", "n int", "[]*entry", "return append([]*entry(nil), &entry{n})", "type entry struct{ n int }\n\nfunc (e *entry) inc() { e.n++ }\n"},
		{"pointer-elements", "n int", "[]*entry", "return append([]*entry(nil), &entry{n: n})", "type entry struct {\n\tn    int\n\troom [64]byte\n}\n"},
		{"pointer-elements", "n int", "[]*entry", "return append([]*entry(nil), &entry{n})", "type entry struct{ n int }\n\nvar byAge, byName []*entry\n"},
		{"pointer-elements", "n int, list, other []*entry", "[]*entry", "list = append(list, &entry{n})\ne := list[0]\nreturn append(other, e)", "type entry struct{ n int }\n"},
		{"pointer-elements", "n int, list []*entry", "bool", "list = append(list, &entry{n})\nreturn list[0] == list[1]", "type entry struct{ n int }\n"},
		{"pointer-elements", "n int, list []*entry", "", "list = append(list, &entry{n})\nfmt.Println(list[0])", "type entry struct{ n int }\n"},
		{"returned-to-drop", "n int", "[]int", "list := squares(n)\nreturn list", squares},
		{"returned-to-drop", "n int, h *holder", "", "list := squares(n)\nh.list = list", squares},
		{"returned-to-drop", "n int", "int", "list := Squares(n)\nreturn list[0]", squares},
		{"returned-to-drop", "n int", "int", "list := four(n)\nreturn list[0]", squares},
		{"returned-to-drop", "n int, keep func([]int)", "int", "list := squares(n)\nkeep(list)\nreturn list[0]", squares},
		{"small-pieces", "w io.Writer", "", "w.Write(make([]byte, 8))", ""},
		{"small-pieces", "w io.Writer, lines [][]byte", "", "for _, line := range lines {\n\tw.Write(line)\n}", ""},
		{"small-pieces", "w io.Writer, n int", "", "var page [4096]byte\nfor range n {\n\tw.Write(page[:])\n}", ""},
		{"small-pieces", "w io.Writer, n int", "", "var b [8]byte\nout := bufio.NewWriter(w)\nfor range n {\n\tout.Write(b[:])\n}\nout.Flush()", ""},
		{"small-pieces", "w io.Writer, n int", "", "var b [8]byte\nvar out io.Writer = bufio.NewWriter(w)\nfor range n {\n\tout.Write(b[:])\n}", ""},
		{"small-pieces", "list []io.Writer", "", "var b [8]byte\nfor _, w := range list {\n\tw.Write(b[:])\n}", ""},
		{"small-pieces", "h hash.Hash, n int", "", "var b [8]byte\nfor range n {\n\th.Write(b[:])\n}", ""},
		{"map-grown", "list []int", "int", "m := make(map[int]int, 9)\nfor i, x := range list {\n\tm[i] = x\n}\nreturn len(m)", ""},
		{"map-grown", "list []int", "int", "m := make(map[int]int)\nfor i, x := range list {\n\tif x > 0 {\n\t\tm[i] = x\n\t}\n}\nreturn len(m)", ""},
		{"map-grown", "c chan int", "int", "m := make(map[int]int)\nfor x := range c {\n\tm[x] = x\n}\nreturn len(m)", ""},
		{"map-grown", "m map[int]int, list []int", "int", "for i, x := range list {\n\tm[i] = x\n}\nreturn len(m)", ""},
		{"map-grown", "lists [][]int", "int", "m := make(map[int]int)\nfor _, list := range lists {\n\tfor i, x := range list {\n\t\tm[i] = x\n\t}\n}\nreturn len(m)", ""},
		{"map-grown", "list []int", "int", "m := make(map[int]*int)\nfor i := range list {\n\tm[i] = &list[i]\n}\nm2 := make(map[int][]int)\nfor i := range list {\n\tm2[i] = append(m2[i], 1)\n}\nreturn len(m)", ""},
		{"map-grown", "n int", "int", "m := make(map[int]int)\nm[n] = n\nreturn len(m)", ""},
		{"builder-grown", "text string", "string", "var b strings.Builder\nb.Grow(9)\nfor range text {\n\tb.WriteByte('x')\n}\nreturn b.String()", ""},
		{"builder-grown", "texts []string", "string", "var b strings.Builder\nfor _, text := range texts {\n\tfor range text {\n\t\tb.WriteByte('x')\n\t}\n}\nreturn b.String()", ""},
		{"builder-grown", "text string, w io.Writer", "", "var b bytes.Buffer\nfor range text {\n\tb.WriteByte('x')\n}\nw.Write(b.Bytes())", ""},
		{"builder-grown", "next func() string", "string", "var b strings.Builder\nfor s := next(); s != \"\"; s = next() {\n\tb.WriteString(s)\n}\nreturn b.String()", ""},
		{"builder-grown", "b *strings.Builder, text string", "string", "for range text {\n\tb.WriteByte('x')\n}\nreturn b.String()", ""},
		{"moved-for-branch", "n int", "int", "p := point{n, n}\nif n < 0 {\n\treturn report(&p)\n}\nlast = &p\nreturn p.x", points},
		{"moved-for-branch", "n int", "int", "p := point{n, n}\nif n < 0 {\n\tlast = &p\n}\nreturn p.x", points},
		{"moved-for-branch", "n int", "func() int", "p := point{n, n}\nif n < 0 {\n\treturn func() int { return report(&p) }\n}\nreturn func() int { return p.x }", points},
		{"moved-for-branch", "n int", "int", "p := point{n, n}\np.keep()\nif n < 0 {\n\treturn report(&p)\n}\nreturn p.x", points},
		{"moved-for-branch", "n int", "int", "p := point{n, n}\nif n < 0 {\n\treturn ask(&p)\n}\nreturn p.x", points},
		{"moved-for-branch", "n int", "int", "p := &point{n, n}\nif n < 0 {\n\treturn report(p)\n}\nlast = p\nreturn p.x", points},
		{"moved-for-branch", "n int", "int", "p := point{n, n}\nswitch {\ncase n < 0:\n\treport(&p)\ncase n > 9:\n\tlast = &p\n}\nreturn p.x", points},
		{"moved-for-branch", "n int", "int", "p := point{n, n}\nif n < 0 {\n\treport(&p)\n}\nif n > 9 {\n\tlast = &p\n}\nreturn n", points},
		{"moved-for-branch", "n int", "int", "p := point{n, n}\np.x++\nswitch {\ncase n < 0:\n\treport(&p)\ncase n > 9:\n\tlast = &p\n}\nreturn n", points},
		{"boxed-for-branch", "n int", "int", "assert(n > 0, \"constant\", 1, nil)\nreturn n", asserts},
		{"boxed-for-branch", "p *int", "int", "assert(p != nil, \"%p\", p)\nreturn *p", asserts},
		{"boxed-for-branch", "n int, args []any", "int", "assert(n > 0, \"%d\", args...)\nreturn n", asserts},
		{"boxed-for-branch", "n int", "int", "note(n > 0, \"%d\", n)\nreturn n", asserts},
		{"boxed-for-branch", "n int", "int", "first(n > 0, \"%d\", n)\nreturn n", asserts},
		{"call-for-test", "list []int", "int", "n := 0\nfor _, x := range list {\n\tn += small(x)\n}\nreturn n", tests},
		{"call-for-test", "list []int", "int", "n := 0\nfor _, x := range list {\n\tn += looped(x)\n}\nreturn n", tests},
		{"call-for-test", "list []int", "int", "n := 0\nfor _, x := range list {\n\tn += calling(x)\n}\nreturn n", tests},
		{"call-for-test", "list []int", "int", "n := 0\nfor _, x := range list {\n\tn += single(x)\n}\nreturn n", tests},
		{"inserted-by-append", "a, b []int, i int", "[]int", "return append(a[:i], append([]int{1}, b[i:]...)...)", ""},
		{"inserted-by-append", "a []int, i int", "[]int", "return append(a[:i], append([]int{1}, a[i:i+2]...)...)", ""},
		{"inserted-by-append", "a []int, i int", "[]int", "return append(a[:i], a[i+1:]...)", ""},
		{"searched-beyond", "s string", "int", "i := strings.IndexByte(s, 'a')\nj := strings.IndexByte(s, 'b')\nif j < 0 || j > i {\n\treturn j\n}\nreturn i", ""},
		{"searched-beyond", "s string", "int", "i := strings.IndexByte(s, 'a')\nj := strings.IndexByte(s, 'b')\nif j < 0 || j < i {\n\treturn i\n}\nreturn 0", ""},
		{"searched-beyond", "s string", "int", "i := strings.IndexByte(s, 'a')\nj := strings.IndexByte(s, 'b')\nif j < i {\n\treturn i\n}\nreturn 0", ""},
		{"searched-beyond", "s string", "int", "i := strings.IndexByte(s, 'a')\nj := strings.IndexByte(s, 'b')\nif j >= 0 && j < i {\n\treturn i\n}\nreturn j", ""},
		{"searched-beyond", "s string", "int", "i := strings.IndexByte(s, 'a')\ns = s[1:]\nj := strings.IndexByte(s, 'b')\nif j >= 0 && j < i {\n\treturn i\n}\nreturn 0", ""},
		{"searched-beyond", "s, o string", "int", "i := strings.IndexByte(o, 'a')\nj := strings.IndexByte(s, 'b')\nif j >= 0 && j < i {\n\treturn i\n}\nreturn 0", ""},
		{"object-dropped", "n int", "*state", "s := &state{n: n}\nfmt.Fprint(s, n)\nreturn s", states},
		{"object-dropped", "n int", "int", "s := &state{n: n}\ns.Write(nil)\nreturn s.n", states}, // on the stack
		{"object-dropped", "n int, h *holder", "", "s := &state{n: n}\nfmt.Fprint(s, n)\nh.s = s", states},
		{"object-dropped", "n int", "", "s := &state{n: n}\ns.keep()", states},
		{"object-dropped", "n int", "", "s := &state{n: n}\nhold(s)", states},
		{"object-dropped", "n int", "", "s := &state{n: n}\ngo s.Write(nil)", states},
		{"object-dropped", "n int, list []func()", "[]func()", "s := &state{n: n}\nreturn append(list, func() { s.n++ })", states},
		{"object-dropped", "n int", "*int", "s := &state{n: n}\nreturn &s.n", states},
		{"object-dropped", "n int", "", "s := &state{n: n}\nother := s\nhold(other)", states},
	} {
		s.check(t)
	}
}

const squares = "type holder struct{ list []int }\n\nfunc squares(n int) []int {\n\tlist := make([]int, n)\n\treturn list\n}\n\nfunc Squares(n int) []int {\n\tlist := make([]int, n)\n\treturn list\n}\n\nfunc four(n int) []int {\n\tlist := make([]int, 4)\n\tlist[0] = n\n\treturn list\n}\n"

const points = "type point struct{ x, y int }\n\nvar last *point\n\n//go:noinline\nfunc report(p *point) int {\n\tlast = p\n\treturn -1\n}\n\n//go:noinline\nfunc ask(p *point) int { return p.y }\n\n//go:noinline\nfunc (p *point) keep() { last = p }\n"

const states = "type state struct{ n int }\n\ntype holder struct{ s *state }\n\nvar kept *state\n\n//go:noinline\nfunc (s *state) Write(b []byte) (int, error) { return len(b), nil }\n\nfunc (s *state) keep() { s.pass() }\n\nfunc (s *state) pass() { kept = s }\n\nfunc hold(s *state) { s.keep() }\n"

const asserts = "func assert(ok bool, format string, args ...any) {\n\tif !ok {\n\t\tpanic(fmt.Sprintf(format, args...))\n\t}\n}\n\nfunc note(ok bool, format string, args ...any) {\n\tfmt.Printf(format, args...)\n\tif !ok {\n\t\tpanic(format)\n\t}\n}\n\nfunc first(ok bool, format string, args ...any) {\n\tif args[0] != nil && !ok {\n\t\tpanic(format)\n\t}\n}\n"

const tests = "var most int\n\nfunc small(n int) int {\n\tif n > most {\n\t\tmost = n\n\t}\n\treturn n\n}\n\nfunc looped(n int) int {\n\tfor range n {\n\t\tmost++\n\t}\n\tif n > most {\n\t\tmost = n\n\t\tpanic(\"too many: \" + strconv.Itoa(n) + strconv.Itoa(most))\n\t}\n\treturn n\n}\n\nfunc calling(n int) int {\n\tif n > most {\n\t\tmost = n\n\t\tpanic(\"too many: \" + strconv.Itoa(n) + strconv.Itoa(most))\n\t}\n\treturn len(strconv.Itoa(n))\n}\n\n//go:noinline\nfunc fail(n int) { panic(n) }\n\nfunc single(n int) int {\n\tif n > most {\n\t\tfail(n)\n\t}\n\tif n > most*2 {\n\t\tfail(n)\n\t}\n\treturn n\n}\n"
