package quantity

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// byteUnits are the suffixes ParseBytes knows. "K" and its kin are not among
// them: readers do not agree on what they stand for.
var byteUnits = map[string]int64{
	"": 1, "B": 1,
	"kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "EB": 1e18,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "PiB": 1 << 50, "EiB": 1 << 60,
}

// ParseBytes reads a size: digits with an optional fraction and an optional
// unit, "1.5 KiB", "10MB", "4096", "1,023 KiB". kB is 1,000 bytes and KiB
// 1,024. The result is rounded to the nearest byte; a size that is negative,
// or that an int64 cannot hold, is an error.
func ParseBytes(s string) (int64, error) {
	// Far more than any size needs: what is longer is not a size.
	const longest = 64
	bad := func(why string) (int64, error) {
		shown := s
		if len(shown) > longest {
			shown = shown[:longest] + "..."
		}
		return 0, fmt.Errorf("parse size %q: %s; write it as 4096, 1.5KiB or 10MB", shown, why)
	}
	if len(s) > longest {
		return bad("it is too long")
	}
	text := strings.TrimSpace(s)
	if strings.HasPrefix(text, "-") {
		return bad("it is negative")
	}
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != ',' })
	if end < 0 {
		end = len(text)
	}
	number, unit := text[:end], strings.TrimSpace(text[end:])
	factor, ok := byteUnits[unit]
	if !ok {
		return bad(fmt.Sprintf("there is no unit %q", unit))
	}
	whole, fraction, _ := strings.Cut(number, ".")
	if strings.ContainsAny(fraction, ".,") {
		return bad("it is not a number")
	}
	plain, ok := joinThousands(whole)
	if !ok || plain+fraction == "" {
		return bad("it is not a number")
	}
	// Rationals, since a float64 cannot tell neighbouring sizes above 2⁵³.
	v, ok := new(big.Rat).SetString("0" + plain + "." + fraction + "0")
	if !ok {
		return bad("it is not a number")
	}
	v.Mul(v, new(big.Rat).SetInt64(factor))
	v.Add(v, big.NewRat(1, 2))
	n := new(big.Int).Quo(v.Num(), v.Denom())
	if !n.IsInt64() {
		return bad(fmt.Sprintf("it is more than %d bytes", int64(math.MaxInt64)))
	}
	return n.Int64(), nil
}

// joinThousands removes the commas between thousands, and refuses commas that
// stand anywhere else: "1,5" may mean one and a half.
func joinThousands(s string) (string, bool) {
	groups := strings.Split(s, ",")
	if len(groups) == 1 {
		return s, true
	}
	for i, g := range groups {
		if i == 0 && (g == "" || len(g) > 3) || i > 0 && len(g) != 3 {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}
