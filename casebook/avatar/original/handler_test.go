package original_test

import (
	"testing"

	"whet/casebook/avatar"
	"whet/casebook/avatar/avatartest"
	"whet/casebook/avatar/original"
)

func newStage(o avatar.Options) (avatar.Server, error) { return original.New(o) }

func TestStage(t *testing.T) { avatartest.Run(t, newStage, avatartest.Traits{Logs: true}) }

func BenchmarkDraw(b *testing.B) { avatartest.Draw(b, newStage) }

func BenchmarkHandler(b *testing.B) { avatartest.Handler(b, newStage) }

func BenchmarkLoopback(b *testing.B) { avatartest.Loopback(b, newStage) }
