// Package drive is whet load: it answers what a service does under a load, or how
// much load it bears.
//
// Its input are flags and operands ([Command]): a plan is made of them (plan.go),
// and driven (drive.go), or many are, by a search for the knee (knee.go, with
// profiles of two levels in growth.go); what came of it is shown and kept as
// histogram logs, tables, a recording and a page (recording.go, outputs.go).
// Recordings are shown again ([Show]) and logs of several generators merged
// (merge.go). The load itself is package load's, the search knee's, the files of a
// recording format/load's and the pages report/load's.
//
// It misleads as those do: package load says what a generator on the service's own
// machine takes from it, and package knee what a level is too short to show.
package drive
