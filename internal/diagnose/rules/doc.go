// Package rules lists every rule of whet; each is in a package of its own with its
// fixtures.
//
// A fixture is a small program that the rule must report or must not report. Each was
// built and profiled (make fixtures), so that a rule is tested on real profiles; the
// test applies the rules to the recording, and fails if the fixture was changed since.
package rules
