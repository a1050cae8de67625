package knowledge

// table holds the rows by the packages of their functions. Of rows for the same
// function the first whose condition holds speaks.
var table = [][]Row{
	ofStrings, ofFormatting, ofIO,
	ofEncodings, ofNetwork, ofCrypto,
	ofCopies,
	ofCharacters, ofBytes, ofTextUse, ofGeneral, ofText,
	ofSorting, ofTime, ofNumbers, ofReflection,
}

// Dropped is advice that is often given and gains nothing on today's Go.
type Dropped struct{ Advice, Measured string }

// NoLonger lists the advice that was measured and dropped.
func NoLonger() []Dropped {
	return []Dropped{
		{"To decode a body with json.NewDecoder in place of io.ReadAll and json.Unmarshal.", "0.83x (0.58 to 1.16) of 160 bytes, 0.77x (0.66 to 0.98) of 50 KB, as many allocations; go1.26"},
		{"To write JSON with json.NewEncoder in place of json.Marshal and Write.", "0.86x (0.63 to 1.23), 1 allocation of 2 less, of the size of the text; go1.26"},
		{"To decode a string with json.NewDecoder of a strings.Reader, which saves the conversion for json.Unmarshal.", "0.82x (0.48 to 0.95), 3 allocations more; go1.26"},
		{"To hash bytes with sha256.Sum256 in place of New, Write and Sum in one function.", "0.99x (0.85 to 1.58), as many allocations; go1.26"},
		{"To write FNV-1a out as a loop in place of fnv.New64a.", "0.88x (0.58 to 1.16), as many allocations; go1.26"},
		{"To read two cookies from (*http.Request).Cookies in place of two calls of Cookie.", "0.75x (0.66 to 1.00), 2 allocations more; go1.26"},
		{"To count the entries of a directory with Readdirnames in place of os.ReadDir.", "0.94x (0.32 to 4.93), 29 allocations in place of 48; go1.26"},
		{"To count what encoding/json.Marshal returns, let json.NewEncoder write to a writer that only counts.", "1.06x (0.91 to 1.18), as many allocations; go1.26"},
		{"Sort with slices.SortFunc in place of sort.Sort and a type of its own.", "0.98x (0.58 to 1.11) for 300 elements of 24 bytes; go1.26"},
		{"Divide and multiply a big.Int by a power of two with Rsh and Lsh.", "1.18x (1.03 to 1.40) and 0.91x (0.84 to 1.29), as many allocations; go1.26"},
	}
}
