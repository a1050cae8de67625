package read

import (
	"fmt"

	loadformat "whet/internal/format/load"
	"whet/internal/recording"
	"whet/internal/report/load"
)

// KneePath is the path in a recording of the search that found a load: the output of
// whet load -knee -json.
const KneePath = "load/knee.json"

// Load is a load as its recording has it.
type Load struct {
	*loadformat.Load
	Run     load.Run
	Search  *load.Search // that found it; nil: it was not looked for
	Partial string
}

// OpenLoad reads the recording of whet load at path.
func OpenLoad(path string) (*Load, error) {
	rec, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	return NewLoad(rec)
}

// NewLoad reads a recording of whet load.
func NewLoad(rec *recording.Recording) (*Load, error) {
	l, err := readLoad(rec)
	if err != nil {
		return nil, fmt.Errorf("open recording %s: %w", rec.Dir, err)
	}
	return l, nil
}

func readLoad(rec *recording.Recording) (*Load, error) {
	if rec.Kind != recording.TargetLoad {
		return nil, fmt.Errorf("it is the recording of a %s without a load of its own: whet diagnose shows it", rec.Kind)
	}
	l := &Load{Partial: rec.Partial}
	var err error
	if l.Run, l.Load, err = load.Read(rec); err != nil {
		return nil, err
	}
	if !loadformat.Has(rec, KneePath) {
		return l, nil
	}
	data, err := loadformat.ReadPath(rec, KneePath)
	if err != nil {
		return nil, err
	}
	if l.Search, err = load.ReadSearch(data); err != nil {
		return nil, fmt.Errorf("%s: %w", KneePath, err)
	}
	return l, nil
}
