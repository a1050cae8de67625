package recording

import (
	"slices"
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	args := strings.Split("prove|-why|-old-env|API_TOKEN=secret|--new-env=GOGC=400|-new-env|DB=postgres://bob:secret@h/x|-old-env=aws_secret_access_key=secret|"+
		"-json|-H|Authorization: Bearer secret|-H=X-Key: secret|--H|secret|-c=4|-pprof=http://bob:secret@h:1/a|"+
		"-pprof|http://bob:secret@h|http://bob:secret@h:2/x?a=b@c|-o|a.whet|-old-env|secret|--|./server|-H|mine: 1|-db=http://bob:mine@h", "|")
	want := strings.Split("prove|-why|-old-env|API_TOKEN=…|--new-env=GOGC=400|-new-env|DB=…|-old-env=aws_secret_access_key=…|"+
		"-json|-H|Authorization: …|-H=X-Key: …|--H|…|-c=4|-pprof=http://h:1/a|"+
		"-pprof|http://h|http://h:2/x?a=b@c|-o|a.whet|-old-env|…|--|./server|-H|mine: 1|-db=http://bob:mine@h", "|")
	before := strings.Join(args, "|")
	if got := CommandLine(args); !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	if strings.Join(args, "|") != before {
		t.Error("the command line itself was changed")
	}
}

func TestVariable(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"GOGC=400", "GOGC=400"},
		{"GOFLAGS=-tags=a,b -p=1", "GOFLAGS=-tags=a,b -p=1"},
		{"GODEBUG=gctrace=1,madvdontneed=1", "GODEBUG=gctrace=1,madvdontneed=1"},
		{"CACHE_SIZE=", "CACHE_SIZE="},
		{"GOPROXY=https://bob:secret@a/x,https://secret@b,direct", "GOPROXY=…"},
		{"ORDINARY=mine", "ORDINARY=…"},
		{"GITHUB_TOKEN=secret", "GITHUB_TOKEN=…"},
		{"PGPASSWORD=secret", "PGPASSWORD=…"},
		{"db_pass=secret=more", "db_pass=…"},
		{"ApiKey=secret", "ApiKey=…"},
		{"secret", "…"},
	} {
		if got := Variable(c.given); got != c.want {
			t.Errorf("%s is kept as %s, want %s", c.given, got, c.want)
		}
	}
	env := []string{"A_TOKEN=secret", "GOGC=1"}
	if got := Variables(env); !slices.Equal(got, []string{"A_TOKEN=…", "GOGC=1"}) || env[0] != "A_TOKEN=secret" {
		t.Errorf("%q of %q", got, env)
	}
}

func TestRedacted(t *testing.T) {
	for url, want := range map[string]string{
		"http://bob:secret@h/x?a=b@c":                "http://h/x?a=b@c",
		"http://h/x?api_key=secret&b=1#part":         "http://h/x?api_key=…&b=1#part",
		"https://h?b=1&access-token=secret&sig=s":    "https://h?b=1&access-token=…&sig=…",
		"http://h/get?key=user1&token&x-session.id=": "http://h/get?key=user1&token&x-session.id=…",
		"http://h/?next=http://i/?token=secret":      "http://h/?next=http://i/?token=secret", // a value is not read
		"./x?token=file":                             "./x?token=file",
	} {
		if got := Redacted(url); got != want {
			t.Errorf("%s is kept as %s, want %s", url, got, want)
		}
	}
}
