// Package parcel keeps recordings of tests in archives: as directories they would
// be a good part of what a clone takes.
//
// [Pack] writes recordings into one archive, [Unpack] makes a directory of one of
// them again. What is packed in a recording is unpacked in the archive, so that
// recordings of one program, which share most of what they hold, take little more
// than one; it is packed again, and the manifest has the sum of that.
//
// It is for tests alone: an archive is trusted.
package parcel
