// Command whet is a performance-tuning workbench for Go programs. See
// whet help, or the pages in docs/.
package main

import (
	"context"
	"os"

	"whet/internal/app"
)

func main() {
	ctx, stop := app.WithSignals(context.Background())
	code := app.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
