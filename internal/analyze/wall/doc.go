// Package wall answers where the wall-clock time of goroutines and of requests
// went: running, waiting for a processor, for a lock, a channel, the network, a
// system call, the collector.
package wall
