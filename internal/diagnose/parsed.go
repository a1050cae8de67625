package diagnose

import (
	"go/ast"
	"go/token"
)

// Parsed returns the syntax of a frame's file, nil where its source is not at
// hand or does not parse, and the positions in all files of the subject.
func (s *Subject) Parsed(file string) (*token.FileSet, *ast.File) {
	if sf := s.parsed(file); sf != nil {
		return s.positions(), sf.ast
	}
	return s.positions(), nil
}

func (s *Subject) positions() *token.FileSet {
	if s.fset == nil {
		s.fset = token.NewFileSet()
	}
	return s.fset
}
