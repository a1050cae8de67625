package worktree

import (
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a file embeds is what package go/build reads in it, where that accepts
// it.
func FuzzEmbedPatterns(f *testing.F) {
	for _, s := range []string{
		"a", "a b", "all:dist", "\"with blank\" `x`", "*.html static/*", "\"open", " ", "\ta\t", "é", "\"a\\tb\"", "a\u00a0b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, args string) {
		if strings.ContainsAny(args, "\n\r\x00") || len(args) > 1000 {
			return
		}
		text := "package p\n\nimport _ \"embed\"\n\n//go:embed " + args + "\nvar s string\n"
		got := embedPatterns(strings.NewReader(text))
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := build.ImportDir(dir, 0)
		if err != nil {
			return
		}
		var want []string
		for _, w := range p.EmbedPatterns {
			want = append(want, strings.TrimPrefix(w, "all:"))
		}
		slices.Sort(got) // go/build sorts, and lists each once
		got = slices.Compact(got)
		slices.Sort(want)
		want = slices.Compact(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q: read %q, go/build reads %q", args, got, want)
		}
	})
}

func TestEmbedding(t *testing.T) {
	e := embedding{"web": {"dist", "*.txt", "static/*.css"}, ".": {"top/file", "[bad"}}
	for file, want := range map[string]bool{
		"web/dist/index.html": true, "web/dist/js/app.js": true, "web/a.txt": true, "web/sub/a.txt": false,
		"web/static/x.css": true, "web/static/deep/x.css": false, "top/file": true, "top/file2": false,
		"dist/x": false, "other/dist/x": false, "top": false,
	} {
		if got := e.match(file); got != want {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}

// What is read from an index has a path that stays in the tree, and each comes
// once: written again, it reads the same.
func FuzzStaged(f *testing.F) {
	f.Add([]byte("100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 0\ta b\n\"c\x00160000 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 0\tsub\x00"))
	f.Add([]byte("100644 1 1\tx\x00100644 2 2\tx\x00100644 3 3\tx\x00"))
	f.Add([]byte("100644 1 0\t../x\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := staged(data)
		if err != nil {
			return
		}
		var again strings.Builder
		for i, e := range all {
			if !filepath.IsLocal(e.path) {
				t.Errorf("%q leaves the tree", e.path)
			}
			if i > 0 && all[i-1].path == e.path {
				t.Errorf("%q comes twice", e.path)
			}
			again.WriteString(e.mode + " " + e.hash + " 0\t" + e.path + "\x00")
		}
		if second, err := staged([]byte(again.String())); err != nil || !slices.Equal(second, all) {
			t.Errorf("%q was read as %q, and written again as %q, %v", data, all, second, err)
		}
	})
}

// A pointer that was read names a file of the store by its full sum.
func FuzzPointer(f *testing.F) {
	f.Add([]byte(pointerHead + "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"))
	f.Add([]byte(pointerHead + "oid sha256:../../../../etc/passwd\nsize 1\n"))
	f.Add([]byte(pointerHead + "size -1\noid sha256:00\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, ok := parsePointer(data)
		if !ok {
			return
		}
		if len(p.sha256) != 64 || strings.Trim(p.sha256, "0123456789abcdef") != "" || p.size < 0 || len(data) >= maxPointer {
			t.Errorf("%q gives %+v", data, p)
		}
		if !strings.Contains(strings.ToLower(string(data)), p.sha256) {
			t.Errorf("%q does not name %s", data, p.sha256)
		}
	})
}

func TestStatusOfGit(t *testing.T) {
	for status, want := range map[string]bool{
		"": false, " M a.go\x00": true, "?? x.whet/\x00": false, "?? x.html\x00?? d/.x.whet.tmp-1/\x00": false,
		"?? x.go\x00": true, " M x.html\x00": true, "?? x.whet/\x00 D b\x00": true,
	} {
		if got := IsDirty(status); got != want {
			t.Errorf("%q: %v, want %v", status, got, want)
		}
	}
}
