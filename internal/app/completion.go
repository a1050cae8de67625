package app

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"whet/internal/cli"
	"whet/internal/explore"
)

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:     "completion",
		Operands: "bash|zsh|fish",
		Short:    "print a completion script for a shell",
		Long: `
Completion prints a script that completes verbs, flags, file names and recordings (@, @NAME). Whet
makes it from the same table as the help.`,
		Examples: []string{
			"source <(whet completion bash)",
			"whet completion zsh > ~/.zsh/completions/_whet",
			"whet completion fish > ~/.config/fish/completions/whet.fish",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				shell, err := cli.OneOperand("completion", "shell", operands)
				if err != nil {
					return err
				}
				write, ok := map[string]func(io.Writer, []completedVerb) error{
					"bash": writeBash, "zsh": writeZsh, "fish": writeFish,
				}[shell]
				if !ok {
					return cli.UsageError("completion: %q: want bash, zsh or fish", shell)
				}
				return write(e.Stdout, completedVerbs())
			}
		},
	}
}

// completedVerb is what a completion knows of a verb.
type completedVerb struct {
	name, short string
	flags       []completedFlag
	words       []string // the operands, where they are a fixed list
	recordings  bool     // an operand may be a recording
}

type completedFlag struct {
	name, usage string
	value       bool     // it takes an argument
	words       []string // the arguments, where they are a fixed list
}

// completedVerbs reads the command table, and adds help and version, which
// stand outside it.
func completedVerbs() []completedVerb {
	var verbs []completedVerb
	var names []string
	for _, c := range commands() {
		v := completedVerb{name: c.Name, short: c.Short, recordings: c.Recordings > 0}
		fs, _ := c.Flags()
		var choices map[string][]string
		if c.Choices != nil {
			choices = c.Choices()
		}
		fs.VisitAll(func(f *flag.Flag) {
			_, usage := flag.UnquoteUsage(f)
			b, ok := f.Value.(interface{ IsBoolFlag() bool })
			v.flags = append(v.flags, completedFlag{name: f.Name, usage: usage, value: !ok || !b.IsBoolFlag(), words: choices[f.Name]})
		})
		if c.Name == "completion" {
			v.words = []string{"bash", "zsh", "fish"}
		}
		verbs = append(verbs, v)
		names = append(names, c.Name)
	}
	return append(verbs,
		completedVerb{name: "help", short: "the help of a verb", words: names},
		completedVerb{name: "version", short: "whet's version"})
}

