// Package objectpercall is the rule that finds an object built anew in every
// call that could be kept: one that is always built the same, and one that a
// library builds inside a function although it offers a form that keeps it.
//
// The first sort is x := f(…) with a function of the user's own or of another
// module, all of whose arguments are constants or package variables that nobody
// sets, where x is only asked by its methods and nothing of it is left when the
// function returns. That the construction depends on nothing else is judged by
// package purity, and that it is repeated by package repeated. Where the source
// shows that the methods only read, sharing one object is advised; otherwise a
// pool.
//
// The second sort is a table of functions of the standard library and of
// golang.org/x whose working memory is large and theirs alone. Only that memory
// counts (and the time to get and clear it), not the work that it is for.
//
// It misleads where one line holds several statements, and where an object of
// another module must not be shared for a reason that only its documentation
// gives.
package objectpercall
