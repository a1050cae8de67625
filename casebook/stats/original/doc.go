// Package original is the request statistics before any tuning: a regular
// expression cleans each tag, the list of tags and the list of parts grow by
// append, strings.Join makes the name of them, and the system is asked for the
// host's name in every request.
package original
