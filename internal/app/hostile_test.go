package app

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"whet/internal/callstack"
	"whet/internal/cli"
)

// hostileMemory is what opening or refusing a hostile file may allocate in all,
// garbage included.
const hostileMemory = 256 << 20

// repeated packs a text in which the unit stands n times.
func repeated(t *testing.T, before, unit string, n int, after string) string {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(z, before)
	many := strings.Repeat(unit, min(n, 4096))
	for ; n > 0; n -= 4096 {
		io.WriteString(z, many[:min(n, 4096)*len(unit)])
	}
	io.WriteString(z, after)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Fields of a protocol buffer: a number, and bytes.
func pbNumber(field int, n uint64) string {
	return string(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3), n))
}

func pbBytes(field int, parts ...string) string {
	body := strings.Join(parts, "")
	return string(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3|2), uint64(len(body)))) + body
}

// Fields of a profile, as proto/profile.proto numbers them.
func pbType(name, unit uint64) string  { return pbBytes(1, pbNumber(1, name), pbNumber(2, unit)) }
func pbLine(function, n uint64) string { return pbBytes(4, pbNumber(1, function), pbNumber(2, n)) }
func pbLocation(id uint64, lines ...string) string {
	return pbBytes(4, pbNumber(1, id), strings.Join(lines, ""))
}
func pbFunction(id, name, file uint64) string {
	return pbBytes(5, pbNumber(1, id), pbNumber(2, name), pbNumber(4, file))
}
func pbStrings(all ...string) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString(pbBytes(6, s))
	}
	return b.String()
}

// harmless is a small profile, which may go on.
var harmless = pbType(1, 2) + pbBytes(2, pbNumber(1, 1), pbNumber(2, 5)) + pbLocation(1, pbLine(1, 3)) + pbFunction(1, 3, 4) +
	pbStrings("", "cpu", "nanoseconds", "main.f", "f.go")

