package main

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every stage that has a directory is offered, under the name of the directory,
// by the file of its case.
func TestStagesAreThoseOfTheDirectories(t *testing.T) {
	for _, s := range studies() {
		want := stageDirectories(t, s.name)
		var got []string
		packages := packagesOf(t, s.name+".go")
		for _, st := range s.stages {
			got = append(got, st.name)
			if !packages[st.name] {
				t.Errorf("stage %s of %s is not made by package %s", st.name, s.name, st.name)
			}
			if (st.serve == nil) == (st.run == nil) {
				t.Errorf("stage %s of %s serves and runs, or neither", st.name, s.name)
			}
			if st.serve != nil && len(s.paths) == 0 {
				t.Errorf("stage %s of %s is served nowhere", st.name, s.name)
			}
		}
		for _, st := range s.beside {
			if st.serve == nil || slices.Contains(got, st.name) {
				t.Errorf("%s beside the stages of %s is not served, or is one of them", st.name, s.name)
			}
		}
		if len(got) == 0 || got[0] != "original" || got[len(got)-1] != "best" {
			t.Errorf("stages of %s are %q, want the first to be original and the last best", s.name, got)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("stages of %s are %q, its directories %q", s.name, got, want)
		}
	}
}

// stageDirectories are the directories whose package is tested as a stage; what
// stages share, and the tests' inputs, lie beside them.
func stageDirectories(t *testing.T, name string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", name, "*", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc TestStage(") {
			names = append(names, filepath.Base(filepath.Dir(f)))
		}
	}
	return names
}

// packagesOf finds the entries of a case's file that are called as the package
// that they use: the name, and the package, stand in one literal.
func packagesOf(t *testing.T, file string) map[string]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		l, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		names, used := make(map[string]bool), make(map[string]bool)
		ast.Inspect(l, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					names[text] = true
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					used[x.Name] = true
				}
			}
			return true
		})
		if len(names) == 1 { // one stage, not their list
			for name := range maps.Keys(names) {
				found[name] = found[name] || used[name]
			}
		}
		return true
	})
	return found
}

func TestUselessFlags(t *testing.T) {
	command := stage{name: "original", run: func(context.Context, environment) error { return nil }}
	service := stage{name: "original", serve: func(environment) (http.Handler, io.Closer, error) { return nil, nil, nil }}
	for _, tt := range []struct {
		given  []string
		name   string
		chosen stage
		want   string
	}{
		{[]string{"case", "stage"}, "havlak", command, ""},
		{[]string{"addr", "case", "stage"}, "havlak", command, "-addr is of no use to havlak: it is a command that ends, and serves nothing"},
		{[]string{"case", "sink", "stage"}, "havlak", command, "-sink is of no use to havlak: it is for ingest"},
		{[]string{"addr", "case", "log", "pprof-addr", "sink", "stage"}, "ingest", service, ""},
		{[]string{"case", "downstream", "stage"}, "gateway", service, ""},
		{[]string{"case", "print-stats", "stage"}, "stats", service, ""},
		{[]string{"case", "print-stats", "stage"}, "gateway", service, "-print-stats is of no use to gateway: it is for stats"},
	} {
		got := ""
		if err := useless(options{given: tt.given}, tt.name, tt.chosen); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q for %s: %q, want %q", tt.given, tt.name, got, tt.want)
		}
	}
}

// closing remembers that it was closed, and fails at it.
type closing struct{ closed int }

func (c *closing) Close() error {
	c.closed++
	return errors.New("the sink is full")
}

// What a stage holds is closed when its server has ended, and what closing
// says is heard.
func TestStageIsClosed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	held := new(closing)
	st := stage{name: "best", serve: func(environment) (http.Handler, io.Closer, error) {
		return http.NotFoundHandler(), held, nil
	}}
	err := serve(ctx, options{addr: ":0"}, []string{"/x"}, st, environment{stdout: io.Discard})
	if held.closed != 1 || err == nil || err.Error() != "the sink is full" {
		t.Errorf("closed %d times, %v", held.closed, err)
	}
	st.serve = func(environment) (http.Handler, io.Closer, error) { return nil, nil, errors.New("no font") }
	if err := serve(ctx, options{addr: ":0"}, []string{"/x"}, st, environment{}); err == nil || err.Error() != "make stage best: no font" {
		t.Error(err)
	}
}

// A command gets its environment and a context that ends with the caller's.
func TestRunCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	st := stage{name: "best", run: func(ctx context.Context, e environment) error {
		io.WriteString(e.stdout, "76000 loops\n")
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}}
	var out strings.Builder
	err := runCommand(ctx, st, environment{stdout: &out})
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "run stage best: ") || out.String() != "76000 loops\n" {
		t.Errorf("%q, %v", &out, err)
	}
}
