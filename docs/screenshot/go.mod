module whet/docs/screenshot

go 1.26.0

require whet v0.0.0

replace whet => ../../
