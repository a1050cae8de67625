package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A test that failed beside others and passes alone does not fail the whole;
// what is a defect whether it comes back or not does.
func TestAgain(t *testing.T) {
	failed := [][4]string{
		{"output", "q", "TestA", `--- FAIL: TestA\n`}, {"output", "q", "TestA/one", `    a_test.go:1: late\n`},
		{"fail", "q", "TestA/one", ""}, {"pass", "q", "TestA/two", ""}, {"fail", "q", "TestA", ""}, {"output", "q", "", `FAIL\n`}, {"fail", "q", "", ""},
	}
	with := func(events ...[4]string) [][4]string { return append(events, failed...) }
	many := make([][4]string, 0, 8)
	for _, name := range []string{"TestB", "TestC", "TestD"} {
		many = append(many, [4]string{"fail", "q", name, ""})
	}
	passes := stream([4]string{"pass", "q", "TestA/one", ""}, [4]string{"pass", "q", "TestA", ""}, [4]string{"pass", "q", "", ""})
	for _, tt := range []struct {
		name  string
		in    [][4]string
		again string // what the second run prints; "-": it must not be
		ok    bool
	}{
		{"passes alone", failed, passes, true},
		{"passes alone, and go test failed of it", append(failed[:len(failed):len(failed)], [4]string{"failed", "", "", ""}), passes, true},
		{"fails again", failed, stream(failed...), false},
		{"is not run", failed, stream([4]string{"pass", "q", "", ""}), false},
		{"its run breaks off", failed, stream([4]string{"pass", "q", "TestA/one", ""}), false},
		{"its package does not build", failed, `{"Action":"build-fail"}` + "\n", false},
		{"another of the package fails alone", failed, stream([4]string{"pass", "q", "TestA/one", ""}, [4]string{"pass", "q", "TestA", ""}, [4]string{"fail", "q", "", ""}), false},
		{"a data race", with([4]string{"output", "q", "TestA", `WARNING: DATA RACE\n`}), "-", false},
		{"a data race of the package", with([4]string{"output", "q", "", `WARNING: DATA RACE\n`}), "-", false},
		{"a panic", with([4]string{"output", "q", "TestA/one", `panic: oops\n`}), "-", false},
		{"a panic that is quoted", with([4]string{"output", "q", "TestA/one", `    a_test.go:2: stderr \"panic: oops\"\n`}), passes, true},
		{"a test that never ended", with([4]string{"output", "q", "TestE", `=== RUN TestE\n`}), "-", false},
		{"another package without a test that failed", with([4]string{"fail", "r", "", ""}), "-", false},
		{"more than three", with(many...), "-", false},
	} {
		var asked []failure
		ok, err := summarize(strings.NewReader(stream(tt.in...)), io.Discard, true, func(f failure) (io.ReadCloser, error) {
			asked = append(asked, f)
			return io.NopCloser(strings.NewReader(tt.again)), nil
		})
		if err != nil || ok != tt.ok {
			t.Errorf("%s: %v, %v; want %v", tt.name, ok, err, tt.ok)
		}
		if run := len(asked) > 0; run == (tt.again == "-") {
			t.Errorf("%s: %v was run again", tt.name, asked)
		}
		for _, f := range asked {
			if f != (failure{"q", "TestA/one"}) || f.pattern() != "^TestA$/^one$" {
				t.Errorf("%s: %v was run again, by %s", tt.name, f, f.pattern())
			}
		}
	}
	if ok, err := summarize(strings.NewReader(stream(failed...)), io.Discard, true, func(failure) (io.ReadCloser, error) { return nil, errors.New("no go") }); ok || err != nil {
		t.Errorf("what could not be run again: %v, %v", ok, err)
	}
}

// A real one: it fails where a file is missing, and makes the file.
func TestAlone(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/unsteady\n\ngo 1.26\n",
		"a_test.go": `package unsteady

import (
	"os"
	"testing"
)

func TestSecondTime(t *testing.T) {
	t.Run("a b", func(t *testing.T) {
		if _, err := os.Stat("seen"); err != nil {
			os.WriteFile("seen", nil, 0o644)
			t.Fatal(err)
		}
	})
}

func TestNever(t *testing.T) { t.Run("x", func(t *testing.T) { t.Fatal("never") }) }
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	rerun := alone([]string{"go", "test", "-count=1", "-json"})
	s := &summary{out: io.Discard}
	for _, want := range []error{errors.New("failed again"), nil} {
		err := s.passes(failure{"example.com/unsteady", "TestSecondTime/a_b"}, rerun)
		if (err == nil) != (want == nil) || err != nil && err.Error() != want.Error() {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if err := s.passes(failure{"example.com/unsteady", "TestNever/x"}, rerun); err == nil {
		t.Error("what never passes passed")
	}
	if alone(nil) != nil {
		t.Error("without a command something would be run")
	}
}
