// Package kinds answers what the cost of a hot place is where no other rule knows: of
// what kind, why it arises there, and, where the program shows it, what takes such a
// cost away.
//
// Its rules are asked last, about the first three hot places, those that a finding
// explains left out. They know no patterns of their own but families of causes: work
// of the library that is made for any input, reflection, memory taken in each call,
// what grows, values copied whole, a call for each byte, pairs of elements. Each is read
// from the samples of the place by what runs below its lines, so that its figures are
// measured; what the typed program adds is where a value goes, and over what a loop
// runs.
//
// A claim is a pointer, of low confidence: the cost is there, and that it can be taken
// away is what programs of this shape have in common. It asks for more than other rules
// do (leastShare of the base's time), since well-tuned code has such places too, and is
// left alone where they are what the code is for: hashing, compressing, encoding by
// appending, system calls, memory that the caller is given.
//
// It misleads where a result has to be new for each caller, where the general function
// is general for a reason that the benchmark does not show, and where the place is a
// small helper whose callers should call it less often.
package kinds
