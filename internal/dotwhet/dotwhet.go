package dotwhet

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"whet/internal/gobench"
	"whet/internal/lazyregexp"
	"whet/internal/recording"
)

// Suffix is the suffix of recordings' names.
const Suffix = ".whet"

// Keep is the number of recordings that whet named itself are kept unless told
// otherwise.
const Keep = 10

// Dir is the directory of a module's recordings.
type Dir struct {
	from  string // the directory the user is in, as it was named
	own   string // .whet in the root of the workspace or module; "" outside modules
	cache string // what takes its place; "" where there is no cache directory
}

// Of returns the directory of recordings for a user in dir.
func Of(dir string) (Dir, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Dir{}, fmt.Errorf("look for recordings: %w", err)
	}
	p := Dir{from: abs}
	if root := gobench.Root(abs); root != "" {
		p.own = filepath.Join(root, Suffix)
	}
	if cache, err := os.UserCacheDir(); err == nil {
		name := "no-module"
		if p.own != "" {
			root := filepath.Dir(p.own)
			sum := sha256.Sum256([]byte(root))
			name = clean(filepath.Base(root)) + "-" + hex.EncodeToString(sum[:4])
		}
		p.cache = filepath.Join(cache, "whet", "recordings", name)
	}
	return p, nil
}

// Make returns the directory for a new recording, and makes it.
func (p Dir) Make() (string, error) {
	var refused error
	if p.own != "" {
		err := makeOwn(p.own)
		if err == nil {
			return p.shown(p.own), nil
		}
		if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
			return "", err
		}
		refused = err
	}
	if p.cache == "" {
		return "", errors.Join(refused, errors.New("no directory for the recording: not in a module, and HOME is not set: name the recording with -o"))
	}
	err := os.MkdirAll(p.cache, 0o700)
	if err == nil {
		err = tryWrite(p.cache)
	}
	if err != nil {
		return "", fmt.Errorf("no directory for the recording: %s: %w; name the recording with -o", p.cache, recording.RootCause(err))
	}
	return p.shown(p.cache), nil
}

// makeOwn makes .whet, which git does not see.
func makeOwn(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = checkDir(dir)
		if err != nil {
			return err
		}
	}
	if err == nil {
		err = tryWrite(dir)
	}
	if err == nil {
		err = ignore(dir)
	}
	if err != nil {
		return fmt.Errorf("make %s for the recording: %w", dir, recording.RootCause(err))
	}
	return nil
}

func ignore(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// checkDir refuses what is in .whet's place and is no directory of its own.
func checkDir(dir string) error {
	st, err := os.Lstat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("look at %s: %w", dir, recording.RootCause(err))
	case st.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link, which whet does not follow: remove it, or name the recording with -o", dir)
	case !st.IsDir():
		return fmt.Errorf("%s is not a directory, but recordings go there: move it away, or name the recording with -o", dir)
	}
	return nil
}

// tryWrite finds out whether files can be made in a directory.
func tryWrite(dir string) error {
	probe, err := os.MkdirTemp(dir, ".probe-")
	if err != nil {
		return err
	}
	return os.Remove(probe)
}

// shown returns a path as users see it: relative where it lies in the module.
func (p Dir) shown(name string) string {
	if p.own != "" && strings.HasPrefix(name, filepath.Dir(p.own)) {
		if rel, err := filepath.Rel(p.from, name); err == nil {
			return rel
		}
	}
	return name
}

var (
	majorVersion = lazyregexp.Pattern{Text: `^v[0-9]+$`}
	dotVersion   = lazyregexp.Pattern{Text: `\.v[0-9]+$`} // of gopkg.in
)

// Name returns the name of a package's recording: the last element of its module,
// without a major version, and the path below it. module is "" if there is none.
func Name(module, importPath string) string {
	if module == "" || module == "std" {
		return clean(strings.Join(withoutVersion(importPath), "-"))
	}
	elements := withoutVersion(module)
	name := elements[len(elements)-1]
	if below, ok := strings.CutPrefix(importPath, module+"/"); ok {
		name += "-" + strings.ReplaceAll(below, "/", "-")
	}
	return clean(name)
}

func withoutVersion(module string) []string {
	dir, last := path.Split(module)
	if dir != "" && majorVersion.Regexp().MatchString(last) {
		module = path.Clean(dir)
	}
	return strings.Split(dotVersion.Regexp().ReplaceAllString(module, ""), "/")
}

// clean makes a file's name of any text.
func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, name)
	name = strings.Trim(name[:min(len(name), 100)], ".-") // a file's name may have 255 bytes
	if name == "" {
		return "recording"
	}
	return name
}

// New returns the path for a recording that was recorded from dir, of that name.
func New(dir, name string) (string, error) {
	p, err := Of(dir)
	if err != nil {
		return "", err
	}
	parent, err := p.Make()
	return filepath.Join(parent, name+Suffix), err
}
