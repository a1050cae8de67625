// Package read turns a recording into what is said of it: the models that the
// rules look at, their findings, and the page.
//
// A recording is parsed once and the rules are asked once, whoever wants what of
// it: a run that has just been measured is read for its findings, and its page
// is laid out of the same models. Only the segments of a CPU profile that was cut
// are parsed a second time after their sources were looked for. It reads the recording and nothing else: the
// same recording gives the same page on any machine, with or without the module
// it was made from. A profile without a recording is read likewise, and is said
// less of.
//
// It misleads where the recording does: a page can only speak of what was run.
package read
