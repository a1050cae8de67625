package prove

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"whet/internal/prove/sides"
)

// dataBytes is how much of a package's test data is read; of what lies beyond
// it names and sizes stand for the content.
const dataBytes = 64 << 20

// dataOf are digests of the files that benchmarks may read, by package and
// side: those of a package's directory testdata. A benchmark of other data is
// another question, though its binary is the same. "" where there is none.
func dataOf(pair *sides.Pair) [][2]string {
	out := make([][2]string, len(pair.Packages()))
	for i := range out {
		for _, side := range both {
			if t := pair.Binary(side, i).Target; t != nil && t.Dir != "" {
				out[i][side] = digest(os.DirFS(t.Dir), "testdata")
			}
		}
	}
	return out
}

// digest is that of all files below a directory; "" where there is none. What
// cannot be read is so the next time too.
func digest(root fs.FS, dir string) string {
	if _, err := fs.Stat(root, dir); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	sum, left := sha256.New(), int64(dataBytes)
	_ = fs.WalkDir(root, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			fmt.Fprintf(sum, "%q cannot be read\n", name)
			return nil
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			fmt.Fprintf(sum, "%q %v\n", name, d.Type())
			return nil
		}
		fmt.Fprintf(sum, "%q %d\n", name, info.Size())
		if f, err := root.Open(name); err == nil {
			n, _ := io.Copy(sum, io.LimitReader(f, left))
			left -= n
			f.Close()
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil))
}
