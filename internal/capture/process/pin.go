package process

import "runtime"

// CheckPin reports why a command could not be confined to these processors.
func CheckPin(processors []int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unpin, err := pinThread(processors)
	if err != nil {
		return err
	}
	unpin()
	return nil
}
