// Package pagetest is the test kit of all pages: golden files, hostile names, and
// checks that a terminal and a browser receive only the page's own markup.
package pagetest
