// Package lru is the cache of the case's middle stages: the least recently used
// entries go first, as in the library of that name which it is built on, and
// what is kept is bounded by bytes.
//
// The published stages used the library's own bound, a number of entries. How
// much memory that is depends on the sizes that visitors ask for: 1,000
// pictures are 64 MB at 128 pixels and 1 GB at 512, which is why the published
// service grew.
//
// It counts the bytes that its user names, those of the pictures; the map and
// the list, some 200 bytes an entry, come on top.
package lru
