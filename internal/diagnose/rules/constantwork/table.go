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
	asVariable = "Do it once, in a package variable (sync.OnceValue or OnceValues where it is rarely needed or may fail)."
	parseOnce  = "Parse it once, in a package variable."
)

// table is by linker name.
var table = map[string]work{
	"os.Hostname":                     {does: "asks the system for the host name", remedy: asVariable, caveat: "A host name can be changed while the program runs, which hardly any program has to notice; one that has to reads it again at intervals."},
	"os.Executable":                   {does: "asks the system for the program's path", remedy: asVariable},
	"os.Environ":                      {does: "copies the environment", remedy: asVariable, caveat: "The program itself can change the environment (os.Setenv)."},
	"os.Getenv":                       {does: "looks an environment variable up, under a lock", remedy: "Read it once when the program starts.", caveat: "The program itself can change the environment (os.Setenv)."},
	"os.LookupEnv":                    {does: "looks an environment variable up, under a lock", remedy: "Read it once when the program starts.", caveat: "The program itself can change the environment (os.Setenv)."},
	"os.UserHomeDir":                  {does: "looks the home directory up", remedy: asVariable, caveat: "It comes from the environment, which the program itself can change."},
	"os.UserCacheDir":                 {does: "looks the cache directory up", remedy: asVariable, caveat: "It comes from the environment, which the program itself can change."},
	"os.UserConfigDir":                {does: "looks the configuration directory up", remedy: asVariable, caveat: "It comes from the environment, which the program itself can change."},
	"os.ReadFile":                     {bulk: true, does: "reads a file under a constant name", remedy: "Read it once and keep the result.", caveat: fileMay},
	"io/ioutil.ReadFile":              {bulk: true, does: "reads a file under a constant name", remedy: "Read it once and keep the result.", caveat: fileMay},
	"embed.FS.ReadFile":               {bulk: true, does: "copies a file that is part of the program", remedy: "Read it once into a package variable, or embed it as a string or []byte, which copies nothing."},
	"os/exec.LookPath":                {does: "searches the directories of PATH for a program", remedy: asVariable, caveat: "Programs can be installed, and PATH be changed, while the program runs."},
	"os/user.Current":                 {does: "looks the user up", remedy: asVariable, caveat: "The record is the same until the process changes its user."},
	"os/user.Lookup":                  {does: "searches the system's users", remedy: asVariable, caveat: "The system's users can change: where that matters, look again at intervals."},
	"os/user.LookupId":                {does: "searches the system's users", remedy: asVariable, caveat: "The system's users can change: where that matters, look again at intervals."},
	"os/user.LookupGroup":             {does: "searches the system's groups", remedy: asVariable, caveat: "The system's groups can change: where that matters, look again at intervals."},
	"net.Interfaces":                  {does: "asks the system for its network interfaces", remedy: "Ask once when the program starts, or at intervals.", caveat: addressesMay},
	"net.InterfaceAddrs":              {does: "asks the system for its network addresses", remedy: "Ask once when the program starts, or at intervals.", caveat: addressesMay},
	"net.InterfaceByName":             {does: "asks the system for its network interfaces", remedy: "Ask once when the program starts, or at intervals.", caveat: addressesMay},
	"net.ParseCIDR":                   {does: "parses a constant network", remedy: parseOnce},
	"net.ParseMAC":                    {does: "parses a constant hardware address", remedy: parseOnce},
	"net.ParseIP":                     {does: "parses a constant address", remedy: parseOnce},
	"net/netip.ParseAddr":             {does: "parses a constant address", remedy: parseOnce},
	"net/netip.MustParseAddr":         {does: "parses a constant address", remedy: parseOnce},
	"net/netip.ParsePrefix":           {does: "parses a constant network", remedy: parseOnce},
	"net/url.Parse":                   {does: "parses a constant address", remedy: parseOnce, caveat: "Whoever changes the URL has to copy it first (u := *base)."},
	"net/url.ParseRequestURI":         {does: "parses a constant address", remedy: parseOnce, caveat: "Whoever changes the URL has to copy it first (u := *base)."},
	"net/url.ParseQuery":              {does: "parses a constant query", remedy: parseOnce, caveat: "Whoever changes the values has to clone them first."},
	"time.LoadLocation":               {does: "reads a time zone's data from the system's files and parses it", remedy: "Load it once, in a package variable; a *time.Location may be used by many goroutines.", caveat: "New zone data on the system is then seen after a restart."},
	"time.ParseDuration":              {does: "parses a constant duration", remedy: "Write it as a constant: 90 * time.Second in place of \"1m30s\"."},
	"time.Parse":                      {does: "parses a constant time", remedy: "Write it as time.Date, or parse it once, in a package variable."},
	"strings.NewReplacer":             {does: "makes a replacer of constants", remedy: replacerOnce},
	"strings.(*Replacer).Replace":     {args: []int{}, recv: true, builds: "strings.(*Replacer).build", does: "builds the tables of a replacer that was made for this call", remedy: replacerOnce},
	"strings.(*Replacer).WriteString": {args: []int{}, recv: true, builds: "strings.(*Replacer).build", does: "builds the tables of a replacer that was made for this call", remedy: replacerOnce},
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
	"encoding/hex.DecodeString":       {does: "decodes a constant text", remedy: "Decode it once, in a package variable.", caveat: sharedMay},
	"encoding/pem.Decode":             {does: "decodes a constant block", remedy: "Decode it once, in a package variable.", caveat: sharedMay},
	"crypto/x509.SystemCertPool":      {does: "copies the system's certificates", remedy: "Take one pool when the program starts, and Clone it only to add to it.", caveat: "Package crypto/x509 itself reads the system's certificates only once."},
	"crypto/x509.ParseCertificate":    {does: "parses a constant certificate", remedy: parseOnce},
	"crypto/tls.LoadX509KeyPair":      {does: "reads and parses a key pair from constant files", remedy: asVariable, caveat: fileMay},
	"crypto/tls.X509KeyPair":          {does: "parses a constant key pair", remedy: asVariable},
	"hash/crc32.MakeTable":            {does: "computes a table", remedy: asVariable},
	"hash/crc64.MakeTable":            {does: "computes a table", remedy: asVariable},
	"runtime/debug.ReadBuildInfo":     {does: "parses the build information that is part of the program", remedy: asVariable},
}

const (
	fileMay      = "The file can change while the program runs: where that has to be seen, look at its time of modification at intervals, or reload on a signal."
	templateMay  = "Files can change while the program runs; templates that are edited in development can be parsed anew there only."
	addressesMay = "Addresses can change while the program runs (DHCP, a container's network): where that has to be seen, ask again at intervals, not in every call."
	sharedMay    = "What was decoded is then shared: whoever changes it has to copy it first."
	replacerOnce = "Make the strings.Replacer once, in a package variable: it builds its tables when it is first used, and may be used by many goroutines."
	templateOnce = "Parse it once, in a package variable: var page = template.Must(template.New(…).Parse(…)). It may be executed by many goroutines at the same time."
	htmlOnce     = templateOnce + " html/template also works out the escaping only at the first execution, so that this is saved too."
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
