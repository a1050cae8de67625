package shape

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

// causesOfMemory are the rules about memory and streams.
var causesOfMemory = []knowledge.Cause{
	{
		ID: "buffer-for-text", Title: "a buffer on the heap for a text",
		What:     "A function makes a slice of bytes, fills it, and converts it, or a part of it, to a string.",
		Why:      "The conversion copies: two blocks of the same size are allocated where one would do.",
		Silent:   "For buffers whose length is constant, which the compiler keeps on the stack; for buffers that are kept, returned or handed on; for those that start as anything but a new slice; where no block of the heap was seen.",
		Fix:      "An array on the stack for texts of the usual length; strings.Builder where the whole buffer becomes the text.",
		Unneeded: "and dropped",
		Outranks: []string{"buffer-per-call", "string-copy"},
	},
	{
		ID: "pointer-elements", Title: "a slice of pointers to small values",
		What:     "Each element of a slice is allocated by itself, a struct of a few words that nothing but the slice points to.",
		Why:      "A block and a pointer for each element: allocating, a load more for each access, and work for the collector, which follows the pointers.",
		Silent:   "For exported types, types with methods, structs of more than 64 bytes; where a field, a map, a channel or a second slice holds the pointers too, or two are compared: it may matter then that all see the same value.",
		Fix:      "A slice of the values.",
		Unneeded: "and nothing else does",
		Outranks: []string{"collection-per-call", "slice-growth"},
	},
	{
		ID: "returned-to-drop", Title: "memory returned to a caller that drops it",
		What:     "An unexported function makes a slice or a map and returns it, and each function that calls it has dropped it when it returns itself.",
		Why:      "Memory is allocated, cleared and collected for each call, while the caller could keep it for the next one.",
		Silent:   "For exported functions; when a caller returns, stores, sends it or hands it to code that may keep it; for slices of constant length; for results but the first.",
		Fix:      "A parameter for the memory to be filled, as append and strconv.AppendInt have it.",
		Unneeded: "so that nothing holds it afterwards",
	},
	{
		ID: "map-growth", Title: "a map grows although its size is known",
		What:     "A map is made without a size, and a loop whose number of rounds is known puts a key in in each of them.",
		Why:      "A full table is given up for one of twice the size, and all keys are hashed and moved: up to the final size once more for each key, and as much memory again.",
		Silent:   "When the key is put in under a condition; when the loop is in another that the map outlives; for loops over channels and iterators; where no blocks of several sizes were seen, as of maps of up to eight keys; for fields and maps of the caller's.",
		Fix:      "make(map[K]V, n).",
		Unneeded: "though the number of rounds is known before",
	},
	{
		ID: "text-growth", Title: "a text grows although its length can be told",
		What:     "A strings.Builder, or a bytes.Buffer whose content is returned, starts empty and is written in a loop over a string or a slice.",
		Why:      "Each time it is full it moves to a block of about twice the size: as many bytes again are allocated, and copied.",
		Silent:   "When Grow is called anywhere; when the loop is in another one that the text outlives; for buffers that are kept or written on; where no blocks of several sizes were seen.",
		Fix:      "Grow before the loop.",
		Unneeded: "though its length can be told before",
		Outranks: []string{"buffer-per-call"},
	},
	{
		ID: "escape-for-branch", Title: "a variable on the heap for the sake of a branch that is not taken",
		What:     "A branch takes a variable's address, to report an error, or makes a function literal that uses it, and leaves the function; the profile shows that this branch is next to never taken.",
		Why:      "A variable lies on the heap in all calls or in none: it is allocated where it is declared, whether or not the branch is taken.",
		Silent:   "When anything outside of the branch takes its address, or calls a method that has a pointer as receiver; when the branch goes on in the function; where the compiler does not say that the variable is moved, or no block of the heap was seen; in recordings without the compiler's text.",
		Fix:      "A copy in the branch.",
		Unneeded: "and that branch holds next to no samples",
		Outranks: []string{"buffer-per-call", "escaping-struct"},
	},
	{
		ID: "object-dropped", Title: "an object on the heap for one call",
		What:     "A function makes a struct on the heap, uses it, and drops it when it returns.",
		Why:      "It is allocated, cleared and collected for each call, though the next one could use it again.",
		Silent:   "When it is returned, stored, handed to another variable or to code whose source is not at hand and that may keep it; when the address of a field is taken; for structs of other packages; in constructors; for what the compiler keeps on the stack.",
		Fix:      "A sync.Pool, or a field; the type in place of an interface.",
		Unneeded: "and nothing holds it afterwards",
		Outranks: []string{"escaping-struct"},
	},
	{
		ID: "small-pieces", Title: "a stream read or written a few bytes at a time",
		What:     "A loop calls Write, Read or io.ReadFull for a constant number of bytes, 64 at most.",
		Why:      "Each call goes by an interface, checks, locks or copies for a few bytes; where the stream is a file or a connection, each is a system call.",
		Silent:   "For streams that the function has put a bufio.Reader or Writer around; for other types than the interfaces of package io; for lengths that vary.",
		Fix:      "A buffer of some kilobytes that many items are encoded into or decoded from.",
		Unneeded: "where one call could do many items",
	},
}

