package constantwork

import (
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
)

// work is a function whose result depends on nothing but fixed arguments, and
// on what the caveat names.
type work struct {
	args   []int  // that must be fixed, from 0; nil: all of them
	recv   bool   // it is a method, and its receiver must be made of fixed values
	bulk   bool   // one call may take any time: its cost is that of its input
	does   string // what is done each time
	remedy string
	caveat string // what may change the result while the program runs
	// builds is what of the function is done for its receiver or for all of its
	// calls, by a frame below it; "": all of it.
	builds string
}

const (
	asVariable = "Do it once, in a package variable (sync.OnceValue or OnceValues if it is rarely needed or may fail)."
	parseOnce  = "Parse it once, in a package variable."
)

// table is by linker name.
var table = map[string]work{
	"os.Hostname":                     {does: "asks the operating system for the host name", remedy: asVariable, caveat: "The host name can change while the program runs, though few programs need to notice; one that does reads it again at intervals."},
	"os.Executable":                   {does: "asks the operating system for the program's path", remedy: asVariable},
	"os.Environ":                      {does: "copies the environment", remedy: asVariable, caveat: "The program can change the environment itself (os.Setenv)."},
	"os.Getenv":                       {does: "looks up an environment variable, under a lock", remedy: "Read it once when the program starts.", caveat: "The program can change the environment itself (os.Setenv)."},
	"os.LookupEnv":                    {does: "looks up an environment variable, under a lock", remedy: "Read it once when the program starts.", caveat: "The program can change the environment itself (os.Setenv)."},
	"os.UserHomeDir":                  {does: "looks up the home directory", remedy: asVariable, caveat: "It comes from the environment, which the program can change itself."},
	"os.UserCacheDir":                 {does: "looks up the cache directory", remedy: asVariable, caveat: "It comes from the environment, which the program can change itself."},
	"os.UserConfigDir":                {does: "looks up the configuration directory", remedy: asVariable, caveat: "It comes from the environment, which the program can change itself."},
	"os.ReadFile":                     {bulk: true, does: "reads a file with a constant name", remedy: "Read it once and keep the result.", caveat: fileMay},
	"io/ioutil.ReadFile":              {bulk: true, does: "reads a file with a constant name", remedy: "Read it once and keep the result.", caveat: fileMay},
	"embed.FS.ReadFile":               {bulk: true, does: "copies an embedded file", remedy: "Read it once into a package variable, or embed it as a string or []byte, which copies nothing."},
	"os/exec.LookPath":                {does: "searches the directories of PATH for a program", remedy: asVariable, caveat: "While the program runs, programs can be installed and PATH can change."},
	"os/user.Current":                 {does: "looks up the current user", remedy: asVariable, caveat: "The record stays the same until the process changes its user."},
	"os/user.Lookup":                  {does: "searches the operating system's users", remedy: asVariable, caveat: "The users can change while the program runs: if that matters, look them up again at intervals."},
	"os/user.LookupId":                {does: "searches the operating system's users", remedy: asVariable, caveat: "The users can change while the program runs: if that matters, look them up again at intervals."},
	"os/user.LookupGroup":             {does: "searches the operating system's groups", remedy: asVariable, caveat: "The groups can change while the program runs: if that matters, look them up again at intervals."},
	"net.Interfaces":                  {does: "asks the operating system for its network interfaces", remedy: "Ask once when the program starts, or at intervals.", caveat: addressesMay},
	"net.InterfaceAddrs":              {does: "asks the operating system for its network addresses", remedy: "Ask once when the program starts, or at intervals.", caveat: addressesMay},
	"net.InterfaceByName":             {does: "asks the operating system for its network interfaces", remedy: "Ask once when the program starts, or at intervals.", caveat: addressesMay},
	"net.ParseCIDR":                   {does: "parses a constant network", remedy: parseOnce},
	"net.ParseMAC":                    {does: "parses a constant hardware address", remedy: parseOnce},
	"net.ParseIP":                     {does: "parses a constant address", remedy: parseOnce},
	"net/netip.ParseAddr":             {does: "parses a constant address", remedy: parseOnce},
	"net/netip.MustParseAddr":         {does: "parses a constant address", remedy: parseOnce},
	"net/netip.ParsePrefix":           {does: "parses a constant network", remedy: parseOnce},
	"net/url.Parse":                   {does: "parses a constant URL", remedy: parseOnce, caveat: "Code that changes the URL has to copy it first (u := *base)."},
	"net/url.ParseRequestURI":         {does: "parses a constant URL", remedy: parseOnce, caveat: "Code that changes the URL has to copy it first (u := *base)."},
	"net/url.ParseQuery":              {does: "parses a constant query", remedy: parseOnce, caveat: "Code that changes the values has to clone them first."},
	"time.LoadLocation":               {does: "reads a time zone's data from files and parses it", remedy: "Load it once, in a package variable; a *time.Location is safe for concurrent use.", caveat: "The program then sees new time zone data only after a restart."},
	"time.ParseDuration":              {does: "parses a constant duration", remedy: "Write it as a constant: 90 * time.Second in place of \"1m30s\"."},
	"time.Parse":                      {does: "parses a constant time", remedy: "Write it as time.Date, or parse it once, in a package variable."},
	"strings.NewReplacer":             {does: "builds a replacer from constants", remedy: replacerOnce},
	"strings.(*Replacer).Replace":     {args: []int{}, recv: true, builds: "strings.(*Replacer).build", does: "builds the tables of a replacer that is made for this call", remedy: replacerOnce},
	"strings.(*Replacer).WriteString": {args: []int{}, recv: true, builds: "strings.(*Replacer).build", does: "builds the tables of a replacer that is made for this call", remedy: replacerOnce},
	"text/template.(*Template).Parse": {bulk: true, recv: true, does: "parses a constant template", remedy: templateOnce},
	"text/template.ParseFiles":        {bulk: true, does: "reads and parses templates from constant files", remedy: templateOnce, caveat: templateMay},
	"text/template.ParseGlob":         {bulk: true, does: "reads and parses templates from constant files", remedy: templateOnce, caveat: templateMay},
	"text/template.ParseFS":           {bulk: true, does: "reads and parses templates from constant files", remedy: templateOnce, caveat: templateMay},
	"html/template.(*Template).Parse": {bulk: true, recv: true, does: "parses a constant template", remedy: htmlOnce},
	"html/template.ParseFiles":        {bulk: true, does: "reads and parses templates from constant files", remedy: htmlOnce, caveat: templateMay},
	"html/template.ParseGlob":         {bulk: true, does: "reads and parses templates from constant files", remedy: htmlOnce, caveat: templateMay},
	"html/template.ParseFS":           {bulk: true, does: "reads and parses templates from constant files", remedy: htmlOnce, caveat: templateMay},
	"encoding/json.Unmarshal":         {bulk: true, args: []int{0}, does: "decodes a constant text", remedy: decodeOnce, caveat: sharedMay},
	"encoding/xml.Unmarshal":          {bulk: true, args: []int{0}, does: "decodes a constant text", remedy: decodeOnce, caveat: sharedMay},
	"encoding/hex.DecodeString":       {does: "decodes a constant string", remedy: "Decode it once, in a package variable.", caveat: sharedMay},
	"encoding/pem.Decode":             {does: "decodes a constant block", remedy: "Decode it once, in a package variable.", caveat: sharedMay},
	"crypto/x509.SystemCertPool":      {does: "copies the system's certificate pool", remedy: "Take one pool when the program starts, and Clone it only to add certificates.", caveat: "Package crypto/x509 itself reads the system's certificates only once."},
	"crypto/x509.ParseCertificate":    {does: "parses a constant certificate", remedy: parseOnce},
	"crypto/tls.LoadX509KeyPair":      {does: "reads and parses a key pair from constant files", remedy: asVariable, caveat: fileMay},
	"crypto/tls.X509KeyPair":          {does: "parses a constant key pair", remedy: asVariable},
	"hash/crc32.MakeTable":            {does: "computes a table", remedy: asVariable},
	"hash/crc64.MakeTable":            {does: "computes a table", remedy: asVariable},
	"runtime/debug.ReadBuildInfo":     {does: "parses the program's build information", remedy: asVariable},
}

const (
	fileMay      = "The file can change while the program runs: if the program must notice, check its modification time at intervals, or reload on a signal."
	templateMay  = "Files can change while the program runs; parse templates again only in development."
	addressesMay = "Addresses can change while the program runs (DHCP, a container's network): if the program must notice, ask again at intervals, not in every call."
	sharedMay    = "The decoded value is then shared: code that changes it has to copy it first."
	replacerOnce = "Make the strings.Replacer once, in a package variable: it builds its tables on first use, and is safe for concurrent use."
	templateOnce = "Parse it once, in a package variable: var page = template.Must(template.New(…).Parse(…)). A template is safe for concurrent execution."
	htmlOnce     = templateOnce + " html/template works out the escaping at the first execution, so that this is saved too."
	decodeOnce   = "Decode it once, in a package variable."
)

// part returns the search's: see work.builds.
func part(c *hot.Classified, below []callstack.FrameID) (cost, avoidable bool) {
	w := table[c.Frame(below[len(below)-1]).Function]
	in := w.builds == "" || slices.ContainsFunc(below, func(id callstack.FrameID) bool {
		return strings.HasPrefix(c.Frame(id).Function, w.builds)
	})
	return in, in
}
