// Package best is the intake that never holds the body: what has come is cut
// at line ends, its documents go out, and the same 128 KiB are filled again.
// The sink draws the documents through; nothing is read before the sink wants
// it, so a slow sink slows its client and no queue grows between them.
//
// What follows from that:
//
//   - Memory is the same for 100 KB and for 20 MB, and for a line alone too: a
//     request that finds the pool empty takes those 128 KiB, however little it
//     brings. There is no size at which it stops being enough, and so no cliff;
//     and the memory stays in the processor's cache, which that of a whole body
//     does not.
//   - The sink has begun before the body's end is known. What the other stages
//     check first, that a body is whole and not too large, is found out while
//     documents are on their way, and the sink has to drop them; see
//     [ingest.Sink]. A sink that cannot must not be given to this stage.
//   - Where the sink fails and the body too, the answer is about whichever came
//     first; in the other stages it is about the body.
//   - The sink's connection is held as long as the client takes to send.
package best