var ofMemory = []Shape{
	{Row: knowledge.Row{
		ID: "buffer-cut-to-text", Cause: "buffer-for-text",
		When:       knowledge.Words("a slice of bytes is made with a length that is not constant, filled, and a part of it becomes a string; nothing holds it when the call is over"),
		Cost:       "a buffer is made on the heap for a text, and a part of it copied into the text",
		Instead:    "Give it an array on the stack that is large enough for most texts, and make one only for longer ones: var room [128]byte; buf := room[:0]; if n > cap(buf) { buf = make([]byte, 0, n) }. The copy to the string stays the only block.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "text string", Result: "string", Args: "\"the-quick-brown-fox-jumps-over-the-lazy-dog\"",
			Before: "n, buf := 0, make([]byte, len(text))\nfor i := range len(text) {\n\tif text[i] != '-' {\n\t\tbuf[n] = text[i]\n\t\tn++\n\t}\n}\nreturn string(buf[:n])",
			After:  "var room [128]byte\nn, buf := 0, room[:]\nif len(text) > len(buf) {\n\tbuf = make([]byte, len(text))\n}\nfor i := range len(text) {\n\tif text[i] != '-' {\n\t\tbuf[n] = text[i]\n\t\tn++\n\t}\n}\nreturn string(buf[:n])"},
	}, Spends: []string{blocks}, Find: bufferCutToText},
	{Row: knowledge.Row{
		ID: "buffer-to-text", Cause: "buffer-for-text",
		When:       knowledge.Words("a slice of bytes is made with a length that is not constant and filled, and all of it becomes a string as the last that is done with it"),
		Cost:       "a buffer is made on the heap for a text, and all of it copied into the text",
		Instead:    "Fill a strings.Builder that was grown to the length (b.Grow(n)): String gives its memory away without a copy. Where bytes are set by index: unsafe.String(unsafe.SliceData(buf), len(buf)) does what the Builder does, and nothing may set a byte afterwards.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "text string", Result: "string", Args: "\"THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG\"",
			Before: "buf := make([]byte, len(text))\nfor i := range buf {\n\tbuf[i] = text[i] | 0x20\n}\nreturn string(buf)",
			After:  "buf := make([]byte, len(text))\nfor i := range buf {\n\tbuf[i] = text[i] | 0x20\n}\nreturn unsafe.String(unsafe.SliceData(buf), len(buf))"},
	}, Spends: []string{blocks}, Find: bufferToText},
	{Row: knowledge.Row{
		ID: "pointer-elements", Cause: "pointer-elements",
		When:       knowledge.Words("a literal &T{…} becomes an element of a slice []*T; T is an unexported struct of at most 64 bytes without methods, and its package keeps pointers to it in slices alone, puts none of them into a second one and compares none"),
		Cost:       "each element of a slice is a block of its own that the slice points to",
		Instead:    "Keep the values in the slice, []T in place of []*T, and take an element's address where it is changed: e := &list[i]. They lie in one block then, and the collector follows no pointers to them. An address does not outlast append.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "n int", Result: "int", Args: "100", Decls: "type entry struct {\n\tname string\n\tn    int\n}\n",
			Before: "list := make([]*entry, 0, n)\nfor i := range n {\n\tlist = append(list, &entry{n: i})\n}\nsum := 0\nfor _, e := range list {\n\tsum += e.n\n}\nreturn sum",
			After:  "list := make([]entry, 0, n)\nfor i := range n {\n\tlist = append(list, entry{n: i})\n}\nsum := 0\nfor i := range list {\n\tsum += list[i].n\n}\nreturn sum"},
	}, Spends: []string{blocks}, Find: pointerElements},
	{Row: knowledge.Row{
		ID: "returned-to-drop", Cause: "returned-to-drop",
		When:       knowledge.Words("an unexported function makes a slice with a length that is not constant, or a map, and returns it as its first result, and all that call it drop it with their own call"),
		Cost:       "a function makes memory that all of its callers drop when they return",
		Instead:    "Let the caller hand in what it keeps between calls, in a field or from a sync.Pool, to be filled again: func f(dst []T, …) []T with dst[:0], or a map that is cleared. Where only parts of it are asked for, return those.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "n int", Result: "int", Args: "100",
			Decls:  "var kept []int\n\nfunc squares(n int) []int {\n\tlist := make([]int, n)\n\tfor i := range list {\n\t\tlist[i] = i * i\n\t}\n\treturn list\n}\n\nfunc appendSquares(list []int, n int) []int {\n\tfor i := range n {\n\t\tlist = append(list, i*i)\n\t}\n\treturn list\n}\n",
			Before: "sum := 0\nlist := squares(n)\nfor _, x := range list {\n\tsum += x\n}\nreturn sum",
			After:  "sum := 0\nkept = appendSquares(kept[:0], n)\nfor _, x := range kept {\n\tsum += x\n}\nreturn sum"},
	}, Spends: []string{blocks, "runtime.makemap"}, Find: returnedToDrop},
}

