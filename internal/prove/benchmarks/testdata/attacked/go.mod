module example.org/attacked

go 1.26
