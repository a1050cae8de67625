package review

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"

	"whet/internal/printable"
	"whet/internal/report/page"
	"whet/internal/report/run"
)

// The parts of SARIF 2.1.0 (OASIS Standard, 27 March 2020) that whet writes; the
// numbers are its sections.
type sarifLog struct { // 3.13
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct { // 3.14
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct { // 3.18
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct { // 3.19
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct { // 3.49
	ID string `json:"id"`
}

type sarifResult struct { // 3.27
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifText struct { // 3.11
	Text string `json:"text"`
}

type sarifLocation struct { // 3.28
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct { // 3.29
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct { // 3.4
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct { // 3.30
	StartLine int `json:"startLine"`
}

type sarifLogical struct { // 3.33
	FullName string `json:"fullyQualifiedName"`
	Kind     string `json:"kind"`
}

// WriteSARIF writes the findings as a SARIF log.
func WriteSARIF(w io.Writer, p *run.Page, o Options) error {
	driver := sarifDriver{Name: "whet", Version: printable.Line(p.Tool), Rules: []sarifRule{}}
	results := []sarifResult{}
	for i := range p.Findings {
		f := &p.Findings[i]
		rule := sarifRule{printable.Line(f.Rule)}
		index := slices.Index(driver.Rules, rule)
		if index < 0 {
			index = len(driver.Rules)
			driver.Rules = append(driver.Rules, rule)
		}
		r := sarifResult{RuleID: rule.ID, RuleIndex: index, Level: o.level(f), Message: sarifText{message(f)},
			// The line may move while the finding stays the same one.
			Fingerprints: map[string]string{"ruleAndFunction/v1": rule.ID + " " + printable.Line(f.Function)}}
		if name, ok := o.file(f); ok {
			at := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Path: name}).EscapedPath(), Base: "%SRCROOT%"}}}
			if f.Line > 0 {
				at.Physical.Region = &sarifRegion{f.Line}
			}
			if f.Function != "" {
				at.Logical = []sarifLogical{{printable.Line(f.Function), "function"}}
			}
			r.Locations = append(r.Locations, at)
		}
		results = append(results, r)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{{sarifTool{driver}, results}}}); err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	return page.Print(w, "the findings", b.Bytes())
}
