package diagnose

import (
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// FunctionOf is a declared function of the user's own by the name the linker gives
// it, nil where its source is not at hand. Its object is nil where it is not typed.
func (s *Subject) FunctionOf(name string) *typed.Function {
	if _, made := symbolname.Cut(name); s.Program == nil || made != symbolname.Written {
		return nil
	}
	return s.Program.FuncOf(name)
}

// PackageOf returns the package that a file is of, nil where it is not typed.
func (s *Subject) PackageOf(file string) *typed.Package {
	if s.Program != nil {
		if pkg, _ := s.Program.FileOf(file); pkg != nil && pkg.Types != nil {
			return pkg
		}
	}
	return nil
}
