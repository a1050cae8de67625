// Package dearhandoff is the rule that finds goroutines that hand work to each other in
// pieces smaller than the hand-off: channels of a small buffer, requests and replies
// over channels, conditions, wait groups.
//
// It reads what package channelperitem reads, without the types: how often goroutines
// wait for each other at the user's own statements, and what waiting costs beside all
// that the measured code and the scheduler do. Where channelperitem knows the cause,
// its rule has the word.
//
// It misleads where goroutines have nothing to do but to wait for each other, as in a
// benchmark of a queue: there the hand-off is the work.
package dearhandoff
