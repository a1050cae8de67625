package message

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func TestReadTable(t *testing.T) {
	tab, err := ReadTable("x", strings.NewReader("\ufeffid, name \r\n1,\"a,\"\"b\"\"\"\n2,\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(tab.Columns(), []string{"id", "name"}) || tab.Rows() != 2 || tab.rows[0][1] != `a,"b"` || tab.rows[1][1] != "" {
		t.Errorf("got %+v", tab)
	}
	for _, tc := range []struct{ text, want string }{
		{"", "read x: the file is empty; want a first row with the column names"},
		{"a,b\n", "no rows after the column names"},
		{"a,,c\n1,2,3\n", "column 2 has no name"},
		{"a,b,a\n1,2,3\n", `column "a" appears twice`},
		{"a,b\n1\n", "line 2"},
		{"a\n\"1\n", `line 2`},
		{"a\n" + strings.Repeat("1\n", 5), "more than 4 rows"},
		{"a\n" + strings.Repeat("1", 100), "file is too long: the limit is 64 bytes"},
	} {
		_, err := readTable("x", strings.NewReader(tc.text), 64, 4)
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "read x: ") {
			t.Errorf("%.20q: %v, want %q", tc.text, err, tc.want)
		}
	}
	if _, err := readTable("x", strings.NewReader("a\n"+strings.Repeat("1", 61)+"\n"), 64, 4); err != nil {
		t.Errorf("64 bytes: %v", err)
	}
	if _, err := ReadTable("x", iotest.ErrReader(errors.New("gone"))); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("a reader that fails: %v", err)
	}
}

func TestThink(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, tc := range []struct {
		text string
		mean time.Duration
	}{{"100ms", 100 * time.Millisecond}, {"exp:100ms", 100 * time.Millisecond}, {" 0s", 0}} {
		th, err := ParseThink(tc.text)
		if err != nil || th.Mean() != tc.mean || th.None() != (tc.mean == 0) {
			t.Errorf("%q: %v of mean %s, %v", tc.text, th, th.Mean(), err)
		}
		if again, err := ParseThink(th.String()); again != th || err != nil {
			t.Errorf("%q is printed as %s, which is %v, %v", tc.text, th, again, err)
		}
		// The mean of n exponential times has the standard deviation mean/√n, and
		// a share of e⁻¹ of them is longer than the mean.
		const n = 20_000
		var sum, longer float64
		for range n {
			d := th.Draw(rng)
			sum += float64(d)
			if d > tc.mean {
				longer++
			}
		}
		if math.Abs(sum/n-float64(tc.mean)) > 4*float64(tc.mean)/math.Sqrt(n) {
			t.Errorf("%s: the mean is %s", th, time.Duration(sum/n))
		}
		want := 0.0
		if strings.HasPrefix(tc.text, "exp") {
			want = n / math.E
		}
		if math.Abs(longer-want) > 4*math.Sqrt(want*(1-1/math.E)) {
			t.Errorf("%s: %g of %d are longer than the mean, want %g", th, longer, n, want)
		}
	}
	for _, tc := range []struct{ text, want string }{
		{"", "write one like 100ms"}, {"exp", "write one like 100ms"}, {"exp:0s", "need a mean above 0"}, {"-1s", "is below 0"}, {"2h", "is more than 1h0m0s"}, {"uniform:1s", "write one like"},
	} {
		if _, err := ParseThink(tc.text); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v, want %q", tc.text, err, tc.want)
		}
	}
}
