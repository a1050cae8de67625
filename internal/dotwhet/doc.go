// Package dotwhet manages the directory .whet in a module's root, where whet puts
// recordings that the user did not name.
//
// It names such a recording, lists the recordings, resolves an operand such as @ or
// @chi, and removes the oldest recordings beyond the number to keep. The module is
// that of the user's current directory, whatever is measured, so that @ means a
// recording made from here. The modules of a go.work below its directory share one
// .whet beside the go.work. Without a module, or if its root is not writable, a
// directory in the user's cache takes the place of .whet.
//
// It removes only recordings that it named itself: recording.json has that name, so
// that a renamed recording, or one written there with -o, stays. It also keeps a
// partial recording and one that a process is reading, which its lock shows.
//
// The directory may come with somebody else's repository. Links to it or in it are
// not followed.
package dotwhet
