// Package filelock keeps processes out of each other's files: one that removes a
// file takes its lock, and one that reads it marks it as being read. The system
// gives a lock back when the process that holds it dies, however it dies.
//
// Not every file system knows locks: where there is none, Exclusive fails, and
// the caller leaves the file as it is.
package filelock
