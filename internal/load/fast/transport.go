//go:build linux

package fast

// A transport carries the bytes of a loop's connections. It belongs to that
// loop and is called by its goroutine alone, on one thread if it is bound to
// that, as io_uring is. It tells the loop what happened by
// calling, from within wait and also from within connect and send:
//
//	l.connected(c, errno)  the connection is made, or not
//	l.arrived(c, b)        bytes came; b is valid during the call
//	l.ended(c, errno)      the other side ended the connection (0), or it broke
//	l.drained(c)           all of c.out is on its way
//	l.woken()              somebody called wake
//
// Each of these may close c or begin its next request. So what a transport
// knows of c is stale after such a call: it compares c.gen, which every close
// changes. After ended it says nothing more about that connection.
type transport interface {
	// connect makes a socket for c and begins to connect it to l.peer.
	connect(c *conn)
	// send brings c.out to the kernel, now or as it takes it, and takes off its
	// front what is on its way. It is called when c.out was set or has grown. A
	// transport may fail to send without saying so: reading tells, and an answer
	// may have come before.
	send(c *conn)
	// close gives the socket of c back, after one try to send what c.out holds:
	// the farewell of TLS, or nothing.
	close(c *conn)
	// wait delivers what happens within d nanoseconds, at least one thing or
	// nothing; 0 does not wait. What happens first may be held back for batch
	// nanoseconds, at most d, so that there is more to deliver; 0: it may not.
	wait(d, batch int64) error
	// wake makes a wait return, from any goroutine.
	wake()
	// enter is the first call by the loop's goroutine. After leave there are only
	// calls of close by it, for what leave has not closed. wake may come before,
	// between and after them.
	enter() error
	leave()
	// shutdown gives all back, when nothing is called any more. A transport that
	// was never entered is not left.
	shutdown()
}
