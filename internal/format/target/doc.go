// Package target reads lists of HTTP requests: the http and JSON formats of
// vegeta, and the HTTP archives (HAR) that browsers and proxies save.
//
// It answers: which requests, with which headers and bodies, does this file
// list? Its input is a stream of bytes, a file's or standard input's; the output
// one Target after the other, in the file's order, without the file being held
// in memory. It touches nothing else: the bodies that the http format refers to
// are read by a function that is handed in. Whether a URL or a header can be
// sent is for whoever sends it to say.
//
// # Formats
//
// HTTP: a line with method and URL, then one line a header, then perhaps a line
// "@" with the name of the file that is the body. A blank line, a body or a next
// request ends a target. Lines that begin with "#" are comments. A comment
// "# weight: 3" gives the target after it a weight; vegeta reads over it.
//
// JSON: objects with method, url, header (a name's values in an array) and body
// in base64, one after the other, on lines of their own or not, or all in one
// array. A number "weight" is ours. Other keys are read over. An object has no
// order, so headers come sorted by name.
//
// HAR (version 1.2, and postData.encoding of the proposed 1.3): the requests of
// log.entries, in their order. What belongs to the recorded connection and not
// to the request is left out: HTTP/2's pseudo headers, Content-Length,
// Connection and its like, and a Host that says what the URL says. Entries that
// are no HTTP requests, such as data: URLs and web sockets, are skipped, and so
// are those whose body was not recorded; Warnings tells of them.
//
// # When it misleads
//
// A recording's times are not read: its requests come one after the other, not
// as they came. What the browser had in its cache is not in it, while headers
// such as If-None-Match and Cookie are, and may be answered otherwise by now.
package target
