// Package dense is the loop finder after its first step: blocks are numbered
// from 0 without gaps, so what is known of a block is looked up in a slice by
// its number instead of in a map by its pointer. Sets are still maps.
package dense
