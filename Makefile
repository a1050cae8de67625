# Everything a user or a developer of whet runs. Needs Go 1.26 or newer, git,
# make and gcc (for the race detector); `make deps` brings what is missing where
# it can.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS   += --no-print-directory

# Where git cannot read the tree (a tarball, or a checkout that belongs to
# someone else), Go cannot stamp the revision and would refuse to build.
ifneq ($(shell git rev-parse HEAD >/dev/null 2>&1 && echo ok),ok)
export GOFLAGS := $(GOFLAGS) -buildvcs=false
endif

FUZZTIME ?= 10s
DEMO     := bin/demo

.PHONY: all build install release deps test quick check vet staticcheck unit race cross demo fuzz soak bench exact pages look screenshot casebook fixtures types lines knowledge clean

all: build

# Without cgo a program needs no C library to start, which is a quarter of what a
# short run costs.
build: ## bin/whet
	@CGO_ENABLED=0 go build -o bin/whet ./cmd/whet

install: ## whet into Go's bin directory
	CGO_ENABLED=0 go install ./cmd/whet

# The same bytes from the same revision, wherever it lies and whatever is set
# around: no workspace, no paths, no C compiler, no build id; the revision and its
# date are in it, as whet version says. -s and -w leave out what only debuggers read.
RELEASE  ?= bin/release
RELEASES ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
LARGEST  := 30000000

release: ## whet for all systems, with checksums, in bin/release
	@rm -rf $(RELEASE); mkdir -p $(RELEASE); \
	unset GOEXPERIMENT GOAMD64 GOARM64; \
	case "$${GOFLAGS:-}" in *-buildvcs=false*) export GOFLAGS=-buildvcs=false;; *) export GOFLAGS=-buildvcs=auto;; esac; \
	for system in $(RELEASES); do \
		export GOOS=$${system%/*} GOARCH=$${system#*/} CGO_ENABLED=0 GOWORK=off; \
		program=$(RELEASE)/whet-$$GOOS-$$GOARCH; [ $$GOOS != windows ] || program=$$program.exe; \
		go build -trimpath -ldflags='-s -w -buildid=' -o $$program ./cmd/whet; \
		size=$$(wc -c <$$program); \
		if [ $$size -gt $(LARGEST) ]; then echo "$$program has $$size bytes, more than $(LARGEST)"; exit 1; fi; \
		echo "$$program $$size bytes"; \
	done; \
	cd $(RELEASE); if command -v sha256sum >/dev/null; then sha256sum whet-*; else shasum -a 256 whet-*; fi >SHA256SUMS

