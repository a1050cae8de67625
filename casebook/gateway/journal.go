package gateway

import (
	"io"

	"github.com/rs/zerolog"
)

// Journal is the log of a stage: one line of JSON a request. What a log costs
// is the question of another case; all stages of this one write the same.
type Journal struct{ log zerolog.Logger }

// NewJournal returns a log that is written to w.
func NewJournal(w io.Writer) Journal {
	// zerolog does not keep concurrent records apart by itself.
	return Journal{zerolog.New(zerolog.SyncWriter(w)).With().Timestamp().Str("module", ServiceName).Logger()}
}

// Write writes the record of a request that ended with err. Of one that was
// refused before the downstream was called, c is empty. Why a downstream failed
// is told here and nowhere else.
func (j *Journal) Write(c Call, err error) {
	if err == nil {
		j.log.Info().Int("code", Status(nil)).Str("business", c.Business).Str("session", c.Session).Msg("answered")
		return
	}
	record := j.log.Warn().Int("code", Status(err)).Str("business", c.Business).Str("session", c.Session).Str("error", err.Error())
	if text := cause(err); text != "" {
		record.Str("cause", text)
	}
	record.Msg("refused")
}