// made returns a call of make for a slice, with a length that is not constant, or for a map.
func made(p *typed.Package, n ast.Node) *ast.CallExpr {
	call, ok := n.(*ast.CallExpr)
	if !ok || p.Builtin(call) != "make" {
		return nil
	}
	if typed.Element(p.TypeOf(call)) == nil {
		_, ok = typed.Under[*types.Map](p.TypeOf(call))
	} else {
		ok = p.Info.Types[call.Args[len(call.Args)-1]].Value == nil
	}
	if !ok {
		return nil
	}
	return call
}

// setBy returns the local variable that holds what a call makes: the statement sets it, or
// what a parameter points to for which all calls of an unexported function are handed
// its address.
func setBy(p *typed.Package, value ast.Expr) *types.Var {
	to, values := typed.Sides(p.Parent(value))
	i := slices.Index(values, value)
	if i < 0 || len(to) != len(values) {
		return nil
	}
	v := p.Var(to[i])
	if at, ok := ast.Unparen(to[i]).(*ast.StarExpr); ok {
		v = pointedBy(p, p.Var(at.X))
	}
	if v == nil || v.Kind() != types.LocalVar || typed.Global(v) {
		return nil
	}
	return v
}

// pointedBy returns the only variable that a parameter of an unexported function points to.
func pointedBy(p *typed.Package, param *types.Var) (v *types.Var) {
	if param == nil || param.Kind() != types.ParamVar {
		return nil
	}
	fn, ok := p.FunctionAround(param.Pos()).(*ast.FuncDecl)
	if !ok || fn.Name.IsExported() {
		return nil
	}
	i := slices.Index(slices.Collect(p.Func(fn).Signature().Params().Variables()), param)
	for _, id := range p.Uses(p.Func(fn)) {
		call, ok := p.Parent(p.Operand(id)).(*ast.CallExpr)
		if !ok || call.Fun != p.Operand(id) || i < 0 || i >= len(call.Args) {
			return nil
		}
		address, ok := ast.Unparen(call.Args[i]).(*ast.UnaryExpr)
		if !ok || address.Op != token.AND || v != nil && p.Var(address.X) != v {
			return nil
		}
		v = p.Var(address.X)
	}
	return v
}

