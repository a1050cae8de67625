// Package objectpercall is the rule that finds an object built in every call that could
// be kept: one that is always built the same, and one that a library builds inside a
// function although it has a variant that reuses it.
//
// The first kind is x := f(…) with a function of the user's own or of another module,
// whose arguments are all constants or package variables that nobody sets, where the
// program only calls methods of x and x does not outlive the function. Package purity
// judges that the construction depends on nothing else, and package repeated that it is
// repeated. If the source shows that the methods only read, the remedy is to share one
// object; otherwise a pool.
//
// The second kind is a table of functions of the standard library and of golang.org/x
// whose working memory is large and private. Only that memory counts (and the time to
// allocate and clear it), not the function's actual work.
//
// It misleads where one line has several statements, and where an object of another
// module must not be shared for a reason that only its documentation gives.
package objectpercall
