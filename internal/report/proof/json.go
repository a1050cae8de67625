package proof

import (
	"encoding/json"
	"fmt"
	"io"

	"whet/internal/analyze/compare"
	"whet/internal/printable"
)

// WriteJSON writes the result of a proof as one JSON document.
func WriteJSON(w io.Writer, r *compare.Result) error {
	doc, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	if _, err := w.Write(append(printable.JSON(doc), '\n')); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}
