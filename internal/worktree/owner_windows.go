package worktree

import "io/fs"

// isOurs: the directory for temporary files is a user's own here.
func isOurs(fs.FileInfo) bool { return true }
