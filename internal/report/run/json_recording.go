package run

import (
	"io"

	"whet/internal/document"
	"whet/internal/recording"
)

// jsonRecording is what whet record -json prints. Keys are only ever added.
type jsonRecording struct {
	document.Head
	Recording string                       `json:"recording"`
	Kind      string                       `json:"kind"`
	Target    string                       `json:"target"`
	Partial   string                       `json:"partial"` // why it is not whole; "" when it is
	Artifacts document.Array[jsonArtifact] `json:"artifacts"`
}

type jsonArtifact struct {
	Path  string `json:"path"`
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
}

// WriteRecordingJSON writes what a recording holds as the document
// whet/record/1.
func WriteRecordingJSON(w io.Writer, rec *recording.Recording) error {
	d := jsonRecording{Head: document.New(document.Record, rec.Warnings), Recording: rec.Dir, Kind: rec.Kind, Target: rec.Target, Partial: rec.Partial}
	for _, a := range rec.Artifacts {
		d.Artifacts = append(d.Artifacts, jsonArtifact{a.Path, a.Kind, a.Bytes})
	}
	return document.Write(w, d)
}
