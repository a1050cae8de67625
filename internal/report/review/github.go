package review

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"whet/internal/printable"
	"whet/internal/report/page"
	"whet/internal/report/run"
)

// WriteGitHub writes a workflow command for each finding, which GitHub shows at
// its line, and the verdict as a line of the log.
func WriteGitHub(w io.Writer, p *run.Page, o Options) error {
	var b bytes.Buffer
	for i := range p.Findings {
		f := &p.Findings[i]
		command := map[string]string{levelError: "error", levelWarning: "warning", levelNote: "notice"}[o.level(f)]
		name, ok := o.file(f)
		if !ok {
			name = ""
		}
		WriteCommand(&b, command, name, f.Line, "whet: "+printable.Line(f.Rule), message(f))
	}
	// A line that begins with two colons would be a command.
	fmt.Fprintf(&b, "whet: %s\n", strings.ReplaceAll(printable.Line(p.Verdict.Text), "\u00a0", " "))
	return page.Print(w, "the annotations", b.Bytes())
}

// WriteCommand writes a workflow command, which shows a message at a line; file "": at
// none. What a log would obey in a file's name is escaped: GitHub knows no such file.
func WriteCommand(b *bytes.Buffer, command, file string, line int, title, message string) {
	var properties []string
	if file != "" {
		properties = append(properties, "file="+property(printable.Line(file)))
		if line > 0 {
			properties = append(properties, fmt.Sprintf("line=%d", line))
		}
	}
	properties = append(properties, "title="+property(title))
	fmt.Fprintf(b, "::%s %s::%s\n", command, strings.Join(properties, ","), data(message))
}

// data escapes a command's text, and property one of its values, as
// actions/toolkit does in packages/core/src/command.ts.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}
