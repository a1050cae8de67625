package explore

import "whet/internal/report/flame"

// flameSettings say how a flame graph looks, in the words of the classic
// scripts.
type flameSettings struct {
	sandwich                  string
	reverse, inverted, negate bool
	still, allTypes           bool
	title, subtitle, link     string
	colors, colorFile         string
	width, height             int
	minWidth, fontSize        float64
	font, countName, nameType string
}

func defaultFlame() flameSettings {
	o := flame.DefaultSVGOptions()
	return flameSettings{
		colors: string(o.Palette), width: o.Width, height: o.Height, minWidth: o.MinWidth, fontSize: o.FontSize,
		font: o.FontType, nameType: o.NameType,
	}
}

// flameOptions are those of the table that are of flame graphs.
func flameOptions() []option {
	return []option{
		{name: "sandwich", of: ofFlame, help: "one function, by `regexp`: its callers above, what it calls below",
			at: func(s *settings) any { return &s.flame.sandwich }},
		{name: "reverse", of: ofFlame, help: "stacks from the leaf: callers stand on what they call",
			at: func(s *settings) any { return &s.flame.reverse }},
		{name: "inverted", of: ofFlame, help: "SVG: the root on top (an icicle)",
			at: func(s *settings) any { return &s.flame.inverted }},
		{name: "negate", of: ofFlame, help: "SVG of a difference: red for less and blue for more",
			at: func(s *settings) any { return &s.flame.negate }},
		{name: "still", of: ofFlame, help: "SVG without a script, for where none may run",
			at: func(s *settings) any { return &s.flame.still }},
		{name: "all_types", of: ofFlame, help: "HTML: draw all values of a profile of more than 500,000 samples, too",
			at: func(s *settings) any { return &s.flame.allTypes }},
		{name: "title", of: ofFlame, help: "`text` at the head (default: the profile's name)",
			at: func(s *settings) any { return &s.flame.title }},
		{name: "subtitle", of: ofFlame, help: "`text` below the title",
			at: func(s *settings) any { return &s.flame.subtitle }},
		{name: "link", of: ofFlame, help: "`URL` of a frame's source, with {file}, {line} and {function} in it",
			at: func(s *settings) any { return &s.flame.link }},
		{name: "colors", of: ofFlame, help: "SVG: `palette`: package, hot, mem, io, wakeup, chain, java, js, red, green, blue, aqua, yellow, purple or orange",
			at: func(s *settings) any { return &s.flame.colors }},
		{name: "cp", of: ofFlame, help: "SVG: consistent palette: take the colours of functions from this `file`, and add new ones to it",
			at: func(s *settings) any { return &s.flame.colorFile }},
		{name: "width", of: ofFlame, help: "SVG: `pixels` of the picture",
			at: func(s *settings) any { return &s.flame.width }},
		{name: "height", of: ofFlame, help: "SVG: `pixels` of one frame",
			at: func(s *settings) any { return &s.flame.height }},
		{name: "minwidth", of: ofFlame, help: "SVG: frames narrower than so many `pixels` stand together",
			at: func(s *settings) any { return &s.flame.minWidth }},
		{name: "fonttype", of: ofFlame, help: "SVG: `family` of the font",
			at: func(s *settings) any { return &s.flame.font }},
		{name: "fontsize", of: ofFlame, help: "SVG: `pixels` of the font",
			at: func(s *settings) any { return &s.flame.fontSize }},
		{name: "countname", of: ofFlame, help: "SVG: what values count, in place of their unit: a `word`",
			at: func(s *settings) any { return &s.flame.countName }},
		{name: "nametype", of: ofFlame, help: "SVG: `text` before the name of a frame that is pointed at",
			at: func(s *settings) any { return &s.flame.nameType }},
	}
}
