package run

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/report/trace"
	"whet/internal/symbolname"
)

// Moment is the worst moment of the load that was driven for the traces: the slowest
// request that the flight recorder was asked about in time, and what went on while it
// was served.
type Moment struct {
	Request  *SlowRequest // nil: none was slow enough
	AfterNs  int64        // from where on one was
	MedianNs int64        // service time of that load
	MostNs   int64        // its slowest request
	Missing  string       // why what went on is not known; "": it is
	Trace    string       // path of the snapshot in the recording
	// Of the goroutine that served it. Times are the snapshot's.
	Goroutine int64
	Handler   string
	FromNs    int64
	ToNs      int64
	States    []StateTime     // what it did, by time falling
	Waits     []MomentWait    // the longest first
	Cause     *MomentCause    // nil: it did it all itself
	HeldUp    *BlockedWaiters // who waited for it; nil: nobody did
	// Of the processors meanwhile.
	Processors              int
	OwnNs, OthersNs, IdleNs int64
	Ran                     []RunTime // the others, by time falling
	Drawing                 *trace.Drawing
}

// SlowRequest is a request. Times are since the recording's origin.
type SlowRequest struct {
	DueNs   *int64 `json:"due_ns"` // nil in a closed loop: there is no plan
	SentNs  int64  `json:"sent_ns"`
	EndNs   int64  `json:"end_ns"`
	TookNs  int64  `json:"took_ns"` // since it was due, else since it was sent
	Status  int    `json:"status"`  // 0: no whole answer came
	Failure string `json:"failure"` // its kind; "": none
}

// At is a place in the code; without a function it is unknown.
type At struct {
	Function string `json:"function"`
	File     string `json:"file"` // for people
	Line     int    `json:"line"`
}

// StateTime is the time that a goroutine spent in a state.
type StateTime struct {
	State string `json:"state"`
	Ns    int64  `json:"ns"`
}

// MomentWait is a wait of the request, and who ended it.
type MomentWait struct {
	State    string `json:"state"`
	By       string `json:"by"` // the function of package sync, "" of other states
	At       At     `json:"at"`
	Ns       int64  `json:"ns"`
	Waker    *int64 `json:"waker"` // a goroutine; nil: nobody in the program
	Released At     `json:"released_at"`
}

// MomentCause is the goroutine that the request waited for in the end, what it did
// for the longest time meanwhile, and where it then let go.
type MomentCause struct {
	Goroutine int64  `json:"goroutine"`
	Start     string `json:"start"`
	State     string `json:"state"`
	At        At     `json:"at"`
	Ns        int64  `json:"ns"`
	Released  At     `json:"released_at"`
	Waited    string `json:"waited_for"` // the state of those that waited for it: "sync", "channel"
	WaitedBy  string `json:"waited_by"`  // the function of package sync that they waited in
}

// place returns where a cause was busy. The runtime's own line says nothing of it: what the
// goroutine was started for does.
func (c *MomentCause) place() string {
	if symbolname.Runtime(symbolname.Package(c.At.Function)) && c.Start != "" {
		return symbolname.Short(printable.Line(c.Start))
	}
	return c.At.text()
}

// BlockedWaiters are goroutines that waited at one line for at least half of the
// request's time, where the request ended the first of these waits.
type BlockedWaiters struct {
	Goroutines int    `json:"goroutines"`
	State      string `json:"state"`
	By         string `json:"by"` // the function of package sync, "" of a channel
	At         At     `json:"at"`
	Released   At     `json:"released_at"`
}

// isLock reports whether a function of package sync waits for a lock.
func isLock(by string) bool { return strings.Contains(by, "Mutex).") }

// RunTime is the running time of the goroutines of one start function.
type RunTime struct {
	Start      string `json:"start"`
	Goroutines int    `json:"goroutines"`
	Ns         int64  `json:"ns"`
}

// waitShare is from which part of the request's time on its longest wait is named.
const waitShare = 0.1

