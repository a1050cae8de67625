module rows

go 1.26.0
