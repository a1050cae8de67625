// Package capture fetches what a running program offers about itself: profiles
// over HTTP, from net/http/pprof or anything that serves the same paths.
//
// It answers with the bytes as they came; reading them is the business of
// package format/profile. It misleads when a proxy or a login page answers in
// the program's place: answers in HTML are refused, other strange ones fail
// when they are read.
package capture
