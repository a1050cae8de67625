package document

import "slices"

// Schemas of what whet writes. A number rises when a document cannot keep its
// promise; keys are only ever added.
const (
	Agent       = "whet/agent/1"
	AgentCopy   = "whet/agent-copy/1"
	Bench       = "whet/bench/1"
	Compare     = "whet/compare/1"
	Diagnose    = "whet/diagnose/1"
	Diff        = "whet/diff/1"
	Disasm      = "whet/disasm/1"
	Doctor      = "whet/doctor/1"
	Escape      = "whet/escape/1"
	Findings    = "whet/findings/1"
	Flame       = "whet/flame/1"
	GC          = "whet/gc/1"
	GCSweep     = "whet/gc-sweep/1"
	Graph       = "whet/graph/1"
	Knee        = "whet/knee/1"
	Lines       = "whet/lines/1"
	List        = "whet/list/1"
	Load        = "whet/load/1"
	LoadMerge   = "whet/loadmerge/1"
	LoadRun     = "whet/load-run/1"
	LoadSeconds = "whet/load-seconds/1"
	Loads       = "whet/loads/1"
	Merge       = "whet/merge/1"
	Peek        = "whet/peek/1"
	Prove       = "whet/prove/1"
	ProvePool   = "whet/prove-pool/1"
	Raw         = "whet/raw/1"
	Record      = "whet/record/1"
	Recordings  = "whet/recordings/1"
	Shared      = "whet/shared/1"
	Pruned      = "whet/pruned/1"
	Recording   = "whet/recording/1"
	Second      = "whet/second/1"
	Stacks      = "whet/stacks/1"
	Tags        = "whet/tags/1"
	Top         = "whet/top/1"
	Trace       = "whet/trace/1"
	TraceDiff   = "whet/trace-diff/1"
	Tree        = "whet/tree/1"
	Tune        = "whet/tune/1"
	Types       = "whet/types/1"
	Weblist     = "whet/weblist/1"
)

// Schema is a row of the table.
type Schema struct {
	Name string
	What string
	By   string // the verb that prints it, or the file that holds it
}

// Schemas lists every schema that whet writes, by name.
func Schemas() []Schema {
	return []Schema{
		{Agent, "the agent's data about its program", "the agent; whet record and tune read it"},
		{AgentCopy, "the agent's source in the user's module", "whet agent -json"},
		{Bench, "results of benchmarks, or their history", "whet bench -json"},
		{Compare, "tables of benchmark files", "whet compare -json"},
		{Diagnose, "findings and hot places of a recording or profile", "whet diagnose -json"},
		{Diff, "functions that changed between profiles", "whet diff -json"},
		{Disasm, "instructions with their cost", "whet disasm -json"},
		{Doctor, "the instruments on this machine, and their overhead", "whet doctor -json"},
		{Escape, "the compiler's decisions: escapes, inlining, checks", "whet escape -json"},
		{Findings, "findings of the rules", "findings.json of a recording"},
		{Flame, "call trees", "whet flame -json"},
		{GC, "the garbage collector's work", "whet gc -json"},
		{GCSweep, "settings of the collector with their time and memory", "whet gc -sweep -json"},
		{Graph, "a call graph", "whet graph -json"},
		{Knee, "the result of a search for the knee", "whet load -knee -json; knee.json of a recording"},
		{Lines, "source lines with their costs of every kind and the compiler's decisions", "whet lines -json"},
		{List, "source lines with their cost", "whet list -json"},
		{LoadRun, "a load and its results", "run.json of a load"},
		{LoadSeconds, "a load, second by second", "seconds.json of a load"},
		{Load, "a load", "whet load -json"},
		{LoadMerge, "the merged times of several loads", "whet load merge -json"},
		{Loads, "several loads beside each other", "whet load -json of recordings"},
		{Merge, "merged profiles", "whet merge -json"},
		{Peek, "callers and callees of functions", "whet peek -json"},
		{Prove, "whether a change made a program faster", "whet prove -json; prove.json of a recording"},
		{ProvePool, "rounds of earlier proofs of the same two sides", "the pool of whet prove"},
		{Raw, "a profile as it is stored", "whet raw -json"},
		{Record, "what was recorded", "whet record -json"},
		{Recording, "the manifest", "recording.json"},
		{Recordings, "the recordings in .whet", "whet recordings -json"},
		{Pruned, "recordings whose binaries were dropped", "whet recordings -prune -json"},
		{Shared, "a copy for sharing", "whet recordings -for-sharing -json"},
		{Second, "a second of a load under way", "whet load -stream"},
		{Stacks, "a profile, sample by sample", "whet raw -json -stacks"},
		{Tags, "labels with their cost", "whet tags -json"},
		{Top, "functions with their cost", "whet top -json"},
		{Trace, "an analysis of an execution trace", "whet trace -json"},
		{TraceDiff, "two execution traces side by side", "whet trace -base -json"},
		{Tree, "functions between callers and callees", "whet tree -json"},
		{Tune, "findings and hot places of a new measurement", "whet tune -json"},
		{Types, "the types of what the kept sources import", "types.bin of a recording"},
		{Weblist, "source and instructions with their cost", "whet weblist -json"},
	}
}

// Of returns the schema of the document that a view of that name prints; "" where
// there is none.
func Of(view string) string {
	s := "whet/" + view + "/1"
	if known(s) {
		return s
	}
	return ""
}

func known(schema string) bool {
	return slices.ContainsFunc(Schemas(), func(s Schema) bool { return s.Name == schema })
}
