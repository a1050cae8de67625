package knowledge

import "whet/internal/finding"

// ofIO are the rows of packages io, os, bufio and the encodings.
var ofIO = []Row{
	{
		ID: "io-readall-counted", Cause: "counted-result", Callees: []string{"io.ReadAll"}, When: counted,
		Cost: "keeps all that it reads", Instead: "io.Copy(io.Discard, r) returns how much there is.",
		Goes: Memory, Confidence: finding.High,
		Example: Example{Params: "text string", Result: "int", Args: `strings.Repeat("x", 10000)`,
			Before: "b, _ := io.ReadAll(strings.NewReader(text))\nreturn len(b)",
			After:  "n, _ := io.Copy(io.Discard, strings.NewReader(text))\nreturn int(n)"},
	},
	{
		ID: "os-readfile-counted", Cause: "counted-result", Callees: []string{"os.ReadFile"}, When: counted,
		Cost: "reads the whole file", Instead: "os.Stat knows the size of a regular file.",
		Goes: All, Confidence: finding.High,
		Example: Example{Params: "name string", Result: "int", Args: "os.Args[0]",
			Before: "b, _ := os.ReadFile(name)\nreturn len(b)",
			After:  "info, err := os.Stat(name)\nif err != nil {\n\treturn 0\n}\nreturn int(info.Size())"},
	},
}
