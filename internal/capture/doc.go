// Package capture fetches profiles, traces and metrics of a running program over
// HTTP, from package agent, from net/http/pprof or from any server of the same
// paths.
//
// [Find] looks at an address for the agent first, then for net/http/pprof, and
// reports which instruments are missing: their values are unknown, never zero. A
// [Target] then gives profiles and traces with the times between which they were
// recorded, and metrics as rows on the caller's clock. It compares the agent's clock
// with ours by the quickest of several requests, monotonic against monotonic. With a
// stock net/http/pprof the text at the end of a heap profile and the first line of a
// goroutine profile stand in for the metrics.
//
// [FetchProfile] gets one profile from one address. It returns the bytes unchanged;
// package format/profile parses them.
//
// It misleads if a proxy or a login page responds instead of the program: HTML
// responses are refused, redirects to other servers are not followed, and a profile
// must have the sample types of its kind. Behind a load balancer each request may
// reach another process: that shows as restarts in the metrics, and as a restart in
// the difference of two profiles, but single profiles look sound.
package capture
