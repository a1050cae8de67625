package house

import (
	"fmt"
	"strings"
)

// Table returns the plan in Markdown: which package stands on which floor, and what
// of the world it may use.
func (p Plan) Table() string {
	var out strings.Builder
	out.WriteString("| floor | packages, and what of the world they may use | planned |\n|---|---|---|\n")
	for floor := Ground; floor <= Command; floor++ {
		var built, planned []string
		for _, r := range p.Rows {
			if r.Floor != floor {
				continue
			}
			name := "`" + strings.TrimPrefix(r.Pattern, "internal/") + "`"
			if r.Pattern == "." {
				name = "the root"
			}
			switch r.Powers {
			case 0:
			case All:
				name += " (all)"
			default:
				name += " (" + r.Powers.String() + ")"
			}
			if r.Planned {
				planned = append(planned, name)
			} else {
				built = append(built, name)
			}
		}
		fmt.Fprintf(&out, "| %s | %s | %s |\n", floor, strings.Join(built, ", "), strings.Join(planned, ", "))
	}
	return out.String()
}
