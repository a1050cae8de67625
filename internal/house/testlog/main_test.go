package main

import (
	"strings"
	"testing"
)

// stream writes events as go test -json does: action, package, test, output.
func stream(events ...[4]string) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(`{"Time":"2026-11-20T10:00:00Z","Action":"` + e[0] + `","Package":"` + e[1] + `","Test":"` + e[2] + `","Output":"` + e[3] + `"}` + "\n")
	}
	return b.String()
}

func TestSummarize(t *testing.T) {
	good := [][4]string{
		{"start", "p", "", ""}, {"run", "p", "TestA", ""}, {"output", "p", "TestA", `=== RUN   TestA\n`},
		{"output", "p", "TestA", `    a_test.go:3: chatter\n`}, {"pass", "p", "TestA", ""},
		{"output", "p", "", `PASS\n`}, {"output", "p", "", `ok  \tp\t0.1s\n`}, {"pass", "p", "", ""},
	}
	for _, tt := range []struct {
		name   string
		in     string
		ci, ok bool
		out    string
	}{
		{"all pass", stream(good...), true, true, "ok  \tp\t0.1s\n1 tests passed, 0 failed, 0 skipped\n"},
		{"a failure", stream(append([][4]string{
			{"output", "q", "TestB", `=== RUN   TestB\n`}, {"output", "q", "TestB", `    b_test.go:1: wrong\n`}, {"output", "q", "TestB", `--- FAIL: TestB (0.00s)\n`},
			{"fail", "q", "TestB", ""}, {"output", "q", "", `FAIL\n`}, {"fail", "q", "", ""}}, good...)...), false, false,
			"    b_test.go:1: wrong\n--- FAIL: TestB (0.00s)\nFAIL\nok  \tp\t0.1s\n1 tests passed, 1 failed, 0 skipped\n"},
		{"a skip", stream(append([][4]string{{"output", "p", "TestC", `--- SKIP: TestC (0.00s)\n`}, {"skip", "p", "TestC", ""}}, good...)...), false, true,
			"--- SKIP: TestC (0.00s)\nok  \tp\t0.1s\n1 tests passed, 0 failed, 1 skipped\n"},
		{"a skip in CI", stream(append([][4]string{{"skip", "p", "TestC", ""}}, good...)...), true, false,
			"ok  \tp\t0.1s\n1 tests passed, 0 failed, 1 skipped\nin CI a skipped test is a failure\n"},
		{"a package without tests is no skip", stream(append([][4]string{{"output", "n", "", `?   \tn\t[no test files]\n`}, {"skip", "n", "", ""}}, good...)...), true, true,
			"?   \tn\t[no test files]\nok  \tp\t0.1s\n1 tests passed, 0 failed, 0 skipped\n"},
		{"a crash inside a test", stream(append(good[:len(good):len(good)], [][4]string{
			{"output", "q", "TestD", `panic: oops\n`}, {"output", "q", "", `FAIL\tq\t0.1s\n`}, {"fail", "q", "", ""}}...)...), false, false,
			"ok  \tp\t0.1s\npanic: oops\nFAIL\tq\t0.1s\n1 tests passed, 0 failed, 0 skipped\n"},
		{"a build that fails", `{"ImportPath":"q","Action":"build-output","Output":"q.go:1: bad\n"}` + "\n" + `{"ImportPath":"q","Action":"build-fail"}` + "\n" + stream(good...), false, false,
			"q.go:1: bad\nok  \tp\t0.1s\n1 tests passed, 0 failed, 0 skipped\n"},
		{"a stream cut off", stream(append(good[:len(good):len(good)], [4]string{"run", "q", "TestE", ""})...), false, false,
			"ok  \tp\t0.1s\nq: the stream ends before the package does\n1 tests passed, 0 failed, 0 skipped\n"},
		{"nothing", "", false, false, "0 tests passed, 0 failed, 0 skipped\nno test was run\n"},
		{"go test failed of something else", stream(good...) + `{"Action":"failed"}` + "\n", false, false,
			"ok  \tp\t0.1s\ngo test failed, and no test of it did\n1 tests passed, 0 failed, 0 skipped\n"},
		{"go's own words", "go: no such module\n" + stream(good...), false, true, "go: no such module\nok  \tp\t0.1s\n1 tests passed, 0 failed, 0 skipped\n"},
	} {
		var out strings.Builder
		ok, err := summarize(strings.NewReader(tt.in), &out, tt.ci)
		if err != nil || ok != tt.ok || out.String() != tt.out {
			t.Errorf("%s: ok %v, err %v, want ok %v; got\n%s\nwant\n%s", tt.name, ok, err, tt.ok, out.String(), tt.out)
		}
	}
}