// textBuffer returns the variable of a buffer that a call makes, that starts empty and holds
// nothing when its function is over, and the conversions of its parts and of all of it.
func textBuffer(p *typed.Package, n ast.Node) (v *types.Var, parts, whole []ast.Expr) {
	call := made(p, n)
	if call == nil || !isBytes(p.TypeOf(call)) {
		return nil, nil, nil
	}
	if v = setBy(p, call); v == nil {
		return nil, nil, nil
	}
	values, known := p.SetTo(v)
	ends, _ := p.Ends(v)
	if !known || !ends || slices.ContainsFunc(values, func(e ast.Expr) bool {
		other, _ := ast.Unparen(e).(*ast.CallExpr)
		return p.Var(p.Base(e)) != v && !p.Info.Types[e].IsNil() && (other == nil || p.Builtin(other) != "make" && p.Builtin(other) != "append")
	}) {
		return nil, nil, nil
	}
	for _, use := range p.Uses(v) {
		e := p.Parent(use)
		cut, ok := e.(*ast.SliceExpr)
		if ok && cut.X == use {
			e = p.Parent(cut)
		}
		x, ok := e.(ast.Expr)
		if of, to := p.Conversion(x); !ok || of == nil || !typed.IsString(to) {
			continue
		}
		if cut != nil {
			parts = append(parts, x)
		} else {
			whole = append(whole, x)
		}
	}
	return v, parts, whole
}

func bufferCutToText(p *typed.Package, n ast.Node) (m Match) {
	if _, parts, whole := textBuffer(p, n); len(parts) > 0 && len(whole) == 0 {
		m = Match{Goes: []ast.Node{n}, All: true}
	}
	return m
}

func bufferToText(p *typed.Package, n ast.Node) (m Match) {
	v, parts, whole := textBuffer(p, n)
	if len(parts) > 0 || len(whole) != 1 {
		return m
	}
	last := slices.MaxFunc(p.Uses(v), func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) })
	if _, ok := p.Parent(whole[0]).(*ast.ReturnStmt); ok && within(whole[0], last.Pos()) {
		m = Match{Goes: []ast.Node{n}, All: true}
	}
	return m
}

// smallStruct is the size of structs that a slice holds rather than points to.
const smallStruct = 64

func pointerElements(p *typed.Package, n ast.Node) (m Match) {
	address, ok := n.(*ast.UnaryExpr)
	if !ok || address.Op != token.AND || !isElement(p, address) {
		return m
	}
	named, ok := types.Unalias(p.TypeOf(address.X)).(*types.Named)
	if !ok || named.Obj().Exported() || named.Obj().Pkg() != p.Types || named.NumMethods() > 0 || p.Size(named) > smallStruct {
		return m
	}
	if _, ok := typed.Under[*types.Struct](named); ok && onlyElements(p, types.NewPointer(named)) {
		m = Match{Goes: []ast.Node{n}, All: true}
	}
	return m
}

// isElement reports whether the address of a literal becomes an element of a slice of
// pointers.
func isElement(p *typed.Package, address *ast.UnaryExpr) bool {
	if _, ok := ast.Unparen(address.X).(*ast.CompositeLit); !ok {
		return false
	}
	var list ast.Expr
	switch around := p.Parent(address).(type) {
	case *ast.CallExpr:
		if p.Builtin(around) == "append" && around.Args[0] != address {
			list = around.Args[0]
		}
	case *ast.AssignStmt:
		if i := slices.Index(around.Rhs, ast.Expr(address)); i >= 0 && len(around.Lhs) == len(around.Rhs) {
			if at, ok := ast.Unparen(around.Lhs[i]).(*ast.IndexExpr); ok {
				list = at.X
			}
		}
	}
	if list == nil {
		return false
	}
	_, slice := typed.Under[*types.Slice](p.TypeOf(list))
	return slice && types.Identical(typed.Element(p.TypeOf(list)), p.TypeOf(address))
}

