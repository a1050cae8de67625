//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Exclusive opens a file, made where flag says so, and takes its lock unless
// somebody has it or reads the file; then there is no file. The lock belongs to
// the open file, which no child inherits.
func Exclusive(name string, flag int) (f *os.File, locked bool, err error) {
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

// Shared marks an open file as being read, until it is closed. It reports false
// where somebody has its lock.
func Shared(f *os.File) bool {
	return !errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// Remove removes the file of a lock and gives the lock back, in this order:
// nobody can lock it in between.
func Remove(lock *os.File) error {
	return errors.Join(os.Remove(lock.Name()), lock.Close())
}
