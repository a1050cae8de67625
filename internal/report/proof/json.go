package proof

import (
	"io"

	"whet/internal/analyze/compare"
	"whet/internal/document"
)

// WriteJSON writes the result of a proof as one JSON document.
func WriteJSON(w io.Writer, r *compare.Result) error { return document.Write(w, r) }
