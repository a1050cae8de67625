// Package machine answers whether the machine was quiet enough for what was
// measured on it.
//
// Its input is what package host saw of the machine meanwhile, as a recording
// keeps it, and what else the measurer saw. The answer are doubts, each with its
// kind and a sentence for the user: the time that the hypervisor took, a machine
// that was busy before, other processes meanwhile, a control group that was held,
// swapping, a frequency that follows the load. Every kind of measurement asks
// here, each with the bounds from which on a doubt matters to it.
//
// It misleads where the counters do, which package host says: what is unknown is
// no doubt, and the share of other processes counts those of ours that outlive
// their parents.
package machine
