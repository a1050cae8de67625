// Package lockcontention is the rule that finds a lock that others wait for so
// often and so long that it sets the pace, whatever is done under it.
//
// The mutex profile charges the delay of those who wait to the stack that
// unlocks. The critical sections are those that package lockheld finds in the
// source: where logging, encoding or I/O is to blame, its rule has the word at
// the same place. A lock without a section in the source at hand, as one inside
// a library, is put to the innermost line of the user's own code.
//
// It decides by the number of waits and by the part of a request's or an
// operation's time that they take, and by no CPU sample. How long others wait
// depends on how many run at once: the finding names the number of processors.
//
// It misleads where the delay is that of workers who take turns at something
// there is too little of, which the source does not show.
package lockcontention
