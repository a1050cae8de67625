package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whet/internal/cli"
	"whet/internal/parcel"
	"whet/internal/recording"
)

var (
	measure      = flag.Bool("record", false, "measure the stages of the casebook anew, and write testdata/casebook")
	retype       = flag.Bool("types", false, "write the types and sources of testdata/casebook anew, and measure nothing")
	recordedRows = filepath.Join("testdata", "casebook", "recordings.tar.zst")
)

// root is the module's, seen from here.
var root = filepath.Join("..", "..")

// The ways in which a stage of the casebook is measured.
const (
	asBenchmark = "bench"
	underLoad   = "load"
	asCommand   = "command"
)

// stageRow is a stage, measured in one way, and what has to be said of it.
type stageRow struct {
	study, stage, way string
	// names is what those found who tuned the program by hand, each of it among
	// the first two findings. Of a stage of which nothing is to be named, nothing
	// has any weight.
	names []spot
	// also is what a step between the first and the last brought with it: it is
	// among the findings, beside what all the steps before have left.
	also []spot
	// below is what they found too, and what today's Go and machine leave below
	// the threshold: it is named there.
	below []spot
	// bench replaces the benchmarks that are measured of every stage.
	bench string
	// times is how many times longer than others it is measured; 0: once.
	times int
}

// spot is a rule at a statement, of which text is a part, in a function of the
// stage. Of a line's number nobody sees whether it is the right one.
type spot struct{ rule, function, text string }

var (
	visitsLog    = spot{"logging", "(*Handler).ServeHTTP", "h.log.WithFields("}
	visitsLock   = spot{"lock-held", "(*Handler).ServeHTTP", "h.mu.Lock()"}
	havlakMap    = spot{"dense-map", "(*Finder).Find", "places:"}
	havlakSets   = spot{"collection-per-call", "(*Finder).Find", "make(map[int]bool)"}
	statsRegexp  = spot{"regexp-replace", "clean", "special.ReplaceAllString("}
	statsHost    = spot{"constant-work", "tagsOf", "os.Hostname()"}
	avatarDraw   = spot{"repeated-result", "(*Handler).ServeHTTP", "h.Draw("}
	avatarEncode = spot{"object-per-call", "(*Handler).Draw", "png.Encode("}
	gatewayCodec = spot{"json-reencode", "Decode", "codec.Unmarshal("}
	gatewayID    = spot{"random-per-element", "SessionID", "random.Intn("}
	gatewayHeap  = spot{"escaping-struct", "(*Handler).ServeHTTP", "var e exchange"}
	ingestRead   = spot{"read-growth", "(*Handler).ServeHTTP", "io.ReadAll(r.Body)"}
)

// stageRows are the casebook's first stages and its best ones, and one between
// whose step was a loss.
var stageRows = []stageRow{
	{study: "visits", stage: "original", way: asBenchmark, names: []spot{visitsLog}},
	{study: "visits", stage: "original", way: underLoad, names: []spot{visitsLog, visitsLock}},
	{study: "visits", stage: "best", way: asBenchmark},
	{study: "visits", stage: "best", way: underLoad, times: 2},
	{study: "havlak", stage: "original", way: asBenchmark, names: []spot{havlakMap, havlakSets}},
	{study: "havlak", stage: "original", way: asCommand, names: []spot{havlakMap, havlakSets}},
	{study: "havlak", stage: "best", way: asBenchmark},
	{study: "havlak", stage: "best", way: asCommand},
	{study: "stats", stage: "original", way: asBenchmark, names: []spot{statsRegexp}},
	{study: "stats", stage: "original", way: underLoad, names: []spot{statsRegexp}, below: []spot{statsHost}, times: 4},
	{study: "stats", stage: "best", way: asBenchmark},
	{study: "stats", stage: "best", way: underLoad},
	{study: "avatar", stage: "original", way: asBenchmark, names: []spot{avatarDraw, avatarEncode}},
	{study: "avatar", stage: "original", way: underLoad, names: []spot{avatarDraw, avatarEncode}},
	{study: "avatar", stage: "best", way: asBenchmark},
	{study: "avatar", stage: "best", way: underLoad},
	{study: "gateway", stage: "original", way: asBenchmark, names: []spot{gatewayCodec, gatewayID}},
	{study: "gateway", stage: "original", way: underLoad, names: []spot{gatewayCodec}},
	{study: "gateway", stage: "rawmessage", way: asBenchmark, bench: "Call/1KB", also: []spot{gatewayHeap}},
	{study: "gateway", stage: "best", way: asBenchmark},
	{study: "gateway", stage: "best", way: underLoad},
	{study: "ingest", stage: "original", way: asBenchmark, names: []spot{ingestRead}},
	{study: "ingest", stage: "original", way: underLoad, names: []spot{ingestRead}},
	{study: "ingest", stage: "best", way: asBenchmark},
	{study: "ingest", stage: "best", way: underLoad},
}

