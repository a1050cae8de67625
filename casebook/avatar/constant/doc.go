// Package constant is no stage of the avatar service but the ceiling its last
// one is held against: it answers the same bytes to every request, with the
// headers that an answer has, and does nothing else.
//
// What it does per second is what net/http, the connections and the load
// generator allow on a machine. A stage that does 0.95 of that has nothing left
// that tuning the stage could win; it says nothing about what a faster server
// than net/http would do.
package constant
