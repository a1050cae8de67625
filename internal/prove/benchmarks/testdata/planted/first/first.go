// Package first is initialised in a certain order.
package first

import (
	"example.org/planted/far"
)

func init() { far.Order = append(far.Order, "first") }
