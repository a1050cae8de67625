// Package parcel keeps recordings of tests in archives: as directories they would be
// a large part of a clone.
//
// [Pack] writes recordings into one archive, [Unpack] makes a directory of one of
// them again. The archive holds a recording's compressed files uncompressed, so that
// several recordings of one program, which share most of their content, take little
// more than one. Unpack compresses the files again and corrects their sums in the
// manifest.
//
// It is for tests only: an archive is trusted.
package parcel
