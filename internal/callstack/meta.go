package callstack

// Meta is what a profile says of itself.
type Meta struct {
	Types       []ValueType // one per value column
	DefaultType int         // the column a view shows unless asked otherwise
	// DefaultNamed says that the recorder chose DefaultType: otherwise it is the
	// last column, and that of another profile that is merged with this one counts.
	DefaultNamed bool
	PeriodType   ValueType
	Period       int64 // one sample per Period of PeriodType
	TimeNanos    int64 // wall time of the recording's start, 0 when unknown
	Duration     int64 // nanoseconds, 0 when unknown
	Mappings     []Mapping
	Comments     []string
	DocURL       string // where the recorder says what the sample types mean
	DropFrames   string // regular expression of pprof: frames to drop, as the recorder asked
	KeepFrames   string
	Warnings     []string // what the reader had to drop or doubt, each a full sentence fragment for the user
}

// Mapping is one executable or library the addresses of a profile lie in.
type Mapping struct {
	File    string
	BuildID string
	// Addresses from Start to below Limit are the file's from Offset on.
	Start, Limit, Offset uint64
	// What of its locations the recorder has resolved already.
	HasFunctions, HasFilenames, HasLineNumbers, HasInlineFrames bool
}
