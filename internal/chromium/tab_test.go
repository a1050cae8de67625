package chromium

import (
	"slices"
	"strings"
	"testing"
)

// TestComplaints: each thing that a page must not do is noticed, and a page that
// does none of them is quiet.
func TestComplaints(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	good := Open(t, "good page.html", []byte(`<!DOCTYPE html><p id="p">here</p>`))
	if got := Eval[[]int](good, "[innerWidth, innerHeight]"); !slices.Equal(got, []int{1280, 900}) {
		t.Errorf("the window has %d pixels", got)
	}
	good.Want("p", "her", "ere")
	good.Quiet()
	bad := Open(t, "bad.html", []byte(`<!DOCTYPE html><script>console.log("x"); setTimeout(() => { throw new Error("thrown") })</script><img src="beside.png">`))
	bad.Run(`new Image().src = "http://127.0.0.1:9/x.png"; undefined`)
	// The page is asked twice: what it was told to load is asked for in between.
	said := strings.Join(append(bad.Complaints(), bad.Complaints()...), "\n")
	for _, want := range []string{"console.log", "exception: ", "beside.png", "request: http://127.0.0.1:9/x.png"} {
		if !strings.Contains(said, want) {
			t.Errorf("no complaint has %q:\n%s", want, said)
		}
	}
}
