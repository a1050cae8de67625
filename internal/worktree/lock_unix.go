//go:build unix

package worktree

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openLocked opens a file, made where flag says so, and takes its lock unless
// somebody has it; then there is no file. The lock belongs to the open file,
// which no child inherits.
func openLocked(name string, flag int) (f *os.File, locked bool, err error) {
	f, err = os.OpenFile(name, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, false, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, true, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = nil
	}
	return nil, false, err
}

// release removes the file of a lock and gives the lock back, in this order:
// nobody can lock it in between.
func release(lock *os.File) error {
	return errors.Join(os.Remove(lock.Name()), lock.Close())
}

// isOurs reports whether a directory is this user's: in a directory that
// several share, others may leave what looks like ours.
func isOurs(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Geteuid()
}
