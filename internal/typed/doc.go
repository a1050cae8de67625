// Package typed is the type checker's view of the measured program.
//
// It answers, from a recording's sources and its typeview, what a line of a profile
// calls and with which arguments: the object of an identifier, the function of a
// symbol or a call, the origin of a value ([Package.Fixed], [Site.Receiver]), and
// where a variable is set.
//
// The packages whose sources are recorded are type-checked on first use; their other
// imports come from the view, so that each object exists once. It asks nothing of
// the machine: a recording gives the same answers on a machine without Go.
//
// # When it misleads
//
// Callees are static: a method called through an interface is the interface's, and a
// func value has no name. Loops are for statements only, not recursion. Whether a
// value is fixed depends on its own package's uses of the variables it comes from,
// not on reflection or package unsafe. A package with errors is typed as far as the
// type checker gets; if it gets nowhere, [Package] has the reason.
package typed
