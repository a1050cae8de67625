package message

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"whet/internal/recording"
)

// ReadBody reads the body that a flag -body gives: the text itself, or @file.
func ReadBody(text string) ([]byte, error) {
	name, isFile := strings.CutPrefix(text, "@")
	switch {
	case !isFile:
		return []byte(text), nil
	case name == "":
		return nil, errors.New("-body @: name the file after the @, as in @order.json")
	}
	st, err := os.Stat(name)
	if err == nil && (!st.Mode().IsRegular() || st.Size() > MaxBody) {
		return nil, fmt.Errorf("-body: %s is not a regular file of at most %d MiB", name, MaxBody>>20)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("-body @%s: %w", name, recording.RootCause(err))
	}
	return data, nil
}
