package ledger

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSaveLoadPublish(t *testing.T) {
	dir := t.TempDir()
	readme := filepath.Join(dir, "README.md")
	begin, end := markers("x")
	if err := os.WriteFile(readme, []byte("before\n"+begin+"\nold\n"+end+"\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	e := Begin[[]float64]("bench/x")
	e.Samples = []float64{1, 2.5}
	if err := e.Save(dir, "x"); err != nil {
		t.Fatal(err)
	}
	back, err := Load[[]float64](dir, "x")
	if err != nil {
		t.Fatal(err)
	}
	if len(back.Samples) != 2 || back.Samples[1] != 2.5 || !back.Date.Equal(e.Date) || back.Program != "bench/x" || back.Caption() != e.Caption() {
		t.Errorf("came back as %+v", back)
	}
	table := Table{Head: []string{"a", "b"}, Rows: [][]string{{"x|y", "1"}}}.Markdown()
	if want := "| a | b |\n|---|---:|\n| x\\|y | 1 |\n"; table != want {
		t.Errorf("table %q, want %q", table, want)
	}
	for range 2 { // publishing again changes nothing
		if err := Publish(dir, "x", table); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(readme)
		if err != nil {
			t.Fatal(err)
		}
		if want := "before\n" + begin + "\n\n" + table + "\n" + end + "\nafter\n"; string(got) != want {
			t.Errorf("README = %q, want %q", got, want)
		}
	}
	if err := Publish(dir, "y", table); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("without markers: %v", err)
	}
	if _, err := Load[int](dir, "x"); err == nil {
		t.Error("samples of another type were read")
	}
}

// Where a machine keeps its files is nobody's business.
func TestBare(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.pb.gz"), filepath.Join(dir, "b")
	got := bare([]string{"-turns", "6", a + ":alloc_space", a + "," + b, "http://x/y", "."})
	want := []string{"-turns", "6", "a.pb.gz:alloc_space", "a.pb.gz,b", "http://x/y", "."}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