func (a *At) text() string {
	if a.Function == "" {
		return "a place not named in the trace"
	}
	name := symbolname.Short(printable.Line(a.Function))
	if a.File != "" && a.Line > 0 {
		name += fmt.Sprintf(" %s:%d", printable.Line(a.File), a.Line)
	}
	return name
}

// spoken are the states as a sentence has them.
var spoken = map[string]string{"runnable": "ready without a processor", "sync": "waiting for a lock or in another wait of package sync", "channel": "waiting for a channel", "select": "waiting in select",
	"network": "waiting for the network", "sleep": "sleeping", "syscall": "in a system call", "collector": "waiting for the collector", "running": "running", "system": "waiting", "other": "waiting"}

func doing(state string) string { return cmp.Or(spoken[state], printable.Line(state)) }

// Text describes it.
func (m *Moment) Text() string {
	parts := append([]string{m.slow()}, m.why()...)
	if m.known() {
		parts = append(parts, m.processors())
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// known reports whether what went on was found.
func (m *Moment) known() bool { return m.Request != nil && m.Missing == "" }

// slow says which request it was.
func (m *Moment) slow() string {
	if m.Request == nil {
		return fmt.Sprintf("No request stood out: the slowest took %s; whet takes a snapshot only above %s.", page.Ns(m.MostNs), page.Ns(m.AfterNs))
	}
	r := m.Request
	text := fmt.Sprintf("A request took %s", page.Ns(r.TookNs))
	if m.MedianNs > 0 {
		text += fmt.Sprintf(", %s times the median", quantity.Count(math.Round(float64(r.TookNs)/float64(m.MedianNs))))
	}
	text += ": sent " + page.Ns(r.SentNs) + " after the recording began"
	if r.Failure != "" {
		text += ", it failed (" + printable.Line(r.Failure) + ")"
	}
	return text + "."
}

// short returns the moment in a line.
func (m *Moment) short() string {
	text := "a request took " + page.Ns(m.Request.TookNs)
	if m.MedianNs > 0 {
		text += fmt.Sprintf(", %s times the median", quantity.Count(math.Round(float64(m.Request.TookNs)/float64(m.MedianNs))))
	}
	switch {
	case !m.known():
	case m.Cause != nil && isLock(m.Cause.WaitedBy):
		text += fmt.Sprintf(": the lock was held by a goroutine %s at %s", doing(m.Cause.State), m.Cause.place())
	case m.Cause != nil:
		text += fmt.Sprintf(": it waited for a goroutine %s at %s", doing(m.Cause.State), m.Cause.place())
	case len(m.States) > 0:
		text += ": mostly " + doing(m.States[0].State)
		if len(m.Waits) > 0 && m.Waits[0].State == m.States[0].State && m.Waits[0].At.Function != "" {
			text += " at " + m.Waits[0].At.text()
		}
		if m.HeldUp != nil {
			text += ", holding up " + quantity.Plural(m.HeldUp.Goroutines, "other")
		}
	}
	return text
}

// why says what the request's time went to, and who let it wait.
func (m *Moment) why() (said []string) {
	if m.Missing != "" {
		return []string{printable.Line(m.Missing)}
	}
	if !m.known() {
		return nil
	}
	took := float64(max(m.ToNs-m.FromNs, 1))
	var parts []string
	for _, s := range m.States[:min(len(m.States), 3)] {
		if float64(s.Ns) >= 0.02*took {
			parts = append(parts, fmt.Sprintf("%s of the time %s", quantity.Percent(float64(s.Ns)/took), doing(s.State)))
		}
	}
	if len(parts) > 0 {
		text := fmt.Sprintf("Goroutine %d served it", m.Goroutine)
		if m.Handler != "" {
			text += " in " + symbolname.Short(printable.Line(m.Handler))
		}
		text += ", " + strings.Join(parts, ", ")
		if len(m.Waits) > 0 && float64(m.Waits[0].Ns) >= waitShare*took && m.Waits[0].At.Function != "" {
			text += ", mostly at " + m.Waits[0].At.text()
		}
		said = append(said, text+".")
	}
	if c := m.Cause; c != nil {
		text := fmt.Sprintf("It waited for goroutine %d", c.Goroutine)
		if isLock(c.WaitedBy) {
			text = fmt.Sprintf("Goroutine %d held the lock", c.Goroutine)
		}
		text += fmt.Sprintf(", %s for %s at %s", doing(c.State), page.Ns(c.Ns), c.place())
		if c.Released.Function != "" {
			text += ", and let go at " + c.Released.text()
		}
		said = append(said, text+".")
	}
	if h := m.HeldUp; h != nil {
		thing := "a channel"
		switch {
		case isLock(h.By):
			thing = "a lock"
		case h.By != "":
			thing = symbolname.Short(printable.Line(h.By))
		case h.State != "channel":
			thing = "it"
		}
		text := fmt.Sprintf("It held up %s, waiting for %s at %s", quantity.Plural(h.Goroutines, "other"), thing, h.At.text())
		if h.Released.Function != "" {
			text += ", until it let go at " + h.Released.text()
		}
		said = append(said, text+".")
	}
	return said
}

// processors says what ran instead.
func (m *Moment) processors() string {
	all := float64(m.OwnNs + m.OthersNs + m.IdleNs)
	if all == 0 {
		return ""
	}
	share := func(ns int64) string { return quantity.Percent(float64(ns) / all) }
	text := "Meanwhile the " + quantity.Plural(m.Processors, "processor") + " ran the request's goroutine for " + share(m.OwnNs) + " of their time, others for " + share(m.OthersNs)
	var names []string
	for _, r := range m.Ran[:min(len(m.Ran), 3)] {
		if float64(r.Ns) >= 0.05*all {
			names = append(names, fmt.Sprintf("%s %s", r.name(), share(r.Ns)))
		}
	}
	if len(names) > 0 {
		text += " (" + strings.Join(names, ", ") + ")"
	}
	return text + ", and no goroutine for " + share(m.IdleNs) + "."
}

func (r *RunTime) name() string {
	name := cmp.Or(symbolname.Short(printable.Line(r.Start)), "unknown start")
	if r.Goroutines > 1 {
		name = fmt.Sprintf("%d of %s", r.Goroutines, name)
	}
	return name
}

func (m *Moment) json() document.Object {
	o := document.Object{"text", m.Text(), "request", m.Request, "slow_after_ns", m.AfterNs, "median_ns", m.MedianNs, "max_ns", m.MostNs, "missing", m.Missing, "trace", m.Trace}
	if m.Request == nil || m.Missing != "" {
		return o
	}
	return append(o, "goroutine", m.Goroutine, "handler", m.Handler, "from_ns", m.FromNs, "to_ns", m.ToNs,
		"states", document.Items(m.States), "waits", document.Items(m.Waits), "cause", m.Cause, "held_up", m.HeldUp,
		"processors", document.Object{"count", m.Processors, "own_ns", m.OwnNs, "others_ns", m.OthersNs, "idle_ns", m.IdleNs}, "ran", document.Items(m.Ran))
}

// moment writes the worst moment.
func (t *writer) moment(m *Moment) {
	if m == nil {
		return
	}
	t.Heading("The worst moment", momentAside)
	t.Hang(2, "", 0, m.Text())
}

const momentAside = "of a second load, driven for the traces"

// momentView is the section of a page.
type momentView struct {
	Aside      string
	Said       string
	Processors string
	Part       template.HTML
	Trace      string
}

func newMomentView(m *Moment) *momentView {
	v := &momentView{Aside: momentAside, Said: strings.Join(append([]string{m.slow()}, m.why()...), " ")}
	if m.known() {
		v.Processors = m.processors()
		v.Trace = "whet trace -window worst shows the whole snapshot in this recording."
	}
	return v
}
