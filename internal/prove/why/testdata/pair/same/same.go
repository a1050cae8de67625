// Package same is called otherwise than its twin.
package same

import "strconv"

// Join writes numbers into a text.
func Join(n int) string {
	var out []byte
	for i := range n {
		out = quote(out, i)
	}
	return string(out)
}

func quote(out []byte, i int) []byte {
	out = append(out, '"')
	out = strconv.AppendInt(out, int64(i), 10)
	return append(out, '"')
}
