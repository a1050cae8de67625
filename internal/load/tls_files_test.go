package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A certificate or key that is no such file, as a device without end, is
// refused and not read whole.
func TestLargeCertificate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.pem")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(17 << 20); err != nil {
		t.Fatal(err)
	}
	o := Options{Certificate: path, Key: path}
	if err := o.ValidateFiles(); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("error %v, want that the file is too large", err)
	}
	o.Certificate = filepath.Dir(path)
	if err := o.ValidateFiles(); err == nil || !strings.Contains(err.Error(), o.Certificate+" is not a regular file") {
		t.Errorf("error %v, want that it is no file", err)
	}
}