// TestHostileInputs: small files that unpack to much, or stand for much, are
// refused in one line, or opened with a counted warning. Neither takes more
// than the bound, which counts all that is ever allocated.
func TestHostileInputs(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	var types, keys, chain strings.Builder
	typeNames, keyNames, chainNames := []string{"", "main.f", "f.go"}, []string{"", "main.f", "f.go", "cpu", "count"}, []string{"", "cpu", "ns", "/absent/src.go"}
	var values []byte
	for i := range uint64(2000) {
		types.WriteString(pbType(3+i, 1))
		typeNames = append(typeNames, fmt.Sprintf("t%d", i))
		values = binary.AppendUvarint(values, 1+i%100)
	}
	manyTypes := types.String() + pbBytes(2, pbNumber(1, 1), pbBytes(2, string(values))) + pbLocation(1, pbLine(1, 3)) + pbFunction(1, 1, 2) + pbStrings(typeNames...)
	for i := range uint64(10_000) {
		keys.WriteString(pbBytes(2, pbNumber(1, 1), pbNumber(2, 1), pbBytes(3, pbNumber(1, 5+i), pbNumber(2, 1))))
		keyNames = append(keyNames, fmt.Sprintf("k%d", i))
	}
	manyKeys := pbType(3, 4) + keys.String() + pbLocation(1, pbLine(1, 3)) + pbFunction(1, 1, 2) + pbStrings(keyNames...)
	allKeys := strings.Join(keyNames[5:], ",")
	var lines []string
	for i := range uint64(2000) {
		lines = append(lines, pbLine(i+1, 3*i+3))
		chain.WriteString(pbFunction(i+1, 4+i, 3))
		chainNames = append(chainNames, fmt.Sprintf("main.f%d", i))
	}
	inlined := pbType(1, 2) + pbBytes(2, pbNumber(1, 1), pbNumber(2, 5)) + pbLocation(1, lines...) + chain.String() + pbStrings(chainNames...)
	twice := strings.Replace(inlined, pbBytes(2, pbNumber(1, 1), pbNumber(2, 5)), pbBytes(2, strings.Repeat(pbNumber(1, 1), 20), pbNumber(2, 5)), 1)

	// Thousands of stacks as deep as they may be, each with a root of its own.
	var towers strings.Builder
	tower := strings.Repeat("\x01", callstack.MaxDepth-2)
	for i := range 900 {
		towers.WriteString(pbBytes(2, pbBytes(1, tower, string([]byte{byte(1 + i%30), byte(1 + i/30)})), pbNumber(2, 5)))
	}
	for i := range uint64(30) {
		towers.WriteString(pbLocation(i+1, pbLine(i+1, 1)) + pbFunction(i+1, 1+i, 1))
	}
	tall := pbType(1, 2) + towers.String() + pbStrings(chainNames[:32]...)

	const deep = "more than 16384 frames"
	const memory = "need more memory than the limit for a file of its size"
	for _, c := range []struct {
		name, data string
		args       []string
		code       int
		says       string
	}{
		{"a stack without end", repeated(t, "main;a", ";a", 20_000_000, " 1\n"), nil, cli.ExitFailed, deep},
		{"a longer one", repeated(t, "main;a", ";a", 40_000_000, " 1\n"), nil, cli.ExitFailed, "it is larger than"},
		{"inlined without end", repeated(t, "main;a", ";a_[i]", 1_000_000, " 1\n"), nil, cli.ExitFailed, deep},
		{"one such stack among others", repeated(t, "main;b 5\nmain;a", ";a", 20_000, " 1\n"), nil, cli.ExitDone, "line 2 has more than 16384 frames and was left out"},
		{"empty sample types", repeated(t, harmless, pbBytes(1), 15_000_000, ""), nil, cli.ExitFailed, "more than 256 sample types"},
		{"empty samples", repeated(t, harmless, pbBytes(2), 15_000_000, ""), nil, cli.ExitDone, "15.0 M samples do not have"},
		{"equal samples", repeated(t, harmless, pbBytes(2, pbNumber(1, 1), pbNumber(2, 5)), 8_000_000, ""), nil, cli.ExitFailed, memory},
		{"empty mappings", repeated(t, harmless, pbBytes(3), 15_000_000, ""), nil, cli.ExitFailed, memory},
		{"empty locations", repeated(t, harmless, pbBytes(4), 15_000_000, ""), nil, cli.ExitFailed, memory},
		{"empty functions", repeated(t, harmless, pbBytes(5), 15_000_000, ""), nil, cli.ExitFailed, memory},
		{"empty strings", repeated(t, harmless, pbBytes(6), 15_000_000, ""), nil, cli.ExitFailed, memory},
		{"comments", repeated(t, harmless, pbNumber(13, 3), 15_000_000, ""), nil, cli.ExitFailed, memory},
		{"a record without end", repeated(t, harmless+pbBytes(2, pbNumber(2, 5))+"\x12\x80\x80\x80\x10", pbNumber(1, 1), 15_000_000, ""), nil, cli.ExitFailed, "longer than 8 MiB"},
		{"a deep sample", packed(t, harmless+pbBytes(2, strings.Repeat(pbNumber(1, 1), 20_000), pbNumber(2, 5))), nil, cli.ExitDone, "1 sample has a stack of more than 16384 locations"},
		{"inlined calls in a deep stack", packed(t, twice), nil, cli.ExitFailed, "it has a stack of 40000 frames"},
		{"goroutine: frames", repeated(t, "goroutine 1 [running]:\n", "main.f()\n\tf.go:1 +0x1\n", 400_000, ""), nil, cli.ExitFailed, deep},
		{"goroutine: inlined frames", repeated(t, "goroutine 1 [running]:\n", "main.f(...)\n\tf.go:1\n", 400_000, ""), nil, cli.ExitFailed, deep},
		{"goroutine: functions without places", repeated(t, "goroutine 1 [running]:\n", "main.f(...)\n", 400_000, ""), nil, cli.ExitFailed, deep},
		{"goroutine: created often", repeated(t, "goroutine 1 [running]:\nmain.f()\n\tf.go:1 +0x1\n", "created by x\n", 4_500_000, ""), nil, cli.ExitDone, "4499999 lines of the dump"},
		{"goroutine: 90 MB", repeated(t, "goroutine 1 [running]:\n", "main.f()\n\tf.go:1 +0x1\n", 4_000_000, ""), nil, cli.ExitFailed, "is larger than"},
		{"perf: frames", repeated(t, "w 1 1.000001: 1 cycles: \n", "\t1 f (x)\n", 400_000, ""), nil, cli.ExitFailed, deep},
		{"legacy: addresses", repeated(t, "goroutine profile: total 1\n1 @", " 0x1", 20_000, "\n"), nil, cli.ExitFailed, "more than 16384 addresses"},
		{"legacy: stacks", repeated(t, "goroutine profile: total 1\n", "1 @ 0x1 0x2\n", 5_000_000, ""), nil, cli.ExitFailed, memory},
		{"legacy: threads", repeated(t, "--- threadz 1 ---\n\n--- Thread 7f (name: a/1) stack: ---\n", " 0x1\n", 400_000, ""), nil, cli.ExitFailed, "more than 16384 addresses"},
		{"legacy: names", repeated(t, "goroutine profile: total 1\n1 @ 0x2\n", "#\t0x1\tf+0x1\n", 5_000_000, ""), nil, cli.ExitDone, ""},
		{"2,000 sample types", packed(t, manyTypes), []string{"flame"}, cli.ExitFailed, "more than 256 sample types"},
		{"towers", packed(t, tall), []string{"flame"}, cli.ExitDone, ""},
		{"towers in a tree", packed(t, tall), []string{"graph", "-call_tree"}, cli.ExitFailed, "more than 800,000 different call paths, too many for a call tree: drop -call_tree"},
		{"towers in a graph", packed(t, tall), []string{"graph"}, cli.ExitDone, ""},
		{"10,000 keys at the leaf", packed(t, manyKeys), []string{"flame", "-tagleaf", allKeys}, cli.ExitUsage, "10000 keys"},
		{"10,000 keys at the root", packed(t, manyKeys), []string{"top", "-tagroot", allKeys}, cli.ExitUsage, "10000 keys"},
		{"2,000 inlined calls", packed(t, inlined), []string{"weblist", "."}, cli.ExitDone, "instructions lie within more than 64 inlined calls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			args := append([]string{"top"}, filepath.Join(dir, "x"))
			if len(c.args) > 0 {
				args = append(append([]string{c.args[0], "-o", filepath.Join(dir, "out")}, c.args[1:]...), filepath.Join(dir, "x"))
			}
			if c.args != nil && c.args[0] == "weblist" { // the expression follows the profile as an operand before it
				args = []string{"weblist", "-o", filepath.Join(dir, "out"), ".", filepath.Join(dir, "x")}
			}
			if err := os.WriteFile(filepath.Join(dir, "x"), []byte(c.data), 0o666); err != nil {
				t.Fatal(err)
			}
			out, errs, code, took := allocating(t, args...)
			said := errs
			if page, err := os.ReadFile(filepath.Join(dir, "out")); err == nil {
				if len(page) > 8<<20 {
					t.Errorf("the page has %d bytes", len(page))
				}
				said += string(page)
			} else {
				said += out
			}
			if code != c.code || !strings.Contains(said, c.says) {
				t.Errorf("exit code %d, %.300q, %.300q; want %d and %q", code, errs, out, c.code, c.says)
			}
			if code == cli.ExitFailed && strings.Count(errs, "\n") != 1 {
				t.Errorf("more than one line: %.300q", errs)
			}
			if took > hostileMemory {
				t.Errorf("%d bytes of file: %d MiB allocated", len(c.data), took>>20)
			}
		})
	}
}

