package knowledge

import (
	"slices"
	"sync"
)

// table holds the rows by the packages of their functions. Of rows for the same
// function the first whose condition holds speaks. Its conditions
// are closures: most runs of the program need none, and they are made at first use.
var table = sync.OnceValue(func() []Row {
	return slices.Concat(
		ofStrings(), ofFormatting(), ofIO(),
		ofEncodings(), ofNetwork(), ofConnections(), ofCrypto(),
		ofCopies(),
		ofCharacters(), ofBytes(), ofTextUse(), ofGeneral(), ofText(),
		ofSorting(), ofTime(), ofNumbers(), ofReflection(), ofFlags(), ofModules(),
		ofBroad(),
	)
})

// Dropped is advice that is often given and gains nothing on today's Go.
type Dropped struct{ Advice, Measured string }

// NoLonger lists the advice that was measured and dropped.
func NoLonger() []Dropped {
	return []Dropped{
		{"Decode a body with json.NewDecoder in place of io.ReadAll and json.Unmarshal.", "0.83x (0.58 to 1.16) for 160 bytes, 0.77x (0.66 to 0.98) for 50 KB, with the same number of allocations; go1.26"},
		{"Write JSON with json.NewEncoder in place of json.Marshal and Write.", "0.86x (0.63 to 1.23), with 1 allocation instead of 2, smaller by the size of the JSON; go1.26"},
		{"Decode a string with json.NewDecoder of a strings.Reader, which avoids the conversion for json.Unmarshal.", "0.82x (0.48 to 0.95), with 3 more allocations; go1.26"},
		{"Hash bytes with sha256.Sum256 in place of New, Write and Sum in one function.", "0.99x (0.85 to 1.58), with the same number of allocations; go1.26"},
		{"Write FNV-1a as a loop in place of fnv.New64a.", "0.88x (0.58 to 1.16), with the same number of allocations; go1.26"},
		{"Read two cookies from (*http.Request).Cookies in place of two calls of Cookie.", "0.75x (0.66 to 1.00), with 2 more allocations; go1.26"},
		{"Count the entries of a directory with Readdirnames in place of os.ReadDir.", "0.94x (0.32 to 4.93), with 29 allocations instead of 48; go1.26"},
		{"Get the length of JSON from a counting writer under json.NewEncoder in place of json.Marshal.", "1.06x (0.91 to 1.18), with the same number of allocations; go1.26"},
		{"Sort with slices.SortFunc in place of sort.Sort of a custom type.", "0.98x (0.58 to 1.11) for 300 elements of 24 bytes; go1.26"},
		{"Let google/uuid take its random bytes from a pool (EnableRandPool).", "1.24x (0.72 to 1.71) from buffered bytes, on Linux with getrandom in the vDSO; go1.26"},
		{"Write typed fields to a zap.Logger in place of calling Logger.Sugar each time.", "0.46x (0.35 to 0.55) with the level off, with the same number of allocations; go1.26"},
		{"Check for ASCII before go-runewidth.StringWidth.", "1.16x (0.78 to 1.63): it has such a fast path itself; go1.26"},
		{"Sort with slices.Sort in place of sort.Ints and sort.Strings.", "they are the same function; go1.26"},
		{"Divide and multiply a big.Int by a power of two with Rsh and Lsh.", "1.18x (1.03 to 1.40) and 0.91x (0.84 to 1.29), with the same number of allocations; go1.26"},
		{"Call strings.Contains in place of strings.Index(s, x) >= 0.", "1.00x (0.88 to 1.31); go1.26"},
		{"Join three strings with + in place of strings.Join of a slice.", "1.06x (0.81 to 1.31), with the same number of allocations; go1.26"},
		{"Make an error with fmt.Errorf in place of errors.New(fmt.Sprintf(…)).", "0.99x (0.74 to 1.28), with the same number of allocations; go1.26"},
		{"Make an error with errors.New in place of fmt.Errorf of a string without verbs.", "1.13x (1.04 to 1.84), with the same number of allocations; go1.26"},
		{"Replace matches with ReplaceAllLiteralString in place of ReplaceAllString, where the replacement has no $.", "1.02x (0.29 to 1.11), with the same number of allocations; go1.26"},
		{"Write an indentation byte by byte in place of strings.Repeat.", "0.85x (0.79 to 1.00) for 12 tabs, with no allocations in either; go1.26"},
		{"Count characters with utf8.RuneCountInString in place of len([]rune(s)).", "0.98x (0.58 to 1.05), with no allocations in either; go1.26"},
		{"Read bytes with bytes.NewReader in place of bytes.NewBuffer.", "1.09x (0.91 to 1.24), with the same number of allocations; go1.26"},
		{"Make zero bytes with make in place of bytes.Repeat.", "1.08x (0.66 to 1.24) for 4 KiB; go1.26"},
		{"Call delete without checking first whether the map has the key.", "1.12x (1.06 to 1.25) if it has all of them; go1.26"},
		{"Write m[k]++ in place of m[k] = m[k] + 1.", "0.96x for 200 keys in one run, with the same number of allocations; go1.26"},
		{"Write the hexadecimal digits of an id's parts in one loop in place of hex.Encode for each.", "0.89x (0.54 to 1.16) for 16 bytes, with the same number of allocations; go1.26"},
		{"Detect a new member of a set by its length in place of a lookup (if !set[k] { set[k] = true }).", "0.79x in one run, for 200 keys, half of them new; 1.25x (1.16 to 1.34) for 1,000 new keys; go1.26"},
		{"Advance a slice by eight bytes in each round (b = b[8:]) in place of an index, to avoid bounds checks.", "0.84x in one run, for 4 KiB changed in place, 0.97x for 4 KiB only read; go1.26"},
		{"Write a binary search as a loop in place of sort.Search, which calls a function to compare elements.", "1.02x (1.00 to 1.03) for 200 numbers, with the same number of allocations; go1.26"},
		{"Sort with slices.SortFunc in place of sort.Sort of a type with Len, Less and Swap.", "1.05x (0.92 to 1.25), with 1 allocation instead of 2; go1.26"},
	}
}
