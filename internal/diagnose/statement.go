package diagnose

import (
	"go/ast"
	"go/parser"
	"go/token"

	"whet/internal/callstack"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// Statement is the smallest statement around a source line: the place that a rule
// names. A profile has only lines; a call chain or a literal over
// several lines is one place.
type Statement struct {
	File        string
	First, Last int // lines; equal to the line asked for when !Known
	Known       bool
	Node        ast.Stmt // nil when !Known
	Func        ast.Node // *ast.FuncDecl or *ast.FuncLit around it
	Loop        ast.Stmt // innermost for or range statement of Func around it, or nil
}

// At returns the line at which the statement begins.
func (st *Statement) At() SourceLine { return SourceLine{st.File, st.First} }

// sourceFile is a parsed file with the statement of each line.
type sourceFile struct {
	name  string
	fset  *token.FileSet
	ast   *ast.File
	spans []Statement
	line  []int32 // 1 + index into spans
}

// maxSourceBytes bounds what is parsed: generated files beyond it are not
// where a person makes a change.
const maxSourceBytes = 8 << 20

// parsed returns a file's statements, nil when its source is not at hand or
// does not parse.
func (s *Subject) parsed(file string) *sourceFile {
	if sf, ok := s.files[file]; ok {
		return sf
	}
	var syntax *ast.File
	if s.Program != nil {
		_, syntax = s.Program.FileOf(file)
	}
	if syntax == nil && s.Source != nil {
		if text := s.Source.Text(file); len(text) > 0 && len(text) <= maxSourceBytes {
			if f, err := parser.ParseFile(s.positions(), "", text, parser.SkipObjectResolution); err == nil {
				syntax = f
			}
		}
	}
	if s.files == nil {
		s.files = make(map[string]*sourceFile)
	}
	s.files[file] = readSource(s.positions(), file, syntax)
	return s.files[file]
}

func readSource(fset *token.FileSet, name string, file *ast.File) *sourceFile {
	if file == nil {
		return nil
	}
	sf := &sourceFile{name: name, fset: fset, ast: file, line: make([]int32, fset.File(file.FileStart).LineCount()+2)}
	for _, d := range file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
			sf.block(fd.Body, fd, nil)
		}
	}
	// A literal in a package variable has a body too.
	for _, d := range file.Decls {
		if gd, ok := d.(*ast.GenDecl); ok {
			sf.literals(gd)
		}
	}
	return sf
}

// literals enters the function literals of a node.
func (sf *sourceFile) literals(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			sf.block(lit.Body, lit, nil)
			return false
		}
		return true
	})
}

// block notes the statements of a block, outer ones first, so that inner ones
// take their lines over.
func (sf *sourceFile) block(block ast.Node, fn ast.Node, loop ast.Stmt) {
	ast.Inspect(block, func(n ast.Node) bool {
		if n == block {
			return true
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			sf.block(n.Body, n, nil)
			return false
		case *ast.ForStmt:
			sf.note(n, n.Body.Lbrace, fn, loop)
			for _, part := range []ast.Node{n.Init, n.Cond, n.Post} {
				if part != nil {
					sf.literals(part)
				}
			}
			sf.block(n.Body, fn, n)
			return false
		case *ast.RangeStmt:
			sf.note(n, n.Body.Lbrace, fn, loop)
			sf.literals(n.X)
			sf.block(n.Body, fn, n)
			return false
		case *ast.IfStmt:
			sf.note(n, n.Body.Lbrace, fn, loop)
		case *ast.SwitchStmt:
			sf.note(n, n.Body.Lbrace, fn, loop)
		case *ast.TypeSwitchStmt:
			sf.note(n, n.Body.Lbrace, fn, loop)
		case *ast.CaseClause:
			sf.note(n, n.Colon, fn, loop)
		case *ast.CommClause:
			sf.note(n, n.Colon, fn, loop)
		case *ast.BlockStmt, *ast.LabeledStmt, *ast.SelectStmt, *ast.EmptyStmt:
		case ast.Stmt:
			sf.note(n, n.End(), fn, loop)
		}
		return true
	})
}

