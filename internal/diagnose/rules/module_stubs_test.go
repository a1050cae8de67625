package rules_test

import "whet/internal/typed/typedtest"

// moduleStubs are the parts of much-used modules that the examples of package
// knowledge call.
var moduleStubs = []typedtest.File{
	{Package: "github.com/davecgh/go-spew/spew", Frame: "spew.go", Text: `package spew
func Sdump(a ...any) string`},
	{Package: "github.com/gobwas/glob", Frame: "glob.go", Text: `package glob
type Glob interface{ Match(string) bool }
func MustCompile(pattern string, separators ...rune) Glob`},
	{Package: "github.com/google/go-cmp/cmp", Frame: "gocmp.go", Text: `package cmp
type Option interface{ filter() }
type Options []Option
func (Options) filter()
func Diff(x, y any, opts ...Option) string
func Equal(x, y any, opts ...Option) bool`},
	{Package: "github.com/hashicorp/go-version", Frame: "go_version.go", Text: `package version
type Version struct{}
func Must(v *Version, err error) *Version
func NewVersion(v string) (*Version, error)
func (v *Version) GreaterThanOrEqual(o *Version) bool`},
	{Package: "github.com/jinzhu/copier", Frame: "copier.go", Text: `package copier
func Copy(to any, from any) error`},
	{Package: "github.com/mitchellh/mapstructure", Frame: "mapstructure.go", Text: `package mapstructure
func Decode(input any, output any) error`},
	{Package: "github.com/patrickmn/go-cache", Frame: "go_cache.go", Text: `package cache
import "time"
const NoExpiration time.Duration = -1
type Item struct{ Object any }
type Cache struct{ *cache }
type cache struct{}
func New(defaultExpiration, cleanupInterval time.Duration) *Cache
func (c *cache) ItemCount() int
func (c *cache) Items() map[string]Item
func (c *cache) Set(k string, x any, d time.Duration)`},
	{Package: "github.com/pkg/errors", Frame: "pkg_errors.go", Text: `package errors
func Wrap(err error, message string) error`},
	{Package: "github.com/prometheus/client_golang/prometheus", Frame: "prometheus.go", Text: `package prometheus
type Labels map[string]string
type CounterOpts struct{ Name string }
type Counter interface{ Inc() }
type CounterVec struct{}
func NewCounterVec(opts CounterOpts, labelNames []string) *CounterVec
func (v *CounterVec) With(labels Labels) Counter
func (v *CounterVec) WithLabelValues(lvs ...string) Counter`},
	{Package: "github.com/samber/lo", Frame: "lo.go", Text: `package lo
func CountBy[T any](collection []T, predicate func(item T) bool) int
func Filter[T any, Slice ~[]T](collection Slice, predicate func(item T, index int) bool) Slice
func Map[T, R any](collection []T, transform func(item T, index int) R) []R`},
	{Package: "github.com/shopspring/decimal", Frame: "decimal.go", Text: `package decimal
type Decimal struct{}
func New(value int64, exp int32) Decimal
func NewFromFloat(value float64) Decimal
func NewFromInt(value int64) Decimal
func RequireFromString(value string) Decimal
func (d Decimal) Equal(o Decimal) bool
func (d Decimal) IsPositive() bool
func (d Decimal) Mul(o Decimal) Decimal
func (d Decimal) String() string`},
	{Package: "github.com/spf13/cast", Frame: "cast.go", Text: `package cast
func ToInt(i any) int
func ToString(i any) string`},
	{Package: "github.com/thoas/go-funk", Frame: "funk.go", Text: `package funk
func Contains(in any, elem any) bool
func Filter(arr any, predicate any) any`},
	{Package: "golang.org/x/exp/maps", Frame: "x_exp_maps.go", Text: `package maps
func Keys[M ~map[K]V, K comparable, V any](m M) []K
func Values[M ~map[K]V, K comparable, V any](m M) []V`},
	{Package: "golang.org/x/text/cases", Frame: "cases.go", Text: `package cases
import "golang.org/x/text/language"
type Caser struct{}
func Title(t language.Tag) Caser
func (c Caser) String(s string) string`},
	{Package: "golang.org/x/text/language", Frame: "language.go", Text: `package language
type Tag struct{ n int }
var English, German Tag
func MustParse(s string) Tag`},
	{Package: "google.golang.org/protobuf/proto", Frame: "proto.go", Text: `package proto
type Message interface{ String() string }
func Marshal(m Message) ([]byte, error)
func Size(m Message) int`},
}
