// Package machine answers whether the machine was quiet enough for a measurement.
//
// Its input is the observation of package host during the measurement, as a
// recording keeps it, and the measurer's own. Its result is a list of doubts, each
// with its kind and a sentence for the user: time taken by the hypervisor, a machine
// that was busy before, other processes during the measurement, a throttled control
// group, swapping, a frequency that follows the load. Every kind of measurement sets
// its own bounds.
//
// It misleads where the counters do (see package host): an unknown value is no
// doubt, and the share of other processes includes the measurer's processes that
// outlive their parents.
package machine
