package loadresult

import "time"

// Plan is the plan of a load.
type Plan struct {
	URL         string        `json:"url"`                    // without a password; of several targets the first
	Targets     int           `json:"targets"`                // how many there are
	TargetsFrom string        `json:"targets_from"`           // the file they came from; "": the URL
	TargetNames []string      `json:"target_names,omitempty"` // as "GET http://…", of the first of several
	Method      string        `json:"method"`                 // of the first target
	Protocol    string        `json:"protocol"`               // "HTTP/1.1", "HTTP/2", "h2c"
	Connections int           `json:"connections"`
	Streams     int           `json:"streams"` // requests at a time on each connection
	Rate        string        `json:"rate"`    // of an open loop, as -rate has it; "" in a closed one
	Poisson     bool          `json:"poisson"`
	Think       string        `json:"think"` // between an answer and the next request; "": none
	KeepAlive   bool          `json:"keep_alive"`
	Requests    int64         `json:"requests"` // number to send; 0: no limit within the time
	Warmup      time.Duration `json:"warmup_ns"`
	Duration    time.Duration `json:"duration_ns"` // the longest that it was to take
	Timeout     time.Duration `json:"timeout_ns"`
}

// PlanNames is the largest number of targets of a plan that have a name: a replayed
// log of requests may have a million.
const PlanNames = 1000
