// Package chromium shows a page to a real browser: does it look and act as it is
// said to, and does it keep to itself?
//
// Input is a document, which is opened from disk as a user would open it; the
// answers are what expressions evaluate to in the page, and pictures of it. A
// [Browser] is asked in Chromium's DevTools protocol, over two pipes: nothing
// listens anywhere, and no library is needed. Tests have a [Tab], which notes on
// the way whatever a page of whet must not do, and fails the test for it in the
// end: messages on the console, exceptions, dialogs, and requests for anything but
// the document.
//
// It misleads where another browser differs, and in everything that takes time: a
// machine without a screen and with two processors paints when it can. On Windows,
// which hands no further pipes to a program, there is no browser.
package chromium
