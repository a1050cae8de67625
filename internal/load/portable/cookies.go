package portable

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"
)

// Browsers' limits per site (RFC 6265, section 6.1): a server that sends a new cookie
// with every response does not make the load grow.
const (
	maxCookies = 50
	maxCookie  = 4096 // bytes of name, value and attributes
)

// jar keeps the cookies of one connection.
type jar struct {
	mu   sync.Mutex
	jar  *cookiejar.Jar
	kept map[string]bool // by origin, name, domain and path
}

func newJar() *jar {
	j, _ := cookiejar.New(nil) // it has no error to give without options
	return &jar{jar: j, kept: make(map[string]bool)}
}

// put keeps the cookies of an answer.
func (j *jar) put(o *origin, target string, res *http.Response) {
	cookies := res.Cookies()
	if len(cookies) == 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	room := cookies[:0]
	for _, c := range cookies {
		key := o.scheme + "://" + o.host + "\x00" + c.Name + "\x00" + c.Domain + "\x00" + c.Path
		if len(c.Raw) > maxCookie || !j.kept[key] && len(j.kept) >= maxCookies {
			continue
		}
		j.kept[key] = true
		room = append(room, c)
	}
	j.jar.SetCookies(o.cookieURL(target), room)
}

// get returns the cookies that go with a request.
func (j *jar) get(o *origin, target string) []*http.Cookie {
	return j.jar.Cookies(o.cookieURL(target))
}

// cookieURL returns the part of a request that a jar needs.
func (o *origin) cookieURL(target string) *url.URL {
	u, err := url.ParseRequestURI(target)
	if err != nil {
		u = &url.URL{Path: "/"}
	}
	u.Scheme, u.Host = o.scheme, o.host
	return u
}
