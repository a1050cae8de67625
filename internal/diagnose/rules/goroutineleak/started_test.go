package goroutineleak_test

import (
	"sync"
	"time"
)

var (
	once sync.Once
	jobs = make(chan int)
	all  sync.WaitGroup
)

// pool starts its workers with the first iteration.
func pool(int) {
	once.Do(func() {
		for range 400 {
			go func() {
				for range jobs {
				}
			}()
		}
	})
}

// waited waits for what it starts.
func waited(int) {
	for range 3 {
		all.Go(func() {})
	}
	all.Wait()
}

// bounded starts workers until there are as many as it may have.
func bounded(i int) {
	if i < 100 {
		go func() {
			for range jobs {
			}
		}()
	}
}

// timer starts nothing before its time.
func timer(int) {
	time.AfterFunc(time.Hour, func() {})
}
