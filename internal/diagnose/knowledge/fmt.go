package knowledge

import "whet/internal/finding"

// ofFormatting are the rows of packages fmt, strconv, encoding/hex and time, where
// they make text.
var ofFormatting = []Row{
	{
		ID: "fmt-sprintf-counted", Cause: "counted-result", Callees: []string{"fmt.Sprintf"}, When: counted,
		Cost: "makes a string", Instead: "Append to a buffer that is used again, and take its length: b = fmt.Appendf(b[:0], …).",
		Goes: Memory, Confidence: finding.High,
		Example: Example{Params: "n int", Result: "int", Args: "123456", Decls: "var buf []byte",
			Before: `return len(fmt.Sprintf("%d", n))`, After: "buf = fmt.Appendf(buf[:0], \"%d\", n)\nreturn len(buf)"},
	},
	{
		ID: "fmt-sprint-counted", Cause: "counted-result", Callees: []string{"fmt.Sprint", "fmt.Sprintln"}, When: counted,
		Cost: "makes a string", Instead: "Append to a buffer that is used again, and take its length: b = fmt.Append(b[:0], …).",
		Goes: Memory, Confidence: finding.High,
		Example: Example{Params: "n int", Result: "int", Args: "123456", Decls: "var buf []byte",
			Before: `return len(fmt.Sprint(n))`, After: "buf = fmt.Append(buf[:0], n)\nreturn len(buf)"},
	},
	{
		ID: "time-format-compared", Cause: "compared-text", Callees: []string{"time.Time.Format"}, When: compared("it is compared", nil),
		Cost:    "makes a text",
		Instead: "Compare what the layout shows: Year, YearDay or Date of the times, or the times themselves with Equal, in one zone; parse a constant once.",
		Goes:    All, Confidence: finding.High,
		Example: Example{Params: "a, b time.Time", Result: "bool", Args: "time.Unix(1700000000, 0), time.Unix(1700001000, 0)",
			Before: `return a.Format("2006-01-02") == b.Format("2006-01-02")`, After: `return a.Year() == b.Year() && a.YearDay() == b.YearDay()`},
	},
	{
		ID: "strconv-format-compared", Cause: "compared-text", Callees: []string{"strconv.Itoa", "strconv.FormatInt", "strconv.FormatUint"}, When: compared("it is compared", nil),
		Cost:    "makes a text",
		Instead: "Compare the numbers: parse the other side once, where it is made. Parsing takes 007 and +7 for 7, which are no such text.",
		Goes:    All, Confidence: finding.High,
		Example: Example{Params: "n, wanted int", Result: "bool", Args: "123456, 123457",
			Before: `return strconv.Itoa(n) == strconv.Itoa(wanted)`, After: `return n == wanted`},
	},
	{
		ID: "hex-encode-compared", Cause: "compared-text", Callees: []string{"encoding/hex.EncodeToString"}, When: compared("it is compared", nil),
		Cost:    "makes a text",
		Instead: "Compare the bytes: decode the other side once, which takes capital letters too, and use bytes.Equal, or of secrets subtle.ConstantTimeCompare.",
		Goes:    All, Confidence: finding.High,
		Example: Example{Params: "sum, wanted []byte", Result: "bool", Args: "make([]byte, 32), make([]byte, 32)",
			Before: `return hex.EncodeToString(sum) == hex.EncodeToString(wanted)`, After: `return bytes.Equal(sum, wanted)`},
	},
}
