package record

import "whet/internal/recording"

// Programs is the part of a recording's manifest about a program.
const Programs = recording.Part[Program]("program")

// Program is the result of running a command, once or several times.
type Program struct {
	Args []string    `json:"args"`
	Runs []Execution `json:"runs"`
	// MachineBusyRatio is the share of the machine's CPU time that anything used
	// from the first run's start to the last one's end; nil: unknown.
	MachineBusyRatio *float64 `json:"machine_busy_ratio"`
}

// Execution is a run of a program, with the agent's instruments in it. Times are
// since the recording's origin; nil is unknown.
type Execution struct {
	StartNs      int64  `json:"start_ns"`
	EndNs        int64  `json:"end_ns"`
	UserCPUNs    int64  `json:"user_cpu_ns"`
	SystemCPUNs  int64  `json:"system_cpu_ns"`
	MaxRSSBytes  *int64 `json:"max_rss_bytes"`
	ExitCode     int    `json:"exit_code"` // -1 when a signal ended it
	Signal       string `json:"signal,omitempty"`
	Ending       string `json:"ending"` // "exited", "cancelled", "timed out", "flooded"
	OutputBytes  int64  `json:"output_bytes"`
	AgentMissing string `json:"agent_missing,omitempty"` // why the run left no profiles
	// Scheduling is nil where the system does not say.
	Scheduling *recording.Scheduling `json:"scheduling,omitempty"`
}
