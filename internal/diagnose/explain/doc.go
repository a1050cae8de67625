// Package explain answers why a hot place is expensive if no other rule knows, and
// which part of the cost is waste.
//
// It takes the place apart into an account: the samples by kind of work and by what runs
// below its lines, and the calls of the user's own that they come through (operations), at
// the place and on the way to it. Of each operation the typed program says which value it
// is done on, where that comes from, and what becomes of the result, and the profile says
// how much runs of what needs it.
//
// A few principles of waste are asked about the account, which know no library: computed
// again though its inputs are the same; all made where a part, or nothing, is used; built
// only to be looked at; copied as a whole for the few elements that change; done for each
// item where many go together. After them come families by kind of cost: work of the
// library that is made for any input, reflection, memory taken in each call, what grows,
// values copied whole, a call for each byte, pairs of elements.
//
// A claim is a hint of low confidence: the cost is real, and in most programs of this
// shape it can be removed. It asks for more than other rules
// do, since well-tuned code has such places too, and is left alone where they are what
// the code is for: hashing, compressing, encoding by appending, connections, memory that
// the caller is given.
//
// It misleads where a result has to be new for each caller, where the input of the run is
// not what the code is for (a field that nobody asked for may be asked for elsewhere),
// where the general function is general for a reason that the benchmark does not show, and
// where the place is a small helper whose callers should call it less often.
package explain
