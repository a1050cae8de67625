// Package collections answers, for rules, how a package of the user's own uses its maps
// and slices: where each is made, how it is used, whether anything else can reach it,
// and which samples of the profiles belong to it.
//
// It reads the package as the type checker sees it: a variable is identified by its
// declaration, and never by its name. For expressions without a type, in a package with
// errors, the answer is "not known". A parameter for which all callers pass one and the
// same collection stands for that collection.
//
// A sample belongs to the collection that its line uses: the line of the first frame
// outside the runtime, if the runtime was in a map function, or allocated. A line that
// uses two maps gives its map work to neither, and one that allocates for something
// else too gives its memory to none.
//
// It misleads where a file of the package is missing from the recording (nothing of it
// was sampled or called): its uses of a field are not seen. Nor are uses of a field by
// reflection and package unsafe.
package collections