// allocating runs whet and returns what it allocated as well.
func allocating(t *testing.T, args ...string) (out, errs string, code int, bytes uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, errs, code = whet(t, "", args...)
	runtime.ReadMemStats(&after)
	return out, errs, code, after.TotalAlloc - before.TotalAlloc
}

// endlessReader is a reader that never ends.
type endlessReader struct{}

func (endlessReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// TestEndless: a pipe, a device and a server that never end are given up.
func TestEndless(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, endlessReader{}) // until the client has had enough
	}))
	defer server.Close()
	for _, operand := range []string{"/dev/zero", server.URL + "/x"} {
		if _, err := os.Stat(operand); err != nil && operand[0] == '/' {
			continue // no such device here
		}
		_, errs, code, took := allocating(t, "top", operand)
		if code != cli.ExitFailed || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "192 MiB") {
			t.Errorf("%s: exit code %d, %q", operand, code, errs)
		}
		if took > hostileMemory {
			t.Errorf("%s: %d MiB allocated", operand, took>>20)
		}
	}
	var errs bytes.Buffer
	if code := Run(t.Context(), []string{"top", "-"}, endlessReader{}, io.Discard, &errs); code != cli.ExitFailed || !strings.Contains(errs.String(), "192 MiB") {
		t.Errorf("a pipe: exit code %d, %q", code, &errs)
	}
}

// TestDeepProfiles: stacks as deep as real ones are, and far deeper, are whole.
func TestDeepProfiles(t *testing.T) {
	for _, depth := range []int{128, 1024, callstack.MaxDepth} {
		text := strings.Repeat("main.f;", depth-1) + "main.g 7\n"
		out, errs, code := whet(t, "", "merge", "-folded", "-o", "-", file(t, "x", text))
		if code != cli.ExitDone || out != text {
			t.Errorf("depth %d: exit code %d, %q, %d bytes of %d", depth, code, errs, len(out), len(text))
		}
		back := filepath.Join(t.TempDir(), "y.pb.gz")
		if _, errs, code := whet(t, "", "merge", "-o", back, file(t, "x", text)); code != cli.ExitDone {
			t.Fatalf("depth %d: exit code %d, %q", depth, code, errs)
		}
		if out, errs, code := whet(t, "", "merge", "-folded", "-o", "-", back); code != cli.ExitDone || out != text {
			t.Errorf("depth %d as pprof: exit code %d, %q, %d bytes of %d", depth, code, errs, len(out), len(text))
		}
	}
}
