// Package third is initialised in a certain order.
package third

import (
	"example.org/planted/far"
)

func init() { far.Order = append(far.Order, "third") }
