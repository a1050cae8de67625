// Package throttled is the rule that finds the statement with the most CPU time in a
// program that its control group (cgroup) stopped.
//
// The kernel counts for how long a group with a CPU limit was kept from running. No
// line causes that; less work at the line with the most CPU time helps the most, and
// the figure is the part of all requested CPU time that the limit withheld.
//
// It misleads where other processes of the same group use up the limit.
package throttled