func (r *stageRow) name() string { return r.study + "-" + r.stage + "-" + r.way }

// recordedRow returns the recording of a row, by its name, out of the archive.
func recordedRow(t *testing.T, name string) string {
	t.Helper()
	return parcel.Unpack(t, recordedRows, name+".whet")
}

// diagnosis is what this test reads of whet diagnose -json.
type diagnosis struct {
	Warnings []string
	Verdict  struct{ Kind, Text string }
	Findings []diagnosisResult
	Profiles []struct {
		Kind, Benchmark string
		Classes         []struct {
			Class   string
			Samples int64
		}
	}
	Service struct {
		Requests int64
		Errors   map[string]int64
	}
}

type diagnosisResult struct {
	Rule, Function, File string
	Line                 int
	CPURatio             *float64 `json:"cpu_ratio"`
	AllocBytesRatio      *float64 `json:"alloc_bytes_ratio"`
	DelayRatio           *float64 `json:"delay_ratio"`
}

func (d diagnosisResult) weight() float64 {
	var most float64
	for _, share := range []*float64{d.CPURatio, d.AllocBytesRatio, d.DelayRatio} {
		if share != nil {
			most = max(most, *share)
		}
	}
	return most
}

func (d diagnosisResult) String() string {
	return fmt.Sprintf("%s %s:%d %.3f", d.Rule, d.File, d.Line, d.weight())
}

// said runs whet diagnose on a recording.
func said(t *testing.T, dir string, flags ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	if code := Run(context.Background(), append(append([]string{"diagnose", "-json"}, flags...), dir), nil, &out, &errs); code != cli.ExitDone {
		t.Fatalf("whet diagnose %s: exit code %d\n%s", dir, code, errs.String())
	}
	return out.Bytes()
}

