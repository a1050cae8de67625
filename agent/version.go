//go:build go1.26

package agent

// Version numbers this package's source: it rises with every change of it. A copy in
// another module keeps the number that it was made with; status and recordings have
// it, and whet says where it is not the one that it knows.
const Version = 1
