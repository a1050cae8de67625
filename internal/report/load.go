package report

// Load is the page of one load, or of several beside each other.
type Load struct {
	Runs []LoadRun
	// Searches are what was looked for, each with the name of its run where there
	// are several recordings. What they warn of in all stands in Warnings.
	Searches []LoadSearch
	// Warnings are about the page; those about a run stand in its result.
	Warnings []string
}
