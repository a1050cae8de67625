// Package contention answers where goroutines wait for each other: at which
// locks, channels and conditions, how often and how long, and which of these
// waits are only those of workers without a job.
//
// It reads a block profile, which charges the stack that waited, or a mutex
// profile, which charges the stack that unlocked while others waited. Samples
// become places: the innermost frame of the user's own code, or in a stack
// without one the function that called the runtime or package sync. The function
// at the end of the stack determines the kind of a wait.
//
// A wait is idle if its goroutine waits for its next job:
//   - it receives, selects, or waits for a condition in the function that the go
//     statement named (through literals and WaitGroup.Go), or one call below it
//     in a function with a name for that (next, pop, recv);
//   - main.main waits for goroutines to end or to send their results.
//
// A wait for a lock is never idle by its stack, nor is sending: another goroutine
// is ahead.
//
// It misleads if a goroutine is started for one piece of work and receives a
// response in its first function: that looks like a worker's wait. Network and
// disk waits are in neither profile. Both profiles are sampled at their rates;
// the format's reader has scaled the values up. Stacks truncated at their root
// cannot show that they are idle.
package contention
