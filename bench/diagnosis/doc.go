// Command diagnosis asks whether whet names the place that a speed-up changed.
//
// A case of cases.json is one commit of a public module that made something
// faster or leaner, by its author's words and measurements: the version before
// it, a benchmark that runs what the commit changed (the author's, or one of
// ours as close to it as the version before allows; or a program or a service
// of the module with an input), and the lines that the
// commit changed, as they stand in the version before. A case of kind "tuned"
// is a package known for its care, of which nothing should be claimed.
//
// For each case it fetches the version before through the Go module proxy,
// works on a copy, lets whet tune record it, and judges what whet diagnose
// says of the recording:
//
//   - A place of hot_places is right if its line, or one of the lines of an
//     entry of several, lies in a range of the case, file included. A range is
//     a run of lines that the commit's hunks removed or replaced, those between
//     two hunks a few lines apart included; the lines that a hunk stands between
//     where it only added some; and the whole function where the commit
//     changed half of its lines, took it out of use or keeps what it returned.
//   - "First" and "among three" count entries of hot_places from the top.
//   - An outcome "floor" or "spread" is wrong for every case that is not tuned.
//   - A finding of a tuned package that says what to do is a remedy claimed.
//   - Too few samples, or a recording that is not valid, is no answer: such a
//     case counts as missed until it is recorded again.
//
// Beside whet stands a script's answer over the same CPU profile: the
// innermost line of the module's own code, tests apart, with the most CPU time.
//
// It misleads where a release mended two faults of one benchmark and the case
// knows only one of them: whet may name the other, rightly. Cases name the
// places of every commit of the release that the benchmark shows. Whether a
// place is the right one was judged by hand; the case says why ("judged").
//
// Beside the place, a case says why it was slow and what was done, so that a
// finding's cause and remedy can be judged. The remedy is in a few words; the
// cause is one of:
//
//	algorithm            more steps than the task needs, more so as the input grows
//	allocation-per-call  an object or a buffer made anew for each call or item, which could be reused or live on the stack
//	boxing               a value put into an interface, which allocates or calls indirectly
//	byte-at-a-time       a loop over bits, bytes or runes where words, tables or the library's loops do
//	clock                time, timers or random numbers asked for more often than needed
//	concatenation        text put together piece by piece
//	conversion           string, []byte or []rune converted, which copies
//	copy                 bytes or structs copied that could be shared
//	escape               a value on the heap because a pointer or an interface leaks
//	formatting           fmt or a general formatter where strconv or appending does
//	growth               a slice, map or buffer grows step by step though its size is known
//	indirection          calls not inlined, interface calls, bounds checks, chains of pointers
//	library-call         a call of a library that does more than is needed here
//	lock                 waiting for a lock, or taking one for each item
//	map                  a map where a slice, an array or a switch does, or one asked twice
//	reflection           package reflect or a codec that uses it
//	regexp               a regular expression is run where plain code does
//	regexp-compile       a regular expression is compiled for each call
//	repeated-work        the same result is computed or looked up again
//	sort                 sorting by interface or reflection, or sorting what need not be sorted
//	unbuffered-io        small reads or writes of a file or a connection
//	unneeded-work        work whose result is not used, or rarely
//	other                none of these
//
// Beside the cause a case has the principle of waste that the author's remedy follows,
// whatever library it is about. How many cases have one says how far a rule that knows
// the principle, and no library, could reach:
//
//	again        computed again though its inputs did not change: in a loop, from call to call, in each comparison
//	batch        the clock, a lock or a goroutine for each item, where once for many would do
//	bulk         one byte, bit, element or line at a time where many at once are as easy
//	general      a general mechanism where the types or the format are known: reflection, fmt, regexp, interfaces, a library for any input
//	instruction  indirect calls, checks and branches in the innermost loop
//	memory       memory taken in each call that could be reused, sized, handed in or kept on the stack
//	part         the whole made where a part is used, or before it is known whether any is
//	read         built only to be compared, measured, looked up or gone over, and dropped
//	roundtrip    converted there and back
//	search       more steps than the task needs: all looked at for the one that is wanted
//	share        copied where sharing suffices
//	shortcut     the common case takes the way of the rare one
//
// Claims are judged by hand, each with the source of the version before it:
// claims.json says whether a claim is the author's remedy, the author's cause,
// another true one, one not worth doing, or false, and why. Claims that nobody
// judged are counted apart. The sentences of hot places that say why they cost what
// they do are judged in the same way, under the rule "hot-place", and counted apart; one
// that says no more than that the time is spent there is not worth reading ("minor").
//
// Where two fit, the case has the one that the author's remedy takes away. The
// corpus is split in two halves by a lot drawn from each case's name: rules are
// built by the open half; the half set aside was looked at once, and has been
// built by since. Cases with a day of their own ("seen") are of a later look:
// they were new on that day, are drawn into neither half, and have been built by
// since, too.
//
// Cases of the fourth look were drawn. Public modules that the proxy serves in more than one
// version were put in the order of the SHA-256 of "2811" and the module path, and for
// each, in the order of the SHA-256 of "2811" and the commit, at most two commits were taken
// that speed something up by their message (by 15 %, or by a fifth of the bytes or blocks
// where it has figures), after a version that the proxy serves and that has the fault.
// Their benchmark is the author's, or one of ours where that does not compile with
// the version before.
//
// Cases of the fifth look were drawn alike, with "2811e" in place of "2811", from a public list
// of modules that the proxy serves; for packages of programs and services the order was followed
// further down. Of a module, at most two commits were taken, the first in their order that one
// benchmark of a function shows: not those of templates, of assembly, of queries, or of goroutines.
//
// Modules are only taken where the SHA-256 of the module path begins with a
// hexadecimal digit from 0 to 7; the rest is for those who judge whet by cases
// of their own. Nothing of the modules is in this repository.
package main
