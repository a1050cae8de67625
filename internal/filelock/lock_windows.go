package filelock

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// sharingViolation is ERROR_SHARING_VIOLATION.
const sharingViolation = syscall.Errno(32)

// Exclusive opens a file, made where flag says so, so that nobody else can
// open it meanwhile, unless somebody has; then there is no file.
func Exclusive(name string, flag int) (f *os.File, locked bool, err error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, false, err
	}
	how := uint32(syscall.OPEN_EXISTING)
	if flag&os.O_CREATE != 0 {
		how = syscall.CREATE_NEW
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, how, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return os.NewFile(uintptr(h), name), true, nil
}

// Shared: a file that is open here cannot be opened by Exclusive.
func Shared(*os.File) bool { return true }

// Remove gives the lock back and removes its file: one that is open cannot be
// removed here. Another process in between removes it itself.
func Remove(lock *os.File) error {
	err := lock.Close()
	if gone := os.Remove(lock.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
