// Command whet is a performance-tuning workbench for Go programs. See
// whet help, or the pages in docs/.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"whet/internal/app"
)

func main() {
	// net/http writes there what servers do wrong, once for each answer that is
	// followed by more than was asked for. A load counts that itself.
	log.SetOutput(io.Discard)
	ctx, _ := app.WithSignals(context.Background()) // until the process ends
	os.Exit(app.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
