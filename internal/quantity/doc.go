// Package quantity prints numbers with their units, and parses sizes.
//
// It prints measured numbers (times, ratios) with three significant digits and the
// unit that keeps them short, and counted numbers (bytes, allocations) with whole
// digits as far as they are readable. KiB is 1,024 bytes and kB is 1,000; a share
// lies in [0,1] and becomes percent only here, in print. Zero prints as zero; a
// number too small to show prints as "<0.1 %", never as zero, and an unknown value
// (NaN) as "unknown".
//
// It misleads a reader who computes with printed numbers: printing loses up to half
// a unit of the third digit. JSON documents have the plain float under a key that
// names the unit.
package quantity
