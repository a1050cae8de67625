// Command burn keeps one core busy until its standard input ends: the other
// load of bench/proof. When the suite dies, however it dies, the pipe breaks
// and the load ends with it.
package main

import (
	"io"
	"os"
)

func main() {
	go func() {
		for x := uint64(1); ; {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
}
