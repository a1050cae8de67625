package explore

import "whet/internal/report/flame"

// flameSettings say how a flame graph looks, in the words of the classic
// scripts.
type flameSettings struct {
	flame.SVGOptions
	sandwich                 string
	reverse, still, allTypes bool
	colorFile                string
	root                     string // of HTML: "top" or "bottom"
}

// Where the root of a page's graph stands.
const (
	rootTop    = "top"
	rootBottom = "bottom"
)

func defaultFlame() flameSettings {
	f := flameSettings{SVGOptions: flame.DefaultSVGOptions(), root: rootTop}
	f.Title = "" // the profile's name
	return f
}

// options returns the options of the table that are of flame graphs.
func (f *flameSettings) options() []option {
	return []option{
		{name: "sandwich", of: ofFlame, help: "one function, by `regexp`: its callers above, its callees below", value: &f.sandwich},
		{name: "reverse", of: ofFlame, help: "stacks from the leaf: callers above their callees", value: &f.reverse},
		{name: "root", of: ofFlame, help: "HTML: `position` of the root, top or bottom", value: &f.root},
		{name: "inverted", of: ofFlame, help: "SVG: the root on top (an icicle)", value: &f.Inverted},
		{name: "negate", of: ofFlame, help: "SVG of a difference: red for less and blue for more", value: &f.Negate},
		{name: "still", of: ofFlame, help: "SVG without a script, for pages that allow none", value: &f.still},
		{name: "all_types", of: ofFlame, help: "HTML: draw all sample types even of a profile of more than 500,000 samples", value: &f.allTypes},
		{name: "title", of: ofFlame, help: "`text` at the head (default: the profile's name)", value: &f.Title},
		{name: "subtitle", of: ofFlame, help: "`text` below the title", value: &f.Subtitle},
		{name: "link", of: ofFlame, help: "`URL` of a frame's source, with {file}, {line} and {function} in it", value: (*string)(&f.Link)},
		{name: "colors", of: ofFlame, help: "SVG: `palette`: package, hot, mem, io, wakeup, chain, java, js, red, green, blue, aqua, yellow, purple or orange", value: (*string)(&f.Palette)},
		{name: "cp", of: ofFlame, help: "SVG: keep the colours of functions in this `file`, and add new ones to it", value: &f.colorFile},
		{name: "width", of: ofFlame, help: "SVG: width of the picture in `pixels`", value: &f.Width},
		{name: "height", of: ofFlame, help: "SVG: height of one frame in `pixels`", value: &f.Height},
		{name: "minwidth", of: ofFlame, help: "SVG: merge frames narrower than this many `pixels`", value: &f.MinWidth},
		{name: "fonttype", of: ofFlame, help: "SVG: font `family`", value: &f.FontType},
		{name: "fontsize", of: ofFlame, help: "SVG: font size in `pixels`", value: &f.FontSize},
		{name: "countname", of: ofFlame, help: "SVG: name the values with this `word` instead of their unit", value: &f.CountName},
		{name: "nametype", of: ofFlame, help: "SVG: `text` before the name of the frame under the pointer", value: &f.NameType},
	}
}
