package prove

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"whet/internal/analyze/compare"
)

// maxLine bounds a command line. Systems take about as much.
const maxLine = 128 << 10

// Split divides a command line into words by the rules of a POSIX shell (Shell Command
// Language, 2.2), without expansion. Between single quotes all characters are literal;
// between double quotes a backslash escapes $, `, ", \ and the end of a line; elsewhere
// it escapes any character. Syntax that needs a shell is an error.
func Split(line string) ([]string, error) {
	if len(line) > maxLine {
		return nil, fmt.Errorf("split command: longer than %d bytes", maxLine)
	}
	s := splitter{rest: line, line: line}
	for s.rest != "" {
		if err := s.next(); err != nil {
			return nil, fmt.Errorf("split command %s: %w", Show(line), err)
		}
	}
	s.end()
	switch {
	case len(s.words) == 0:
		return nil, errors.New("split command: empty")
	case s.words[0] == "":
		return nil, fmt.Errorf("split command %s: the program's name is empty", Show(line))
	}
	if name, _, ok := strings.Cut(s.words[0], "="); ok && !strings.ContainsAny(name, `/\`) {
		return nil, fmt.Errorf("split command %s: %s names no program; to set a variable write %s", Show(line), Show(s.words[0]), Show("env "+line))
	}
	return s.words, nil
}

// Split splits the command lines of both sides.
func (o *Options) Split() (argv [2][]string, err error) {
	for side := range compare.Sides {
		if argv[side], err = Split(o.Operand(side)); err != nil {
			return argv, err
		}
	}
	return argv, nil
}

type splitter struct {
	line, rest string
	words      []string
	word       strings.Builder
	begun      bool // word is one, also where it is empty
}

// at returns the position of the rest, from 1, for messages.
func (s *splitter) at() int { return len(s.line) - len(s.rest) + 1 }

func (s *splitter) put(text string) {
	s.word.WriteString(text)
	s.begun = true
}

func (s *splitter) end() {
	if s.begun {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.begun = false
}

// next reads the first characters of the rest.
func (s *splitter) next() error {
	at := s.at()
	c := s.rest[0]
	switch {
	case c == 0:
		return fmt.Errorf("byte %d is a zero byte, which no argument can contain", at)
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.end()
		s.rest = s.rest[1:]
	case c == '\'':
		text, rest, ok := strings.Cut(s.rest[1:], "'")
		if !ok {
			return fmt.Errorf("the quote ' at byte %d is never closed", at)
		}
		if strings.IndexByte(text, 0) >= 0 {
			return errors.New("it contains a zero byte, which no argument can")
		}
		s.put(text)
		s.rest = rest
	case c == '"':
		s.rest = s.rest[1:]
		s.begun = true
		return s.quoted(at)
	case c == '\\':
		switch {
		case len(s.rest) == 1:
			return errors.New("trailing backslash")
		case s.rest[1] == '\n': // continues the line
			s.rest = s.rest[2:]
		case s.rest[1] == 0:
			return errors.New("it contains a zero byte, which no argument can")
		default:
			_, n := utf8.DecodeRuneInString(s.rest[1:])
			s.put(s.rest[1 : 1+n])
			s.rest = s.rest[1+n:]
		}
	case strings.IndexByte("|&;<>()$`", c) >= 0:
		return fmt.Errorf("%c at byte %d needs a shell, but whet runs none: quote it, or write sh -c '…'", c, at)
	default:
		n := strings.IndexAny(s.rest, " \t\r\n'\"\\|&;<>()$`\x00")
		if n < 0 {
			n = len(s.rest)
		}
		s.put(s.rest[:n])
		s.rest = s.rest[n:]
	}
	return nil
}

// quoted reads up to the closing double quote.
func (s *splitter) quoted(opened int) error {
	for s.rest != "" {
		c := s.rest[0]
		switch {
		case c == '"':
			s.rest = s.rest[1:]
			return nil
		case c == 0:
			return errors.New("it contains a zero byte, which no argument can")
		case c == '$' || c == '`':
			return fmt.Errorf("%c at byte %d needs a shell, but whet runs none: put it between single quotes, or write sh -c '…'", c, s.at())
		case c == '\\' && len(s.rest) > 1 && s.rest[1] == '\n':
			s.rest = s.rest[2:]
		case c == '\\' && len(s.rest) > 1 && strings.IndexByte("$`\"\\", s.rest[1]) >= 0:
			s.put(s.rest[1:2])
			s.rest = s.rest[2:]
		default:
			s.put(s.rest[:1])
			s.rest = s.rest[1:]
		}
	}
	return fmt.Errorf("the quote \" at byte %d is never closed", opened)
}

// Show makes one bounded line of a text from outside that can be printed and
// read.
func Show(text string) string {
	const most = 200
	cut := ""
	if len(text) > most {
		n := most
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text, cut = text[:n], "…"
	}
	shown := fmt.Sprintf("%q", text)
	return shown + cut
}
