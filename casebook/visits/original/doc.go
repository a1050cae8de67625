// Package original is the visit counter before any tuning: a structured log
// record through logrus with a map of fields, the answer put together from
// strings, and one lock held from the count to the end of the request.
package original
