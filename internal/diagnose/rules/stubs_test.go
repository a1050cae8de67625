package rules_test

import (
	"slices"
	"testing"

	"whet/internal/typed"
	"whet/internal/typed/typedtest"
)

// types says whether a subject has them: known, or nil.
type types []struct{}

// known asks app for the types that the source itself has.
var known = types{}

// stubs are packages of other modules that sources written in tests import. Their
// functions have no bodies, as those of a recording have none.
var stubs = []typedtest.File{
	{Package: "example.com/policy", Frame: "policy.go", Text: `package policy
type Policy struct{}
func Strict() *Policy
func Of(n int) *Policy
func (*Policy) Clean(string) string
func (*Policy) Sanitize(string) string`},
	{Package: "example.com/lru", Frame: "lru.go", Text: `package lru
type Cache struct{}
func (*Cache) Add(k, v any)
func (*Cache) Lookup(string) string`},
	{Package: "example.com/xhash", Frame: "xhash.go", Text: `package xhash
type Hasher struct{}
func New() *Hasher
func (*Hasher) Write([]byte) (int, error)
func (*Hasher) WriteString(string) (int, error)
func (*Hasher) Sum64() uint64
func Prime(string) uint64
func Hash(string) uint64`},
	{Package: "example.com/yhash", Frame: "yhash.go", Text: `package yhash
type Hasher struct{}
func New() *Hasher
func NewFast() *Hasher
func (*Hasher) WriteString(string) (int, error)
func (*Hasher) Sum64() uint64
func Hash(string) uint64`},
	{Package: "x/lib", Frame: "lib.go", Text: `package lib
var Letters string
type Address struct{ Street string }
func Take([]byte)
func Decode(b []byte, into ...any)
func Encode(any)
func Print(any)`},
	{Package: "example.com/fastjson", Frame: "fastjson.go", Text: codecStub("fastjson")},
	{Package: "example.com/msgpack/v5", Frame: "msgpack.go", Text: codecStub("msgpack")},
	{Package: "example.com/rows", Frame: "rows.go", Text: codecStub("rows")},
	{Package: "example.com/otherjson", Frame: "otherjson.go", Text: codecStub("otherjson")},
}

func codecStub(name string) string {
	return "package " + name + `
import "io"
type Encoder struct{}
type API interface { UnmarshalFromString(string, any) error; MarshalToString(any) (string, error) }
type Rows struct{}
func Unmarshal([]byte, any) error
func Marshal(any) ([]byte, error)
func NewEncoder(io.Writer) *Encoder
func (*Encoder) Encode(any) error
func (Rows) Scan(...any) error`
}

// last is the program that was asked for last: a test asks many times about one source.
var last struct {
	src     string
	program *typed.Program
}

// typedProgram returns the typed program of a source and of the stubs.
func typedProgram(t *testing.T, src string) *typed.Program {
	t.Helper()
	if last.program == nil || last.src != src {
		last.src, last.program = src, typedtest.Program(t, slices.Concat([]typedtest.File{{Package: "m/app", Frame: "app.go", Text: src}}, stubs, moduleStubs)...)
	}
	return last.program
}
