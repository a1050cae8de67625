package rules_test

import "whet/internal/typed/typedtest"

// moduleStubs are the parts of much-used modules that the examples of package
// knowledge call.
var moduleStubs = []typedtest.File{
	{Package: "golang.org/x/exp/maps", Frame: "x_exp_maps.go", Text: `package maps
func Keys[M ~map[K]V, K comparable, V any](m M) []K
func Values[M ~map[K]V, K comparable, V any](m M) []V`},
}
