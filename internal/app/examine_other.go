//go:build !linux

package app

import "context"

func (x *examiner) perfEvents(context.Context) instrument {
	return absent("", "they are Linux's; no verb needs them")
}
