// Package ingest is the case of the bulk documents: the rules that every stage
// of its tuning keeps, and the interface they share.
//
// The question of the case is what it costs to take in a large body, when all
// that happens to it is that its lines are looked at and passed on. Each
// sub-package is one stage, written as it would have been at that point of the
// tuning; package ingesttest holds the one table, the seeded bodies and the
// benchmarks that all of them run. Reading a line, the bulk form and the
// report are the same code in every stage, and stand here: the stages differ
// in how the body gets into memory. One thing follows from that: a body that is
// whole becomes a list of documents before the sink is called, 64 bytes each,
// and the last stage has no such list.
//
// What a stage does with a POST to /ingest:
//
//   - The body is lines of JSON, one document a line, ended by \n; the last
//     line may lack it. Space, tab and carriage return around a document are
//     dropped. A line with nothing else is counted as a line, and is no
//     document and no fault.
//   - [Route] says where a document goes: to the index type-2006.01.02, of the
//     document's "type" and the day, in UTC, of its "time".
//   - Documents are passed on in the order they came, each as two lines, as a
//     search engine takes them in bulk: {"index":{"_index":"NAME"}} and the
//     document, byte for byte.
//   - A broken line (too long, no JSON object, no type, no time) is left out
//     and reported under its number; the rest is taken in.
//   - The answer is 200 with [ContentType]: how many documents were taken, how
//     many lines were broken, and for the first [MaxReported] of those the
//     line and why. A body without a document is answered like that too, and
//     the sink is not called.
//   - Any method but POST is answered 405 with an Allow header; a body over
//     [MaxBody] bytes 413, whether or not it says its length; a body that ends
//     early 400; a client that takes longer than [MaxTime] 408; a sink that
//     fails 502, and one that is not done after MaxTime 504. None of those
//     requests leaves a document in the sink: see [Sink]. What a search engine
//     makes of that, which may take some documents and not others, [Remote] says.
//
// What it costs in time and memory is in the benchmarks. Where they mislead: the
// body comes from memory and the sink is in the program, so no connection, no
// system call and no search engine is part of the figure.
package ingest
