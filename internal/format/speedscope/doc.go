// Package speedscope writes profiles for speedscope.app, in its file format
// (file-format-schema.json of jlfwong/speedscope).
//
// [Write] makes one "sampled" profile of each column; frames are shared. A sample is
// a stack and its weight, in the profile's order; a sample that is zero in a column
// is not in that column's profile. A frame is a function, at the line where it
// begins; inlined functions are frames of their own, and names are those that pprof
// prints.
//
// It misleads where speedscope does: speedscope adds up only neighbours with equal
// stacks, so that its "time order" is the order of samples in the file, which in a
// pprof profile is no order of time; and it has no labels. Weights are JSON numbers,
// which lose their last digits beyond 2⁵³ in the browser.
package speedscope
