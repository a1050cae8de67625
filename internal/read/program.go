package read

import (
	"encoding/json"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/recording"
	"whet/internal/typed"
)

// readProgram reads the measured program as the type checker sees it.
func (a *Reading) readProgram() {
	view := a.View()
	if view == nil {
		return
	}
	a.types = typed.New(view, a.sources.Text)
}

// checkProgram says what rules could not be told of the packages that they asked
// about.
func (a *Reading) checkProgram() (typed bool) {
	if a.types == nil {
		return false
	}
	missing, typed := a.types.Missing()
	if len(missing) > 0 {
		a.warn("rules that need types may be silent about %s", strings.Join(distinct(missing, 3), "; "))
	}
	return typed
}

// addStored takes the findings that were stored with a recording which has no
// types: today's rules need them, and those of the whet that made it had what they
// needed.
func (a *Reading) addStored(result *diagnose.Result) {
	if a.checkProgram() {
		return
	}
	footnote := "the recording has no types of the measured code: rules that need them are silent"
	for _, artifact := range a.rec.Find(recording.KindFindings, "") {
		data, err := a.rec.Read(artifact)
		var stored findingsFile
		if err == nil {
			err = json.Unmarshal(data, &stored)
		}
		if err != nil {
			a.warn("%s: %v", artifact.Path, err)
			continue
		}
		result.Findings, result.Below, result.HotPlaces = stored.Findings, stored.Below, stored.HotPlaces
		result.Accounts = nil // they sum up with the places of today
		result.Verdict = diagnose.Verdict{Kind: diagnose.VerdictKind(stored.Verdict.Kind), Text: stored.Verdict.Text, Outcome: diagnose.Outcome(stored.Verdict.Outcome)}
		footnote += ", and the findings are those of the whet version that made it"
		if stored.Tool != "" {
			footnote += ", whet " + stored.Tool
		}
		break
	}
	foreign := a.service != nil && a.rec.Build.Module == "" && len(a.profiles) > 0
	if foreign {
		footnote += "; run whet tune in the directory of the service's module, or have it start the service, as in whet tune URL -- ./cmd/server"
	}
	if foreign || len(a.rec.Sources) > 0 { // else there was nothing to type, or -no-source left it out
		a.warn("%s", footnote)
	}
}
