package explore

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"

	"whet/internal/cli"
	"whet/internal/profiles"
	"whet/internal/report/flame"
)

// flames adds the graphs of a comparison to a page of them; of recordings they
// are called by their kind.
func (p *comparison) flames(page *flame.Page) error {
	views, err := p.viewRequest.flames()
	if err != nil {
		return err
	}
	for _, v := range views {
		if p.kind != "" {
			v.Kind, v.Label = p.kind, p.kind+": "+v.Graph.Type.Type
		}
		page.Views = append(page.Views, v)
	}
	page.Warnings = append(page.Warnings, p.Warnings...)
	for _, source := range p.Sources {
		page.Warnings = append(page.Warnings, source.Profile.Warnings...)
	}
	page.Module = cmp.Or(page.Module, p.module())
	return nil
}

// diffPage draws the kinds that both sides hold as flame graphs.
func diffPage(ctx context.Context, e *cli.Env, s settings, f *profiles.Options, kinds, binary, operands []string) error {
	page := flame.Page{Title: filepath.Base(profiles.Shown(operands[0])) + " → " + filepath.Base(profiles.Shown(operands[1]))}
	for _, kind := range kinds {
		p, err := compareKind(ctx, e, s, f, kind, binary, operands)
		if err != nil {
			return err
		}
		if err = errors.Join(p.Spare(s.output), p.before.Spare(s.output)); err == nil {
			err = p.flames(&page)
		}
		p.close()
		if err != nil {
			return err
		}
	}
	out := cmp.Or(s.output, outputName(operands[1], "diff", formatHTML))
	return e.Emit(ctx, out, func(w io.Writer) error { return flame.WriteHTML(w, page) })
}
