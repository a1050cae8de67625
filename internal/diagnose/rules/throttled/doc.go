// Package throttled is the rule that says where a program was when its control group
// stopped it.
//
// The kernel counts for how long a group with a CPU limit was kept from running. No
// line causes that; the one that uses the most CPU time is where less of it helps the
// most, and the figure is the part of all CPU time asked for that the limit withheld.
//
// It misleads where others in the same group use the limit up.
package throttled
