//go:build !linux

package doctor

import "context"

func (x *examiner) perfEvents(context.Context) instrument {
	return absent("", "Linux only; no verb needs them")
}
