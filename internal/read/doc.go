// Package read reads a recording into the models that the rules use, and makes their
// findings and the page.
//
// It parses a recording once and runs the rules once for all consumers: a run that
// was just measured is read for its findings, and its page is laid out from the same
// models. Only the segments of a split CPU profile are parsed a second time after
// the search for their sources. It reads nothing but the recording: the same
// recording gives the same page on any machine, with or without the module it was
// made from. It also reads a profile without a recording, with fewer conclusions.
//
// It misleads where the recording does: a page covers only what ran.
package read
