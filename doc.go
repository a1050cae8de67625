// Package whet carries the source of its agent.
//
// A program that whet measures is built with the agent inside, and its module
// knows nothing of ours: the files of package agent are added to the build as
// they are. A whet that was installed as one binary has no source tree beside
// it, so it brings the files along. They are embedded here, above package agent
// itself, because the agent may not hold its own source: it would carry it
// into every program.
//
// Nothing can be wrong about them but their age: they are those of the tree
// that this binary was built from.
package whet
