package constant

import "strings"

// Names are 64 names for a load to ask for, of both sides. A comparison is of
// the same number of bytes then: the constant is the picture whose length is
// nearest to the mean of theirs.
func Names() []string {
	given := strings.Fields("Ada Alan Barbara Dennis Edsger Grace Ken Niklaus")
	family := strings.Fields("Allen Backus Cerf Dahl Floyd Hopper Iverson Liskov")
	var all []string
	for _, g := range given {
		for _, f := range family {
			all = append(all, g+" "+f)
		}
	}
	return all
}

// Nearest returns the one of some bodies whose length is nearest to the mean of
// their lengths, nil of none.
func Nearest(bodies [][]byte) []byte {
	sum := 0
	for _, b := range bodies {
		sum += len(b)
	}
	var nearest []byte
	least := 0 // times len(bodies), as all of it
	for i, b := range bodies {
		away := len(b)*len(bodies) - sum
		if away = max(away, -away); i == 0 || away < least {
			nearest, least = b, away
		}
	}
	return nearest
}
