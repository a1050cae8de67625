package knowledge

import (
	"go/ast"
	"strings"

	"whet/internal/finding"
)

// ofFormatting are the rows of packages fmt, strconv, encoding/hex and time, where
// they make text.
func ofFormatting() []Row {
	return []Row{
		{
			ID: "fmt-sprintf-counted", Cause: "counted-result", Callees: []string{"fmt.Sprintf"}, When: counted,
			Cost: "allocates a string", Instead: "Append to a reused buffer, and take its length: b = fmt.Appendf(b[:0], …).",
			Goes: Memory, Confidence: finding.High,
			Example: Example{Params: "n int", Result: "int", Args: "123456", Decls: "var buf []byte",
				Before: `return len(fmt.Sprintf("%d", n))`, After: "buf = fmt.Appendf(buf[:0], \"%d\", n)\nreturn len(buf)"},
		},
		{
			ID: "fmt-sprint-counted", Cause: "counted-result", Callees: []string{"fmt.Sprint", "fmt.Sprintln"}, When: counted,
			Cost: "allocates a string", Instead: "Append to a reused buffer, and take its length: b = fmt.Append(b[:0], …).",
			Goes: Memory, Confidence: finding.High,
			Example: Example{Params: "n int", Result: "int", Args: "123456", Decls: "var buf []byte",
				Before: `return len(fmt.Sprint(n))`, After: "buf = fmt.Append(buf[:0], n)\nreturn len(buf)"},
		},
		{
			ID: "time-format-compared", Cause: "compared-text", Callees: []string{"time.Time.Format"}, When: compared("it is compared", nil),
			Cost:    "allocates a string",
			Instead: "Compare the components that the layout shows: Year, YearDay or Date of the times, or the times themselves with Equal, in one zone; parse a constant once.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "a, b time.Time", Result: "bool", Args: "time.Unix(1700000000, 0), time.Unix(1700001000, 0)",
				Before: `return a.Format("2006-01-02") == b.Format("2006-01-02")`, After: `return a.Year() == b.Year() && a.YearDay() == b.YearDay()`},
		},
		{
			ID: "strconv-format-compared", Cause: "compared-text", Callees: []string{"strconv.Itoa", "strconv.FormatInt", "strconv.FormatUint"}, When: compared("it is compared", nil),
			Cost:    "allocates a string",
			Instead: "Compare the numbers: parse the other side once, where it is set. Parsing accepts 007 and +7 as 7, which differ as strings.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "n, wanted int", Result: "bool", Args: "123456, 123457",
				Before: `return strconv.Itoa(n) == strconv.Itoa(wanted)`, After: `return n == wanted`},
		},
		{
			ID: "hex-encode-compared", Cause: "compared-text", Callees: []string{"encoding/hex.EncodeToString"}, When: compared("it is compared", nil),
			Cost:    "allocates a string",
			Instead: "Compare the bytes: decode the other side once, which accepts capital letters too, and use bytes.Equal, or, for secrets, subtle.ConstantTimeCompare.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "sum, wanted []byte", Result: "bool", Args: "make([]byte, 32), make([]byte, 32)",
				Before: `return hex.EncodeToString(sum) == hex.EncodeToString(wanted)`, After: `return bytes.Equal(sum, wanted)`},
		},
	}
}

