module example.org/planted

go 1.26

require example.org/dep v1.0.0

replace example.org/dep => ./dep/v1
