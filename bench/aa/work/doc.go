// Package work is what bench/aa compares with itself: a few benchmarks of
// different kinds, and no code of its own. It answers nothing and misleads
// about everything but noise.
package work
