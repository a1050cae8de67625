package prove

import (
	"encoding/json"
	"fmt"

	"whet/internal/analyze/compare"
	"whet/internal/document"
	"whet/internal/recording"
)

// Recorded is the proof in a recording, nil where the recording is of something
// else.
func Recorded(path string) (*compare.Result, error) {
	rec, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	docs := rec.Find(KindResult, "")
	if len(docs) == 0 {
		return nil, nil
	}
	data, err := rec.Read(docs[0])
	if err != nil {
		return nil, fmt.Errorf("open the proof %s: %w", path, err)
	}
	r := new(compare.Result)
	if err := json.Unmarshal(data, r); err != nil || r.Schema != document.Prove {
		return nil, fmt.Errorf("open the proof %s: read %s: it is no document %s", path, docs[0].Path, document.Prove)
	}
	if r.Warnings == nil { // of another tool's document
		r.Warnings = []string{}
	}
	return r, nil
}
