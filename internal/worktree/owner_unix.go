//go:build unix

package worktree

import (
	"io/fs"
	"os"
	"syscall"
)

// isOurs reports whether a directory is this user's: in a directory that
// several share, others may leave what looks like ours.
func isOurs(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Geteuid()
}
