// Package explain answers why a hot place is expensive if no other rule knows, and
// which part of the cost is waste.
//
// It breaks the place down into an account: the samples by kind of work and by the code
// below its lines, and the calls of the user's own through which they come
// (operations), at the place and on the way to it. For each operation the typed program
// shows which value it works on, where that comes from, and how the result is used, and
// the profile shows how much the code that needs the result runs.
//
// It applies a few principles of waste to the account, which know no library: a value
// computed again from the same inputs; all of it computed where a part, or nothing, is
// used; a result built only to be read; a whole copy for the few elements that change;
// one call per item where one could serve many. After them come families by kind of
// cost: general-purpose functions of the standard library, reflection, allocation in
// each call, step-by-step growth, whole copies, a call for each byte, pairs of
// elements.
//
// A claim is a hint of low confidence: the cost is real, and most programs of this
// shape can avoid it. It demands more than other rules, because well-tuned code has
// such places too, and it leaves out places where they are the purpose of the code:
// hashing, compressing, encoding by appending, connections, memory returned to the
// caller.
//
// It misleads where a result has to be new for each caller, where the input of the run
// does not represent the code's use (a field that nobody read may be read elsewhere),
// where the benchmark does not show the reason for a general function, and where the
// place is a small helper whose callers should call it less often.
package explain
