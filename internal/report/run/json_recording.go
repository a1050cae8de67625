package run

import (
	"io"

	"whet/internal/document"
	"whet/internal/recording"
)

// WriteRecordingJSON writes what a recording holds as the document
// whet/record/1. Keys are only ever added.
func WriteRecordingJSON(w io.Writer, rec *recording.Recording) error {
	return document.Write(w, document.Object{document.Begin(document.Record, rec.Warnings), "recording", rec.Dir, "kind", rec.Kind, "target", rec.Target,
		"partial", rec.Partial, "artifacts", document.Each(rec.Artifacts, func(a *recording.Artifact) document.Object {
			return document.Object{"path", a.Path, "kind", a.Kind, "bytes", a.Bytes}
		})})
}
