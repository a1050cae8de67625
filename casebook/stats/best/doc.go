// Package best is the request statistics with as little left to do as there
// is: one allocation for a name that is asked for, none for a request.
//
// What it does beyond package pool, each for the share it had of what was
// left:
//
//   - The name is put together on the stack. A pool costs two calls and a
//     possible miss; names are short, and a longer one than fits moves to the
//     heap by itself.
//   - A tag is translated through a table of 256 bytes on its way into the
//     name: no branch for each byte, and one check of the memory's end for
//     each tag. Copied first and translated in place, the tags made a name
//     take a sixth longer.
//   - A request's tags are never put into a map, and its name, unless it is a
//     new one, never becomes a string: the ledger is asked with the bytes.
//   - The host's name is asked for once, when the handler is made. That is a
//     change whoever renames a running machine can see: the published stages
//     notice with the next request, this one with the next start. A host that
//     is not known at the start is left out until then, too.
package best