// ofGeneral are the rows of packages fmt, strconv and errors, where another function
// does the same.
func ofGeneral() []Row {
	return []Row{
		{
			ID: "fmt-sprintf-hex", Cause: "general-function", Callees: []string{"fmt.Sprintf"}, When: all(textIs(0, "%x"), args(2, "it formats one value"), bytesAt(1)),
			Cost:       "formats the bytes one by one",
			Instead:    "hex.EncodeToString(b) returns the same string; slice an array, sum[:], and assign a function's result to a variable first.",
			Confidence: finding.High,
			Example: Example{Params: "sum []byte", Result: "string", Args: `[]byte("0123456789abcdef0123456789abcdef")`,
				Before: `return fmt.Sprintf("%x", sum)`,
				After:  "return hex.EncodeToString(sum)"},
		},
		{
			ID: "fmt-sprintf-bytes", Cause: "general-function", Callees: []string{"fmt.Sprintf"}, When: all(textIs(0, "%s"), args(2, "it formats one value"), ofType(1, "[]byte", "[]uint8")),
			Cost:       "boxes the bytes and first copies them into a buffer",
			Instead:    "The conversion string(b) gives the same string.",
			Confidence: finding.High,
			Example: Example{Params: "b []byte", Result: "string", Args: `[]byte("alpha,beta,gamma,delta")`,
				Before: `return fmt.Sprintf("%s", b)`,
				After:  "return string(b)"},
		},
		{
			ID: "fmt-sprintf-type", Cause: "general-function", Callees: []string{"fmt.Sprintf"}, When: all(textIs(0, "%T"), args(2, "it formats one value")),
			Cost:       "boxes, formats and copies the name of a type",
			Instead:    "reflect.TypeOf(v).String() is the name itself; for a nil interface TypeOf returns nil. If the name only tells types apart, compare or look up the reflect.Type, or use a type switch.",
			Confidence: finding.High,
			Example: Example{Params: "v any", Result: "string", Args: "new(bytes.Buffer)",
				Before: `return fmt.Sprintf("%T", v)`,
				After:  "return reflect.TypeOf(v).String()"},
		},
		{
			ID: "fmt-sprint-error", Cause: "general-function", Callees: []string{"fmt.Sprintf"}, When: all(textIs(0, "%s", "%v"), args(2, "it formats one value"), hasMethod(1, "Error")),
			Cost:       "calls Error and copies the result",
			Instead:    "err.Error() is the string itself. For a nil error it panics, where fmt writes <nil>.",
			Confidence: finding.Medium,
			Example: Example{Params: "err error", Result: "string", Args: `errors.New("no such file or directory")`,
				Before: `return fmt.Sprintf("%v", err)`,
				After:  "return err.Error()"},
		},
		{
			ID: "fmt-sprint-stringer", Cause: "general-function", Callees: []string{"fmt.Sprintf"}, When: all(textIs(0, "%s", "%v"), args(2, "it formats one value"), hasMethod(1, "String")),
			Cost:       "calls String and copies the result",
			Instead:    "Call String() directly. For a nil pointer or interface it may panic, where fmt writes <nil>.",
			Confidence: finding.Medium,
			Example: Example{Params: "d time.Duration", Result: "string", Args: "1500 * time.Millisecond",
				Before: `return fmt.Sprintf("%v", d)`,
				After:  "return d.String()"},
		},
		{
			ID: "fmt-sprint-alone", Cause: "general-function", Callees: []string{"fmt.Sprint"}, When: all(args(1, "it formats one value"), either(hasMethod(0, "Error"), hasMethod(0, "String"))),
			Cost:       "calls Error or String and copies the result",
			Instead:    "Call Error() or String() directly. For a nil pointer or interface it may panic, where fmt writes <nil>.",
			Confidence: finding.Medium,
			Example: Example{Params: "err error", Result: "string", Args: `errors.New("no such file or directory")`,
				Before: "return fmt.Sprint(err)",
				After:  "return err.Error()"},
		},
		{
			ID: "fmt-fprintf-bytes", Cause: "general-function", Callees: []string{"fmt.Fprintf"}, When: all(textIs(1, "%s"), args(3, "it formats one value"), ofType(2, "[]byte", "[]uint8")),
			Cost:       "boxes the bytes and first copies them into a buffer",
			Instead:    "w.Write(b) writes the same bytes.",
			Confidence: finding.High,
			Example: Example{Params: "w *bytes.Buffer, b []byte", Result: "int", Args: `new(bytes.Buffer), []byte("alpha,beta,gamma,delta")`,
				Before: "w.Reset()\nfmt.Fprintf(w, \"%s\", b)\nreturn w.Len()",
				After:  "w.Reset()\nw.Write(b)\nreturn w.Len()"},
		},
		{
			ID: "error-of-values", Cause: "error-text", Callees: []string{"fmt.Errorf"}, When: all(returned, texts(0, "is a constant format without %w", func(s string) bool { return strings.Contains(s, "%") && !strings.Contains(s, "%w") })),
			Cost:       "formats a string",
			Instead:    "Return an error type that stores the values, and format the string in its method Error: type lengthError int, func (e lengthError) Error() string { … }. Callers can then also tell it from other errors.",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "error", Args: `"123e4567"`, Differs: true, Decls: "type lengthError int\n\nfunc (e lengthError) Error() string { return \"invalid length \" + strconv.Itoa(int(e)) }\n",
				Before: "if len(text) != 36 {\n\treturn fmt.Errorf(\"invalid length %d\", len(text))\n}\nreturn nil",
				After:  "if len(text) != 36 {\n\treturn lengthError(len(text))\n}\nreturn nil"},
		},
		{
			ID: "errors-new-constant", Cause: "made-per-call", Callees: []string{"errors.New", "fmt.Errorf"}, When: all(args(1, "it has one argument"), texts(0, "is always the same string, without verbs", func(s string) bool { return !strings.Contains(s, "%") })),
			Cost:    "allocates an error",
			Instead: "Make it once: var errEntry = errors.New(…), and return that. Two returned errors are then equal by ==, which they are not today.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "n int", Result: "error", Args: "7", Decls: `var errMany = errors.New("too many")`,
				Before: "if n > 5 {\n\treturn errors.New(\"too many\")\n}\nreturn nil",
				After:  "if n > 5 {\n\treturn errMany\n}\nreturn nil"},
		},
		{
			ID: "errors-as-type", Cause: "general-function", Callees: []string{"errors.As"}, When: targetsError(1), Go: "go1.26",
			Cost:       "inspects the target's type by reflection",
			Instead:    "Use target, ok := errors.AsType[T](err), which knows the type at compile time and does not move its target to the heap. If nothing matches, As leaves the target unchanged, and AsType returns the zero value: set a parameter's target only if ok.",
			Confidence: finding.High,
			Example: Example{Params: "err error", Result: "string", Args: `fmt.Errorf("reading: %w", &fs.PathError{Op: "open", Path: "/tmp/x", Err: fs.ErrNotExist})`,
				Before: "var target *fs.PathError\nif errors.As(err, &target) {\n\treturn target.Path\n}\nreturn \"\"",
				After:  "if target, ok := errors.AsType[*fs.PathError](err); ok {\n\treturn target.Path\n}\nreturn \"\""},
		},
		{
			ID: "fmt-sscanf-number", Cause: "general-function", Callees: []string{"fmt.Sscanf"}, When: all(format(1, "dvsfgeq"), pointers(2)),
			Cost:       "interprets a format, and reads a character at a time through interfaces",
			Instead:    "Split the string with strings.Cut and parse the numbers with strconv.Atoi, ParseInt or ParseFloat. Sscanf skips spaces before a number and ignores trailing input; strconv reports both as errors.",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "int", Args: `"640x480"`,
				Before: "var w, h int\nif _, err := fmt.Sscanf(text, \"%dx%d\", &w, &h); err != nil {\n\treturn 0\n}\nreturn w * h",
				After:  "a, b, _ := strings.Cut(text, \"x\")\nw, err := strconv.Atoi(a)\nif err != nil {\n\treturn 0\n}\nh, err := strconv.Atoi(b)\nif err != nil {\n\treturn 0\n}\nreturn w * h"},
		},
		{
			ID: "fmt-sscan-number", Cause: "general-function", Callees: []string{"fmt.Sscan"}, When: pointers(1),
			Cost:       "reads a character at a time through interfaces",
			Instead:    "Parse the number with strconv.Atoi, ParseInt(s, 0, 64) or ParseFloat, several after strings.Fields. Sscan skips spaces and ignores trailing input; strconv reports both as errors.",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "int", Args: `"123456"`,
				Before: "n := 0\nif _, err := fmt.Sscan(text, &n); err != nil {\n\treturn 0\n}\nreturn n",
				After:  "n, err := strconv.Atoi(text)\nif err != nil {\n\treturn 0\n}\nreturn n"},
		},
		{
			ID: "fmt-fscan-words", Cause: "general-function", Callees: []string{"fmt.Fscan", "fmt.Scan"}, When: all(inLoop, scanned),
			Cost:       "reads a character at a time through interfaces, from a file each by a system call",
			Instead:    "Read the words with a bufio.Scanner and Split(bufio.ScanWords), or a bufio.Reader, and parse the numbers with strconv. All code that reads this input has to use the scanner, because it reads ahead.",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "int", Args: `strings.Repeat("12 345 6789 ", 100)`,
				Before: "in, sum := bufio.NewReader(strings.NewReader(text)), 0\nfor range 300 {\n\tn := 0\n\tfmt.Fscan(in, &n)\n\tsum += n\n}\nreturn sum",
				After:  "in, sum := bufio.NewScanner(strings.NewReader(text)), 0\nin.Split(bufio.ScanWords)\nfor in.Scan() {\n\tn, _ := strconv.Atoi(in.Text())\n\tsum += n\n}\nreturn sum"},
		},
		{
			ID: "fmt-print-loop", Cause: "small-io", Callees: []string{"fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln"}, When: all(inBatch, openBefore(0)),
			Cost:       "writes to the file with a system call",
			Instead:    "Write to a bufio.Writer around the file, made before the loop, and Flush it after: a line then appears only when the buffer is full or flushed, and is lost if the program dies before.",
			Confidence: finding.Medium,
			Example: Example{Params: "f *os.File, lines []string", Result: "", Args: `open(), strings.Fields(strings.Repeat("the quick brown fox jumps over the lazy dog ", 20))`, Decls: "func open() *os.File {\n\tf, _ := os.OpenFile(os.DevNull, os.O_WRONLY, 0)\n\treturn f\n}",
				Before: "for i, l := range lines {\n\tfmt.Fprintf(f, \"%03d %s\\n\", i, l)\n}",
				After:  "w := bufio.NewWriter(f)\nfor i, l := range lines {\n\tfmt.Fprintf(w, \"%03d %s\\n\", i, l)\n}\nw.Flush()"},
		},
		{
			ID: "fmt-sprintf-pad", Cause: "general-function", Callees: []string{"fmt.Sprintf"}, When: all(textIs(0, "%*s"), args(3, "it formats one value"), textIs(2, "")),
			Cost:       "formats only spaces",
			Instead:    `strings.Repeat(" ", n) makes the spaces, without allocating if there are few. For a negative n it panics.`,
			Confidence: finding.High,
			Example: Example{Params: "n int", Result: "string", Args: "12",
				Before: `return fmt.Sprintf("%*s", n, "")`,
				After:  `return strings.Repeat(" ", n)`},
		},
		{
			ID: "fmt-sprintf-steady", Cause: "made-per-call", Callees: []string{"fmt.Sprintf", "strconv.Itoa", "strconv.FormatInt", "strconv.FormatUint", "strconv.FormatFloat", "strconv.Quote"}, When: all(same, plain(0)),
			Cost:    "builds the same string again",
			Instead: "Build it once: before the loop, or in a package variable if its arguments are constant.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "n int, list []string", Result: "int", Args: `123456, []string{"a:000001", "b:000002", "c:123456"}`,
				Before: "for i, s := range list {\n\tif strings.HasSuffix(s, fmt.Sprintf(\":%06d\", n)) {\n\t\treturn i\n\t}\n}\nreturn -1",
				After:  "end := fmt.Sprintf(\":%06d\", n)\nfor i, s := range list {\n\tif strings.HasSuffix(s, end) {\n\t\treturn i\n\t}\n}\nreturn -1"},
		},
		{
			ID: "strconv-digit", Cause: "general-function", Callees: []string{"strconv.Atoi"}, When: either(converted(0, "byte", "string"), converted(0, "rune", "string"), converted(0, "uint8", "string"), converted(0, "int32", "string")),
			Cost:    "parses a one-character string",
			Instead: "int(c - '0') is the digit's value, if '0' <= c && c <= '9'.",
			Goes:    All, Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: `"31415926535897932384"`,
				Before: "sum := 0\nfor _, c := range text {\n\tn, _ := strconv.Atoi(string(c))\n\tsum += n\n}\nreturn sum",
				After:  "sum := 0\nfor _, c := range text {\n\tif '0' <= c && c <= '9' {\n\t\tsum += int(c - '0')\n\t}\n}\nreturn sum"},
		},
	}
}

// returned: the call stands in a return statement.
var returned = Condition{"it is returned where it is made", func(c *Call) bool {
	_, ok := c.In.Parent(c.CallExpr).(*ast.ReturnStmt)
	return ok
}}
