// Package dearhandoff is the rule that finds goroutines that hand work to each other in
// pieces smaller than the hand-off: channels with a small buffer, requests and replies
// over channels, conditions, wait groups.
//
// It reads what package channelperitem reads, except types: how often goroutines wait
// for each other at the user's own statements, and the cost of waiting beside all work
// of the measured code and the scheduler. If channelperitem finds the cause, its rule
// takes precedence.
//
// It misleads where the goroutines' only work is to wait for each other, as in a
// benchmark of a queue: there the hand-off is the work.
package dearhandoff
