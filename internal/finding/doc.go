// Package finding defines a finding: a claim about a program with its location, its
// shares of the cost, the evidence, the change to make, and an upper bound of the
// gain.
//
// The rules of package diagnose make findings; other packages only show them. Shares
// are of all samples except those of the harness, set-up and the runtime's
// background work. The ceiling is Amdahl's law, 1/(1 − share): the speedup if the
// part that the remedy removes took no time. If a rule names no part, which is rare,
// it is the whole cost of the location. The delay at a lock counts with its share of
// the time: see Finding.CeilingRatio and package diagnose.
package finding
