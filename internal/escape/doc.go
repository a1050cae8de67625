// Package escape is the verb that shows what the compiler decided: it asks the compiler
// about packages as a user builds them, or reads what a recording kept, and prints the
// decisions with what they cost.
//
// Its input are packages or a recording. Packages are compiled anew, what they import is
// not; nothing is linked. Costs come from the profiles of a recording, whose lines are
// found in the source as it is now.
//
// # When it misleads
//
// The compiler decides by flags, tags and profile: those of a recording are used where
// one is named. A recording keeps the compiler's text alone, which has no checks and no
// calls that were not inlined; the packages, asked with -with, have both.
package escape