// writeBash writes the completion of bash. Where nothing of ours fits, file
// names are offered, by bash itself: it quotes them rightly.
func writeBash(w io.Writer, verbs []completedVerb) error {
	var b strings.Builder
	var names []string
	for _, v := range verbs {
		names = append(names, v.name)
	}
	fmt.Fprintf(&b, `# bash completion for whet
_whet() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W '%s' -- "$cur"))
		return
	fi
	local flags='' values='' words='' choices='' recordings='' choice
	# Bash may split a word after @; then it is not part of what is completed.
	local typed=$cur at=@
	if [ "$prev" = @ ]; then
		typed=@$cur at=''
	elif [ "$cur" = @ ] && [[ $COMP_WORDBREAKS == *@* ]]; then
		at=''
	fi
	case ${COMP_WORDS[1]} in
`, strings.Join(names, " "))
	take := func(pattern string, v completedVerb) {
		var flags, values, choices []string
		for _, f := range v.flags {
			flags = append(flags, "-"+f.name)
			if f.value {
				values = append(values, "-"+f.name, "--"+f.name)
			}
			if len(f.words) > 0 {
				choices = append(choices, "-"+f.name+":"+strings.Join(f.words, ","))
			}
		}
		recordings := ""
		if v.recordings {
			recordings = "yes"
		}
		fmt.Fprintf(&b, "\t%s) flags='%s' values='%s' words='%s' choices='%s' recordings='%s' ;;\n",
			pattern, strings.Join(flags, " "), strings.Join(values, " "), strings.Join(v.words, " "), strings.Join(choices, " "), recordings)
	}
	for _, v := range verbs {
		take(v.name, v)
	}
	for _, v := range verbs {
		if v.name == explore.PromptName {
			take("*", v) // whet PROFILE
		}
	}
	b.WriteString(`	esac
	for choice in $choices; do
		case $choice in
		"${prev/#--/-}:"*)
			choice=${choice#*:}
			COMPREPLY=($(compgen -W "${choice//,/ }" -- "$cur"))
			return
			;;
		esac
	done
	if [ -n "$recordings" ] && [[ $typed == @* ]]; then
		while read -r choice; do
			[[ $choice == "$typed"* ]] && COMPREPLY+=("$at${choice#@}")
		done < <(whet recordings -operands 2>/dev/null)
		return
	fi
	case " $values " in
	*" $prev "*) return ;;
	esac
	case $cur in
	--*) COMPREPLY=($(compgen -P - -W "$flags" -- "${cur#-}")) ;;
	-*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
	*) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
	esac
}
complete -o default -F _whet whet
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeZsh writes a function file for zsh's completion system.
func writeZsh(w io.Writer, verbs []completedVerb) error {
	var b strings.Builder
	b.WriteString("#compdef whet\n\nlocal -a verbs\nverbs=(\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "\t%s\n", shellQuote(v.name+":"+v.short))
	}
	b.WriteString(")\nif (( CURRENT == 2 )); then\n\t_describe verb verbs || _files\n\treturn\nfi\ncase $words[2] in\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "%s)\n\t_arguments -S", v.name)
		for _, f := range v.flags {
			// In _arguments a bracket ends the text and a colon begins the value.
			text := strings.NewReplacer("[", "(", "]", ")", ":", " -").Replace(f.usage)
			spec := "-" + f.name + "[" + text + "]"
			switch {
			case len(f.words) > 0:
				spec += ":value:(" + strings.Join(f.words, " ") + ")"
			case f.value:
				spec += ":value:_files"
			}
			fmt.Fprintf(&b, " \\\n\t\t%s", shellQuote(spec))
		}
		operands := "*:file:_files"
		if v.recordings {
			operands = `*:file:{ compadd -- ${(f)"$(whet recordings -operands 2>/dev/null)"}; _files }`
		}
		if len(v.words) > 0 {
			operands = "*:word:(" + strings.Join(v.words, " ") + ")"
		}
		// The verb itself is the first operand that _arguments sees.
		fmt.Fprintf(&b, " \\\n\t\t'1: :' \\\n\t\t%s\n\t;;\n", shellQuote(operands))
	}
	b.WriteString("esac\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeFish writes commands for fish.
func writeFish(w io.Writer, verbs []completedVerb) error {
	var b strings.Builder
	b.WriteString("# fish completion for whet\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "complete -c whet -n __fish_use_subcommand -a %s -d %s\n", v.name, fishQuote(v.short))
	}
	for _, v := range verbs {
		seen := fishQuote("__fish_seen_subcommand_from " + v.name)
		for _, f := range v.flags {
			value := ""
			switch {
			case len(f.words) > 0:
				value = " -x -a " + fishQuote(strings.Join(f.words, " "))
			case f.value:
				value = " -r"
			}
			fmt.Fprintf(&b, "complete -c whet -n %s -o %s%s -d %s\n", seen, f.name, value, fishQuote(f.usage))
		}
		if v.recordings {
			fmt.Fprintf(&b, "complete -c whet -n %s -a %s\n", seen, fishQuote("(whet recordings -operands 2>/dev/null)"))
		}
		if len(v.words) > 0 {
			fmt.Fprintf(&b, "complete -c whet -n %s -f -a %s\n", seen, fishQuote(strings.Join(v.words, " ")))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shellQuote makes one word of s in bash and zsh.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// fishQuote makes one word of s in fish, where a backslash counts inside
// quotes.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
