// Package rules lists every rule that whet has; each lives in a package of its
// own with its fixtures.
//
// A fixture is a small program that the rule must speak about or must stay
// silent about. Every one of them was built and profiled (make fixtures), so
// that a rule is tried on what a profile really holds; the test asks the rules
// about what was recorded, and fails where a fixture was changed since.
package rules
