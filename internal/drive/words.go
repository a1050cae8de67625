package drive

// words are flags of other load generators, and what stands for them here.
var words = map[string]string{
	"L": "not needed: quantiles of both times are always shown",
	"U": "not needed: the service time is shown beside the response time", // wrk2
	"R": "-rate 2000/s", "q": "-rate, over all connections", "qps": "-rate",
	"s": "-targets, with templates in it", "script": "-targets, with templates in it",
	"z": "-d", "duration": "-d", "connections": "-c", "max-connections": "-c", "workers": "-c", "max-workers": "-c", "concurrency": "-c",
	"threads": "-t", "requests": "-n", "header": "-H", "method": "-m", "X": "-m", "D": "-body @file", "T": "-H 'Content-Type: …'",
	"A": "-H 'Accept: …'", "a": "-H 'Authorization: …', or a user in the URL", "host": "-H 'Host: …'",
	"k": "-insecure", "root-certs": "-cacert", "disable-keepalive": "-close", "keepalive": "-close", "unix-socket": "-unix",
	"format": "not needed: -targets detects vegeta's http and JSON formats and HAR", "output": "-o NAME.whet, -json, -hdr or -csv-out",
	"disable-redirects": "not needed: redirects are never followed",
	"cpus":              "-t",
}
