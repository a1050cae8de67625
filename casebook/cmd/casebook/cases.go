package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// environment is what the command line gives a stage.
type environment struct {
	log        io.Writer // -log
	downstream string    // -downstream: the gateway's, a URL; empty: a stub of the program's own on a loopback port
	sink       string    // -sink: where ingest passes documents on, a URL; empty: a checking sink in the program
	printStats bool      // -print-stats
	stdout     io.Writer
}

// stage is one step of a case's tuning: it serves, or it runs and ends.
type stage struct {
	name string
	// serve makes the handler. What it returns besides is closed after the
	// server has stopped; nil: there is nothing to close.
	serve func(environment) (http.Handler, io.Closer, error)
	run   func(context.Context, environment) error // serve is nil then
}

// study is a case: where it is served, the first path being the one that is
// printed, and its stages in their order. A case of commands has no path.
type study struct {
	name   string
	paths  []string
	stages []stage
	// beside are servers that the stages are held against, and no stages.
	beside []stage
}

func studies() []study {
	return []study{
		visitsStudy(),
		havlakStudy(),
		statsStudy(),
		avatarStudy(),
		gatewayStudy(),
		ingestStudy(),
	}
}

func caseNames() string {
	var names []string
	for _, s := range studies() {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// find returns a case and one of its stages.
func find(name, stageName string) (study, stage, error) {
	for _, s := range studies() {
		if s.name != name {
			continue
		}
		var names []string
		for _, st := range s.stages {
			if st.name == stageName {
				return s, st, nil
			}
			names = append(names, st.name)
		}
		known := "its stages are " + strings.Join(names, ", ")
		for _, st := range s.beside {
			if st.name == stageName {
				return s, st, nil
			}
			known += "; beside them there is " + st.name
		}
		if stageName == "" {
			return study{}, stage{}, fmt.Errorf("no -stage of %s is given: %s", name, known)
		}
		return study{}, stage{}, fmt.Errorf("%s has no stage %q: %s", name, stageName, known)
	}
	if name == "" {
		return study{}, stage{}, fmt.Errorf("no -case is given: the cases are %s", caseNames())
	}
	return study{}, stage{}, fmt.Errorf("there is no case %q: the cases are %s", name, caseNames())
}
