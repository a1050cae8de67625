package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestNoRuleKnowsTheCasebook: what whet says of the casebook says nothing of
// other programs if a rule, or a fixture that it was written against, goes by a
// name of the casebook.
func TestNoRuleKnowsTheCasebook(t *testing.T) {
	declared := make(map[string]string) // name → where
	eachFile(t, filepath.Join(root, "casebook"), func(name string, file *ast.File) {
		// The command and a case's table of tests are no part of what is tuned.
		if dir := filepath.Dir(name); strings.Contains(dir, "cmd") || strings.HasSuffix(dir, "test") || strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, d := range file.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				for _, id := range declares(n) {
					if len(id.Name) >= 8 && !common[id.Name] {
						declared[id.Name] = name
					}
				}
				return true
			})
		}
	})
	for _, name := range []string{"SessionID", "nonBackPreds", "NewGenerator", "casebook"} {
		if name != "casebook" && declared[name] == "" {
			t.Errorf("the casebook is not read: %s is not found in it", name)
		}
		declared[name] = "casebook"
	}
	// In texts, that is what has a capital within, and the casebook's own name:
	// other words are prose.
	names := regexp.MustCompile(`\b(?:\w+[A-Z]\w*|casebook)\b`)
	eachFile(t, filepath.Join(root, "internal", "diagnose"), func(name string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			var found []string
			switch n := n.(type) {
			case *ast.Ident:
				found = []string{n.Name}
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					text, _ := strconv.Unquote(n.Value)
					found = names.FindAllString(text, -1)
				}
			}
			for _, word := range found {
				if where := declared[word]; where != "" {
					t.Errorf("%s has %s, a name of %s", name, word, where)
				}
			}
			return true
		})
	})
}

// common are names that the casebook shares with everybody: package context's,
// the profile's background, who makes the load, a fixture's own greeting.
var common = map[string]bool{"ServeHTTP": true, "Background": true, "Deadline": true, "Greeting": true, "generator": true}

// declares returns the names that a declaration gives: of types, functions,
// methods, constants, variables of the package and in functions, and fields.
func declares(n ast.Node) []*ast.Ident {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{n.Name}
	case *ast.TypeSpec:
		return []*ast.Ident{n.Name}
	case *ast.ValueSpec:
		return n.Names
	case *ast.StructType:
		var names []*ast.Ident
		for _, f := range n.Fields.List {
			names = append(names, f.Names...)
		}
		return names
	}
	return nil
}

// eachFile parses the Go files below a directory, those of its tests included.
func eachFile(t *testing.T, dir string, f func(name string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err == nil {
			f(name, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
