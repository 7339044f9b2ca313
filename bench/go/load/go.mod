module tiphys.dev/bench/load

go 1.24
