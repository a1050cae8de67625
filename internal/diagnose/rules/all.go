package rules

import (
	"slices"

	"whet/internal/diagnose"
	"whet/internal/diagnose/explain"
	"whet/internal/diagnose/knowledge"
	"whet/internal/diagnose/rules/boxedvalue"
	"whet/internal/diagnose/rules/bufferpercall"
	"whet/internal/diagnose/rules/busywaiting"
	"whet/internal/diagnose/rules/channelperitem"
	"whet/internal/diagnose/rules/collectionpercall"
	"whet/internal/diagnose/rules/collectorassists"
	"whet/internal/diagnose/rules/constantwork"
	"whet/internal/diagnose/rules/dearhandoff"
	"whet/internal/diagnose/rules/densemap"
	"whet/internal/diagnose/rules/equalcalls"
	"whet/internal/diagnose/rules/escapingstruct"
	"whet/internal/diagnose/rules/fmtformat"
	"whet/internal/diagnose/rules/goroutineleak"
	"whet/internal/diagnose/rules/heapgrowth"
	"whet/internal/diagnose/rules/idlebehindlock"
	"whet/internal/diagnose/rules/jsonreencode"
	"whet/internal/diagnose/rules/lockcontention"
	"whet/internal/diagnose/rules/lockheld"
	"whet/internal/diagnose/rules/logging"
	"whet/internal/diagnose/rules/markedpointers"
	"whet/internal/diagnose/rules/objectpercall"
	"whet/internal/diagnose/rules/randomperelement"
	"whet/internal/diagnose/rules/readercontention"
	"whet/internal/diagnose/rules/readgrowth"
	"whet/internal/diagnose/rules/regexpcompile"
	"whet/internal/diagnose/rules/regexpreplace"
	"whet/internal/diagnose/rules/repeatedresult"
	"whet/internal/diagnose/rules/slicegrowth"
	"whet/internal/diagnose/rules/startup"
	"whet/internal/diagnose/rules/stringcopy"
	"whet/internal/diagnose/rules/throttled"
	"whet/internal/diagnose/shape"
)

// All returns every rule, in the order they are listed to users.
func All() []diagnose.Rule {
	return slices.Concat([]diagnose.Rule{
		goroutineleak.Rule(),
		heapgrowth.Rule(),
		logging.Rule(),
		lockheld.Rule(),
		lockcontention.Rule(),
		readercontention.Rule(),
		channelperitem.Rule(),
		dearhandoff.Rule(),
		idlebehindlock.Rule(),
		equalcalls.Rule(),
		collectorassists.Rule(),
		markedpointers.Rule(),
		busywaiting.Rule(),
		throttled.Rule(),
		startup.Rule(),
		fmtformat.Rule(),
		stringcopy.Rule(),
		slicegrowth.Rule(),
		readgrowth.Rule(),
		jsonreencode.Rule(),
		bufferpercall.Rule(),
		escapingstruct.Rule(),
		regexpreplace.Rule(),
		regexpcompile.Rule(),
		randomperelement.Rule(),
		constantwork.Rule(),
		densemap.Rule(),
		collectionpercall.Rule(),
		objectpercall.Rule(),
		repeatedresult.Rule(),
	}, boxedvalue.Rules(), knowledge.Rules(), shape.Rules(), explain.Rules())
}

// Rows returns all rows of knowledge: of calls, and of statements.
func Rows() []knowledge.Row { return slices.Concat(knowledge.Table(), shape.Table()) }
