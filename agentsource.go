package whet

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed agent/*.go
var agentFiles embed.FS

// AgentSource returns the Go files of package agent, without its tests, by
// their names.
func AgentSource() (map[string][]byte, error) {
	names, err := fs.Glob(agentFiles, "agent/*.go")
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := agentFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[strings.TrimPrefix(name, "agent/")] = data
	}
	return files, nil
}
