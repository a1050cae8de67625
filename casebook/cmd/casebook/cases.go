package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"whet/casebook/visits"
	"whet/casebook/visits/appended"
	"whet/casebook/visits/best"
	"whet/casebook/visits/final"
	"whet/casebook/visits/fprintf"
	"whet/casebook/visits/logbuf"
	"whet/casebook/visits/original"
	"whet/casebook/visits/pool"
	"whet/casebook/visits/zerolog"
)

// stage is one step of a case's tuning.
type stage struct {
	name    string
	handler func(log io.Writer) http.Handler
}

// study is a case: its path on a server, and its stages in their order.
type study struct {
	name, path string
	stages     []stage
}

func studies() []study {
	return []study{
		{"visits", visits.Path, []stage{
			{"original", func(w io.Writer) http.Handler { return original.New(w) }},
			{"fprintf", func(w io.Writer) http.Handler { return fprintf.New(w) }},
			{"pool", func(w io.Writer) http.Handler { return pool.New(w) }},
			{"logbuf", func(w io.Writer) http.Handler { return logbuf.New(w) }},
			{"zerolog", func(w io.Writer) http.Handler { return zerolog.New(w) }},
			{"appended", func(w io.Writer) http.Handler { return appended.New(w) }},
			{"final", func(w io.Writer) http.Handler { return final.New(w) }},
			{"best", func(w io.Writer) http.Handler { return best.New(w) }},
		}},
	}
}

func caseNames() string {
	var names []string
	for _, s := range studies() {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// find returns a stage and the path it is served at.
func find(name, stageName string) (path string, found stage, err error) {
	for _, s := range studies() {
		if s.name != name {
			continue
		}
		var names []string
		for _, st := range s.stages {
			if st.name == stageName {
				return s.path, st, nil
			}
			names = append(names, st.name)
		}
		known := "its stages are " + strings.Join(names, ", ")
		if stageName == "" {
			return "", stage{}, fmt.Errorf("no -stage of %s is given: %s", name, known)
		}
		return "", stage{}, fmt.Errorf("%s has no stage %q: %s", name, stageName, known)
	}
	if name == "" {
		return "", stage{}, fmt.Errorf("no -case is given: the cases are %s", caseNames())
	}
	return "", stage{}, fmt.Errorf("there is no case %q: the cases are %s", name, caseNames())
}
