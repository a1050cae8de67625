// Package second is initialised in a certain order.
package second

import (
	"example.org/planted/far"
)

func init() { far.Order = append(far.Order, "second") }
