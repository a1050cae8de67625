package quiet_test

import (
	"testing"

	"whet/casebook/avatar"
	"whet/casebook/avatar/avatartest"
	"whet/casebook/avatar/quiet"
)

func newStage(o avatar.Options) (avatar.Server, error) { return quiet.New(o) }

func TestStage(t *testing.T) { avatartest.Run(t, newStage, avatartest.Traits{Caches: true}) }

func BenchmarkDraw(b *testing.B) { avatartest.Draw(b, newStage) }

func BenchmarkHandler(b *testing.B) { avatartest.Handler(b, newStage) }

func BenchmarkLoopback(b *testing.B) { avatartest.Loopback(b, newStage) }
