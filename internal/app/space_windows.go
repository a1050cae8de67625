package app

import "golang.org/x/sys/windows"

// freeSpace is what this user may still write below dir.
func freeSpace(dir string) (int64, bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var available uint64
	if err := windows.GetDiskFreeSpaceEx(name, &available, nil, nil); err != nil {
		return 0, false
	}
	return int64(available), true
}
