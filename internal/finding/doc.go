// Package finding is the shape of what whet claims about a program: the place,
// the shares it holds, the evidence, what to change, and how much could be
// gained at most.
//
// A finding is made by a rule of package diagnose and only shown elsewhere.
// Shares are of all samples except harness, set-up and the runtime's
// background work. The ceiling is Amdahl's law, 1/(1 − share): it is what is
// gained if the part that the remedy removes vanished, all of the place's cost
// where a rule names no part, which it rarely does. A delay at a lock is put
// into it by what it is of the time: see Finding.CeilingRatio and package
// diagnose.
package finding
