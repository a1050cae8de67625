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
		ID: "buffer-for-text", Title: "a buffer on the heap for a string",
		What:     "A function allocates a slice of bytes, fills it, and converts it, or a part of it, to a string.",
		Why:      "The conversion copies: two blocks of the same size are allocated where one would do.",
		Silent:   "For buffers of constant length, which the compiler keeps on the stack; for buffers that are kept, returned or passed on; for those that do not start as a new slice; where no heap block was sampled.",
		Fix:      "Use an array on the stack for strings of the usual length, or a strings.Builder if the whole buffer becomes the string.",
		Unneeded: "and dropped",
		Outranks: []string{"buffer-per-call", "string-copy"},
	},
	{
		ID: "pointer-elements", Title: "a slice of pointers to small values",
		What:     "Each element of a slice is allocated separately, as a struct of a few words to which only the slice points.",
		Why:      "Each element needs a block and a pointer: an allocation, one more load for each access, and work for the garbage collector, which follows the pointers.",
		Silent:   "For exported types, types with methods, structs of more than 64 bytes; where a field, a map, a channel or a second slice holds the pointers too, or two are compared: then it may matter that all share one value.",
		Fix:      "Use a slice of values.",
		Unneeded: "and nothing else does",
		Outranks: []string{"collection-per-call", "slice-growth"},
	},
	{
		ID: "returned-to-drop", Title: "memory returned to a caller that drops it",
		What:     "An unexported function allocates a slice or a map and returns it, and all its callers drop it when they return.",
		Why:      "Each call allocates and clears memory and leaves it to the garbage collector, though the caller could reuse it.",
		Silent:   "For exported functions; when a caller returns, stores, sends it or passes it to code that may keep it; for slices of constant length; for results other than the first.",
		Fix:      "Take the memory as a parameter and fill it, as append and strconv.AppendInt do.",
		Unneeded: "though a caller could reuse it",
	},
	{
		ID: "map-growth", Title: "a map grows although its size is known",
		What:     "A map is made without a size, and a loop with a known number of rounds adds a key in each.",
		Why:      "A full table is replaced by one of twice the size, and all keys are hashed and moved: up to the final size each key is moved about once more, and as much memory is allocated again.",
		Silent:   "When keys are added conditionally; when the loop is inside another that the map outlives; for loops over channels and iterators; where blocks of several sizes were not sampled, as with maps of up to eight keys; for fields and maps of the caller.",
		Fix:      "Use make(map[K]V, n).",
		Unneeded: "though the number of rounds is known beforehand",
	},
	{
		ID: "text-growth", Title: "a string grows although its length can be computed",
		What:     "A strings.Builder, or a bytes.Buffer whose content is returned, starts empty and is written in a loop over a string or a slice.",
		Why:      "Each time it is full it moves to a block of about twice the size: as many bytes again are allocated and copied.",
		Silent:   "When Grow is called anywhere; when the loop is inside another that the string outlives; for buffers that are kept or written on; where blocks of several sizes were not sampled.",
		Fix:      "Call Grow before the loop.",
		Unneeded: "though its length can be computed beforehand",
		Outranks: []string{"buffer-per-call"},
	},
	{
		ID: "escape-for-branch", Title: "a variable on the heap because of a branch that is not taken",
		What:     "A branch takes a variable's address, for example to report an error, or captures it in a function literal, and leaves the function; the profile shows that this branch is almost never taken.",
		Why:      "A variable is on the heap in all calls or in none: it is allocated at its declaration, whether or not the branch is taken.",
		Silent:   "When code outside the branch takes its address, or calls a method with a pointer receiver; when the branch continues in the function; where the compiler does not report that the variable is moved, or no heap block was sampled; in recordings without compiler diagnostics.",
		Fix:      "Copy the variable in the branch.",
		Unneeded: "and that branch has almost no samples",
		Outranks: []string{"buffer-per-call", "escaping-struct"},
	},
	{
		ID: "object-dropped", Title: "an object on the heap for one call",
		What:     "A function allocates a struct on the heap, uses it, and drops it on return.",
		Why:      "Each call allocates and clears it and leaves it to the garbage collector, though the next call could reuse it.",
		Silent:   "When it is returned, stored, assigned to another variable or passed to code that is not available and may keep it; when the address of a field is taken; for structs of other packages; in constructors; for objects that the compiler keeps on the stack.",
		Fix:      "Use a sync.Pool, or a field; take the type in place of an interface.",
		Unneeded: "and dropped afterwards",
		Outranks: []string{"escaping-struct"},
	},
	{
		ID: "small-pieces", Title: "a stream read or written a few bytes at a time",
		What:     "A loop calls Write, Read or io.ReadFull for a constant number of bytes, 64 at most.",
		Why:      "Each call goes through an interface, and checks, locks or copies for a few bytes; if the stream is a file or a connection, each is a system call.",
		Silent:   "For streams that the function wraps in a bufio.Reader or Writer; for types other than the interfaces of package io; for lengths that vary.",
		Fix:      "Encode many items into, or decode them from, a buffer of some kilobytes.",
		Unneeded: "where one call could serve many items",
	},
}

