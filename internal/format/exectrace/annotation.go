package exectrace

// collector takes in the begin and end of marking, which different threads may say.
func (o *order) collector(c *cursor, force bool) bool {
	seq := c.args[0]
	if !force && o.gc != Unknown && seq != o.gcSeq+1 || !force && o.gc == Unknown && c.typ == evGCEnd {
		return false
	}
	kind, stack := RangeActive, uint64(0)
	o.gc = Running
	switch c.typ {
	case evGCBegin:
		kind, stack = RangeBegin, c.args[1]
	case evGCEnd:
		kind, o.gc = RangeEnd, Idle
	}
	o.gcSeq = seq
	o.own(c, kind, stack).Range = GC
	return true
}

// annotation takes in what can be at any time.
func (o *order) annotation(c *cursor) {
	switch c.typ {
	case evSTWBegin:
		e := o.own(c, RangeBegin, c.args[1])
		e.Range, e.Name, e.Goroutine = StopWorld, StringID(clip(c.args[0])), e.Actor
	case evSTWEnd:
		e := o.own(c, RangeEnd, 0)
		e.Range, e.Goroutine = StopWorld, e.Actor
	case evGCMarkAssistBegin:
		e := o.own(c, RangeBegin, c.args[0])
		e.Range, e.Goroutine = MarkAssist, e.Actor
	case evGCMarkAssistActive:
		e := o.own(c, RangeActive, 0)
		e.Range, e.Goroutine = MarkAssist, int64(c.args[0])
	case evGCMarkAssistEnd:
		e := o.own(c, RangeEnd, 0)
		e.Range, e.Goroutine = MarkAssist, e.Actor
	case evGCSweepBegin:
		o.own(c, RangeBegin, c.args[0]).Range = Sweep
	case evGCSweepActive:
		e := o.own(c, RangeActive, 0)
		e.Range, e.Proc = Sweep, int32(min(c.args[0], 1<<31-1))
	case evGCSweepEnd:
		e := o.own(c, RangeEnd, 0)
		e.Range, e.Value, e.Arg = Sweep, c.args[0], c.args[1]
	case evHeapAlloc:
		o.own(c, HeapLive, 0).Value = c.args[0]
	case evHeapGoal:
		o.own(c, HeapGoal, 0).Value = c.args[0]
	case evProcsChange:
		o.own(c, Procs, c.args[1]).Value = c.args[0]
	case evGoLabel:
		o.own(c, Label, 0).Name = StringID(clip(c.args[0]))
	case evUserTaskBegin:
		e := o.own(c, TaskBegin, c.args[3])
		e.Value, e.Arg, e.Name = c.args[0], c.args[1], StringID(clip(c.args[2]))
	case evUserTaskEnd:
		o.own(c, TaskEnd, c.args[1]).Value = c.args[0]
	case evUserRegionBegin, evUserRegionEnd:
		kind := RegionBegin
		if c.typ == evUserRegionEnd {
			kind = RegionEnd
		}
		e := o.own(c, kind, c.args[2])
		e.Value, e.Name = c.args[0], StringID(clip(c.args[1]))
	case evUserLog:
		e := o.own(c, Log, c.args[3])
		e.Value, e.Name, e.Arg = c.args[0], StringID(clip(c.args[1])), c.args[2]
	default:
		o.own(c, Experimental, 0)
	}
}
