// Package pagetest holds what the tests of all pages share: golden files, names
// that want to be more than names, and the checks that a terminal and a browser
// are given nothing but the page's own.
package pagetest
