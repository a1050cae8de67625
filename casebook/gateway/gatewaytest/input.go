package gatewaytest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

var (
	businesses = []string{"shop-checkout", "shop-search", "member-area", "newsletter"}
	systems    = []string{"android", "ios", "linux", "windows"}
	titles     = []string{"Green tea, loose", "Cup with a lid", `Kettle \"Nord\" 1.7 l`, "Thé à la menthe", "Filter papers", "Honey\\n500 g", "Tray, oak", "Spoon"}
	tags       = []string{"new", "sale", "gift", "fragile", "organic", "heavy"}
	words      = []string{"please", "ring", "twice", "and", "leave", "it", "with", "the", "neighbours", "on", "second", "floor", "if", "nobody", "opens"}
)

// Body returns a request's body of exactly size bytes, at least 800: an order
// with as many lines as fit and a note that fills it up. The same seed gives
// the same body.
func Body(seed uint64, size int) []byte {
	random := rand.New(rand.NewPCG(seed, uint64(size)))
	one := func(of []string) string { return of[random.IntN(len(of))] }
	b := fmt.Appendf(nil, `{"header":{"businessName":"%s","qua":{"v":"7.%d.%d","os":"%s","model":"M%d","lang":"en-GB","net":"wifi","channel":"store"},"trace":"%016x"},"payload":{"customer":{"id":%d,"mail":"c%d@example.com","vip":%t},"lines":[`,
		one(businesses), random.IntN(10), random.IntN(40), one(systems), random.IntN(1000), random.Uint64(), random.Int64(), random.IntN(100_000), random.IntN(4) == 0)
	const end = `],"coupon":null,"note":"`
	for i := 0; ; i++ {
		line := fmt.Sprintf(`{"sku":"%c%c-%05d","title":"%s","quantity":%d,"price":%d.%02d,"weight":%.3f,"tags":["%s","%s"],"gift":%t}`,
			'A'+random.IntN(26), 'A'+random.IntN(26), random.IntN(100_000), one(titles), 1+random.IntN(12), random.IntN(200), random.IntN(100), random.Float64()*5, one(tags), one(tags), random.IntN(8) == 0)
		if len(b)+len(line)+len(end)+len(`,"}}`) > size {
			break
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, line...)
	}
	b = append(b, end...)
	var note strings.Builder
	for note.Len() < size-len(b) {
		note.WriteString(one(words))
		note.WriteByte(' ')
	}
	b = append(b, note.String()[:max(0, size-len(b)-len(`"}}`))]...)
	return append(b, `"}}`...)
}
