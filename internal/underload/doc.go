// Package underload takes the profiles of a service while load is driven against
// it: of a service that is tuned, and of the levels that a search for the knee
// compares.
//
// Its input is a target whose instruments were found and a load under way. Of the
// profiles that count since the process began it takes one before and one after,
// each after a collection of garbage, and keeps the difference; CPU profiles run in
// pieces, so that one that is cut off costs a piece; states are taken once. With
// each kind it notes how many requests were answered meanwhile. What cannot be had is
// a warning, once for each cause.
//
// It misleads where a target is slow to give its profiles: requests that are
// answered between a profile and the count beside it belong to neither.
package underload
