package drive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"whet/internal/load/message"
	"whet/internal/recording"
)

// bodyWarning says that a body is a text and no file where there is a file of
// that name: vegeta's -body is one.
func bodyWarning(text string) string {
	if st, err := os.Stat(text); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return fmt.Sprintf("the body is the text %q; -body @%s sends the content of that file", text, text)
}

// bodyFiles reads the bodies that a file of targets refers to. Their names are
// relative to the directory it lies in, or of standard input to the working
// directory, and what lies outside of that is not read: a list of requests that
// came from elsewhere must not send this machine's files to where it likes.
func bodyFiles(targets string) func(name string) ([]byte, error) {
	dir := "."
	if targets != "-" {
		dir = filepath.Dir(targets)
	}
	return func(name string) ([]byte, error) {
		inside := name
		if filepath.IsAbs(name) {
			abs, err := filepath.Abs(dir)
			if err != nil {
				return nil, err
			}
			if inside, err = filepath.Rel(abs, name); err != nil {
				return nil, err
			}
		}
		if !filepath.IsLocal(inside) {
			return nil, fmt.Errorf("it is outside %s, the directory of the targets: move it there, or run in a directory above both with -targets - < %s", dir, targets)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		// Opening a named pipe would wait for a writer.
		if st, err := root.Stat(inside); err != nil {
			return nil, recording.RootCause(err)
		} else if !st.Mode().IsRegular() {
			return nil, errors.New("not a regular file")
		}
		f, err := root.Open(inside)
		if err != nil {
			return nil, recording.RootCause(err)
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, message.MaxBody+1))
		if err == nil && len(data) > message.MaxBody {
			err = fmt.Errorf("larger than %d MiB", message.MaxBody>>20)
		}
		return data, err
	}
}
