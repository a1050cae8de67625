package best_test

import (
	"io"
	"testing"

	"whet/casebook/gateway"
	"whet/casebook/gateway/best"
	"whet/casebook/gateway/gatewaytest"
)

func newStage(down gateway.Downstream, w io.Writer, random gateway.Random) gateway.Gateway {
	return best.New(down, w, random)
}

func TestStage(t *testing.T) { gatewaytest.Run(t, newStage) }

func TestSessionID(t *testing.T) { gatewaytest.RunSession(t, best.SessionID) }

func BenchmarkCall(b *testing.B) { gatewaytest.Call(b, newStage) }

func BenchmarkSession(b *testing.B) { gatewaytest.Session(b, best.SessionID) }
