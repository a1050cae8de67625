package metrics

// Row is the state of a process at one moment. Nil is unknown.
type Row struct {
	// TimeNs is the moment: in an agent's stream since the agent started, in a
	// recording since the recording's origin.
	TimeNs int64 `json:"t_ns"`
	// PID distinguishes a process from its successor.
	PID int64 `json:"pid,omitempty"`

	Goroutines *int64 `json:"goroutines"`
	Runnable   *int64 `json:"goroutines_runnable"` // waiting for a processor
	Threads    *int64 `json:"threads"`

	HeapLiveBytes *int64 `json:"heap_live_bytes"` // objects, reachable or not collected yet
	HeapGoalBytes *int64 `json:"heap_goal_bytes"`
	HeapObjects   *int64 `json:"heap_objects"`
	StackBytes    *int64 `json:"stack_bytes"`
	RuntimeBytes  *int64 `json:"runtime_bytes"`  // all that the runtime mapped
	PeakRSSBytes  *int64 `json:"peak_rss_bytes"` // the most RSSBytes ever was, as the system counts it
	RSSBytes      *int64 `json:"rss_bytes"`

	// Counters since the process began.
	AllocBytes   *int64 `json:"alloc_bytes"`
	AllocObjects *int64 `json:"alloc_objects"`
	GCCycles     *int64 `json:"gc_cycles"`
	GCForced     *int64 `json:"gc_forced"`        // of them by runtime.GC
	GCPauseNs    *int64 `json:"gc_pause_ns"`      // estimated from the runtime's histogram
	GCCPUNs      *int64 `json:"gc_cpu_ns"`        // estimated by the runtime, with GCIdleNs
	GCAssistNs   *int64 `json:"gc_assist_ns"`     // of GCCPUNs, by goroutines that allocated
	GCIdleNs     *int64 `json:"gc_idle_ns"`       // of GCCPUNs, by processors that had nothing else to do
	MutexWaitNs  *int64 `json:"mutex_wait_ns"`    // all goroutines' time blocked on sync.Mutex and RWMutex
	SchedWaitNs  *int64 `json:"sched_wait_ns"`    // estimated: all goroutines' time runnable before they ran
	UserCPUNs    *int64 `json:"user_cpu_ns"`      // of the process, as the system counts it
	SystemCPUNs  *int64 `json:"system_cpu_ns"`    // the same
	ThrottledNs  *int64 `json:"throttled_ns"`     // by the control group
	ReadBytes    *int64 `json:"disk_read_bytes"`  // from block devices
	WrittenBytes *int64 `json:"disk_write_bytes"` // to block devices
}
