package typed

import "go/types"

// maxParts bounds how many parts of a type are looked at: a type that a broken
// package builds of itself has no end, and one of two of one of two has many.
const maxParts = 10_000

// Pointee returns the size in bytes of the pointee of a type; 0 if it is not a pointer
// or the size is unknown, as for a type parameter.
func (p *Package) Pointee(t types.Type) int64 {
	to, ok := Under[*types.Pointer](t)
	if !ok {
		return 0
	}
	return p.Size(to.Elem())
}

// Size returns the size in bytes of values of a type; 0 where it is not known.
func (p *Package) Size(t types.Type) int64 {
	left := maxParts
	if t == nil || !fixedSize(t, &left) {
		return 0
	}
	return max(0, p.program.sizes.Sizeof(t))
}

// fixedSize reports whether all values of a type have one size.
func fixedSize(t types.Type, left *int) bool {
	*left--
	if _, ok := types.Unalias(t).(*types.TypeParam); ok || *left < 0 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return fixedSize(u.Elem(), left)
	case *types.Struct:
		for f := range u.Fields() {
			if !fixedSize(f.Type(), left) {
				return false
			}
		}
	case *types.Basic:
		return u.Kind() != types.Invalid
	}
	return true
}

// isPlain reports whether equal values of a type are the same in every way: it
// is built of strings, booleans and numbers, and refers to nothing else.
func isPlain(t types.Type, left *int) bool {
	*left--
	if t == nil || *left < 0 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsBoolean|types.IsNumeric) != 0
	case *types.Array:
		return isPlain(u.Elem(), left)
	case *types.Struct:
		for f := range u.Fields() {
			if !isPlain(f.Type(), left) {
				return false
			}
		}
		return true
	}
	return false
}
