// Odd is a server that behaves badly in one way at a time.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	addr := flag.String("addr", "", "address")
	mode := flag.String("mode", "", "what is odd")
	pids := flag.String("pids", "", "file for the process ids")
	flag.Parse()
	note := func(pid int) {
		f, err := os.OpenFile(*pids, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintln(f, pid)
			f.Close()
		}
	}
	note(os.Getpid())
	switch *mode {
	case "ends at once":
		log.Fatal("no configuration\n")
	case "never listens":
		select {}
	case "ignores SIGTERM":
		signal.Ignore(syscall.SIGTERM)
	case "forks":
		c := exec.Command("sleep", "1000")
		if err := c.Start(); err != nil {
			log.Fatal(err)
		}
		note(c.Process.Pid)
	case "floods":
		go func() {
			line := strings.Repeat("all work and no play ", 50) + "\n"
			for {
				os.Stdout.WriteString(line)
				time.Sleep(time.Millisecond)
			}
		}()
	}
	var served atomic.Int64
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(2 * time.Millisecond)
		n := served.Add(1)
		switch {
		case *mode == "answers 500":
			http.Error(w, "broken", http.StatusInternalServerError)
		case *mode == "redirects":
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		case *mode == "dies" && n == 250:
			fmt.Fprintln(os.Stderr, "out of luck")
			os.Exit(7)
		case *mode == "stops" && n == 250:
			if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
				log.Fatal(err)
			}
		case *mode == "panics" && n == 250:
			go panic("out of luck")
		case *mode == "restarts" && n == 250 && os.Getenv("ODD_AGAIN") == "":
			pprof.StopCPUProfile() // its timer outlives exec, and ends a program that does not handle it yet
			if err := syscall.Exec(os.Args[0], os.Args, append(os.Environ(), "ODD_AGAIN=1")); err != nil {
				log.Fatal(err)
			}
		default:
			fmt.Fprintln(w, "fine")
		}
	})
	log.Fatal(http.ListenAndServe(*addr, nil))
}
