package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// start waits for a server that is about to be started, and tells when it first answered an authenticated request with
// 200. It asks again at once, because whoever waits for a server does.
func start(arguments []string) (any, error) {
	flags := flag.NewFlagSet("start", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "file that may not be there yet")
	patience := flags.Duration("patience", time.Minute, "how long to wait")
	flags.Parse(arguments)
	fmt.Fprintln(os.Stderr, "waiting")
	deadline := time.Now().Add(*patience)
	for {
		last := ask(*kubeconfig)
		now := time.Now()
		if last == nil {
			return map[string]any{"answeredAt": float64(now.UnixMicro()) / 1000}, nil
		}
		if now.After(deadline) {
			return nil, fmt.Errorf("no answer in %s: %w", *patience, last)
		}
		time.Sleep(time.Millisecond)
	}
}

func ask(kubeconfig string) error {
	server, err := readEndpoint(kubeconfig)
	if err != nil {
		return err
	}
	connection, err := server.connect()
	if err != nil {
		return err
	}
	defer connection.socket.Close()
	_, err = connection.expect(200, server.request("GET", "/api/v1/namespaces?limit=1", ""))
	return err
}
