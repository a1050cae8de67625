// Package drive is the verb load: it measures a service under a load, or finds how
// much load it bears.
//
// Its input are flags and operands ([Command]). It makes a plan of them (plan.go)
// and drives it (drive.go), or drives many for a search for the knee (knee.go, with
// profiles of two levels in growth.go). It shows the result and keeps it as
// histogram logs, tables, a recording and a page (recording.go, outputs.go). [Show]
// prints a recording again, and merge.go merges the logs of several generators.
// Package load generates the load, knee searches, format/load reads and writes the
// files of a recording, and report/load prints.
//
// It misleads as those do: see package load for a generator on the service's own
// machine, and package knee for levels that are too short.
package drive
