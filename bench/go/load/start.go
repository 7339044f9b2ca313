package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// start waits for a server that is about to be started. It tells when an authenticated request was first answered with
// 200, and when the server first said that it is ready: before that, a server may know neither its roles nor its
// namespaces. It asks again at once, because whoever waits for a server does.
func start(arguments []string) (any, error) {
	flags := flag.NewFlagSet("start", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "file that may not be there yet")
	patience := flags.Duration("patience", time.Minute, "how long to wait")
	flags.Parse(arguments)
	fmt.Fprintln(os.Stderr, "waiting")
	deadline := time.Now().Add(*patience)
	answered, err := firstSuccess(*kubeconfig, "/api/v1/namespaces?limit=1", deadline)
	if err != nil {
		return nil, err
	}
	ready, err := firstSuccess(*kubeconfig, "/readyz", deadline)
	if err != nil {
		return nil, err
	}
	return map[string]float64{"answeredAt": milliseconds(answered), "readyAt": milliseconds(ready)}, nil
}

func milliseconds(moment time.Time) float64 { return float64(moment.UnixMicro()) / 1000 }

func firstSuccess(kubeconfig, path string, deadline time.Time) (time.Time, error) {
	for {
		last := ask(kubeconfig, path)
		now := time.Now()
		if last == nil {
			return now, nil
		}
		if now.After(deadline) {
			return now, fmt.Errorf("no answer in time: %w", last)
		}
		time.Sleep(time.Millisecond)
	}
}

func ask(kubeconfig, path string) error {
	server, err := readEndpoint(kubeconfig)
	if err != nil {
		return err
	}
	connection, err := server.connect()
	if err != nil {
		return err
	}
	defer connection.socket.Close()
	_, err = connection.expect(200, server.request("GET", path, ""))
	return err
}
