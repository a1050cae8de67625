package legacy

import (
	"strings"

	"whet/internal/callstack"
)

// uninteresting returns the regular expressions of frames that these formats'
// recorders leave on stacks, once symbols are known: those of the allocator,
// of locks and of the signal handler. The lists are pprof's, so that a profile
// shows the same frames in both.
func uninteresting(t []callstack.ValueType) (drop, keep string) {
	switch t[0].Type {
	case "objects", "alloc_objects", "inuse_objects":
		return alternatives(allocator), `runtime\.panic|runtime\.reflectcall|runtime\.call[0-9]*`
	case "contentions":
		return alternatives(locks), ""
	}
	return alternatives(handlers), ""
}

// alternatives joins the expressions of a list, in which ␣ stands for a blank within one.
func alternatives(list string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(list), "|"), "␣", " ")
}

const (
	allocator = `calloc cfree malloc free memalign do_memalign (__)?posix_memalign pvalloc valloc realloc
		tcmalloc::.* tc_calloc tc_cfree tc_malloc tc_free tc_memalign tc_posix_memalign tc_pvalloc tc_valloc tc_realloc
		tc_new tc_delete tc_newarray tc_deletearray tc_new_nothrow tc_newarray_nothrow
		malloc_zone_malloc malloc_zone_calloc malloc_zone_valloc malloc_zone_realloc malloc_zone_memalign malloc_zone_free
		runtime\..*
		BaseArena::.* (::)?do_malloc_no_errno (::)?do_malloc_pages (::)?do_malloc DoSampledAllocation
		MallocedMemBlock::MallocedMemBlock _M_allocate __builtin_(vec_)?delete __builtin_(vec_)?new
		__gnu_cxx::new_allocator::allocate __libc_malloc __malloc_alloc_template::allocate allocate cpp_alloc
		operator␣new(\[\])? simple_alloc::allocate`
	locks = `RecordLockProfileData (base::)?RecordLockProfileData.* (base::)?SubmitMutexProfileData.* (base::)?SubmitSpinLockProfileData.*
		(base::Mutex::)?AwaitCommon.* (base::Mutex::)?Unlock.* (base::Mutex::)?UnlockSlow.* (base::Mutex::)?ReaderUnlock.* (base::MutexLock::)?~MutexLock.*
		(Mutex::)?AwaitCommon.* (Mutex::)?Unlock.* (Mutex::)?UnlockSlow.* (Mutex::)?ReaderUnlock.* (MutexLock::)?~MutexLock.*
		(SpinLock::)?Unlock.* (SpinLock::)?SlowUnlock.* (SpinLockHolder::)?~SpinLockHolder.*`
	handlers = `ProfileData::Add ProfileData::prof_handler CpuProfiler::prof_handler __pthread_sighandler __restore`
)