func (sf *sourceFile) note(n ast.Stmt, end token.Pos, fn ast.Node, loop ast.Stmt) {
	st := Statement{
		File: sf.name, Known: true, Node: n, Func: fn, Loop: loop,
		First: sf.fset.Position(n.Pos()).Line,
		Last:  sf.fset.Position(end).Line,
	}
	sf.spans = append(sf.spans, st)
	for l := st.First; l <= st.Last && l < len(sf.line); l++ {
		sf.line[l] = int32(len(sf.spans))
	}
}

// Statement returns the smallest statement around a line of a frame's file.
// Without source it is the line alone, and Known is false.
func (s *Subject) Statement(file string, line int) Statement {
	if sf := s.parsed(file); sf != nil && line > 0 && line < len(sf.line) {
		if i := sf.line[line]; i > 0 {
			return sf.spans[i-1]
		}
	}
	return Statement{File: file, First: line, Last: line}
}

// StatementOf returns the statement in which a frame calls callee. A deferred
// call runs where its function returns, at the line of a return statement or of
// the closing brace: then it is the defer statement.
func (s *Subject) StatementOf(f *callstack.Frame, callee string) Statement {
	st := s.Statement(f.File, f.Line)
	sf := s.parsed(f.File)
	name := symbolname.Parse(callee).Name
	if sf == nil || name == "" || st.Known && mentions(st.Node, name) {
		return st
	}
	var found Statement
	for i := range sf.spans {
		d, ok := sf.spans[i].Node.(*ast.DeferStmt)
		if !ok || calledName(d.Call) != name {
			continue
		}
		fn := sf.spans[i].Func
		if first, last := sf.fset.Position(fn.Pos()).Line, sf.fset.Position(fn.End()).Line; f.Line < first || last < f.Line {
			continue
		}
		if found.Known {
			return st // two of them: the line does not say which
		}
		found = sf.spans[i]
	}
	if found.Known {
		return found
	}
	return st
}

// mentions reports whether a statement calls something by a name.
func mentions(st ast.Stmt, name string) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && calledName(call) == name {
			found = true
		}
		return !found
	})
	return found
}

// calledName returns the last part of the called function's name.
func calledName(call *ast.CallExpr) string {
	fun := call.Fun
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// Head visits a statement without the blocks inside it, which are statements
// of their own.
func (st *Statement) Head(visit func(ast.Node) bool) {
	if st.Node == nil {
		return
	}
	ast.Inspect(st.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.CaseClause:
			for _, e := range n.List {
				ast.Inspect(e, visit)
			}
			return false
		case *ast.CommClause:
			return false
		}
		return n == nil || visit(n)
	})
}

// Place makes a claim's place of a statement.
func (st *Statement) Place(function string) Location {
	return Location{Function: function, File: st.File, Line: st.First, EndLine: st.Last}
}

// Sites returns the calls of a statement in source order, as the type checker sees
// them; of all statements on its lines that have no line of their own.
func (s *Subject) Sites(st Statement) (sites []typed.Site) {
	if s.Program == nil {
		return nil
	}
	for _, c := range s.Program.Sites(st.File, st.First, st.Last) {
		// Lines inside may belong to a function literal's own statements.
		if at := s.Statement(st.File, c.Line()); at.First == st.First && at.Last == st.Last {
			sites = append(sites, c)
		}
	}
	return sites
}

// LineAt returns the line of a position in any file of the subject.
func (s *Subject) LineAt(pos token.Pos) int { return s.positions().Position(pos).Line }

func (s *Subject) positions() *token.FileSet {
	switch {
	case s.fset != nil:
	case s.Program != nil:
		s.fset = s.Program.Positions()
	default:
		s.fset = token.NewFileSet()
	}
	return s.fset
}
