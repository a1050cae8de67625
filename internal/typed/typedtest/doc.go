// Package typedtest type-checks the sources of tests.
//
// Imports of the standard library go through a typeview, as in a recording, so that
// a test sees what a rule sees. It misleads about other modules, whose packages are
// missing: a test supplies them as files.
package typedtest
