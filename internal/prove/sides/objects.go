package sides

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"os"
	"path"
	"slices"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
)

// Objects returns the objects that the first test binaries of these packages were
// linked from, by package; nil if unknown. Packages whose object files are not in
// the build cache are compiled.
func (p *Pair) Objects(ctx context.Context, w compare.Side, packages []int) (map[int]gobench.Objects, error) {
	s := p.sides[w]
	out := make(map[int]gobench.Objects)
	if s.kind == testBinary {
		return out, nil
	}
	var targets []*gobench.Target
	for _, i := range packages {
		targets = append(targets, s.binaries[i].Target)
	}
	all, err := gobench.ListObjects(ctx, targets, s.options)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	for _, i := range packages {
		if o := all[s.binaries[i].Target]; o != nil {
			out[i] = o
		}
	}
	return out, nil
}

// DifferingFiles returns the names, without their directories, of the files in the
// two trees that are not the same in both.
func (p *Pair) DifferingFiles() []string {
	var trees [2]map[string]fileSum
	for w, s := range p.sides {
		if s.tree == nil {
			return nil
		}
		trees[w] = make(map[string]fileSum)
		root := os.DirFS(s.tree.Dir)
		_ = fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				trees[w][name] = fileSumOf(root, name)
			}
			return nil
		})
	}
	names := make(map[string]bool)
	for w, tree := range trees {
		for name, sum := range tree {
			if other, ok := trees[1-w][name]; !ok || other != sum {
				names[path.Base(name)] = true
			}
		}
	}
	out := make([]string, 0, len(names))
	for name := range names {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// fileSum stands for the content of a file; one that cannot be read has none.
type fileSum [sha256.Size]byte

func fileSumOf(root fs.FS, name string) fileSum {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return fileSum{}
	}
	return sha256.Sum256(data)
}
