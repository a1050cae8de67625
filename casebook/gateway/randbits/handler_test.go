package randbits_test

import (
	"io"
	"testing"

	"whet/casebook/gateway"
	"whet/casebook/gateway/gatewaytest"
	"whet/casebook/gateway/randbits"
)

func newStage(down gateway.Downstream, w io.Writer, random gateway.Random) gateway.Gateway {
	return randbits.New(down, w, random)
}

func TestStage(t *testing.T) { gatewaytest.Run(t, newStage) }

func TestSessionID(t *testing.T) { gatewaytest.RunSession(t, randbits.SessionID) }

func BenchmarkCall(b *testing.B) { gatewaytest.Call(b, newStage) }

func BenchmarkSession(b *testing.B) { gatewaytest.Session(b, randbits.SessionID) }
