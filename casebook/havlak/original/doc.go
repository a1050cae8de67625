// Package original is the loop finder before any tuning: blocks are objects
// that point to each other, what is known of a block is looked up in a map by
// its pointer, sets are maps, and all of them are made anew in every call.
package original
