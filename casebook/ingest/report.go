package ingest

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// Report is what a request's answer says, and the count of its lines.
type Report struct {
	Taken  int          `json:"taken"`           // documents
	Broken int          `json:"broken"`          // lines
	Lines  []BrokenLine `json:"lines,omitempty"` // the first MaxReported of those

	line int // lines seen
}

// BrokenLine is a line that was left out.
type BrokenLine struct {
	Line int    `json:"line"` // from 1
	Why  string `json:"why"`
}

// Reset begins a report for another request, in the memory of this one.
func (r *Report) Reset() { *r = Report{Lines: r.Lines[:0]} }

// Line looks at the next line, without its \n: the document in it and where
// that goes. It reports false for one that is blank or broken. Of a line that
// is longer than MaxLine, any MaxLine+1 bytes will do.
func (r *Report) Line(line []byte) (document []byte, to Index, ok bool) {
	r.line++
	if len(line) > MaxLine {
		r.broken(ErrLong)
		return nil, Index{}, false
	}
	document = bytes.Trim(line, " \t\r")
	if len(document) == 0 {
		return nil, Index{}, false
	}
	to, err := Route(document)
	if err != nil {
		r.broken(err)
		return nil, Index{}, false
	}
	r.Taken++
	return document, to, true
}

func (r *Report) broken(why error) {
	r.Broken++
	if len(r.Lines) < MaxReported {
		r.Lines = append(r.Lines, BrokenLine{r.line, why.Error()})
	}
}

func (r *Report) answer(w http.ResponseWriter) {
	w.Header().Set("Content-Type", ContentType)
	json.NewEncoder(w).Encode(r) // an answer that cannot be written has nobody to be told
}
