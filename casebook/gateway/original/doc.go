// Package original is the gateway before any tuning: the body decoded into a
// map of any values by json-iterator and the payload encoded again for the
// downstream, whose answer goes the same way back; the health record built anew
// in each request, so that whoever asks finds one; a session id made of a
// random number for each of its characters, as runes.
//
// The map has UseNumber set. By json-iterator's default it would change every
// number with more digits than a float64 holds, and the gateway's work is to
// pass numbers on.
package original
