// Package collections answers, for rules, what a package of the user's own does
// with its maps and slices: where each is made, what is done with it, whether
// anything else can get hold of it, and which samples of the profiles belong to
// it.
//
// It reads the package as the type checker sees it: a variable is found by what the
// language says it is, and never by its name. What has no type, in a package with
// errors, is answered with "not known". A parameter that all callers give one and the
// same collection stands for that collection.
//
// A sample belongs to the collection that its line uses: the line of the first
// frame that is not the runtime's, where the runtime was in a map, or took memory.
// A line that uses two maps gives its map work to neither, and one that takes
// memory for something else too gives its memory to none.
//
// It misleads where a file of the package is missing from the recording (nothing
// of it was sampled or called): what that file does with a field is not seen. And
// what reflection and package unsafe do with a field nobody sees.
package collections
