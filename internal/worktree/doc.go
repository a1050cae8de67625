// Package worktree makes directories that hold the files of a git revision, or
// those of a working tree as it stands, without touching the repository.
//
// It answers what was in the tree at a revision and what is in it now, changes
// that are not committed included. The input is a directory in a repository of
// the user's. What is made lies in a [Scratch] directory, which is removed when
// its owner closes it, and otherwise, after a kill, by the next one that makes
// a scratch directory.
//
// # How the repository stays as it is
//
// A revision is read into an index file of our own (GIT_INDEX_FILE) and checked
// out from there, so that names, modes, symbolic links, line ends and encodings
// become what git would make of them; `git worktree add` would leave notes in
// the repository, and `git archive` leaves out what export-ignore says. The
// working tree's files are listed by git and copied by us. No command takes a
// lock, refreshes the user's index, writes an object or uses the network.
//
// # Whose commands run
//
// A repository's configuration names commands. Those that git would run here
// are switched off: the monitor of the file system, hooks, filters (clean,
// smudge and process of every driver that is configured), transports. What
// remains is git itself, reading a configuration that its user, or someone else
// where safe.directory allows it, wrote.
//
// # When it misleads
//
// Filters that are switched off leave files as they are stored. Those of git
// LFS are taken from the repository's own store where that has them; other
// files stay pointers, and a warning says so.
//
// The copy of a working tree is made file by file: what changes meanwhile may
// be in it by half.
package worktree
