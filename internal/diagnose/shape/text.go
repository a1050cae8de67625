package shape

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

var ofText = []Shape{
	{Row: knowledge.Row{
		ID: "runes-written", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop over a string writes or appends the rune or byte of the round, unchanged, under a condition, and something else in its place otherwise"),
		Cost:       "a loop copies a string by single runes or bytes to replace some of them",
		Instead:    "Remember the start of each unchanged run, and write the run as a whole (s[from:i]) before each replacement and at the end; return a string without replacements unchanged. For fixed strings, strings.ReplaceAll and a shared strings.NewReplacer do that.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "text string", Result: "string", Args: "\"the quick brown fox jumps over the lazy dog & the dog sleeps\"",
			Before: "var b strings.Builder\nfor _, c := range text {\n\tswitch c {\n\tcase '&':\n\t\tb.WriteString(\"&amp;\")\n\tcase '<':\n\t\tb.WriteString(\"&lt;\")\n\tdefault:\n\t\tb.WriteRune(c)\n\t}\n}\nreturn b.String()",
			After:  "var b strings.Builder\nfrom := 0\nfor i := 0; i < len(text); i++ {\n\tby := \"\"\n\tswitch text[i] {\n\tcase '&':\n\t\tby = \"&amp;\"\n\tcase '<':\n\t\tby = \"&lt;\"\n\tdefault:\n\t\tcontinue\n\t}\n\tb.WriteString(text[from:i])\n\tb.WriteString(by)\n\tfrom = i + 1\n}\nb.WriteString(text[from:])\nreturn b.String()"},
	}, Spends: []string{"", "strings.(*Builder).", "bytes.(*Buffer).", "bufio.(*Writer).Write", "unicode/utf8.", "runtime.growslice", "runtime.decoderune"}, Find: runesWritten},
	{Row: knowledge.Row{
		ID: "runes-checked", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop ranges over the runes of a string and only leaves it when a condition holds for one, which compares it with ASCII, indexes a table, or calls a function of the program that does"),
		Cost:       "a string is decoded rune by rune to be checked",
		Instead:    "Iterate over the bytes, for i := 0; i < len(s); i++, with a table of all 256, var is = [256]bool{…}, so that each takes one load. Bytes of non-ASCII characters are 0x80 and above.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "text string", Result: "bool", Args: "\"x-forwarded-for-the-client\"",
			Decls:  "var allowed = [127]bool{'-': true, 'x': true, 'f': true, 'o': true, 'r': true, 'w': true, 'a': true, 'd': true, 'e': true, 't': true, 'h': true, 'c': true, 'l': true, 'i': true, 'n': true}\n\nvar table = func() (t [256]bool) {\n\tcopy(t[:], allowed[:])\n\treturn t\n}()\n\nfunc isAllowed(r rune) bool {\n\ti := int(r)\n\treturn i < len(allowed) && allowed[i]\n}\n",
			Before: "for _, r := range text {\n\tif !isAllowed(r) {\n\t\treturn false\n\t}\n}\nreturn true",
			After:  "for i := 0; i < len(text); i++ {\n\tif !table[text[i]] {\n\t\treturn false\n\t}\n}\nreturn true"},
	}, Spends: []string{"", "runtime.decoderune", calls}, Find: runesChecked},
	{Row: knowledge.Row{
		ID: "rune-decoded", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop calls DecodeRune or DecodeRuneInString of unicode/utf8, and the function compares nothing with utf8.RuneSelf or 0x80"),
		Cost:       "each character is decoded by a call",
		Instead:    "Test for ASCII first: if c := s[i]; c < utf8.RuneSelf { r, size = rune(c), 1 } else { r, size = utf8.DecodeRuneInString(s[i:]) }. Text in other scripts gains nothing.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "text string", Result: "int", Args: "\"the quick brown fox jumps over the lazy dog\"",
			Before: "n := 0\nfor i := 0; i < len(text); {\n\tr, size := utf8.DecodeRuneInString(text[i:])\n\tif r == 'o' {\n\t\tn++\n\t}\n\ti += size\n}\nreturn n",
			After:  "n := 0\nfor i := 0; i < len(text); {\n\tr, size := rune(text[i]), 1\n\tif r >= utf8.RuneSelf {\n\t\tr, size = utf8.DecodeRuneInString(text[i:])\n\t}\n\tif r == 'o' {\n\t\tn++\n\t}\n\ti += size\n}\nreturn n"},
	}, Spends: []string{"unicode/utf8.DecodeRune"}, Find: runeDecoded},
}

