// Package typed is the measured program as the type checker sees it.
//
// It answers, from a recording's sources and its typed view, what a line of a
// profile calls and with what: which object an identifier stands for, which function
// a symbol names and a call reaches, where a value comes from ([Package.Fixed],
// [Site.Receiver]), and where a variable is set.
//
// The packages whose sources are kept are checked by themselves when they are first
// asked for; each other that they import comes from the view, and so an object is one
// wherever it is met. Nothing is asked of the machine: a recording gives the same
// answers where no Go is installed.
//
// # When it misleads
//
// Callees are static: a method called through an interface is the interface's,
// a func value has no name. Loops are those written as for; recursion is not
// one. A value counts as fixed by what its own package does with the variables it
// comes from: what reflection and package unsafe set, nobody sees. A package with
// errors is typed as far as the type checker comes; where that is nowhere, [Package]
// says why.
package typed
