package read

import (
	"encoding/json"
	"fmt"

	"whet/internal/analyze/compare"
	"whet/internal/document"
	"whet/internal/recording"
)

// Proof returns the proof in a recording, nil where the recording is of something
// else.
func Proof(rec *recording.Recording) (*compare.Result, error) {
	docs := rec.Find(recording.KindProof, "")
	if len(docs) == 0 {
		return nil, nil
	}
	data, err := rec.Read(docs[0])
	if err != nil {
		return nil, fmt.Errorf("open the proof %s: %w", rec.Dir, err)
	}
	r := new(compare.Result)
	if err := json.Unmarshal(data, r); err != nil || r.Schema != document.Prove {
		return nil, fmt.Errorf("open the proof %s: read %s: not a document %s", rec.Dir, docs[0].Path, document.Prove)
	}
	if r.Warnings == nil { // of another tool's document
		r.Warnings = []string{}
	}
	return r, nil
}