func runeDecoded(p *typed.Package, n ast.Node) (m Match) {
	call, ok := n.(*ast.CallExpr)
	if !ok || outer(p, call) == nil {
		return m
	}
	if name := p.Called(call); name != "unicode/utf8.DecodeRune" && name != "unicode/utf8.DecodeRuneInString" {
		return m
	}
	m.Goes = []ast.Node{call}
	ast.Inspect(p.Declaration(n.Pos()), func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			return true
		}
		for _, of := range []ast.Expr{b.X, b.Y} {
			if v := p.Info.Types[of].Value; v != nil && slices.Contains([]string{"127", "128"}, constant.ToInt(v).ExactString()) {
				m.Goes = nil
			}
		}
		return true
	})
	return m
}

func runesChecked(p *typed.Package, n ast.Node) (m Match) {
	loop, ok := n.(*ast.RangeStmt)
	if !ok || loop.Value == nil || loop.Tok != token.DEFINE || !typed.IsString(p.TypeOf(loop.X)) {
		return m
	}
	r := p.Var(loop.Value)
	st, ok := only(loop.Body).(*ast.IfStmt)
	if !ok || r == nil || st.Init != nil || st.Else != nil || p.UsedIn(st.Body, r) {
		return m
	}
	switch only(st.Body).(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
	default:
		return m
	}
	asked := false
	for _, use := range p.Uses(r) {
		switch around := p.Parent(use).(type) {
		case *ast.BinaryExpr:
			of := around.Y
			if of == use {
				of = around.X
			}
			v := p.Info.Types[of].Value
			if v == nil {
				return m
			}
			if c, exact := constant.Int64Val(constant.ToInt(v)); !exact || c > 127 {
				return m
			}
		case *ast.IndexExpr:
			asked = true
		case *ast.CallExpr:
			to := p.Reached(around)
			if to == nil || to.Decl.Recv != nil || len(around.Args) != 1 || asksUnicode(to) {
				return m
			}
			asked = true
		default:
			return m
		}
	}
	if asked || len(p.Uses(r)) > 2 {
		m.Goes = []ast.Node{loop}
	}
	return m
}

// asksUnicode reports whether a function calls anything, but conversions and len.
func asksUnicode(fn *typed.Function) (found bool) {
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			x, _ := fn.Package.Conversion(call)
			found = found || x == nil && fn.Package.Builtin(call) != "len"
		}
		return !found
	})
	return found
}

func runesWritten(p *typed.Package, n ast.Node) (m Match) {
	l := eachOf(p, n)
	if l == nil || !typed.IsString(p.TypeOf(l.x)) && !isBytes(p.TypeOf(l.x)) {
		return m
	}
	if l.value != nil && slices.ContainsFunc(p.Uses(l.value), func(id *ast.Ident) bool { return p.Written(id) }) {
		return m // each may be changed: there are no runs that stay
	}
	var written []ast.Node
	instead, runs := false, false
	ast.Inspect(l.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		arg := writes(p, call)
		switch {
		case arg == nil:
		case l.isElement(p, p.Converted(arg)):
			if conditional(p, call, l.loop) {
				written = append(written, call)
			}
		default:
			_, run := ast.Unparen(arg).(*ast.SliceExpr)
			instead, runs = instead || conditional(p, call, l.loop), runs || run
		}
		return true
	})
	if written != nil && instead && !runs {
		m.Goes = append(written, l.x) // whose line is that of the decoding
	}
	return m
}

func isBytes(t types.Type) bool {
	of, ok := typed.Under[*types.Slice](t)
	if !ok {
		return false
	}
	b, ok := typed.Under[*types.Basic](of.Elem())
	return ok && b.Kind() == types.Uint8
}

// writes returns what a call writes to a buffer, or appends to bytes; nil where it does
// neither.
func writes(p *typed.Package, call *ast.CallExpr) ast.Expr {
	if p.Builtin(call) == "append" && len(call.Args) > 1 && isBytes(p.TypeOf(call.Args[0])) {
		return call.Args[1]
	}
	if fn := p.Function(call); fn != nil && len(call.Args) > 0 {
		switch fn.Name() {
		case "WriteRune", "WriteByte", "WriteString", "Write":
			return call.Args[0]
		case "AppendRune":
			return call.Args[len(call.Args)-1]
		}
	}
	return nil
}

// conditional reports whether an if or a switch between a node and a loop around it
// decides about it.
func conditional(p *typed.Package, n, loop ast.Node) bool {
	for outer := p.Parent(n); outer != nil && outer != loop; n, outer = outer, p.Parent(outer) {
		switch outer := outer.(type) {
		case *ast.IfStmt:
			if n != outer.Cond && n != outer.Init {
				return true
			}
		case *ast.CaseClause:
			return true
		}
	}
	return false
}
