// Package typedtest makes typed programs of sources that tests hold.
//
// It answers what the type checker would see of them in a recording: what they
// import of the standard library goes through a view, as it does there. It misleads
// about other modules, of which nothing is at hand: a test gives them as files.
package typedtest