var ofMemory = []Shape{
	{Row: knowledge.Row{
		ID: "buffer-cut-to-text", Cause: "buffer-for-text",
		When:       knowledge.Words("a slice of bytes is made with a variable length, filled, and a part of it converted to a string; it does not outlive the call"),
		Cost:       "a buffer is allocated on the heap for a string, and a part of it copied into the string",
		Instead:    "Use an array on the stack that is large enough for most strings, and allocate only for longer ones: var room [128]byte; buf := room[:0]; if n > cap(buf) { buf = make([]byte, 0, n) }. The string then remains the only block.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "text string", Result: "string", Args: "\"the-quick-brown-fox-jumps-over-the-lazy-dog\"",
			Before: "n, buf := 0, make([]byte, len(text))\nfor i := range len(text) {\n\tif text[i] != '-' {\n\t\tbuf[n] = text[i]\n\t\tn++\n\t}\n}\nreturn string(buf[:n])",
			After:  "var room [128]byte\nn, buf := 0, room[:]\nif len(text) > len(buf) {\n\tbuf = make([]byte, len(text))\n}\nfor i := range len(text) {\n\tif text[i] != '-' {\n\t\tbuf[n] = text[i]\n\t\tn++\n\t}\n}\nreturn string(buf[:n])"},
	}, Spends: []string{blocks}, Find: bufferCutToText},
	{Row: knowledge.Row{
		ID: "buffer-to-text", Cause: "buffer-for-text",
		When:       knowledge.Words("a slice of bytes is made with a variable length and filled, and finally all of it is converted to a string"),
		Cost:       "a buffer is allocated on the heap for a string, and all of it copied into the string",
		Instead:    "Fill a strings.Builder grown to the length (b.Grow(n)): String gives its memory away without a copy. If bytes are set by index, unsafe.String(unsafe.SliceData(buf), len(buf)) does the same as the Builder, and nothing may set a byte afterwards.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "text string", Result: "string", Args: "\"THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG\"",
			Before: "buf := make([]byte, len(text))\nfor i := range buf {\n\tbuf[i] = text[i] | 0x20\n}\nreturn string(buf)",
			After:  "buf := make([]byte, len(text))\nfor i := range buf {\n\tbuf[i] = text[i] | 0x20\n}\nreturn unsafe.String(unsafe.SliceData(buf), len(buf))"},
	}, Spends: []string{blocks}, Find: bufferToText},
	{Row: knowledge.Row{
		ID: "pointer-elements", Cause: "pointer-elements",
		When:       knowledge.Words("a literal &T{…} becomes an element of a slice []*T; T is an unexported struct of at most 64 bytes without methods, and its package keeps pointers to it only in slices, puts none of them into a second one and compares none"),
		Cost:       "each element of a slice is allocated separately, and the slice points to it",
		Instead:    "Keep the values in the slice, []T in place of []*T, and take an element's address to change it: e := &list[i]. They then lie in one block, and the garbage collector follows no pointers to them. Such an address is not valid after append moves the slice.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "n int", Result: "int", Args: "100", Decls: "type entry struct {\n\tname string\n\tn    int\n}\n",
			Before: "list := make([]*entry, 0, n)\nfor i := range n {\n\tlist = append(list, &entry{n: i})\n}\nsum := 0\nfor _, e := range list {\n\tsum += e.n\n}\nreturn sum",
			After:  "list := make([]entry, 0, n)\nfor i := range n {\n\tlist = append(list, entry{n: i})\n}\nsum := 0\nfor i := range list {\n\tsum += list[i].n\n}\nreturn sum"},
	}, Spends: []string{blocks}, Find: pointerElements},
	{Row: knowledge.Row{
		ID: "returned-to-drop", Cause: "returned-to-drop",
		When:       knowledge.Words("an unexported function makes a slice with a variable length, or a map, and returns it as its first result, and all its callers drop it on return"),
		Cost:       "a function allocates memory that all of its callers drop",
		Instead:    "Let the caller pass memory that it keeps between calls, in a field or from a sync.Pool, and fill that: func f(dst []T, …) []T with dst[:0], or a map that is cleared. If callers need only parts of it, return those.",
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
