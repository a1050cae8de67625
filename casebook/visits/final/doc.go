// Package final is the visit counter after the last published step of its
// tuning: zerolog in place of logrus, no fmt, the answer appended to a pooled
// buffer, and the lock held only for the count.
//
// Records of concurrent requests may stand in the log in another order than
// their counts.
package final
