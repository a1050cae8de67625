package load

import (
	"fmt"
	"net"
)

// FreePorts returns different TCP ports of the loopback that nobody listens on.
// Nothing reserves them: a caller that finds one in use must ask again.
func FreePorts(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer l.Close() // not before all are found: they are to differ
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}
