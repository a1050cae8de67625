module example.org/dep

go 1.26
