// Package stats is the case of the request statistics: the rules that every
// stage of its tuning keeps, the interface they share, and the parts that are
// the same in all of them because nobody tuned them.
//
// The question of the case is what a name costs that is built for each
// request: a few short strings, cleaned and joined. Each sub-package is one
// stage, written as it would have been at that point of the tuning; package
// statstest holds the one table and the three benchmarks that all of them run.
//
// What a stage answers, whatever the method; a body is not read:
//
//   - /simple is answered [Greeting].
//   - /advance, and every path below it, is answered the same, and is counted
//     and timed in a [Ledger] under a name. The time is that of the answer
//     alone, without what keeping the statistics takes.
//   - A path below /advance whose last element has more than [MaxEndpoint]
//     bytes, and any other path, is answered 404 and is not counted.
//
// The name is [Metric] and four tags, joined with dots, as in
// recv.web-1.advance.OS-X.Firefox:
//
//   - host is the machine's name; where it is not known it is left out.
//   - endpoint is the last element of the path.
//   - os and browser are what [ParseUserAgent] finds in the User-Agent.
//   - Any other tag that is missing is written no-endpoint, no-os, no-browser.
//     A tag that is empty is missing.
//   - In the value of a tag each of { } / \ : . and each white space (tab, line
//     feed, form feed, carriage return, space) becomes a dash, so that no
//     visitor makes a part, or ends the line of a record. All other bytes stay,
//     those that are no UTF-8 too. It is what package regexp replaces for
//     [{}/\\:.\s].
//
// The fix that was published for the regular expression left line feed,
// carriage return and form feed as they came: a change of behaviour that no
// test of its author saw. Here it is a test of every stage.
//
// A benchmark of the name does not show that a stage asks the system for the
// host's name in every request. All published stages do; a profile of the
// service under load is what shows it.
package stats
