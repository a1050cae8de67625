// Package avatartest holds what every stage of the avatar service has to pass,
// the names its benchmarks ask for, and the benchmarks that compare stages.
//
// [Run] is the one table of behaviour: status, headers, decoded pixels and log
// record of each request, and, by name, what published versions got wrong or
// left unbounded: the key of the cache, the face that drawings shared, memory,
// bodies, names and deadlines. Initials, colour and size are expected by rules
// written here a second time; the pixels by the case's generator, whose own
// tests say what a letter looks like.
//
// The benchmarks:
//
//   - Draw makes the PNGs of distinct names, which no cache answers.
//   - Handler calls the handler for a working set of names that repeats, with
//     requests that nobody has parsed and a writer that does not grow. Every
//     name is asked for once before the clock starts.
//   - Loopback asks a server of the stage for the same names over connections
//     that stay open. The client is in the same process and shares its
//     processors, so that its ratios are smaller than what a server with a
//     processor of its own shows.
//
// Names come from a seeded generator. With few distinct names, as here, a cache
// looks as good as it can; where each visitor is new, Draw is what counts.
package avatartest

import "whet/casebook/avatar"

// New makes a stage.
type New func(avatar.Options) (avatar.Server, error)

// Traits are the differences between stages that are published.
type Traits struct {
	Caches bool // something is kept between requests
	Logs   bool // requests that are answered are logged
}
