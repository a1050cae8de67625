//go:build go1.26

// Package agent answers, from inside a program, what only the program itself
// can say: its profiles, its execution trace, its runtime/metrics and what the
// system counts for it.
//
// A program that ends writes a recording that whet opens:
//
//	defer agent.Start(agent.Config{Record: "run.whet"}).Stop()
//
// A service offers the same to `whet tune URL`, on a mux of its own or on an
// address of its own:
//
//	a := agent.Start(agent.Config{})
//	defer a.Stop()
//	mux.Handle("/debug/whet/", a.Handler())
//
//	defer agent.Start(agent.Config{Listen: "127.0.0.1:6061"}).Stop()
//	defer agent.Start(agent.Config{Listen: "unix:/run/x/agent.sock", Token: secret}).Stop()
//
// The method is the runtime's own: runtime/pprof, runtime/trace and
// runtime/metrics, the process's resource usage, and on Linux /proc and the
// control group. The agent is a guest. It does not block the program, does not
// panic in it, keeps what it holds in memory and on disk within bounds, and
// Stop undoes what Start changed. What goes wrong becomes a line on standard
// error (or where Config.Log sends it) and a warning in the recording, and
// everything else goes on.
//
// The files of this package are also copied, as they are, into the builds that
// whet makes of other people's programs. They import the standard library only,
// and the build constraint at their top sets their language version whatever
// the go.mod around them says.
//
// It misleads in these ways. The runtime has one CPU profiler and one consumer
// of traces: while the agent has them, the program's own attempts to start them
// fail, and the other way round. The rate of the block profile can be set but
// not read: Stop sets it to 0, and status answers null until the agent has set
// it. Profiles of allocations, blocking and mutexes count since the process
// began, not since the agent was started. os.Exit runs no deferred calls: call
// Stop before it.
package agent
