package profile

import (
	"fmt"

	"whet/internal/callstack"
	"whet/internal/quantity"
)

// damage counts what was wrong with a file and read around.
type damage struct {
	trailing    int  // bytes after the last member that could be read
	cut         bool // the message did, and lost nothing that samples refer to
	records     int  // functions, locations and mappings that could not be decoded
	samples     int  // samples that could not be decoded
	deep        int  // samples dropped for a stack deeper than any may be
	wrongValues int  // samples dropped for their number of values
	unresolved  int  // samples with at least one frame that is unknown
	strings     int  // references to strings that are not there
	negative    int  // samples with a negative value
}

func (d *damage) add(e damage) {
	d.cut = d.cut || e.cut
	d.records += e.records
	d.samples += e.samples
	d.deep += e.deep
	d.wrongValues += e.wrongValues
	d.unresolved += e.unresolved
	d.strings += e.strings
	d.negative += e.negative
}

// references counts what leads nowhere: in a file that was cut off, signs
// that the part which is missing matters.
func (d *damage) references() int { return d.records + d.samples + d.unresolved + d.strings }

func (d *damage) warnings(p *callstack.Profile) []string {
	var w []string
	say := func(n int, one, many string) { w = append(w, quantity.Several(n, one, many)...) }
	say(d.trailing, "1 byte after the profile could not be read and was dropped",
		"# bytes after the profile could not be read and were dropped")
	if d.cut {
		w = append(w, "the file is truncated: samples may be missing at its end, and no checksum covers the rest")
	}
	say(d.samples, "1 sample is malformed and was dropped: totals are too low by its value",
		"# samples are malformed and were dropped: totals are too low by their values")
	say(d.deep, fmt.Sprintf("1 sample has a stack of more than %d locations and was dropped: totals are too low by its value", callstack.MaxDepth),
		fmt.Sprintf("# samples have stacks of more than %d locations and were dropped: totals are too low by their values", callstack.MaxDepth))
	say(d.wrongValues, fmt.Sprintf("1 sample does not have %s and was dropped: totals are too low by its value", values(p)),
		fmt.Sprintf("# samples do not have %s and were dropped: totals are too low by their values", values(p)))
	say(d.records, "1 function, location or mapping is malformed and was dropped",
		"# functions, locations or mappings are malformed and were dropped")
	say(d.unresolved, "1 sample refers to a location or function that is not in the file: that frame is shown as unknown",
		"# samples refer to locations or functions that are not in the file: those frames are shown as unknown")
	say(d.strings, "1 name is not in the file's string table and is shown as unknown",
		"# names are not in the file's string table and are shown as unknown")
	say(d.negative, "1 sample has a negative value: the profile looks like the difference of two profiles",
		"# samples have negative values: the profile looks like the difference of two profiles")
	switch {
	case p.Listed() == 0:
		w = append(w, "the profile has no samples: the program may not have run long enough, or did none of the recorded work")
	case !p.HasSymbols():
		w = append(w, NoNames)
	}
	return w
}

func values(p *callstack.Profile) string {
	if len(p.Types) == 1 {
		return "the 1 value that the profile declares"
	}
	return fmt.Sprintf("the %d values that the profile declares", len(p.Types))
}

// NoNames is the warning of a profile of bare addresses: it does not hold any
// more once names were found for them elsewhere.
const NoNames = "the profile has no function names, only addresses: functions and lines are unknown"
