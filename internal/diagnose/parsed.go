package diagnose

import (
	"go/ast"
	"go/token"
)

// Parsed returns the syntax of a frame's file and the positions in it; nil where
// its source is not at hand or does not parse.
func (s *Subject) Parsed(file string) (*token.FileSet, *ast.File) {
	if sf := s.parsed(file); sf != nil {
		return sf.fset, sf.ast
	}
	return nil, nil
}
