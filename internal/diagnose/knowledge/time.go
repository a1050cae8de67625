package knowledge

import (
	"go/ast"
	"go/token"
	"strings"

	"whet/internal/finding"
)

// ofTime are the rows of package time.
func ofTime() []Row {
	return []Row{
		{
			ID: "time-now-sub", Cause: "general-function", When: all(inPlace, asked("Sub")), Callees: []string{"time.Now"},
			Cost:       "reads the wall clock beside the monotonic one",
			Instead:    "time.Since(t) reads only the monotonic clock, if t has it; for the other direction use time.Until(t).",
			Confidence: finding.High,
			Example: Example{Params: "start time.Time", Result: "bool", Args: "time.Now()",
				Before: `return time.Now().Sub(start) > 0`, After: `return time.Since(start) > 0`},
		},
		{
			ID: "time-now-each", Cause: "made-per-call", When: quickLoop, Callees: []string{"time.Now", "time.Since", "time.Until"},
			Cost:       "reads the clock",
			Instead:    "Read the clock once before the loop, now := time.Now(), and compare with now, or use now.Sub(t): the loop takes too little time for the difference to matter.",
			Confidence: finding.High,
			Example: Example{Params: "times []time.Time", Result: "int", Args: "make([]time.Time, 100)",
				Before: "n := 0\nfor _, t := range times {\n\tif t.Before(time.Now()) {\n\t\tn++\n\t}\n}\nreturn n",
				After:  "n := 0\nnow := time.Now()\nfor _, t := range times {\n\tif t.Before(now) {\n\t\tn++\n\t}\n}\nreturn n"},
		},
		{
			ID: "time-after-in-loop", Cause: "made-per-call", When: all(selected, inAnyLoop), Callees: []string{"time.After"},
			Cost:       "allocates a timer and a channel",
			Instead:    "Make one timer before the loop, t := time.NewTimer(d), call t.Reset(d) in each round and receive from t.C; with defer t.Stop(). Since go1.23 Reset leaves no stale value in the channel.",
			Go:         "go1.23",
			Confidence: finding.High,
			Example: Example{Params: "work chan int, n int", Result: "int", Args: "full(), 100",
				Decls:  "func full() chan int {\n\tc := make(chan int)\n\tclose(c)\n\treturn c\n}",
				Before: "sum := 0\nfor range n {\n\tselect {\n\tcase x := <-work:\n\t\tsum += x\n\tcase <-time.After(time.Minute):\n\t\treturn -1\n\t}\n}\nreturn sum",
				After:  "sum := 0\ntimer := time.NewTimer(time.Minute)\ndefer timer.Stop()\nfor range n {\n\ttimer.Reset(time.Minute)\n\tselect {\n\tcase x := <-work:\n\t\tsum += x\n\tcase <-timer.C:\n\t\treturn -1\n\t}\n}\nreturn sum"},
		},
		{
			ID: "time-date-parts", Cause: "general-function", When: together("time.Time.Year", "time.Time.Month"), Callees: []string{"time.Time.Day"},
			Cost:       "computes the date, and returns one part of it",
			Instead:    "year, month, day := t.Date() computes it once.",
			Confidence: finding.High,
			Example: Example{Params: "t time.Time", Result: "int", Args: "time.Unix(1700000000, 0)",
				Before: "y := t.Year()\nm := t.Month()\nd := t.Day()\nreturn y*10000 + int(m)*100 + d", After: "y, m, d := t.Date()\nreturn y*10000 + int(m)*100 + d"},
		},
		{
			ID: "time-clock-parts", Cause: "general-function", When: together("time.Time.Hour"), Callees: []string{"time.Time.Minute"},
			Cost:       "computes the time of day, and returns one part of it",
			Instead:    "hour, minute, second := t.Clock() computes it once.",
			Confidence: finding.High,
			Example: Example{Params: "t time.Time", Result: "int", Args: "time.Unix(1700000000, 0)",
				Before: "h := t.Hour()\nm := t.Minute()\ns := t.Second()\nreturn h*10000 + m*100 + s", After: "h, m, s := t.Clock()\nreturn h*10000 + m*100 + s"},
		},
		{
			ID: "time-parse-rfc3339-fraction", Cause: "general-function", Callees: []string{"time.Parse", "time.ParseInLocation"},
			When: textIs(0, "2006-01-02T15:04:05.000Z07:00", "2006-01-02T15:04:05.999Z07:00", "2006-01-02T15:04:05.000000Z07:00",
				"2006-01-02T15:04:05.999999Z07:00", "2006-01-02T15:04:05.000000000Z07:00"),
			Cost:       "interprets the layout piece by piece",
			Instead:    "Use time.RFC3339, which has its own parser, and accepts a fraction of any length after the seconds. It also accepts a fraction with another number of digits, or none.",
			Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int64", Args: `"2024-05-06T07:08:09.123Z"`,
				Before: "t, _ := time.Parse(\"2006-01-02T15:04:05.000Z07:00\", text)\nreturn t.UnixNano()",
				After:  "t, _ := time.Parse(time.RFC3339, text)\nreturn t.UnixNano()"},
		},
		{
			ID: "time-parse-zulu", Cause: "general-function", Callees: []string{"time.Parse"},
			When:       textIs(0, "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.000Z", "2006-01-02T15:04:05.999Z", "2006-01-02T15:04:05.000000Z"),
			Cost:       "interprets the layout piece by piece",
			Instead:    "Use time.RFC3339, which has its own parser, and accepts a Z and a fraction. It also accepts an offset in place of the Z (+02:00): if that must be an error, check the last byte.",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "int64", Args: `"2024-05-06T07:08:09Z"`,
				Before: "t, _ := time.Parse(\"2006-01-02T15:04:05Z\", text)\nreturn t.UnixNano()",
				After:  "t, _ := time.Parse(time.RFC3339, text)\nreturn t.UnixNano()"},
		},
		{
			ID: "time-parse-digits", Cause: "general-function", Callees: []string{"time.Parse"}, When: digitLayout,
			Cost:       "interprets the layout piece by piece",
			Instead:    "Parse the digits of each number at its position, check that all are digits and the separators are right, and call time.Date: twenty lines. time.Date turns 31 February into 3 March: if that must be an error, compare the date of its result, or check the month's length.",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "int64", Args: `"2024-05-06 07:08:09"`,
				Decls:  "// number is that of the digits of a text, 0 where there are others.\nfunc number(s string) (n int) {\n\tfor i := range len(s) {\n\t\tc := s[i] - '0'\n\t\tif c > 9 {\n\t\t\treturn 0\n\t\t}\n\t\tn = n*10 + int(c)\n\t}\n\treturn n\n}\n",
				Before: "t, err := time.Parse(\"2006-01-02 15:04:05\", text)\nif err != nil {\n\treturn 0\n}\nreturn t.Unix()",
				After:  "if len(text) != 19 || text[4] != '-' || text[7] != '-' || text[10] != ' ' || text[13] != ':' || text[16] != ':' {\n\treturn 0\n}\nyear, month, day := number(text[:4]), time.Month(number(text[5:7])), number(text[8:10])\nhour, minute, second := number(text[11:13]), number(text[14:16]), number(text[17:])\nt := time.Date(year, month, day, hour, minute, second, 0, time.UTC)\nif t.Day() != day || t.Second() != second {\n\treturn 0\n}\nreturn t.Unix()"},
		},
		{
			ID: "time-format-zulu", Cause: "general-function", Callees: []string{"time.Time.Format", "time.Time.AppendFormat"},
			When:       all(receiverMade("time.Time.UTC"), either(textIs(0, "2006-01-02T15:04:05Z"), textIs(1, "2006-01-02T15:04:05Z"))),
			Cost:       "interprets the layout piece by piece",
			Instead:    "For a time in UTC, time.RFC3339 writes the same, with its own function.",
			Confidence: finding.High,
			Example: Example{Params: "t time.Time", Result: "string", Args: "time.Unix(1700000000, 0)",
				Before: `return t.UTC().Format("2006-01-02T15:04:05Z")`, After: `return t.UTC().Format(time.RFC3339)`},
		},
		{
			ID: "time-format-appended", Cause: "needless-copy", When: appended, Callees: []string{"time.Time.Format"},
			Cost: "allocates a string", Instead: "b = t.AppendFormat(b, layout) writes directly into the bytes.",
			Confidence: finding.High,
			Example: Example{Params: "b []byte, t time.Time", Result: "[]byte", Args: "make([]byte, 0, 64), time.Unix(1700000000, 0)",
				Before: `return append(b, t.Format(time.RFC3339)...)`, After: `return t.AppendFormat(b, time.RFC3339)`},
		},
		{
			ID: "time-format-written", Cause: "needless-copy", When: passed("bytes.(*Buffer).WriteString", "bufio.(*Writer).WriteString"), Callees: []string{"time.Time.Format"},
			Cost: "allocates a string", Instead: "w.Write(t.AppendFormat(w.AvailableBuffer(), layout)) writes directly into the buffer.",
			Confidence: finding.High,
			Example: Example{Params: "b *bytes.Buffer, t time.Time", Result: "int", Args: "new(bytes.Buffer), time.Unix(1700000000, 0)",
				Before: "b.Reset()\nb.WriteString(t.Format(time.RFC3339))\nreturn b.Len()",
				After:  "b.Reset()\nb.Write(t.AppendFormat(b.AvailableBuffer(), time.RFC3339))\nreturn b.Len()"},
		},
		{
			ID: "time-loadlocation-kept", Cause: "made-per-call", Callees: []string{"time.LoadLocation"},
			When:       all(not(fixed(0), "the name is not a constant"), passed("time.Time.In", "time.Date", "time.ParseInLocation")),
			Cost:       "reads a time zone's data from files and parses it",
			Instead:    "Keep the locations by name, in a map with a mutex or a sync.Map: there are some hundreds of names, of which few are used. Bound the map if it also keeps names that come from outside and that LoadLocation rejects. The program then sees new time zone data only after a restart.",
			Confidence: finding.Medium,
			Example: Example{Params: "name string, t time.Time", Result: "int", Args: `"Europe/Berlin", time.Unix(1700000000, 0)`, Decls: "var zones sync.Map",
				Before: "at, err := time.LoadLocation(name)\nif err != nil {\n\treturn -1\n}\nreturn t.In(at).Hour()",
				After:  "at, ok := zones.Load(name)\nif !ok {\n\tloaded, err := time.LoadLocation(name)\n\tif err != nil {\n\t\treturn -1\n\t}\n\tat, _ = zones.LoadOrStore(name, loaded)\n}\nreturn t.In(at.(*time.Location)).Hour()"},
		},
	}
}

// digitLayout: a layout, or the beginning of one, in which all is digits and signs at
// fixed places.
var digitLayout = arg(0, "is a constant layout of digits and separators, or the beginning of one", func(c *Call, e ast.Expr) bool {
	if cut, ok := ast.Unparen(e).(*ast.SliceExpr); ok && cut.Low == nil {
		e = cut.X
	}
	layout := c.In.Fixed(e)
	return layout.Value != nil && layout.Always() && strings.HasPrefix(*layout.Value, "2006") && strings.Trim(*layout.Value, "0123456789-/:. T") == ""
})

// selected: a case of a select receives from the result.
var selected = result("a case of a select receives from it", func(c *Call, use ast.Expr) bool {
	receive, ok := c.In.Parent(use).(*ast.UnaryExpr)
	if !ok || receive.Op != token.ARROW {
		return false
	}
	st, ok := c.In.Parent(receive).(ast.Stmt)
	if !ok {
		return false
	}
	clause, ok := c.In.Parent(st).(*ast.CommClause)
	return ok && clause.Comm == st
})

// inAnyLoop is inLoop, asked of the source.
var inAnyLoop = Condition{"in a loop", func(c *Call) bool { return c.innermost() != nil }}
