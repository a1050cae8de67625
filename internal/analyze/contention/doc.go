// Package contention answers where goroutines wait for each other: at which
// locks, channels and conditions, how often and how long, and which of these
// waits are only those of workers that have nothing to do.
//
// It reads a block profile, which charges the stack that waited, or a mutex
// profile, which charges the one that unlocked while others waited. Samples
// become places: the innermost frame of the user's own code, or where a stack
// has none the function that called the runtime or package sync. The kind of a
// wait is that of the function the stack ends in.
//
// A wait is idle if its goroutine waits for its next job:
//   - it receives, selects, or waits for a condition in the function that the
//     go statement named (through literals and WaitGroup.Go), or one call below
//     it in a function that is named for that (next, pop, recv);
//   - main.main waits for goroutines to end or to send what they found.
//
// A wait for a lock is never idle by its stack, nor is sending: somebody is
// ahead.
//
// It misleads where a goroutine is started for one piece of work and receives
// an answer in its first function: that looks like a worker's wait. Network and
// disk waits are in neither profile. Both profiles are sampled where their
// rates say so; the values are what the format's reader scaled up. Stacks that
// were cut at their root cannot show that they idle.
package contention
