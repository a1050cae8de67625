package avatartest

import (
	"math/rand/v2"
	"net/url"

	"whet/casebook/avatar"
)

// WorkingSet is how many names the benchmarks repeat.
const WorkingSet = 256

var given = []string{
	"Ada", "Alan", "Barbara", "Donald", "Edsger", "Frances", "Grace", "John", "Ken", "Leslie", "Margaret", "Niklaus", "Radia", "Robin", "Tony", "Åsa",
	"Émilie", "Jürgen", "Łucja", "Zoë", "Ελένη", "Γιώργος", "Анна", "Борис", "Мария", "Øystein", "Šárka", "Çağla", "Ivo", "Quinn", "Uma", "Xavier",
}

var middle = []string{"", "", "", " J.", " van der", " de la", " M", " von"}

var family = []string{
	"Andersson", "Bauer", "Castillo", "Dvořák", "Eriksen", "Fischer", "García", "Hughes", "Ionescu", "Jansen", "Kowalski", "López", "Møller", "Novák", "O'Neill", "Papadopoulos",
	"Quist", "Rossi", "Sørensen", "Taylor", "Ueda", "Virtanen", "Weber", "Yılmaz", "Zając", "Петров", "Соколова", "Αντωνίου", "Şahin", "Ólafsson", "Nguyen", "Smith-Jones",
}

// Names returns n distinct names, at most 4,096, the same ones for a seed.
func Names(seed uint64, n int) []string {
	random := rand.New(rand.NewPCG(seed, 0))
	names := make([]string, 0, n)
	seen := make(map[string]bool, n)
	for len(names) < min(n, 4096) {
		name := given[random.IntN(len(given))] + middle[random.IntN(len(middle))] + " " + family[random.IntN(len(family))]
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// Target returns the path that asks for a name's picture of the default size.
func Target(name string) string { return avatar.Path + url.PathEscape(name) }
