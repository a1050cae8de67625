//go:build unix

package gobench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if zoo.dir != "" {
			os.RemoveAll(zoo.dir)
		}
		os.Exit(code)
	}))
}

// zoo is built once for all tests.
var zoo struct {
	once sync.Once
	dir  string
	bin  *Binary
	err  error
}

func zooBinary(t *testing.T) *Binary {
	t.Helper()
	zoo.once.Do(func() {
		zoo.dir, zoo.err = os.MkdirTemp("", "zoo")
		if zoo.err != nil {
			return
		}
		if zoo.err = copyModule("testdata/zoo", zoo.dir); zoo.err != nil {
			return
		}
		target, err := Resolve(context.Background(), zoo.dir, ".", BuildOptions{})
		if err != nil {
			zoo.err = err
			return
		}
		zoo.bin, zoo.err = Build(context.Background(), target, BuildOptions{}, filepath.Join(zoo.dir, "zoo.test"))
	})
	if zoo.err != nil {
		t.Fatal(zoo.err)
	}
	return zoo.bin
}

// copyModule copies the files of from, without their ending .txt.
func copyModule(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(e.Name(), ".txt")
		if name == e.Name() {
			return fmt.Errorf("%s does not end in .txt", name)
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// write makes files in a new directory: "name", "content", ….
func write(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
