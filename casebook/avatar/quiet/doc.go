// Package quiet is the service after the last published step: package lrubytes
// with its request log off. That nearly doubled what the published service
// answered, once nothing else was left to do in a request.
//
// It is a setting more than a tuning, and it gives something up: who asked for
// what is written nowhere. Requests that are refused or fail are still logged;
// the published step turned those off as well.
package quiet
