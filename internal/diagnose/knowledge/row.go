package knowledge

import (
	"fmt"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/finding"
)

// Cause is the cause that several rows share: a rule.
type Cause struct {
	ID, Title string
	// What, Why, Silent and Fix are the rule's documentation; its example is the one
	// of its first row.
	What, Why, Silent, Fix string
	// Unneeded is a clause on the use of the result of a row's call: "and the program
	// takes its length and drops it".
	Unneeded string
	Outranks []string // see diagnose.Rule
	Square   bool     // the cost of all its rows grows with the square of a length
}

// Row is a piece of knowledge.
type Row struct {
	ID    string // in kebab-case, for links: "strings-split-counted"
	Cause string // id of its cause
	// Callees are the functions, as [typed.Symbol] names them: "strings.Split".
	Callees []string
	When    Condition
	Cost    string // what the call does, "allocates a slice of the parts"
	Instead string // what to write, in sentences
	// Go is the first version of the language with the remedy, "go1.24"; "" is any
	// supported one.
	Go string
	// Goes is the part of the call's work that the remedy removes.
	Goes Part
	// Confidence is [finding.High] if the condition leaves no doubt that the
	// remedy does the same.
	Confidence finding.Confidence
	Example    Example
}

// Part is a part of a call's work.
type Part uint8

const (
	// Measured is the share that the row's benchmark measured.
	Measured Part = iota
	// Memory is the runtime's work for the function itself: allocating,
	// growing and copying.
	Memory
	// All is everything.
	All
	// Time is Measured, of the time only: without a share of the time the change is not worth it.
	Time
)

// Example is a function before and after, with the same parameters and result.
type Example struct {
	Params string // "line string"
	Result string // "int"
	Args   string // of a call that is measured, Go expressions: `"a,b,c"`
	Before string // the function's body
	After  string
	Decls  string // declarations that both need
	// Imports are packages outside the standard library, or not the usual ones of
	// their name: "math/rand/v2", "yaml gopkg.in/yaml.v3".
	Imports []string
	// Differs is set if the results intentionally differ, as with random
	// numbers.
	Differs bool
}

// Rules returns a rule for each cause, in the order of the causes.
func Rules() []diagnose.Rule {
	return RulesOf(causes, Table(), func(s *diagnose.Subject) map[string][]diagnose.Claim {
		return diagnose.Once(s, claimsKey{}, claims)
	})
}

// RulesOf returns a rule for each of some causes that has a row in a table, in the
// order of the causes; claims returns the claims on a subject, by cause.
func RulesOf(causes []Cause, table []Row, claims func(*diagnose.Subject) map[string][]diagnose.Claim) []diagnose.Rule {
	var rules []diagnose.Rule
	for _, c := range causes {
		first := slices.IndexFunc(table, func(r Row) bool { return r.Cause == c.ID })
		if first < 0 {
			continue
		}
		rules = append(rules, diagnose.Rule{
			ID: c.ID, Title: c.Title,
			Doc: diagnose.Doc{
				What: c.What, Why: c.Why, Silent: c.Silent, Fix: c.Fix,
				Before: table[first].Example.Before, After: table[first].Example.After,
			},
			Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
			MinSamples: diagnose.MinCPUSamples,
			Outranks:   c.Outranks,
			Find:       func(s *diagnose.Subject) []diagnose.Claim { return claims(s)[c.ID] },
		})
	}
	return rules
}

// Table returns all rows: those of one function in the order in which they are
// applied.
func Table() []Row { return slices.Clone(table()) }

// cause returns the cause with an id; the tests check that each row has one.
func cause(id string) *Cause {
	i := slices.IndexFunc(causes, func(c Cause) bool { return c.ID == id })
	if i < 0 {
		panic(fmt.Sprintf("knowledge: no cause %q", id))
	}
	return &causes[i]
}
