package docs

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// lab is where pages run their commands.
type lab struct {
	dir string
	// cache is where the go command keeps what it builds, and path where commands are
	// looked for: whet first.
	cache, path string
	// free are the places of trees that no page is in. A place has one tree after
	// the other, so that what is built there is not built anew for each page.
	free chan string
	// outcomes are of commands that stand in several pages: the first page to come
	// to it runs it, and the others have what it printed and wrote.
	outcomes map[string]*outcome
}

type outcome struct {
	once           sync.Once
	stdout, stderr []byte
	code           int
	left           string // holds what it wrote at the root of the tree
}

// labDir is the same for each run of this tree's tests, so that what pages build is in
// the go command's cache from the second on. Where another run is in it, or was when it
// was killed, it is a new one.
func labDir(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("whet-docs-%x", sha256.Sum256([]byte(root)))[:26])
	if err := os.Mkdir(dir, 0o700); err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func newLab(t *testing.T) *lab {
	t.Helper()
	places := 2
	if *update {
		places = 1 // figures that a page shows are of a machine with nothing else to do
	}
	l := &lab{dir: labDir(t), cache: goCache(t), free: make(chan string, places), outcomes: make(map[string]*outcome)}
	for i := range places {
		l.free <- filepath.Join(l.dir, fmt.Sprint(i), "whet")
	}
	// The commands are those of a user: without the race detector, which the packages'
	// own tests and the scripts of internal/app have look at what each verb does.
	bin := filepath.Join(l.dir, "bin")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", bin+string(filepath.Separator), "whet/cmd/whet").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	l.path = bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	in := make(map[string]string) // the first page that has it
	for _, path := range pagePaths(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := Blocks(string(data))
		if err != nil {
			t.Fatalf("%s: %v", filepath.Base(path), err)
		}
		for _, b := range blocks {
			for _, c := range b.Commands {
				command, _, ok := measuring(c.Text)
				switch {
				case !ok || in[command] == path:
				case in[command] == "":
					in[command] = path
				case l.outcomes[command] == nil:
					l.outcomes[command] = &outcome{left: filepath.Join(l.dir, fmt.Sprint("left", len(l.outcomes)))}
				}
			}
		}
	}
	return l
}

// enter waits for a place and puts a tree there until the test's end.
func (l *lab) enter(t *testing.T) string {
	t.Helper()
	root := <-l.free
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
		l.free <- root
	})
	copyTree(t, root)
	return root
}

var measures = regexp.MustCompile(`^(whet (?:tune|record|prove) [^|;&<>#]*?)(?: (>|\| )(\S.*))?$`)

// measuring is a command that measures something, and what the page does with its
// standard output: ">FILE", "| FILTER", or "". Whoever writes a page sees to it that such
// a command needs nothing of what stands before it.
func measuring(text string) (command, rest string, ok bool) {
	m := measures.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2] + m[3], true
}

// shell runs commands one after the other; the directory carries over.
type shell struct {
	t    *testing.T
	lab  *lab
	root string // of the tree; "" before the first command
	dir  string
}

func (s *shell) run(command string) (printed []string, code int) {
	s.t.Helper()
	if measure, rest, _ := measuring(command); s.dir == s.root && s.lab.outcomes[measure] != nil {
		return s.runShared(measure, rest)
	}
	where := filepath.Join(s.t.TempDir(), "where")
	var out bytes.Buffer
	code = s.bash(command+"\ncode=$?\npwd >\"$WHERE\"\nexit $code", &out, &out, "WHERE="+where)
	if dir, err := os.ReadFile(where); err == nil {
		s.dir = strings.TrimSpace(string(dir))
	}
	return Lines(out.String()), code
}

// runShared runs a command that other pages have too, or takes what it left when
// it ran, and does with it what the page does.
func (s *shell) runShared(command, rest string) (printed []string, code int) {
	s.t.Helper()
	o := s.lab.outcomes[command]
	here := false
	o.once.Do(func() {
		here = true
		begin := time.Now()
		var stdout, stderr bytes.Buffer
		o.code = s.bash(command, &stdout, &stderr)
		o.stdout, o.stderr = stdout.Bytes(), stderr.Bytes()
		entries, err := os.ReadDir(s.root)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, e := range entries {
			if info, err := e.Info(); err != nil {
				s.t.Fatal(err)
			} else if info.ModTime().After(begin) {
				s.copy(filepath.Join(s.root, e.Name()), filepath.Join(o.left, e.Name()))
			}
		}
	})
	if !here {
		entries, err := os.ReadDir(o.left)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			s.t.Fatal(err)
		}
		for _, e := range entries {
			s.copy(filepath.Join(o.left, e.Name()), filepath.Join(s.root, e.Name()))
		}
	}
	if rest == "" {
		return Lines(string(o.stdout) + string(o.stderr)), o.code
	}
	kept := filepath.Join(s.t.TempDir(), "stdout")
	if err := os.WriteFile(kept, o.stdout, 0o644); err != nil {
		s.t.Fatal(err)
	}
	var out bytes.Buffer
	code = s.bash("cat \"$KEPT\" "+rest, &out, &out, "KEPT="+kept)
	if strings.HasPrefix(rest, ">") {
		code = o.code
	}
	return Lines(out.String() + string(o.stderr)), code
}

// copy puts a copy of a file or directory in place of what is there.
func (s *shell) copy(from, to string) {
	s.t.Helper()
	err := os.RemoveAll(to)
	st, err2 := os.Stat(from)
	if err := errors.Join(err, err2, os.MkdirAll(filepath.Dir(to), 0o755)); err != nil {
		s.t.Fatal(err)
	}
	if st.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else if data, readErr := os.ReadFile(from); readErr != nil {
		err = readErr
	} else {
		err = os.WriteFile(to, data, st.Mode().Perm())
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *shell) bash(command string, stdout, stderr io.Writer, env ...string) (code int) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "bash", "-c", command)
	cmd.Dir = s.dir
	// What earlier runs of a page have proven is not to be pooled with this one.
	cmd.Env = append(append(os.Environ(), "NO_COLOR=1", "LC_ALL=C.UTF-8", "PATH="+s.lab.path, "GOCACHE="+s.lab.cache, "XDG_CACHE_HOME="+s.t.TempDir()), env...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		return ee.ExitCode()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return 0
}