// onlyElements reports whether a package keeps pointers of a type in one slice at a
// time: no field, map, channel or variable of the package holds one by itself, none is
// appended but as a literal, and none is compared with another.
func onlyElements(p *typed.Package, pointer types.Type) bool {
	lists := 0
	for _, obj := range p.Info.Defs {
		v, ok := obj.(*types.Var)
		if !ok {
			continue
		}
		switch t := v.Type().Underlying().(type) {
		case *types.Map:
			if types.Identical(t.Elem(), pointer) || types.Identical(t.Key(), pointer) {
				return false
			}
		case *types.Chan:
			if types.Identical(t.Elem(), pointer) {
				return false
			}
		case *types.Slice:
			if types.Identical(t.Elem(), pointer) && (v.IsField() || typed.Global(v)) {
				lists++
			}
		case *types.Pointer:
			if types.Identical(t, pointer) && (v.IsField() || typed.Global(v)) {
				return false
			}
		}
	}
	of := func(e ast.Expr) bool {
		t := p.TypeOf(e)
		return t != nil && types.Identical(t, pointer)
	}
	if lists > 1 {
		return false
	}
	for e := range p.Info.Types {
		switch e := e.(type) {
		case *ast.BinaryExpr:
			if of(e.X) && of(e.Y) && !p.Info.Types[e.X].IsNil() && !p.Info.Types[e.Y].IsNil() {
				return false
			}
		case *ast.CallExpr:
			for _, arg := range e.Args {
				if !of(arg) {
					continue
				}
				if p.Builtin(e) == "append" {
					if _, literal := ast.Unparen(arg).(*ast.UnaryExpr); !literal {
						return false
					}
				} else if p.Reached(e) == nil {
					return false // an interface, or another module's
				}
			}
		case *ast.CompositeLit:
			for _, value := range e.Elts {
				if of(value) {
					return false
				}
			}
		}
	}
	return true
}

func returnedToDrop(p *typed.Package, n ast.Node) (m Match) {
	call := made(p, n)
	if call == nil {
		return m
	}
	fn, ok := p.FunctionAround(call.Pos()).(*ast.FuncDecl)
	v := setBy(p, call)
	if !ok || fn.Name.IsExported() || v == nil || p.FunctionAround(v.Pos()) != fn {
		return m
	}
	returned := false
	for _, use := range p.Uses(v) {
		if st, ok := p.Parent(use).(*ast.ReturnStmt); ok {
			if st.Results[0] != use || slices.Contains(st.Results[1:], ast.Expr(use)) {
				return m
			}
			returned = true
		} else if !inside(p, use) {
			return m
		}
	}
	calls := p.Uses(p.Func(fn))
	if !returned || len(calls) == 0 || slices.ContainsFunc(calls, func(id *ast.Ident) bool { return !dropped(p, id) }) {
		return m
	}
	return Match{Goes: []ast.Node{n}, All: true}
}

// inside reports whether a use of a collection keeps nothing of it: an element is set
// or read, its length is taken, it is gone over.
func inside(p *typed.Package, use *ast.Ident) bool {
	switch around := p.Parent(use).(type) {
	case *ast.IndexExpr:
		address, ok := p.Parent(around).(*ast.UnaryExpr)
		return around.X == use && !(ok && address.Op == token.AND)
	case *ast.RangeStmt:
		return around.X == use
	case *ast.AssignStmt:
		return slices.Contains(around.Lhs, ast.Expr(use))
	case *ast.CallExpr:
		return slices.Contains([]string{"len", "cap", "copy", "clear", "delete"}, p.Builtin(around))
	}
	return false
}

// dropped reports whether a name is that of a function that is called, whose first
// result is held by a local variable of the caller that ends with it.
func dropped(p *typed.Package, id *ast.Ident) bool {
	call, ok := p.Parent(p.Operand(id)).(*ast.CallExpr)
	if !ok || call.Fun != p.Operand(id) {
		return false
	}
	to, values := typed.Sides(p.Parent(call))
	if len(values) != 1 || len(to) == 0 {
		return false
	}
	v := p.Var(to[0])
	if v == nil || v.Kind() != types.LocalVar || typed.Global(v) {
		return false
	}
	ends, _ := p.Ends(v)
	return ends
}
