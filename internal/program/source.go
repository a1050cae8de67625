package program

import (
	"embed"
	"io/fs"
	"strings"
	"testing/fstest"
)

//go:embed standin.go.txt
var standin embed.FS

func agentSource() fs.FS {
	text, _ := standin.ReadFile("standin.go.txt")
	return fstest.MapFS{strings.TrimSuffix("agent.go.txt", ".txt"): {Data: text}}
}
