// Package capture fetches what a running program offers about itself: profiles,
// traces and metrics over HTTP, from package agent, from net/http/pprof or from
// anything that serves the same paths.
//
// [Find] looks at an address for the agent first, then for net/http/pprof, and
// says of each what it lacks: that is unknown, never zero. A [Target] then
// gives profiles and traces with the times between which they were recorded,
// and metrics as rows on the caller's clock. The agent's clock is compared with
// ours by the quickest of several questions, monotonic against monotonic. Of a
// stock net/http/pprof the text at the end of a heap profile and the first line
// of a goroutine profile stand in for the metrics.
//
// [FetchProfile] gets one profile from one address, for who wants to look at
// it. It answers with the bytes as they came; reading them is the business of
// package format/profile.
//
// It misleads when a proxy or a login page answers in the program's place:
// answers in HTML are refused, redirects to other servers are not followed, and
// what a target gives for a profile must count what that profile counts. Behind
// a load balancer each question may reach another process: that shows as
// restarts in the metrics, and as a restart in the delta of two profiles, but
// single profiles look sound.
package capture
