// Package rules lists every rule that whet has; each lives in a package of its
// own with its fixtures.
//
// A fixture is a small program that the rule must speak about or must stay
// silent about. The test builds and profiles every one of them, so that a rule
// is tried on what a profile really holds.
package rules
