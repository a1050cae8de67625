package dotwhet

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whet/internal/recording"
)

// TestMain is the process that TestKilled kills, where it asks for that.
func TestMain(m *testing.M) {
	if path := os.Getenv("WHET_TEST_WRITE"); path != "" {
		if err := writeUntilKilled(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func writeUntilKilled(path string) error {
	w, err := recording.Create(path, time.Unix(9, 0))
	if err == nil {
		err = w.Write(recording.Artifact{Path: "bench/new.txt", Kind: recording.KindBench}, []byte("BenchmarkX 1 2 ns/op\n"))
	}
	if err != nil {
		return err
	}
	fmt.Println("written")
	_, err = io.Copy(io.Discard, os.Stdin) // until it is killed
	return err
}

// TestBrief: of 61 runes 59 are left, with a sign for the others, and of 60 all.
func TestBrief(t *testing.T) {
	if got := brief(strings.Repeat("ä", 60)); got != strings.Repeat("ä", 60) {
		t.Errorf("60 runes: %s", got)
	}
	if got := brief(strings.Repeat("ä", 61)); got != strings.Repeat("ä", 59)+"…" {
		t.Errorf("61 runes: %s", got)
	}
}

// TestKilled: what a killed run left is in the list, opens by @ as partial with what
// was measured, is named by the next run, once, and is never removed; what is still
// written is left alone.
func TestKilled(t *testing.T) {
	root := module(t)
	record(t, root, "x", "", 1, "")
	p := place(t, root)
	start := func() *exec.Cmd {
		t.Helper()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "WHET_TEST_WRITE="+filepath.Join(root, ".whet", "x.whet"))
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close() })
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		said := make([]byte, len("written"))
		if _, err := io.ReadFull(out, said); err != nil || string(said) != "written" {
			t.Fatalf("the process said %q, %v", said, err)
		}
		return cmd
	}
	kill := func(cmd *exec.Cmd) {
		t.Helper()
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
	}
	table := func() string {
		t.Helper()
		var b bytes.Buffer
		if err := p.Print(&b, false); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first, second := start(), start()
	if text := table(); strings.Count(text, "\n") != 2 || strings.Contains(text, "killed") {
		t.Errorf("while it is written:\n%s", text)
	}
	kill(first)
	if text := table(); strings.Count(text, "\n") != 3 || !strings.Contains(text, "x-killed") || !strings.Contains(text, "partial: not finished") {
		t.Errorf("killed:\n%s", text)
	}
	kill(second)
	name, err := p.Resolve("@x-killed-2")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recording.Open(filepath.Join(root, ".whet", filepath.Base(name)))
	if err != nil {
		t.Fatal(err)
	}
	found := rec.Find(recording.KindBench, "")
	if rec.Partial == "" || len(found) != 1 {
		t.Errorf("it holds %+v, partial %q", found, rec.Partial)
	} else if data, err := rec.Read(found[0]); err != nil || string(data) != "BenchmarkX 1 2 ns/op\n" {
		t.Errorf("it holds %q, %v", data, err)
	}
	rec.Close()

	kill(start())
	var said bytes.Buffer
	for range 2 {
		if err := p.Trim(0, &said); err != nil {
			t.Fatal(err)
		}
	}
	if got := said.String(); strings.Count(got, "killed run left") != 1 || !strings.Contains(got, "x-killed-3.whet; it can be opened") || strings.Count(got, "removed ") != 1 {
		t.Errorf("the next runs say %q", got)
	}
	if left, err := filepath.Glob(filepath.Join(root, ".whet", "*killed*.whet")); err != nil || len(left) != 3 {
		t.Errorf("left %q, %v", left, err)
	}
	if left, err := filepath.Glob(filepath.Join(root, ".whet", "*", ".writing*")); err != nil || len(left) != 0 {
		t.Errorf("locks are left: %q, %v", left, err)
	}
}

// TestKilledUnnameable: what a killed run left and cannot be named, here since its name
// is too long with a number, keeps nobody from the other recordings: they are
// listed, opened and removed, and only the next run says what is wrong.
func TestKilledUnnameable(t *testing.T) {
	root := module(t)
	record(t, root, "x", "", 1, "")
	manifest, err := os.ReadFile(filepath.Join(root, ".whet", "x.whet", recording.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"1", "2"} {
		dir := filepath.Join(root, ".whet", "."+strings.Repeat("y", 243)+".whet.tmp-"+n) // 255 bytes
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Skip("the file system takes no such name: ", err)
		}
		for name, data := range map[string][]byte{recording.ManifestName: manifest, ".writing": nil} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := place(t, root)
	if name, err := p.Resolve("@x"); err != nil || filepath.Base(name) != "x.whet" {
		t.Errorf("Resolve: %q, %v", name, err)
	}
	var list, said bytes.Buffer
	if err := p.Print(&list, false); err != nil || strings.Count(list.String(), "\n") != 3 {
		t.Errorf("Print: %v\n%s", err, list.String())
	}
	if err := p.Trim(0, &said); err == nil || !strings.Contains(err.Error(), "name the recording of a killed run") || strings.Contains(err.Error(), "\n") {
		t.Errorf("Trim: %v", err)
	}
	if _, err := os.Stat(filepath.Join(root, ".whet", "x.whet")); err == nil || !strings.Contains(said.String(), "removed ") {
		t.Errorf("x.whet is left: %v, %q", err, said.String())
	}
}
