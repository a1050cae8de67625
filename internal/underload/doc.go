// Package underload takes the profiles of a service under load: of a service that is
// tuned, and of the levels that a search for the knee compares.
//
// Its input is a target with known instruments and a load in progress. Of the
// profiles that count since the process began it takes one before and one after,
// each after a garbage collection, and keeps the difference. It takes CPU profiles
// in pieces, so that an interruption costs one piece, and takes states once. With
// each kind it notes the number of responses during the profile. For instruments
// that fail it adds one warning for each cause.
//
// It misleads if a target is slow to write its profiles: responses between a profile
// and its count belong to neither.
package underload
