package statstest

import (
	"fmt"
	"math/rand/v2"

	"whet/casebook/stats"
)

// Agent is a User-Agent and what it was made of.
type Agent struct {
	Text, System, Browser string
}

// Agents returns n User-Agents, the same for the same seed: about as many of
// each browser as a public site sees, with versions that differ, and one in
// twenty from a program that is no browser.
func Agents(seed uint64, n int) []Agent {
	r := rand.New(rand.NewPCG(seed, 1))
	agents := make([]Agent, n)
	for i := range agents {
		agents[i] = agent(r)
	}
	return agents
}

func agent(r *rand.Rand) Agent {
	v, minor := 90+r.IntN(60), r.IntN(7000)
	system, platform := desktop(r)
	webkit := "Mozilla/5.0 (" + platform + ") AppleWebKit/537.36 (KHTML, like Gecko) Chrome/" + fmt.Sprintf("%d.0.%d.0", v, minor)
	const iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_%d like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
	switch p := r.IntN(100); {
	case p < 30:
		return Agent{webkit + " Safari/537.36", system, "Chrome"}
	case p < 55:
		return Agent{fmt.Sprintf("Mozilla/5.0 (Linux; Android %d; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.0.0 Mobile Safari/537.36", 9+r.IntN(7), v), "Android", "Chrome"}
	case p < 70:
		return Agent{fmt.Sprintf(iPhone+"Version/17.%d Mobile/15E148 Safari/604.1", minor%6, minor%6), "iOS", "Safari"}
	case p < 74:
		return Agent{fmt.Sprintf(iPhone+"CriOS/%d.0.%d.50 Mobile/15E148 Safari/604.1", minor%6, v, minor), "iOS", "Chrome"}
	case p < 79:
		return Agent{fmt.Sprintf("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_%d) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.%d Safari/605.1.15", minor%8, minor%6), "OS X", "Safari"}
	case p < 85:
		return Agent{fmt.Sprintf("%s Safari/537.36 Edg/%d.0.%d.%d", webkit, v, minor, v), system, "Edge"}
	case p < 91:
		return Agent{fmt.Sprintf("Mozilla/5.0 (%s; rv:%d.0) Gecko/20100101 Firefox/%d.0", platform, v, v), system, "Firefox"}
	case p < 94:
		return Agent{fmt.Sprintf("%s Safari/537.36 OPR/%d.0.0.0", webkit, v-14), system, "Opera"}
	case p < 95:
		return Agent{"Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko", "Windows", "Internet Explorer"}
	case p < 97:
		return Agent{fmt.Sprintf("curl/8.%d.0", minor%12), "", ""}
	case p < 99:
		return Agent{"Go-http-client/1.1", "", ""}
	}
	return Agent{}
}

func desktop(r *rand.Rand) (system, platform string) {
	switch p := r.IntN(10); {
	case p < 6:
		return "Windows", "Windows NT 10.0; Win64; x64"
	case p < 8:
		return "OS X", fmt.Sprintf("Macintosh; Intel Mac OS X 10_15_%d", r.IntN(8))
	case p < 9:
		return "Linux", "X11; Linux x86_64"
	}
	return "Chrome OS", fmt.Sprintf("X11; CrOS x86_64 %d.%d.0", 14000+r.IntN(2000), r.IntN(90))
}

// Paths returns n paths that are counted, the same for the same seed.
func Paths(seed uint64, n int) []string {
	endpoints := []string{"", "/", "/cart", "/cart/checkout", "/orders/v1:list", "/orders/2026.11", "/search", "/user settings"}
	r := rand.New(rand.NewPCG(seed, 2))
	paths := make([]string, n)
	for i := range paths {
		paths[i] = stats.AdvancePath + endpoints[r.IntN(len(endpoints))]
	}
	return paths
}

// TagSets returns the tags of n requests, the same for the same seed: hosts
// with their domain and without, one in twenty unknown.
func TagSets(seed uint64, n int) []stats.Tags {
	r := rand.New(rand.NewPCG(seed, 3))
	agents, paths := Agents(seed, n), Paths(seed, n)
	sets := make([]stats.Tags, n)
	for i := range sets {
		endpoint, _ := stats.Endpoint(paths[i]) // all of these are counted
		sets[i] = stats.Tags{
			stats.TagEndpoint: endpoint,
			stats.TagOS:       agents[i].System,
			stats.TagBrowser:  agents[i].Browser,
		}
		switch p := r.IntN(20); {
		case p < 9:
			sets[i][stats.TagHost] = fmt.Sprintf("web-%d", r.IntN(40))
		case p < 19:
			sets[i][stats.TagHost] = fmt.Sprintf("web-%d.eu.example.net", r.IntN(40))
		}
	}
	return sets
}
