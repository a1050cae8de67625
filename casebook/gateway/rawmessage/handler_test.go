package rawmessage_test

import (
	"io"
	"testing"

	"whet/casebook/gateway"
	"whet/casebook/gateway/gatewaytest"
	"whet/casebook/gateway/rawmessage"
)

func newStage(down gateway.Downstream, w io.Writer, random gateway.Random) gateway.Gateway {
	return rawmessage.New(down, w, random)
}

func TestStage(t *testing.T) { gatewaytest.Run(t, newStage) }

func TestSessionID(t *testing.T) { gatewaytest.RunSession(t, rawmessage.SessionID) }

func BenchmarkCall(b *testing.B) { gatewaytest.Call(b, newStage) }

func BenchmarkSession(b *testing.B) { gatewaytest.Session(b, rawmessage.SessionID) }
