// Package quantity prints numbers with their units, and reads sizes.
//
// It answers how a measured number is shown to a person: three significant
// digits and the unit that keeps them short for what was measured (times,
// ratios), whole digits as far as they can be read for what was counted
// (bytes, allocations). KiB is 1,024 bytes and kB is 1,000; a share lies in
// [0,1] and becomes percent only here, in print. Zero prints as zero; a
// number too small to show prints as "<0.1 %", never as zero, and a value
// that is not known (NaN) as "unknown".
//
// It misleads when a printed number is computed with: printing loses up to
// half a unit of the third digit. Results meant for programs carry the plain
// float under a key that names the unit.
package quantity
