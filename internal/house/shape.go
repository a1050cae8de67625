package house

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// Bounds: past them a file or a package is split. Generated files and tests are
// free.
const (
	LongestFile  = 500  // lines
	MostFiles    = 30   // of one package
	MostAppLines = 2500 // of code in internal/app, which only wires
)

// emptyNames say nothing about what a package is for.
var emptyNames = []string{"util", "utils", "common", "helper", "helpers", "lib", "pkg", "base", "manager", "misc", "shared", "types"}

// CheckName says what is wrong with a package's path and name.
func CheckName(importPath, name string) []Fault {
	for _, part := range append(strings.Split(importPath, "/"), name) {
		if slices.Contains(emptyNames, part) {
			return []Fault{{importPath, fmt.Sprintf("a package named %s says nothing: name it after what it holds", part)}}
		}
	}
	return nil
}

// CheckDoc reports whether a package has its doc.go; file is nil when there is
// none.
func CheckDoc(importPath, name string, file *ast.File) []Fault {
	const should = "which question it answers, from which input, by which method, and when it misleads"
	if file == nil {
		return []Fault{{importPath, "it has no doc.go: write one that says " + should}}
	}
	text := strings.TrimSpace(file.Doc.Text())
	if text == "" {
		return []Fault{{importPath, "its doc.go has no package comment: say " + should}}
	}
	if first := "Package " + name + " "; name != "main" && !strings.HasPrefix(text, first) {
		return []Fault{{importPath, fmt.Sprintf("its package comment does not begin with %q", first)}}
	}
	return nil
}

// CheckLength returns a fault where a file is too long.
func CheckLength(name string, fset *token.FileSet, file *ast.File) []Fault {
	if ast.IsGenerated(file) {
		return nil
	}
	if lines := fset.File(file.FileStart).LineCount(); lines > LongestFile {
		return []Fault{{name, fmt.Sprintf("%d lines are more than %d: split it", lines, LongestFile)}}
	}
	return nil
}

// CheckSize returns faults where a package has too many files, or the app too
// much code.
func CheckSize(importPath string, floor Floor, files, code int) (faults []Fault) {
	if files > MostFiles {
		faults = append(faults, Fault{importPath, fmt.Sprintf("%d files are more than %d: split it by sense", files, MostFiles)})
	}
	if floor == App && code > MostAppLines {
		faults = append(faults, Fault{importPath, fmt.Sprintf("%d lines of code are more than %d: it only wires; move what a verb does to the package that owns it", code, MostAppLines)})
	}
	return faults
}

// CodeLines counts the lines on which a token of Go stands. A string over
// several lines is that many.
func CodeLines(src []byte) int {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	n, last := 0, 0
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue // the scanner's own
		}
		first := max(file.Line(pos), last+1)
		if end := file.Line(pos) + strings.Count(literal, "\n"); end >= first {
			n += end - first + 1
			last = end
		}
	}
}

var schema = regexp.MustCompile(`whet/[a-z-]+/[0-9]+`)

// CheckSchemas returns the schemas that a file spells out: each is declared once,
// in package document.
func CheckSchemas(fset *token.FileSet, file *ast.File) []Fault {
	var faults []Fault
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s := schema.FindString(lit.Value); s != "" {
				faults = append(faults, Fault{fset.Position(lit.Pos()).String(), s + " is spelled out: declare it in internal/document, and use its name"})
			}
		}
		return true
	})
	return faults
}

// CheckKinds returns the lines of a file that name a kind of artifact that package
// recording does not define: in an artifact, or to find one. It does not look at the
// values of variables.
func CheckKinds(fset *token.FileSet, file *ast.File) []Fault {
	var faults []Fault
	check := func(kind ast.Expr) {
		switch k := kind.(type) {
		case *ast.Ident:
			if k.Obj != nil && k.Obj.Kind == ast.Var { // parameters too
				return
			}
		case *ast.BasicLit:
		default:
			return
		}
		faults = append(faults, Fault{fset.Position(kind.Pos()).String(), "a kind of artifact is declared here: declare it with the others in internal/recording"})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if !isName(n.Type, "recording", "Artifact") {
				break
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Kind" {
						check(kv.Value)
					}
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Find" && len(n.Args) == 2 {
				check(n.Args[0])
			}
		}
		return true
	})
	return faults
}

func isName(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg && s.Sel.Name == name
}

// CheckVariables returns package variables that another part of the program
// could set: exported ones, unless they are error values, and unexported ones
// of a basic type, which are constants or should be fields. Tables and
// compiled patterns may stay: they are unexported and not of a basic type.
func CheckVariables(fset *token.FileSet, file *ast.File) []Fault {
	var faults []Fault
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			vs := spec.(*ast.ValueSpec)
			for i, id := range vs.Names {
				var value ast.Expr
				if i < len(vs.Values) {
					value = vs.Values[i]
				}
				where := fset.Position(id.Pos()).String()
				switch {
				case id.Name == "_":
				case id.IsExported() && !isErrorValue(id.Name, value):
					faults = append(faults, Fault{where, "variable " + id.Name + " is exported, so anyone can set it: return it from a function, or make it a constant"})
				case isBasic(vs.Type, value):
					faults = append(faults, Fault{where, "variable " + id.Name + " has a basic type: make it a constant, or a field of what uses it"})
				}
			}
		}
	}
	return faults
}

func isErrorValue(name string, value ast.Expr) bool {
	call, ok := value.(*ast.CallExpr)
	if !ok || !strings.HasPrefix(name, "Err") {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && (pkg.Name+"."+sel.Sel.Name == "errors.New" || pkg.Name+"."+sel.Sel.Name == "fmt.Errorf")
}

var basicTypes = []string{"bool", "string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
	"uintptr", "byte", "rune", "float32", "float64", "complex64", "complex128"}

func isBasic(typ, value ast.Expr) bool {
	if id, ok := typ.(*ast.Ident); ok {
		return slices.Contains(basicTypes, id.Name)
	}
	return typ == nil && isLiteral(value)
}

func isLiteral(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return e.Name == "true" || e.Name == "false"
	case *ast.ParenExpr:
		return isLiteral(e.X)
	case *ast.UnaryExpr:
		return isLiteral(e.X)
	case *ast.BinaryExpr:
		return isLiteral(e.X) && isLiteral(e.Y)
	}
	return false
}
