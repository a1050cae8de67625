// Package filelock protects files from removal while another process reads them: a
// process that removes a file locks it exclusively, and a reader locks it as shared.
// The system releases the lock of a process that dies.
//
// Some file systems have no locks: Exclusive then fails, and the caller keeps the
// file.
package filelock
