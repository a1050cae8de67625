//go:build go1.26

package agent

import (
	"os"
	"time"
)

// Config says what an agent does. The zero value serves Handler and does
// nothing by itself: it costs nothing until someone asks. A recording costs
// what its CPU profile, its traces and its rates cost, and a flight recorder
// costs as much as an execution trace.
type Config struct {
	// Record names a recording, NAME.whet: from Start to Stop the agent keeps a
	// CPU profile, a row of metrics each 100 ms and a second of execution trace
	// now and then, and Stop adds the other profiles. An earlier recording of
	// that name is replaced; anything else there is left alone. Until Stop a
	// partial recording is written each minute, so that little is lost when the
	// program is killed.
	Record string

	// Listen is an address for the handler alone: "127.0.0.1:6061" or
	// "unix:/run/x/agent.sock" (readable by the program's user only). An address
	// that other machines can reach is refused without a Token.
	Listen string

	// Token, when set, has to come with each request: "Authorization: Bearer
	// TOKEN" or "X-Whet-Token: TOKEN". Without one, every client that reaches
	// the handler may use it.
	Token string

	// Signals write the recording when they arrive. On os.Interrupt and SIGTERM
	// the agent stops and the program ends as it would have ended without it:
	// name them only in programs that do not handle them. After any other signal
	// program and agent go on, and the recording is marked partial.
	Signals []os.Signal

	// BlockRate is how long a goroutine waits for one sample of the block
	// profile, and MutexFraction how many contended unlocks make one sample of
	// the mutex profile. 0 is the default: 10 µs and 10 with Record, and else
	// what the program has set itself. A negative value is always the latter.
	BlockRate     time.Duration
	MutexFraction int

	// FlightRecorder keeps the last seconds of the execution trace in memory, for
	// clients to fetch. Bounds switch it on too.
	FlightRecorder bool

	// Bounds, when passed, make a snapshot of the flight recorder.
	Bounds Bounds

	// Log takes one line for each thing that went wrong, on a goroutine of the
	// agent. nil: standard error.
	Log func(line string)
}

// Bounds say what is worth a snapshot of the flight recorder. 0 is no bound.
type Bounds struct {
	ResponseTime time.Duration // of a request through Wrap
	Goroutines   int
	HeapBytes    int64         // objects, reachable or not collected yet
	Between      time.Duration // shortest time from one snapshot to the next; 0: a minute
}

func (b Bounds) any() bool { return b.ResponseTime > 0 || b.Goroutines > 0 || b.HeapBytes > 0 }

const (
	defaultBlockRate     = 10 * time.Microsecond
	defaultMutexFraction = 10
)

// settings is what an agent is made of: from a Config, or from the environment
// variable of a build that whet made.
type settings struct {
	dir     string // an existing private directory for the files
	record  string // or the recording to write
	socket  string // a Unix socket for the handler, in dir
	listen  string
	token   string
	signals []os.Signal

	rates  rates // to set; nil is to leave alone
	flight bool
	bounds Bounds
	log    func(line string)

	continuous *schedule // nil: nothing is taken unless asked for
}

// schedule says when the files of continuous profiling are written.
type schedule struct {
	cpu         bool
	segment     time.Duration // of the CPU profile
	cumulative  time.Duration // between two writings of the cumulative profiles
	row         time.Duration // between two rows of metrics
	traceFirst  time.Duration // start of the second trace; the others start at its multiples by four
	traceLength time.Duration // 0: no traces
}

func (c Config) settings() settings {
	s := settings{
		record: c.Record, listen: c.Listen, token: c.Token, signals: c.Signals,
		flight: c.FlightRecorder || c.Bounds.any(), bounds: c.Bounds, log: c.Log,
	}
	if s.log == nil {
		s.log = func(line string) { os.Stderr.WriteString("whet agent: " + line + "\n") }
	}
	if s.bounds.Between <= 0 {
		s.bounds.Between = time.Minute
	}
	block, fraction := c.BlockRate, c.MutexFraction
	if c.Record != "" {
		s.continuous = &schedule{
			cpu: true, segment: time.Minute, cumulative: time.Minute, row: rowEvery,
			traceFirst: traceFirst, traceLength: traceLength,
		}
		if block == 0 {
			block = defaultBlockRate
		}
		if fraction == 0 {
			fraction = defaultMutexFraction
		}
	}
	if block > 0 {
		ns := int64(block)
		s.rates.BlockRateNs = &ns
	}
	if fraction > 0 {
		f := int64(fraction)
		s.rates.MutexFraction = &f
	}
	return s
}

const (
	rowEvery    = 100 * time.Millisecond
	traceFirst  = 4 * time.Second
	traceLength = time.Second
)
