package tune

import (
	"strings"
	"testing"
	"time"

	"whet/internal/finding"
)

// A benchmark that goes from a few goroutines to 500 more in 500 iterations,
// over before anybody could have watched it, has that as its first finding. One
// beside it with a pool of as many workers as it has iterations by ten has none.
func TestLeakInAShortBenchmark(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/leaks\n\ngo 1.26\n",
		"app.go": `package leaks

func Ask() chan int {
	answer := make(chan int)
	go func() {
		answer <- 1
	}()
	return answer
}

func Pool(n int) chan int {
	jobs := make(chan int)
	for range n {
		go func() {
			for range jobs {
			}
		}()
	}
	return jobs
}
`,
		"app_test.go": `package leaks

import "testing"

func BenchmarkAsk(b *testing.B) {
	for b.Loop() {
		Ask()
	}
}

func BenchmarkPool(b *testing.B) {
	jobs := Pool(50)
	for b.Loop() {
		jobs <- 1
	}
}
`,
	})
	outcome, err := recordModule(t, dir, func(o *Options) { o.BenchTime, o.Samples, o.Budget = "500x", 1, 40*time.Second })
	if err != nil {
		t.Fatal(err)
	}
	_, page := openPage(t, outcome.Path)
	leaks := 0
	for _, f := range page.Findings {
		if f.Leak != nil {
			leaks++
		}
	}
	if leaks != 1 {
		t.Fatalf("%d leaks: %+v\n%q", leaks, page.Findings, page.Warnings)
	}
	f := page.Findings[0]
	if f.Rule != "goroutine-leak" || f.Leak.Kind != finding.LeakGoroutines || f.Leak.Count < 490 || f.Leak.Count > 501 ||
		!strings.HasSuffix(f.File, "app.go") || f.Line != 5 || f.Benchmarks[0] != "BenchmarkAsk" {
		t.Errorf("%+v %+v", f, f.Leak)
	}
	if !strings.HasPrefix(page.Verdict.Text, "Goroutine leak: ") {
		t.Errorf("verdict: %s", page.Verdict.Text)
	}
}
