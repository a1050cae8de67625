package drive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/cli"
	"whet/internal/format/hdrlog"
	"whet/internal/hist"
	"whet/internal/load"
	"whet/internal/loadresult"
	loadreport "whet/internal/report/load"
	"whet/internal/schedule"
)

var logOrigin = time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)

// logOf returns a log of intervals of a second, each with n times of 1 ms, which
// begin so many seconds after the origin. Its first line is another program's.
func logOf(t *testing.T, n int64, tag func(int) string, starts ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := hdrlog.NewWriter(&b, logOrigin)
	if err != nil {
		t.Fatal(err)
	}
	h := new(hist.Histogram)
	h.RecordMany(1e6, n)
	for i, s := range starts {
		if err := w.Write(&hdrlog.Interval{Tag: tag(i), Start: logOrigin.Add(time.Duration(s) * time.Second), Length: time.Second, Histogram: h}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func writeLog(t *testing.T, name string, n int64, tag func(int) string, starts ...int) {
	t.Helper()
	if err := os.WriteFile(name, logOf(t, n, tag, starts...), 0o644); err != nil {
		t.Fatal(err)
	}
}

func untaggedTimes(int) string { return "" }

// The intervals of all logs stand in the merged one, in the order of their
// beginning, also where a log's own are not.
func TestMergeOrder(t *testing.T) {
	dir := t.TempDir()
	a, b, out := filepath.Join(dir, "a.hlog"), filepath.Join(dir, "b.hlog"), filepath.Join(dir, "out.hlog")
	writeLog(t, a, 3, untaggedTimes, 5, 1, 4)
	writeLog(t, b, 2, untaggedTimes, 2, 3, 6)
	if code, _, stderr := runLoad("merge", a, b, "-o", out); code != cli.ExitDone {
		t.Fatal(stderr)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var seconds []int
	times := int64(0)
	if _, err := hdrlog.Read(bytes.NewReader(data), func(i *hdrlog.Interval) error {
		seconds = append(seconds, int(i.Start.Sub(logOrigin)/time.Second))
		times += i.Histogram.Count()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	// Of each log the one that is next is compared: what a log has out of order
	// comes right after what it stood after.
	if want := []int{2, 3, 5, 1, 4, 6}; !slices.Equal(seconds, want) || times != 15 {
		t.Errorf("%d times in %v, want 15 in %v", times, seconds, want)
	}
}

func TestMergeRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	writeLog(t, "a.hlog", 3, untaggedTimes, 0, 1)
	writeLog(t, "most.hlog", math.MaxInt64, untaggedTimes, 0)
	many := make([]int, maxTags+1)
	writeLog(t, "tags.hlog", 1, func(i int) string { return fmt.Sprintf("t%d", i) }, many...)
	writeLog(t, "all.hlog", 1, func(i int) string { return fmt.Sprintf("t%d", i) }, many[:maxTags]...)
	if err := os.Symlink("a.hlog", "link.hlog"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("kept", []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := runLoad("merge", "all.hlog"); code != cli.ExitDone {
		t.Errorf("%d tags: %s", maxTags, stderr)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"a.hlog a.hlog", cli.ExitUsage, "a.hlog is named twice"},
		{"a.hlog ./a.hlog", cli.ExitUsage, "./a.hlog is named twice"},
		{"a.hlog link.hlog", cli.ExitUsage, "link.hlog is named twice"},
		{"a.hlog -o a.hlog", cli.ExitUsage, "the log and -o name the same file a.hlog"},
		{"a.hlog -hgrm " + filepath.Join(dir, "a.hlog"), cli.ExitUsage, "the log and -hgrm name the same file"},
		{"a.hlog -o kept -hgrm ./kept", cli.ExitUsage, "-o and -hgrm name the same file ./kept"},
		{"a.hlog -o .", cli.ExitUsage, "-o: . is a directory"},
		{"a.hlog -o no/kept", cli.ExitUsage, "no directory no"},
		{"a.hlog most.hlog -o kept", cli.ExitFailed, "most.hlog: with this log, the count of times overflows an int64"},
		{"a.hlog tags.hlog -o kept", cli.ExitFailed, "tags.hlog: with this log, the tags number more than 100"},
		{"a.hlog no.hlog -o kept -hgrm k2", cli.ExitFailed, "no.hlog"},
	} {
		code, stdout, stderr := runLoad(append([]string{"merge"}, strings.Fields(c.args)...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %d %q", c.args, code, stdout+stderr, c.code, c.want)
		}
	}
	if kept, err := os.ReadFile("kept"); err != nil || string(kept) != "kept" {
		t.Errorf("the output of runs that failed is %q, %v", kept, err)
	}
}

// A log that cannot be read again is no shorter merge.
func TestMergeOfLogThatIsGone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.hlog")
	writeLog(t, name, 3, untaggedTimes, 0, 1)
	in, err := fileInput(name)
	if err != nil {
		t.Fatal(err)
	}
	opened := 0
	inputs := []mergeInput{in, {name: "gone.hlog", open: func() (io.ReadCloser, error) {
		opened++
		return nil, os.ErrNotExist
	}}}
	var b bytes.Buffer
	if err := writeMerged(&b, inputs, logOrigin); err == nil || !strings.Contains(err.Error(), os.ErrNotExist.Error()) || opened != 1 {
		t.Errorf("%v, opened %d times", err, opened)
	}
	// It may also be damaged further on.
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	inputs[1].open = func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(string(data) + "1.0,1.0,1.0,damaged\n")), nil
	}
	if err := writeMerged(&b, inputs, logOrigin); err == nil || !strings.Contains(err.Error(), "gone.hlog: read histogram log: line") {
		t.Error(err)
	}
	next, stop := iter.Pull2(inputs[0].intervals())
	if _, err, ok := next(); err != nil || !ok {
		t.Error(err)
	}
	stop() // where it ends before the log does, that is no error
	if _, err, ok := next(); err != nil || ok {
		t.Error(err)
	}
}

// A device or a link stays what it is: -hdr is written through it.
func TestLogThroughLink(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "name.hlog"), filepath.Join(dir, "link.hlog")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	l := &loadFlags{hdr: link}
	k, err := l.openOutputs(t.Context(), cli.NewEnv(nil, nil, io.Discard, io.Discard), new(loadPlan))
	if err != nil {
		t.Fatal(err)
	}
	if err := k.commit(logOrigin); err != nil {
		t.Fatal(err)
	}
	k.discard()
	data, err := os.ReadFile(name)
	if st, err2 := os.Lstat(link); err != nil || err2 != nil || st.Mode()&os.ModeSymlink == 0 || !bytes.Contains(data, []byte("StartTime")) {
		t.Errorf("%q, %v, %v", data, err, err2)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
}

// What could not be written to the end takes the place of nothing, also where
// what followed could be.
func TestLogWithGap(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.hlog")
	if err := os.WriteFile(name, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	k, err := (&loadFlags{hdr: name}).openOutputs(t.Context(), cli.NewEnv(nil, nil, io.Discard, io.Discard), new(loadPlan))
	if err != nil {
		t.Fatal(err)
	}
	defer k.discard()
	second := loadresult.Interval{Second: loadresult.Second{Start: logOrigin, Length: time.Second}, Service: new(hist.Histogram)}
	k.interval(second)
	bad := second
	bad.Start = logOrigin.Add(-1) // as good as a disk that is full for a while
	k.interval(bad)
	k.interval(second)
	if err := k.commit(logOrigin); err == nil || strings.Contains(err.Error(), "tmp-") {
		t.Errorf("the error is %v", err)
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != "kept" {
		t.Errorf("the file is %q, %v", data, err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(name), ".*")); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
}

// A recording that could not be written is one error, and the one before stays.
func TestRecordingWithGap(t *testing.T) {
	name := writeLoad(t, func(map[string][]byte) {})
	plan := new(loadPlan)
	plan.options.Schedule = schedule.Constant(1)
	k, err := (&loadFlags{out: name}).openOutputs(t.Context(), cli.NewEnv(nil, nil, io.Discard, io.Discard), plan)
	if err != nil {
		t.Fatal(err)
	}
	k.start = logOrigin
	bad := loadresult.Interval{Second: loadresult.Second{Start: logOrigin.Add(-1), Length: time.Second}, Service: new(hist.Histogram), Response: new(hist.Histogram)}
	k.interval(loadresult.Interval{Second: loadresult.Second{Start: logOrigin, Length: time.Second}, Service: new(hist.Histogram), Response: new(hist.Histogram)})
	k.interval(bad)
	_, err = k.finish(&loadreport.Run{Result: &loadresult.Result{Open: true, Start: logOrigin, End: logOrigin.Add(time.Second)}}, nil)
	k.discard()
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "write recording: ") {
		t.Errorf("the error is %v", err)
	}
	if code, _, stderr := runLoad(name); code != cli.ExitDone {
		t.Error(stderr)
	}
	if entries, err := os.ReadDir(filepath.Dir(name)); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"d", "taken.html", "there.whet"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("d", "to-d"), os.WriteFile("in", nil, 0o644), os.WriteFile("in.pem", nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		l    loadFlags
		want string
	}{
		{loadFlags{hdr: "a", hgrm: "b", csvOut: "c", out: "x.whet", targets: "in", table: "t", body: "a"}, ""},
		{loadFlags{hdr: os.DevNull, hgrm: os.DevNull, csvOut: os.DevNull}, ""},
		{loadFlags{hdr: "a", hgrm: "./a"}, "-hdr and -hgrm name the same file ./a"},
		{loadFlags{hdr: "d/a", csvOut: "to-d/a"}, "-hdr and -csv-out name the same file to-d/a"},
		{loadFlags{out: "x.whet", csvOut: "x.html"}, "-o and -csv-out name the same file x.html"},
		{loadFlags{out: "x.html", knee: true, csvOut: "x.html"}, "-o and -csv-out name the same file x.html"},
		{loadFlags{out: "x.whet", csvOut: "./x.whet"}, "-o and -csv-out name the same file ./x.whet"},
		{loadFlags{out: "there.whet", hgrm: "there.whet/a.hgrm"}, "-hgrm there.whet/a.hgrm is inside the recording there.whet"},
		{loadFlags{out: "taken.whet"}, "-o: taken.html is a directory"},
		{loadFlags{targets: "in", csvOut: "in"}, "-targets and -csv-out name the same file in"},
		{loadFlags{table: "in", csvOut: "in"}, "-csv and -csv-out name the same file in"},
		{loadFlags{body: "@in", hdr: "in"}, "-body and -hdr name the same file in"},
		{loadFlags{options: load.Options{CAFile: "in.pem"}, hgrm: "in.pem"}, "-cacert and -hgrm name the same file in.pem"},
		{loadFlags{hgrm: "d"}, "-hgrm: d is a directory"},
		{loadFlags{hgrm: "no/a"}, "-hgrm: no directory no"},
	} {
		err := c.l.outputs()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
