// Package ledger keeps what the programs under bench measured.
//
// It answers when, on which machine and of which revision a figure was
// measured, and lets the tables be made again from the raw samples without
// measuring again. A program hands it its samples; they are written to
// results/NAME.json together with date, machine and revision, and the table
// that the program makes of them goes between two marker lines of the README.
//
// It misleads when samples of different machines are put side by side: a file
// holds one run on one machine, and the next run replaces it.
package ledger
