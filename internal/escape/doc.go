// Package escape is the verb that shows the compiler's decisions: it asks the
// compiler about packages as the user builds them, or reads a recording, and prints
// the decisions with their costs.
//
// Its input are packages or a recording. It compiles the packages again, but not
// their imports, and links nothing. Costs come from the profiles of a recording,
// whose lines it maps to the present source.
//
// # When it misleads
//
// The compiler decides by flags, tags and profile: it uses those of a recording if
// one is named. A recording has only the compiler's text, without checks and without
// calls that were not inlined; packages compiled with -with have both.
package escape
