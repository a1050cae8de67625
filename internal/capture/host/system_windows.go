package host

import (
	"fmt"
	"strings"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"

	"whet/internal/recording"
)

func system(h *recording.Host) {
	v := windows.RtlGetVersion()
	h.Kernel = fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber)
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `HARDWARE\DESCRIPTION\System\CentralProcessor\0`, registry.QUERY_VALUE)
	if err != nil {
		return
	}
	defer key.Close()
	if name, _, err := key.GetStringValue("ProcessorNameString"); err == nil {
		h.CPU = strings.TrimSpace(name)
	}
}

func counters() snapshot { return snapshot{} }
