// Package lrubytes keeps encoded pictures in the LRU (published as
// "lru-bytes"): what was computed again for each answer is not any more.
//
// As before it, the published one's key was the initials, and its cache is what
// made the race of its drawings too rare to notice; the key here is the whole
// [avatar.Picture], and no drawing shares its face. Requests that miss the same
// picture at the same time each draw it.
package lrubytes
