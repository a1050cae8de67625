package app

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/cli"
)

// TestPromptPrintsWhatPprofPrints feeds go tool pprof and whet the same
// commands and compares all that they print. What is equal to pprof alone,
// command by command, is tested where views are made; here it is the grammar,
// what holds from one command to the next, and the defaults of the prompt.
func TestPromptPrintsWhatPprofPrints(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	for _, c := range []struct{ fixture, script string }{
		{"httpsrv_labels.cpu.pb.gz", `
			top
			text5
			top3 -cum
			top 4 json -runtime
			top --cum json\. encoding -Marshal
			focus=json
			top5
			ignore=Marshal
			top5 -cum
			tree5
			:
			top2
			tags
			tags method
			tags endpoint -/api/1
			tagfocus=endpoint=/api/1
			top4
			tagfocus=
			nodecount=3
			top
			nodecount=-1
			granularity=lines
			top5
			granularity=files
			top2
			granularity=functions
			hide=^runtime
			top6
			hide=
			show=json
			top6
			show=
			show_from=ServeHTTP$
			tree10
			show_from=
			peek mallocgc$
			peek mallocgc$ json
			noinlines
			top5
			noinlines=f
			unit=us
			top3
			unit=minimum
			relative_percentages=true
			top3 json
			relative_percentages=false
			divide_by=4
			top3
			divide_by=1
			sort=cum
			top4
			sort=flat
			trim=n
			top4
			trim=yes
			nodefraction=0.1
			top -cum
			nodefraction=0.005
			call_tree
			tree4
			call_tree=0
			sample_index=0
			top3
			cpu
			top3
			mean_cpu
			top3
			total_cpu
			top3
			prune_from=mallocgc
			top3
			prune_from=
			tagroot=method
			top3 -cum
			tagroot=
			tagleaf=endpoint,method
			top3
			tagleaf=
			peek nothingMatches
			list nothingMatches
			disasm nothingMatches
			nonsense
			top3 >
			focus
			nodecount=x
			top1
		`},
		{"http.heap.pb.gz", `
			top
			inuse_space
			top5
			alloc_objects
			top5 -cum
			sample_index=alloc_space
			top5
			mean_alloc_space
			top5
			comments
			total_alloc_space
			top5
			tags
			sample_index=nothing
			peek http
			unit=auto
			top5
		`},
		{"http.mutex.pb.gz", `
			top5
			contentions
			top5
			mean_delay
			top5
			tree8
		`},
		{"goroutine_1k.pb.gz", `
			top
			tree
			tags
			raw
			traces
			traces gopark -main
			sample_index=0
			granularity=lines
			traces
			raw
		`},
	} {
		t.Run(c.fixture, func(t *testing.T) {
			path, err := filepath.Abs(filepath.Join("../format/profile/testdata", c.fixture))
			if err != nil {
				t.Fatal(err)
			}
			script := strings.ReplaceAll(strings.TrimLeft(c.script, "\n"), "\t", "")
			theirs := exec.Command("go", "tool", "pprof", "-symbolize=none", path)
			theirs.Dir = t.TempDir() // it writes settings and the like below its home
			theirs.Env = append(theirs.Environ(), "HOME="+theirs.Dir, "PPROF_TMPDIR="+theirs.Dir, "GOCACHE="+goCache(t))
			theirs.Stdin = strings.NewReader(script)
			var says bytes.Buffer
			theirs.Stderr = &says
			out, err := theirs.Output()
			if err != nil {
				t.Fatalf("go tool pprof: %v\n%s", err, says.String())
			}
			want := strings.ReplaceAll(string(out), "(pprof) ", "")
			got, errs, code := whet(t, script, "-symbolize=none", path)
			if code != cli.ExitDone && code != cli.ExitFailed {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			if len(want) < 1000 {
				t.Errorf("pprof prints only %q: %s", want, says.String())
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("(-pprof +whet):\n%.6000s\nwhet also says:\n%s", diff, errs)
			}
		})
	}
}

func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestPromptWritesWhatPprofWrites compares the files of commands that write
// some for other programs.
func TestPromptWritesWhatPprofWrites(t *testing.T) {
	path, err := filepath.Abs("../format/profile/testdata/http.heap.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	const script = "callgrind >all.out\nfocus=http\ncallgrind >http.out\ntopproto >top.pb.gz\ntopproto3 -cum >three.pb.gz\n"
	theirs := t.TempDir()
	pprof := exec.Command("go", "tool", "pprof", "-symbolize=none", path)
	pprof.Dir = theirs
	pprof.Env = append(pprof.Environ(), "HOME="+theirs, "PPROF_TMPDIR="+theirs, "GOCACHE="+goCache(t))
	pprof.Stdin = strings.NewReader(script)
	if out, err := pprof.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Chdir(t.TempDir())
	if _, errs, code := whet(t, script, "-symbolize=none", path); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, name := range []string{"all.out", "http.out", "top.pb.gz", "three.pb.gz"} {
		if strings.HasSuffix(name, ".gz") {
			want, got := foldedOf(t, filepath.Join(theirs, name)), foldedOf(t, name)
			if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
				t.Errorf("%s (-pprof +whet):\n%.2000s", name, diff)
			}
			continue
		}
		want, err := os.ReadFile(filepath.Join(theirs, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) < 1000 || !bytes.Equal(want, got) {
			t.Errorf("%s (-pprof +whet):\n%.2000s", name, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")))
		}
	}
	if _, errs, code := whet(t, "", "graph", "-callgrind", "-call_tree", path); code != cli.ExitUsage || !strings.Contains(errs, "leave -call_tree out") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
