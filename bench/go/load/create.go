package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

type created struct {
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"rate"`
	// Milliseconds.
	Median float64 `json:"median"`
	P99    float64 `json:"p99"`
}

// create makes objects over a number of connections, each of which sends its next request when the last was answered.
func create(arguments []string) (any, error) {
	flags := flag.NewFlagSet("create", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "")
	resource := flags.String("resource", "configmaps", "configmaps or pods")
	count := flags.Int("count", 1000, "how many objects")
	first := flags.Int("first", 0, "number of the first object")
	size := flags.Int("size", 1024, "bytes of data in each ConfigMap")
	width := flags.Int("connections", 32, "")
	flags.Parse(arguments)
	server, err := readEndpoint(*kubeconfig)
	if err != nil {
		return nil, err
	}
	connections, err := server.connectAll(*width)
	if err != nil {
		return nil, err
	}
	defer closeAll(connections)
	requests := make([][]byte, *count)
	for i := range requests {
		requests[i] = creation(server, *resource, *first+i, *size)
	}
	latencies := make([]time.Duration, *count)
	var next atomic.Int64
	begin := time.Now()
	err = together(connections, func(_ int, connection *connection) error {
		for i := next.Add(1) - 1; i < int64(*count); i = next.Add(1) - 1 {
			sent := time.Now()
			if _, err := connection.expect(201, requests[i]); err != nil {
				return err
			}
			latencies[i] = time.Since(sent)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	seconds := time.Since(begin).Seconds()
	slices.Sort(latencies)
	at := func(share float64) float64 { return latencies[int(share*float64(*count-1))].Seconds() * 1000 }
	return created{*count, seconds, float64(*count) / seconds, at(0.5), at(0.99)}, nil
}

func creation(server *endpoint, resource string, number, size int) []byte {
	path := "/api/v1/namespaces/bench/" + resource
	if resource == "pods" {
		return server.request("POST", path, fmt.Sprintf(podBody, number), jsonBody)
	}
	data := strings.Repeat("0123456789abcdef", size/16+1)[:size]
	body := fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bench-%06d","labels":{"app":"bench"}},"data":{"payload":%q}}`, number, data)
	return server.request("POST", path, body, jsonBody)
}

const podBody = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"bench-%06d","labels":{"app":"bench"}},"spec":{` +
	`"serviceAccountName":"bench","automountServiceAccountToken":false,"containers":[{"name":"main","image":"busybox:1.37",` +
	`"command":["sleep","3600"],"env":[{"name":"A","value":"1"}],"resources":{"requests":{"cpu":"10m","memory":"16Mi"}},` +
	`"ports":[{"name":"http","containerPort":8080}]}]}}`
