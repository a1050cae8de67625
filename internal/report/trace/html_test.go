package trace

import (
	"bytes"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"whet/internal/analyze/sched"
	"whet/internal/chromium"
	"whet/internal/format/exectrace"
	"whet/internal/report/pagetest"
	"whet/internal/timeline"
)

// planted is the trace of a program that holds a lock for 5 ms 20 times.
var planted = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "run", "../../analyze/sched/testdata/planted").Output()
})

// pageOf returns the page of a trace, with so many intervals at most.
func pageOf(t *testing.T, most int) []byte {
	t.Helper()
	data, err := planted()
	if err != nil {
		t.Fatal(err)
	}
	o := sched.Options{Limits: exectrace.DefaultLimits()}
	r, err := sched.Analyze(bytes.NewReader(data), o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Draw(bytes.NewReader(data), o, &Page{Name: "planted.trace", Result: r}, Moments(r), most)
	if err != nil {
		t.Fatal(err)
	}
	got := d.Timeline
	// What the timeline shows is what the tables say.
	// The runtime's own waits are of another kind until a goroutine's start is known.
	var sums, wants [sched.NumStates]float64
	for s, c := range got.States {
		to := s
		if sched.State(s) == sched.Other {
			to = int(sched.System)
		}
		for _, v := range c {
			sums[to] += v * float64(r.SpanNs) / timeline.Points
		}
		wants[to] += float64(r.Goroutines.Ns[s])
	}
	for s, want := range wants {
		if sums[s] < want*.999-1e3 || sums[s] > want*1.001+1e3 {
			t.Errorf("%s: the timeline has %.0f ns, the table %.0f", sched.State(s), sums[s], want)
		}
	}
	var doc bytes.Buffer
	if err := WriteHTML(&doc, d); err != nil {
		t.Fatal(err)
	}
	return doc.Bytes()
}

func TestPage(t *testing.T) {
	doc := pageOf(t, 1e6)
	pagetest.CheckMarkup(t, "timeline", doc)
	pagetest.CheckPolicy(t, "timeline", doc, 2)
	if bytes.Contains(doc, []byte("time-part")) && bytes.Contains(doc, []byte("single goroutines only for")) {
		t.Error("a page that has all says that it is a part")
	}
	if part := pageOf(t, 200); !bytes.Contains(part, []byte("single goroutines only for")) {
		t.Error("a page of a part does not say so")
	}
}

// TestHalf: a page that is too large has less, and ends.
func TestHalf(t *testing.T) {
	line := &timeline.Timeline{Windows: []timeline.Window{{FromNs: 0, ToNs: 1000}}}
	for i := range int64(1000) {
		line.Intervals = append(line.Intervals, timeline.Interval{FromNs: i, ToNs: i + 1})
	}
	steps := 0
	for ; len(line.Intervals) > 0; steps++ {
		before := len(line.Intervals)
		if line = half(line); len(line.Intervals) >= before || steps > 20 {
			t.Fatalf("%d of %d intervals after %d steps", len(line.Intervals), before, steps)
		}
	}
	if steps < 5 {
		t.Errorf("all gone after %d steps", steps)
	}
}

// TestHostilePage: names out of a trace are text.
func TestHostilePage(t *testing.T) {
	evil := `</script><img src=x onerror=alert(1)>` + "\x1b[31m"
	r := second()
	r.Kinds = []sched.Kind{{Start: evil, Count: 1}}
	r.Kinds[0].Ns[sched.Running] = 99e7
	r.Waits = []sched.Wait{{State: sched.Sync, Place: frame(evil, 1), Count: 3, Ns: 9e8, LongestNs: 4e8, LongestID: 1}}
	b := timeline.New(timeline.Options{Window: timeline.Window{ToNs: r.SpanNs}, Classes: Classes(r), States: sched.NumStates, Procs: 1, Keep: Keep(r, Moments(r), 10), Most: 10})
	b.Add(&timeline.Interval{ToNs: 1e9, Goroutine: 1, Start: evil, Proc: 0})
	b.Add(&timeline.Interval{Kind: timeline.Stop, ToNs: 5, Reason: evil})
	var doc bytes.Buffer
	if err := WriteHTML(&doc, &Drawing{Page: &Page{Name: evil, Result: r}, Timeline: b.Finish(), Moments: Moments(r), places: r}); err != nil {
		t.Fatal(err)
	}
	if s := doc.String(); strings.Contains(s, "<img") || strings.Contains(s, "\x1b") {
		t.Errorf("it is not escaped: %s", s)
	}
	if testing.Short() {
		return
	}
	tab := chromium.Open(t, "evil.html", doc.Bytes())
	drawn(t, tab)
	tab.Quiet()
}

// drawn waits until the page has unpacked what it draws, and painted.
func drawn(t *testing.T, tab *chromium.Tab) {
	t.Helper()
	const look = `new Promise(done => { const look = () => document.querySelector("[aria-busy=true]") ? requestAnimationFrame(look) : requestAnimationFrame(() => requestAnimationFrame(() => done(true))); look(); })`
	tab.Run(look)
}

// TestBrowser: the first moment is the longest wait for the planted lock, and who
// ended it is one key away.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	tab := chromium.Open(t, "timeline.html", pageOf(t, 1e6))
	drawn(t, tab)
	if fault := tab.Text("time-fault"); fault != "" {
		t.Fatal(fault)
	}
	whole := tab.Text("time-view")
	choose := func(i int) {
		t.Helper()
		chromium.Eval[bool](tab, `(() => { const s = document.getElementById("time-moment"); s.selectedIndex = `+string(rune('0'+i))+`; s.dispatchEvent(new Event("change")); return true })()`)
		drawn(t, tab)
	}
	keys := func(keys string) {
		t.Helper()
		tab.Run(`document.getElementById("time-canvas").focus()`)
		tab.Keys(keys)
		drawn(t, tab)
	}
	choose(1)
	tab.Want("time-detail", "main.main", "sync for", "at main.want main.go:25", "ended by goroutine", "main.hold", "main.hold main.go:34")
	if now := tab.Text("time-view"); now == whole {
		t.Errorf("a moment shows %s, the whole", now)
	}
	keys("u")
	tab.Want("time-detail", "main.hold")
	keys(chromium.ArrowLeft)
	tab.Want("time-detail", "main.hold")
	keys(chromium.Enter)
	near := tab.Text("time-view")
	keys("w")
	if now := tab.Text("time-view"); now == near {
		t.Errorf("W does not zoom: %s", now)
	}
	keys(chromium.Escape)
	if now := tab.Text("time-view"); now != whole {
		t.Errorf("Escape shows %s, want %s", now, whole)
	}
	// Every row is an interval under the mouse somewhere.
	at := chromium.Eval[[]float64](tab, `(() => { const c = document.getElementById("time-canvas"); c.scrollIntoView({block: "center", behavior: "instant"}); const r = c.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`)
	tab.ClickAt(at[0]+at[2]*.6, at[1]+24+64+46+10+2*24+10+9)
	drawn(t, tab)
	tab.Want("time-detail", "Goroutine ")
	for _, size := range [][2]int64{{390, 800}, {800, 600}} {
		tab.Viewport(size[0], size[1])
		drawn(t, tab)
		if over := chromium.Eval[int64](tab, "document.documentElement.scrollWidth"); over > size[0] {
			t.Errorf("at %v the page is %d wide", size, over)
		}
	}
	tab.Quiet()
}
