package visits

// Colour returns s if it is a CSS colour, and DefaultColour otherwise.
func Colour(s string) string {
	if IsColour(s) {
		return s
	}
	return DefaultColour
}

// IsColour reports whether s is a CSS colour in one of two notations: one of
// the 148 names of CSS Color Module Level 4 in upper or lower case, or # and
// 3, 4, 6 or 8 hexadecimal digits. Functions such as rgb() and hsl(), keywords
// such as transparent, and surrounding space are not accepted: what passes has
// only letters, digits and #, so it can leave neither the attribute nor the
// declaration it is written into.
func IsColour[T string | []byte](s T) bool {
	if len(s) == 0 {
		return false
	}
	if s[0] == '#' {
		switch len(s) {
		case 4, 5, 7, 9:
		default:
			return false
		}
		for i := 1; i < len(s); i++ {
			c := s[i]
			if c-'0' > 9 && c|0x20-'a' > 5 {
				return false
			}
		}
		return true
	}
	var lower [longestName]byte
	if len(s) > len(lower) {
		return false
	}
	for i := range len(s) {
		c := s[i] | 0x20
		if c-'a' > 'z'-'a' {
			return false
		}
		lower[i] = c
	}
	return isName(&lower, len(s))
}

const longestName = len("lightgoldenrodyellow")

// isName holds the colour names of CSS Color Module Level 4, section 6.1. A
// switch over strings is a search by length and then by value, and needs no
// hash.
func isName(s *[longestName]byte, n int) bool {
	switch string(s[:n]) {
	case "aliceblue", "antiquewhite", "aqua", "aquamarine", "azure", "beige", "bisque", "black",
		"blanchedalmond", "blue", "blueviolet", "brown", "burlywood", "cadetblue", "chartreuse", "chocolate",
		"coral", "cornflowerblue", "cornsilk", "crimson", "cyan", "darkblue", "darkcyan", "darkgoldenrod",
		"darkgray", "darkgreen", "darkgrey", "darkkhaki", "darkmagenta", "darkolivegreen", "darkorange",
		"darkorchid", "darkred", "darksalmon", "darkseagreen", "darkslateblue", "darkslategray", "darkslategrey",
		"darkturquoise", "darkviolet", "deeppink", "deepskyblue", "dimgray", "dimgrey", "dodgerblue", "firebrick",
		"floralwhite", "forestgreen", "fuchsia", "gainsboro", "ghostwhite", "gold", "goldenrod", "gray", "green",
		"greenyellow", "grey", "honeydew", "hotpink", "indianred", "indigo", "ivory", "khaki", "lavender",
		"lavenderblush", "lawngreen", "lemonchiffon", "lightblue", "lightcoral", "lightcyan",
		"lightgoldenrodyellow", "lightgray", "lightgreen", "lightgrey", "lightpink", "lightsalmon",
		"lightseagreen", "lightskyblue", "lightslategray", "lightslategrey", "lightsteelblue", "lightyellow",
		"lime", "limegreen", "linen", "magenta", "maroon", "mediumaquamarine", "mediumblue", "mediumorchid",
		"mediumpurple", "mediumseagreen", "mediumslateblue", "mediumspringgreen", "mediumturquoise",
		"mediumvioletred", "midnightblue", "mintcream", "mistyrose", "moccasin", "navajowhite", "navy", "oldlace",
		"olive", "olivedrab", "orange", "orangered", "orchid", "palegoldenrod", "palegreen", "paleturquoise",
		"palevioletred", "papayawhip", "peachpuff", "peru", "pink", "plum", "powderblue", "purple",
		"rebeccapurple", "red", "rosybrown", "royalblue", "saddlebrown", "salmon", "sandybrown", "seagreen",
		"seashell", "sienna", "silver", "skyblue", "slateblue", "slategray", "slategrey", "snow", "springgreen",
		"steelblue", "tan", "teal", "thistle", "tomato", "turquoise", "violet", "wheat", "white", "whitesmoke",
		"yellow", "yellowgreen":
		return true
	}
	return false
}
