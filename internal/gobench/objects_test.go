package gobench

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// The objects of a test are those that go test links, as the link that it prints
// says; but for the test program's own, whose source has another name.
func TestListObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("links a test binary")
	}
	for _, flags := range [][]string{{"-trimpath"}, {"-trimpath", "-gcflags=whet/internal/stat=-l", "-tags=some"}} {
		o := BuildOptions{Flags: flags}
		target, err := Resolve(context.Background(), "../stat", ".", o)
		if err != nil {
			t.Fatal(err)
		}
		all, err := ListObjects(context.Background(), []*Target{target}, o)
		if err != nil {
			t.Fatal(err)
		}
		args := append(append([]string{"test", "-c", "-x", "-vet=off"}, flags...), "-o", filepath.Join(t.TempDir(), "stat.test"), ".")
		cmd := exec.Command("go", args...)
		cmd.Dir = target.WorkDir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		linked := regexp.MustCompile(`(?s)importcfg\.link << 'EOF'.*?\nEOF`).Find(out)
		files := regexp.MustCompile(`packagefile (.*)=(.*)`).FindAllStringSubmatch(string(linked), -1)
		objects := all[target]
		if len(files) != len(objects) || len(files) < 50 {
			t.Fatalf("%v: go test links %d packages, and %d are listed", flags, len(files), len(objects))
		}
		for _, f := range files {
			if path, file := f[1], f[2]; path != "whet/internal/stat.test" && objects[path] != file {
				t.Errorf("%v: %s is linked of %s, and listed as %q", flags, path, file, objects[path])
			}
		}
		if objects["main"] == "" {
			t.Errorf("%v: the test program is not listed", flags)
		}
	}
	covered := BuildOptions{Flags: []string{"-cover"}}
	target, err := Resolve(context.Background(), "../stat", ".", covered)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := ListObjects(context.Background(), []*Target{target}, covered); err == nil && len(all) > 0 {
		t.Error("objects are listed of a build with -cover")
	}
}
