package symbolname

import "strings"

// Name is a function's name in parts. String joins them again.
type Name struct {
	Package      string // import path, escapes decoded; "main" for a program's main package; "" for assembly, C, and what the compiler makes for types
	Receiver     string // type, without pointer and type arguments: "T", "local.1"; of an interface's method the interface; "" for a function
	Pointer      bool   // the receiver is a pointer
	ReceiverArgs string // "[...]", "[go.shape.int]"
	Name         string // of the declared function or method; all of a name that has no package
	Args         string // type arguments of the function
	Made         string // what the compiler added: ".func1.2", ".gowrap1", "-range1", "-fm", ".0" of init.0
	ABI          string // ".abi0" of an assembly function's wrapper

	path string // the package as it is written, and what ends it
}

// Parse takes a name apart.
func Parse(symbol string) Name {
	path, rest := split(symbol)
	n := Name{Package: importPath(path), path: path}
	if path == "" || path == typePrefix {
		n.Name = rest
		return n
	}
	for _, abi := range [...]string{".abi0", ".abiinternal"} {
		if cut, ok := strings.CutSuffix(rest, abi); ok && cut != "" {
			rest, n.ABI = cut, abi
		}
	}
	n.declared(rest)
	return n
}

// declared reads receiver and function, and leaves the rest to Made.
func (n *Name) declared(rest string) {
	first := next(rest)
	if strings.HasPrefix(first, "(*") && strings.HasSuffix(first, ")") && separated(rest, first) {
		n.Pointer = true
		n.Receiver, n.ReceiverArgs = cutArgs(first[2 : len(first)-1])
		n.function(rest[len(first)+1:])
		return
	}
	if first == "" || !separated(rest, first) || n.isFunction(first, rest[len(first)+1:]) {
		n.function(rest)
		return
	}
	second := next(rest[len(first)+1:])
	if isNumber(second) { // a type declared in a function: local.1
		first = rest[:len(first)+1+len(second)]
	}
	n.Receiver, n.ReceiverArgs = cutArgs(first)
	n.function(rest[len(first)+1:])
}

// isFunction decides whether the first of several parts is a function or the
// receiver of one.
func (n *Name) isFunction(first, rest string) bool {
	second := next(rest)
	after := rest[len(second):]
	switch {
	case second == "", strings.HasPrefix(second, "("), isMade(second):
		// glob..func1; F.(*T).M.func1, where M was inlined into F; F.func1. The
		// type of local.1.M is no function.
		return !isNumber(second) || first == "init" || !strings.HasPrefix(after, ".") || isMade(next(after[1:]))
	case first == "init", first == "main" && n.Package == "main", first == "glob":
		return true
	case first == "map" && second == "init":
		return true // what initialises a large map: map.init.0
	}
	// A literal where other functions were inlined. A method has no type
	// arguments, and few have their type's name.
	inlined := strings.HasPrefix(after, ".") || strings.HasPrefix(after, "-range")
	return inlined && (strings.HasSuffix(second, "]") || first == second)
}

// function reads the function and what is left.
func (n *Name) function(rest string) {
	name := next(rest)
	switch {
	case n.Receiver == "" && strings.HasPrefix(rest, "map.init."):
		name = "map.init"
	case n.Receiver == "" && strings.HasPrefix(rest, "glob.."):
		name = "glob."
	}
	n.Made = rest[len(name):]
	n.Name, n.Args = cutArgs(name)
}

// String returns the name that was parsed.
func (n Name) String() string {
	receiver := n.Receiver + n.ReceiverArgs
	switch {
	case n.Pointer:
		receiver = "(*" + receiver + ")."
	case receiver != "":
		receiver += "."
	}
	return n.path + receiver + n.Name + n.Args + n.Made + n.ABI
}

// Declared returns the name of the declared function: without the parts that the
// compiler added.
func (n Name) Declared() string {
	n.Made, n.ABI = "", ""
	return n.String()
}

// Initial reports whether the function initialises a package: an init function,
// or what the compiler makes of package variables and their literals.
func (n Name) Initial() bool {
	return n.Receiver == "" && (n.Name == "init" || n.Name == "map.init" || n.Name == "glob.")
}

// next returns the part of a name up to the dot or hyphen that ends it; both
// separate nothing inside of brackets, braces and quotes.
func next(s string) string {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			depth--
		case '"':
			i = quoted(s, i)
		case '.', '-':
			if depth <= 0 {
				return s[:i]
			}
		}
	}
	return s
}

// quoted returns where the string that begins at i ends.
func quoted(s string, i int) int {
	for i++; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i
}

// separated reports whether a dot follows the first part of s.
func separated(s, first string) bool {
	return len(s) > len(first) && s[len(first)] == '.'
}

// cutArgs separates type arguments from a name.
func cutArgs(s string) (name, args string) {
	if i := strings.IndexByte(s, '['); i > 0 && strings.HasSuffix(s, "]") && !strings.HasPrefix(s, "struct {") && !strings.HasPrefix(s, "interface {") {
		return s[:i], s[i:]
	}
	return s, ""
}