# Says nothing and does nothing where nothing is missing. It installs packages
# as root on Debian only, and never asks for rights it was not given.
deps: ## what the tests need: modules, gcc, git, a Chromium
	@missing=""; \
	command -v gcc >/dev/null || missing="$$missing gcc libc6-dev"; \
	command -v git >/dev/null || missing="$$missing git"; \
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || missing="$$missing chromium"; \
	if [ -n "$$missing" ]; then \
		if [ -f /etc/debian_version ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo "deps: installing$$missing"; \
			export DEBIAN_FRONTEND=noninteractive; log=$$(mktemp); \
			{ apt-get update -q && apt-get install -q -y --no-install-recommends $$missing; } >"$$log" 2>&1 \
				|| { tail -n 20 "$$log" >&2; echo "deps: could not install$$missing; the tests that need it are skipped" >&2; }; \
			rm -f "$$log"; \
		else \
			echo "deps: missing$$missing: install it with your system's packages; the tests that need it are skipped"; \
		fi; \
	fi
	@go mod download

# staticcheck takes what the tests leave of the processors, which wait for loads and
# budgets for a good part of their time.
test: deps vet ## everything that has to hold
	@log=$$(mktemp); failed=0; \
	nice -n 19 $(MAKE) staticcheck >"$$log" 2>&1 & beside=$$!; \
	trap "kill $$beside 2>/dev/null || true" INT TERM; \
	$(MAKE) unit || failed=1; \
	wait $$beside || failed=1; \
	cat "$$log"; rm -f "$$log"; exit $$failed

quick: ## the quick tests after a change: no race detector, compiler, browser or load
	@go build -o bin/testlog ./internal/house/testlog
	@{ go test -short -vet=off -timeout 60m -json $$(go list work | grep -vE '/casebook/|/fixtures/') 2>&1 || echo '{"Action":"failed"}'; } | bin/testlog

# Fixtures of rules are poor by intent, and two packages of five: go vet sees that they
# compile.
check: vet staticcheck ## form: gofmt, go vet, staticcheck

vet:
	@unformatted=$$(gofmt -l $$(go list -f '{{$$d := .Dir}}{{range .GoFiles}}{{$$d}}/{{.}} {{end}}{{range .TestGoFiles}}{{$$d}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$$d}}/{{.}} {{end}}{{range .IgnoredGoFiles}}{{$$d}}/{{.}} {{end}}' work)); \
	if [ -n "$$unformatted" ]; then echo "not formatted (run gofmt -w):"; echo "$$unformatted"; exit 1; fi
	go vet work
	go vet -race ./casebook/cmd/casebook

staticcheck:
	go tool staticcheck $$(go list work | grep -v /fixtures/)

# go vet type-checks all packages and their tests, as the compiler would, and compiles
# what they import. What has files of one system alone is compiled with its tests, as for
# go test -c but for the linking; one program is linked in place of thirty. Fixtures of
# rules know of no system. The gate type-checks alone (TestOtherSystems), as compiling
# everything twice more takes minutes.
cross: ## vets and builds for the other systems
	@for system in darwin/arm64 windows/amd64; do \
		export GOOS=$${system%/*} GOARCH=$${system#*/} CGO_ENABLED=0; \
		echo "GOOS=$$GOOS go vet work, go build ./cmd/whet"; \
		go vet $$(go list work | grep -v /fixtures/); \
		go list -test -export -f '' $$(go list -f '{{if .IgnoredGoFiles}}{{.ImportPath}}{{end}}' work | grep -v /fixtures/); \
		go build -o /dev/null ./cmd/whet; \
	done

# go test without -v does not say what was skipped: testlog prints its lines and counts,
# and it alone decides: what go test failed of, it has to have seen. With CI=true a skip
# fails. The race detector watches what starts goroutines or synchronizes them; under it
# the rest would take five times as long, in which it has nothing to see, the readers of
# profiles and traces eight times, and the longest twice, whose goroutines are those of
# other packages (make race runs all). Both kinds run beside each other, two packages and
# four tests of a package of each, as tests wait for budgets and loads for a good part of
# their time; those that wait longest come first, as at the end nothing would run beside
# them. Before a process ends the race detector waits for races of goroutines that are
# still at it, a second unless told otherwise: of all packages, and of all whets that
# their tests start, that is minutes in which nothing is done. What go test vets, check
# has vetted, and with more of go vet's checks. Fixtures of rules have no tests, and
# check has seen that they compile. The time limit is a busy machine's.
TESTS   := -vet=off -parallel 4 -timeout 60m -json
LONGEST := whet/internal/tune whet/docs whet/internal/prove/benchmarks whet/internal/app whet/internal/diagnose/rules
READERS := whet/internal/format/profile whet/internal/format/exectrace whet/internal/explore
export GORACE := atexit_sleep_ms=50 $(GORACE)

unit: ## tests: the house, fuzz seeds and the commands in the docs are among them
	@go build -o bin/testlog ./internal/house/testlog
	@all=$$(go list -f '{{.ImportPath}} {{.Dir}}' work | grep -v /fixtures/); racing=() plain=($(LONGEST) $(READERS)); \
	while read -r path dir; do \
		if [[ " $${plain[*]} " == *" $$path "* ]]; then continue; \
		elif grep -qs '^//go:build !race' "$$dir"/*_test.go; then plain+=("$$path"); \
		elif find "$$dir" -maxdepth 1 -name '*.go' ! -name '*_test.go' -exec grep -qE '^[[:space:]]*go [a-z]|"(sync|sync/atomic|golang.org/x/sync/.*)"$$' {} +; \
		then racing+=("$$path"); else plain+=("$$path"); fi; \
	done <<<"$$all"; \
	echo "go test of $${#plain[@]} packages, go test -race of $${#racing[@]} that start goroutines or synchronize them"; \
	log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	{ \
		{ go test -race -p 2 $(TESTS) "$${racing[@]}" 2>&1 || echo '{"Action":"failed"}'; } >"$$log" & \
		trap "kill $$! 2>/dev/null || true" INT TERM; \
		go test -p 2 $(TESTS) "$${plain[@]}" 2>&1 || echo '{"Action":"failed"}'; \
		wait; cat "$$log"; \
	} | bin/testlog

race: ## all tests with the race detector: an hour
	@go build -o bin/testlog ./internal/house/testlog
	@{ go test -race -p 3 $(TESTS) $(LONGEST) $$(go list work | grep -v /fixtures/) 2>&1 || echo '{"Action":"failed"}'; } | bin/testlog

demo: build ## what whet does, on a program of the casebook, in under two minutes
	@mkdir -p $(DEMO)
	bin/whet tune ./casebook/visits/original -budget 40s -o $(DEMO)/visits.whet
	@echo
	bin/whet prove ./casebook/visits/original ./casebook/visits/final -budget 30s
	@echo
	@echo "recording: $(CURDIR)/$(DEMO)/visits.whet"
	@echo "report:    $(CURDIR)/$(DEMO)/visits.html"

fuzz: ## each fuzz target for FUZZTIME (10s)
	@for pkg in $$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' work); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

# Ten minutes for each engine; WHET_SOAK=90s for each is shorter. The log says of
# which day, machine and commit it is.
soak: ## loads against servers that reset, stall, trickle and lie: writes bench/results/soak.txt anew
	@commit=$$(git describe --always --dirty 2>/dev/null || echo unknown); \
	processor=$$(sed -n '/^model name/{s/.*: //p;q}' /proc/cpuinfo 2>/dev/null || uname -m); \
	{ \
		echo "loads against hostile servers, $${WHET_SOAK:-10m} for each engine: make soak"; \
		echo "$$(date -u +%F), $$processor, $$(getconf _NPROCESSORS_ONLN) cores, $$(go env GOOS)/$$(go env GOARCH), $$(go env GOVERSION), commit $$commit"; \
		echo; \
		go test -tags soak -count=1 -p 1 -v -timeout 0 -run Soak ./internal/load/portable ./internal/load/fast; \
	} 2>&1 | tee bench/results/soak.txt

bench: ## whet beside other tools: measures, and writes bench/README.md anew
	@for program in $$(go list -f '{{if eq .Name "main"}}{{.ImportPath}}{{end}}' ./bench/... | grep -E '/bench/[^/]+$$' | grep -v bench/exact); do \
		echo "$$program"; go run $$program; \
	done

# Hours with large profiles, minutes without: no part of make test. PROFILES is a
# directory of further profiles.
exact: ## what whet prints of profiles beside what the pprof program prints: every view, options in pairs
	go run ./bench/exact $(if $(PROFILES),-profiles $(PROFILES))

# Pages of real measurements, made once: remove $(DEMO) for new ones. Those of other
# measurements are made again when these change.
SERVED := 'http://127.0.0.1:18315/hello?name=Ann'
SERVER := -addr 127.0.0.1:18315 -pprof-addr ''
PAGES  := visits self hello load beside knee flame difference sandwich graph weblist planted

pages: build $(PAGES:%=$(DEMO)/%.html) ## every kind of page that whet writes, of real measurements

look: pages ## every kind of page as a picture: large and small window, light and dark
	go run ./docs/screenshot -each $(DEMO)/look $(PAGES:%=$(DEMO)/%.html)
	go run ./docs/screenshot -full -each $(DEMO)/look/whole $(PAGES:%=$(DEMO)/%.html)

$(PAGES:%=$(DEMO)/%.html): | build
$(DEMO)/visits.html:
	@mkdir -p $(DEMO)
	bin/whet tune ./casebook/visits/original -o $(DEMO)/visits.whet
$(DEMO)/self.html:
	@mkdir -p $(DEMO)
	bin/whet tune -budget 20s -o $(DEMO)/self.whet ./cmd/whet -- top -nodecount 3 docs/testdata/server.cpu.pb.gz >/dev/null
$(DEMO)/casebook:
	@mkdir -p $(DEMO)
	go build -o $(DEMO)/casebook ./casebook/cmd/casebook
$(DEMO)/hello.html:
	@mkdir -p $(DEMO)
	bin/whet tune -d 10s -warmup 2s -o $(DEMO)/hello.whet $(SERVED) -- ./casebook/cmd/casebook -case visits -stage original $(SERVER) >/dev/null
$(DEMO)/final.whet/recording.json: | build
	@mkdir -p $(DEMO)
	bin/whet record -d 10s -warmup 2s -o $(DEMO)/final.whet $(SERVED) -- ./casebook/cmd/casebook -case visits -stage final $(SERVER) >/dev/null
$(DEMO)/load.html: $(DEMO)/casebook
	$(DEMO)/casebook -case visits -stage original $(SERVER) >/dev/null & server=$$!; trap "kill $$server" EXIT; \
		until (exec 3<>/dev/tcp/127.0.0.1/18315) 2>/dev/null; do kill -0 $$server; sleep 0.1; done; \
		bin/whet load -rate 4000/s -poisson -d 30s -slo 'p99<50ms' -o $(DEMO)/load.whet $(SERVED) >/dev/null || [ $$? = 1 ]
$(DEMO)/beside.html: $(DEMO)/casebook $(DEMO)/load.html
	bin/whet load -rate 4000/s -poisson -d 20s -o $(DEMO)/load-final.whet $(SERVED) -- $(DEMO)/casebook -case visits -stage final $(SERVER) >/dev/null
	bin/whet load $(DEMO)/load.whet $(DEMO)/load-final.whet -o $(DEMO)/beside.html >/dev/null
$(DEMO)/knee.html: $(DEMO)/casebook
	bin/whet load -knee -budget 60s -slo 'p99<50ms' -o $(DEMO)/knee.html $(SERVED) -- $(DEMO)/casebook -case visits -stage original $(SERVER) >/dev/null || [ $$? = 1 ]
$(DEMO)/flame.html:
	bin/whet flame -o $(DEMO)/flame.html docs/testdata/server.cpu.pb.gz
$(DEMO)/difference.html: $(DEMO)/hello.html $(DEMO)/final.whet/recording.json
	bin/whet flame -normalize -diff_base $(DEMO)/hello.whet -title 'visits: final beside original' -o $(DEMO)/difference.html $(DEMO)/final.whet
$(DEMO)/sandwich.html:
	bin/whet flame -sandwich 'runtime\.mallocgc$$' -o $(DEMO)/sandwich.html docs/testdata/server.cpu.pb.gz
$(DEMO)/graph.html:
	bin/whet graph -html -nodecount 25 -o $(DEMO)/graph.html docs/testdata/server.cpu.pb.gz
$(DEMO)/weblist.html: $(DEMO)/visits.html
	bin/whet weblist -o $(DEMO)/weblist.html 'original.*ServeHTTP$$' $(DEMO)/visits.whet
$(DEMO)/planted.html:
	@mkdir -p $(DEMO)
	go run ./internal/analyze/sched/testdata/planted > $(DEMO)/planted.trace
	bin/whet trace -html -o $(DEMO)/planted.html $(DEMO)/planted.trace

screenshot: pages ## the pictures in the README and docs, of real measurements
	go run ./docs/screenshot $(DEMO)/visits.html docs/report.png
	go run ./docs/screenshot -height 760 -scroll '#flamegraph' $(DEMO)/visits.html docs/flame.png
	go run ./docs/screenshot -height 1000 -scroll '#load' $(DEMO)/hello.html docs/service.png
	go run ./docs/screenshot -height 1130 -scroll '#time' $(DEMO)/load.html docs/load.png
	go run ./docs/screenshot -height 700 $(DEMO)/difference.html docs/difference.png
	go run ./docs/screenshot -height 850 $(DEMO)/sandwich.html docs/sandwich.png
	go run ./docs/screenshot $(DEMO)/graph.html docs/graph.png
	go run ./docs/screenshot -height 560 -scroll .source $(DEMO)/weblist.html docs/weblist.png
	go run ./docs/screenshot -height 880 -choose 1 -scroll '#timeline' $(DEMO)/planted.html docs/trace.png

casebook: ## the cases' tests and benchmarks, and what whet finds in fresh measurements of them: a quarter of an hour more
	go test -race ./casebook/...
	go test -run '^$$' -bench . -benchmem ./casebook/...
	go test -tags casebook -count=1 -timeout 60m -run '^(TestCasebookFresh|TestVisitsUnderLoad)$$' -v ./internal/app

fixtures: ## what rules are tried on, measured anew: a few minutes, best on a quiet machine
	go test -count=1 -timeout 30m -run '^TestFixtures$$' ./internal/diagnose/rules -record

# No measurement: the types alone, of fixtures and of the casebook's recordings.
types: ## the types that rules see of their fixtures, written anew
	go test -count=1 -run '^TestFixtures$$' ./internal/diagnose/rules -types
	go test -count=1 -run '^TestCasebook$$' ./internal/app -types

# The functions before and after of each row, in turns: a quiet machine is best. -row
# of bench/knowledge measures some alone.
knowledge: ## what the remedies of the table of dear calls gain on this Go: minutes
	go run ./bench/knowledge

lines: ## lines of code without blanks, comments, tests and fixtures, of each package and in all
	@go run ./internal/house/lines

clean:
	rm -rf bin
