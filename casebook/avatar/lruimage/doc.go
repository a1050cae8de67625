// Package lruimage parses the font once and keeps decoded pictures in an LRU
// (published as "lru-image"). It gains little: each answer is still encoded,
// and that was the larger part.
//
// The published one kept a number of pictures, so that its memory grew with
// the sizes asked for, keyed them by the initials alone, and shared one face
// among all drawings. Here the bound is in bytes, the key is the whole
// [avatar.Picture], and each drawing has its face. Requests that miss the same
// picture at the same time each draw it.
package lruimage
