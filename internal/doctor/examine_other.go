//go:build !linux

package doctor

import "context"

func (x *examiner) perfEvents(context.Context) instrument {
	return absent("", "they are Linux's; no verb needs them")
}
