package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func resultsFile(dir string) string { return filepath.Join(dir, "results", "diagnosis.jsonl") }

func spokeFile(dir string) string { return filepath.Join(dir, "results", "spoke.json") }

// text returns what the file holds.
func (s Spoke) text() string {
	data, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		panic(err) // maps of numbers
	}
	return string(data) + "\n"
}

// readRows returns the rows that are kept, the newest of each case.
func readRows(dir string) (map[string]Row, error) {
	data, err := os.ReadFile(resultsFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Row{}, nil
	}
	if err != nil {
		return nil, err
	}
	rows := make(map[string]Row)
	for n, text := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var r Row
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("read %s: line %d: %w", resultsFile(dir), n+1, err)
		}
		rows[r.Case] = r
	}
	return rows, nil
}

// writeRows keeps one row of each case, in the cases' order. The file is
// replaced as a whole: an interrupted run leaves the one before.
func writeRows(dir string, all []Case, rows map[string]Row) error {
	var b bytes.Buffer
	for _, c := range all {
		r, ok := rows[c.Name]
		if !ok {
			continue
		}
		text, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("keep %s: %w", c.Name, err)
		}
		b.Write(append(text, '\n'))
	}
	name := resultsFile(dir)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name+".new", b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
