package logging

import (
	"testing"

	"whet/internal/symbolname"
)

func TestShaped(t *testing.T) {
	for fn, want := range map[string]bool{
		"m/app.(*Logger).Infof":             true,
		"m/app.(*RequestLogger).Debug":      true,
		"m/app.(*AccessLog).Printf":         true,
		"m/app.Logger.WarnContext":          true,
		"m/app.HTTPLogger.ErrorS":           true,
		"m/app.logf":                        true,
		"m/app.logRequest":                  true,
		"m/app.(*Server).logf":              true,
		"m/app.(*Server).Log":               true,
		"m/internal/logging.Trace":          true,
		"m/log.Println":                     true,
		"m/request_logger/v2.Infow":         true,
		"m/tinylogger.Info":                 true,
		"m/app.(*Login).Info":               false,
		"m/login.Error":                     false,
		"m/app.(*Catalog).Print":            false,
		"m/catalog.Printf":                  false,
		"m/dialog.Warn":                     false,
		"m/app.(*Blogger).Info":             false,
		"m/blogger.Info":                    false,
		"m/app.Logarithm":                   false,
		"m/app.logic":                       false,
		"m/app.logicError":                  false,
		"m/app.logout":                      false,
		"m/app.(*Backlog).Debug":            false,
		"math.Log":                          false,
		"math/big.Log":                      false,
		"m/app.(*Logger).Flush":             false,
		"m/app.(*Logger).ServeHTTP":         false,
		"m/app.(*Logger).InformAll":         false,
		"m/app.LogRequests.func1":           false,
		"m/app.Info":                        false,
		"testing.(*common).Log":             false,
		"runtime/trace.Logf":                false,
		"m/app.(*Server).LogAndServe.func1": false,
	} {
		if got := shaped(symbolname.Parse(fn)); got != want {
			t.Errorf("%s: %v", fn, got)
		}
	}
}

func TestLoggingPackage(t *testing.T) {
	for pkg, want := range map[string]bool{
		"log": true, "log/slog": true, "github.com/sirupsen/logrus": true, "github.com/rs/zerolog/log": true,
		"go.uber.org/zap/zapcore": true, "k8s.io/klog/v2": true, "m/internal/logger": true, "m/logging/v3": true,
		"m/go-log": true, "m/tinylogger": true, "m/tinylogger_test": true,
		"m/login": false, "m/catalog": false, "m/blog": false, "m/blogging": false, "m/dialog": false,
		"m/logparser": false, "m/log-parser": false, "logic": false, "m/logs/reader": false, "": false, "v2": false,
		"github.com/sirupsen/logrusx": false,
	} {
		if got := Package(pkg); got != want {
			t.Errorf("%s: %v", pkg, got)
		}
	}
}

func TestPartOf(t *testing.T) {
	for fn, want := range map[string]part{
		"fmt.Sprintf": format, "reflect.Value.Field": format, "encoding/json.Marshal": format, "time.Time.Format": format,
		"sort.Strings": format, "slices.pdqsortCmpFunc[...]": other, "slices.SortFunc[...]": format,
		"runtime.mallocgc": alloc, "runtime.convT64": alloc, "runtime.concatstring2": alloc, "runtime.mapassign_faststr": alloc,
		"internal/runtime/maps.(*Map).PutSlot": alloc,
		"strconv.AppendInt":                    numbers, "time.Time.AppendFormat": numbers,
		"os.(*File).Write": sink, "syscall.Syscall": sink, "m/app.(*Sink).Write": sink, "io.(*multiWriter).Write": sink,
		"bytes.(*Buffer).Write": other, "go.uber.org/zap/zapcore.(*ioCore).Write": other,
		"runtime.memmove": other, "runtime.Callers": other, "m/app.work": other,
	} {
		if got := partOf(fn); got != want {
			t.Errorf("%s: %d, want %d", fn, got, want)
		}
	}
}
