// Package best is the gateway without a decoder: the body is checked and read
// in one pass, and the payload handed on as it stands in it.
//
// What it does beyond package randbits, each for the share it had of what was
// left:
//
//   - The check that all stages make walks over every byte of the body already.
//     Here it notes on the way where the payload is and what the header says
//     (body.go); json-iterator then went over the same bytes twice more, in
//     checking what it skips and in copying it. The answer is wrapped around
//     what the downstream has sent, which has been checked as well.
//   - The body is read into memory of its own size (read.go), and the strings
//     that the downstream is given are parts of it. That memory is never used
//     again, for a downstream may keep what it is given, and an HTTP client
//     goes on sending after its call has timed out. The price: whoever keeps a
//     session id keeps the body it came in.
//   - A session id is written digit by digit in base 62, and joining qua takes
//     one piece of memory.
//   - The answer is put together in a buffer from a pool, and its Content-Type
//     is one slice, shared by all answers.
//
// The price is a reading of the header that a library would otherwise have kept
// right. The table and the fuzz targets hold it to the original's.
package best
