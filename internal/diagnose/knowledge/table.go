package knowledge

// table holds the rows by the packages of their functions. Of rows for the same
// function the first whose condition holds speaks.
var table = [][]Row{
	ofStrings, ofFormatting, ofIO,
	ofEncodings, ofNetwork, ofCrypto,
	ofCopies,
	ofCharacters, ofBytes, ofTextUse, ofGeneral, ofText,
	ofSorting, ofTime, ofNumbers,
}

// Dropped is advice that is often given and gains nothing on today's Go.
type Dropped struct{ Advice, Measured string }

// NoLonger lists the advice that was measured and dropped.
func NoLonger() []Dropped {
	return []Dropped{
		{"To count what encoding/json.Marshal returns, let json.NewEncoder write to a writer that only counts.", "1.06x (0.91 to 1.18), as many allocations; go1.26"},
		{"Sort with slices.SortFunc in place of sort.Sort and a type of its own.", "0.98x (0.58 to 1.11) for 300 elements of 24 bytes; go1.26"},
		{"Divide and multiply a big.Int by a power of two with Rsh and Lsh.", "1.18x (1.03 to 1.40) and 0.91x (0.84 to 1.29), as many allocations; go1.26"},
	}
}
