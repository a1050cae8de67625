//go:build unix

package app

import "golang.org/x/sys/unix"

// freeSpace is what an ordinary user may still write below dir.
func freeSpace(dir string) (int64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
