module example.org/pair

go 1.26
