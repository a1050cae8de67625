// Package original is the service before any tuning: for each request the font
// is parsed, a generator built, the picture drawn and encoded, and the request
// logged through logrus.
//
// Of the published one some requests failed under load, by a face that
// drawings shared. This one draws right: what is to be found in it is its cost.
package original