func diagnosisOf(t *testing.T, dir string, flags ...string) diagnosis {
	t.Helper()
	var d diagnosis
	if err := json.Unmarshal(said(t, dir, flags...), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// enough is how many samples of a stage's CPU time its silence has to rest on:
// as many as the rules ask for.
const enough = 200

// faults says in what a recording's diagnosis differs from what has to be said.
func (r *stageRow) faults(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	d := diagnosisOf(t, dir)
	for i, f := range d.Findings {
		t.Logf("%s: %d. %s", r.name(), i+1, f)
	}
	profiles := 0
	for _, p := range d.Profiles {
		if p.Kind != recording.KindCPU {
			continue
		}
		profiles++
		for _, c := range p.Classes {
			if c.Class == "base" && c.Samples < enough {
				add("%s has %d samples: what is said of it, or not, rests on too few", p.Benchmark, c.Samples)
			}
		}
	}
	if profiles == 0 {
		add("there is no CPU profile")
	}
	first := d.Findings[:min(2, len(d.Findings))]
	for _, s := range r.names {
		if !slices.ContainsFunc(first, func(f diagnosisResult) bool { return r.at(t, s, f) }) {
			add("%s at %q of %s is not among the first two findings, %v", s.rule, s.text, s.function, first)
		}
	}
	for _, s := range r.also {
		if !slices.ContainsFunc(d.Findings, func(f diagnosisResult) bool { return r.at(t, s, f) }) {
			add("%s at %q of %s is not among the findings, %v", s.rule, s.text, s.function, d.Findings)
		}
	}
	if len(r.names)+len(r.also) == 0 && len(d.Findings) > 0 {
		add("there is nothing to say, and whet says %v", d.Findings)
	}
	if len(r.below) > 0 {
		all := diagnosisOf(t, dir, "-all").Findings
		for _, s := range r.below {
			if !slices.ContainsFunc(all, func(f diagnosisResult) bool { return r.at(t, s, f) }) {
				add("%s at %q of %s is not even below the threshold, %v", s.rule, s.text, s.function, all)
			}
		}
	}
	return out
}

// at reports whether a finding is about a spot.
func (r *stageRow) at(t *testing.T, s spot, f diagnosisResult) bool {
	t.Helper()
	if f.Rule != s.rule || f.Function != "whet/casebook/"+r.study+"/"+r.stage+"."+s.function {
		return false
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.File)))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	return f.Line <= len(lines) && strings.Contains(lines[f.Line-1], s.text)
}

// TestCasebook diagnoses small recordings of the casebook's stages: of the
// first ones whet names what those found who tuned them by hand, and on the
// best ones nothing of weight. testdata/casebook/README.md says how the
// recordings are made.
func TestCasebook(t *testing.T) {
	if *measure && testing.Short() {
		t.Fatal("-record measures, which -short leaves out")
	}
	var whet string
	if *measure {
		whet = buildWhet(t)
	}
	for _, r := range stageRows {
		t.Run(r.name(), func(t *testing.T) {
			if *measure {
				fresh := filepath.Join(t.TempDir(), r.name()+".whet")
				keep(t, r.measure(t, whet, 1), fresh)
				parcel.Replace(t, recordedRows, fresh)
			}
			dir := recordedRow(t, r.name())
			if stale := r.changed(t, dir); len(stale) > 0 {
				t.Fatalf("%s changed since the recording was made: run go test ./internal/app -run 'TestCasebook/%s' -record", strings.Join(stale, ", "), r.name())
			}
			if *retype {
				if err := thin(t, dir, dir); err != nil {
					t.Fatal(err)
				}
				parcel.Replace(t, recordedRows, dir)
			}
			for _, fault := range r.faults(t, dir) {
				t.Error(fault)
			}
		})
	}
}

// changed returns the case's files that are not what they were when a recording was
// made: the lines that it names would be those of other text.
func (r *stageRow) changed(t *testing.T, dir string) []string {
	t.Helper()
	rec, err := recording.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	var out []string
	seen := 0
	for _, s := range rec.Sources {
		if !strings.HasPrefix(s.Path, "casebook/"+r.study+"/") {
			continue
		}
		seen++
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(s.Path)))
		if sum := sha256.Sum256(text); err != nil || hex.EncodeToString(sum[:]) != s.SHA256 {
			out = append(out, s.Path)
		}
	}
	if seen == 0 {
		t.Fatalf("%s holds no file of the case", dir)
	}
	return out
}

// TestCasebookIsSmall bounds what the recordings take of every clone, and wants
// each to be a row's.
func TestCasebookIsSmall(t *testing.T) {
	const most = 1_200_000
	for _, name := range parcel.Names(t, recordedRows) {
		if !slices.ContainsFunc(stageRows, func(r stageRow) bool { return r.name()+".whet" == name }) {
			t.Errorf("%s is of no row", name)
		}
	}
	if st, err := os.Stat(recordedRows); err != nil || st.Size() > most {
		t.Errorf("%s: %v, and %d bytes at the most", recordedRows, err, most)
	}
}

// sizeOf returns what the files below a directory hold.
func sizeOf(t *testing.T, dir string) int64 {
	t.Helper()
	var size int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}
