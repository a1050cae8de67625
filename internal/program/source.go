package program

import (
	"embed"
	"io/fs"
	"testing/fstest"
)

//go:embed standin.go.txt
var standin embed.FS

func agentSource() fs.FS {
	text, _ := standin.ReadFile("standin.go.txt")
	return fstest.MapFS{"agent.go": {Data: text}}
}
