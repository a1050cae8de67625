package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// PrintText prints a text other than a view; a failed write is an error.
func PrintText(out io.Writer, text *bytes.Buffer) error {
	if _, err := text.WriteTo(out); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// Emit writes to a file and prints its name, for a page a link, or writes to the
// standard output.
func (e *Env) Emit(ctx context.Context, name string, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return write(e.Stdout)
	}
	if err := WriteFile(ctx, name, write); err != nil {
		return err
	}
	told := e.Path(name)
	if strings.EqualFold(filepath.Ext(name), ".html") {
		told = Link(name)
	}
	_, err := fmt.Fprintln(e.Stdout, told)
	return err
}

// WriteFile writes a file under a temporary name and renames it when complete. It
// writes directly to a device or a pipe, which a rename would replace by a file, and
// follows links, which stay links.
func WriteFile(ctx context.Context, name string, write func(io.Writer) error) error {
	st, err := os.Stat(name)
	if err == nil && st.IsDir() {
		return fmt.Errorf("write %s: it is a directory: choose another name with -o", name)
	}
	if err == nil && !st.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("write report: %w", err)
		}
		if err := errors.Join(write(contextWriter{ctx, f}), f.Close()); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		return nil
	}
	f, name, err := CreateBeside(name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(f.Name())
	// Who only reads is not waited for long: the file goes when the user says
	// stop, not when the next piece is written.
	goOn := context.AfterFunc(ctx, func() { os.Remove(f.Name()) })
	err = write(contextWriter{ctx, f})
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if !goOn() {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := Rename(f, name); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// WriteResult is WriteFile for measurements, which are also written after an interrupt.
// Writing to a pipe without a reader then stops.
func WriteResult(ctx context.Context, name string, write func(io.Writer) error) error {
	if st, err := os.Stat(name); err != nil || st.Mode().IsRegular() {
		return WriteFile(context.WithoutCancel(ctx), name, write)
	}
	ended := make(chan error, 1)
	go func() { ended <- WriteFile(context.WithoutCancel(ctx), name, write) }()
	return awaited(ctx, ended, stuckAfter, func() error { return fmt.Errorf("write %s: %w", name, ErrUnread) })
}

// ErrUnread is a pipe of which nothing is read.
var ErrUnread = errors.New("the reader closed the pipe")

// CreateBeside makes a temporary file in the directory of its final name, with links
// resolved. Its errors, like those of Rename, do not show the temporary name.
func CreateBeside(name string) (f *os.File, to string, err error) {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	f, err = os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".tmp-")
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		err = pe.Err
	}
	return f, name, err
}

// Rename gives a temporary file its name.
func Rename(f *os.File, to string) error {
	err := os.Rename(f.Name(), to)
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}

// contextWriter fails once the context is done; the caller then abandons the output
// and removes its temporary file.
type contextWriter struct {
	ctx context.Context
	f   *os.File
}

func (w contextWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.f.Write(p)
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		err = pe.Err // without the temporary name
	}
	return n, err
}

// stuckAfter is how long who reads what whet prints may keep it from ending
// when it is told to.
const stuckAfter = 3 * time.Second

// PageBeside returns the path of a recording's page.
func PageBeside(recording string) string { return strings.TrimSuffix(recording, ".whet") + ".html" }
