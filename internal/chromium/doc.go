// Package chromium tests pages in a real browser: whether a page looks and acts as
// documented, and whether it loads nothing else.
//
// Its input is a document, which it opens from disk as a user would. Its results are
// the values of expressions in the page, and pictures of it. A [Browser] is
// controlled through Chromium's DevTools protocol over two pipes: it opens no port
// and needs no library. Tests have a [Tab], which fails the test if the page does
// what no page of whet may do: messages on the console, exceptions, dialogs, and
// requests for anything but the document.
//
// It misleads where another browser differs, and about time: a machine without a
// screen and with two processors paints late. On Windows, which passes no further
// pipes to a program, there is no browser.
package chromium
