// Package syntax answers, for rules, what the source of one function says of
// its variables: where one is declared, and on which path of blocks and loops a
// statement lies.
//
// It reads syntax trees only. Names are resolved by Go's scoping rules inside
// the function; what lies outside of it (package variables, the variables of an
// enclosing function, other functions' bodies) is not known, and every question
// whose answer depends on it is answered with "not known".
//
// It misleads where a variable is changed through a pointer to it that was
// taken before.
package syntax
