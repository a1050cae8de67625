// Package chromium shows a page to a real browser, for tests: does it look and
// act as it is said to, and does it keep to itself?
//
// Input is a document, which is opened from disk as a user would open it; the
// answers are what expressions evaluate to in the page. Whatever a page of whet
// must not do is noted on the way and fails the test in the end: messages on the
// console, exceptions, dialogs, and requests for anything but the document.
//
// It misleads where another browser differs, and in everything that takes time: a
// machine without a screen and with two processors paints when it can.
package chromium
