package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

type watched struct {
	Changes  int     `json:"changes"`
	Watchers int     `json:"watchers"`
	Seconds  float64 `json:"seconds"`
	// Events that arrived, over all watchers.
	Events int `json:"events"`
	// Events that should have arrived at this place and did not.
	Wrong int `json:"wrong"`
	// How often a server ended the watch of a client that was too slow for it; such a client goes on from what it has seen.
	Resumed int `json:"resumed"`
}

// watch changes objects while watchers follow them, and tells how long it took from the first change until the last
// watcher had seen the last one. Every watcher must see every change, once, in the order of their resourceVersions.
func watch(arguments []string) (any, error) {
	flags := flag.NewFlagSet("watch", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "")
	changes := flags.Int("changes", 1000, "")
	watchers := flags.Int("watchers", 100, "")
	width := flags.Int("connections", 32, "of writers")
	flags.Parse(arguments)
	server, err := readEndpoint(*kubeconfig)
	if err != nil {
		return nil, err
	}
	writers, err := server.connectAll(*width)
	if err != nil {
		return nil, err
	}
	defer closeAll(writers)
	readers, err := server.connectAll(*watchers)
	if err != nil {
		return nil, err
	}
	defer closeAll(readers)

	from, err := makeWatchedObjects(server, writers)
	if err != nil {
		return nil, err
	}
	watches := make([]*watcher, *watchers)
	err = together(readers, func(i int, reader *connection) error {
		watches[i] = &watcher{connection: reader, last: from}
		return watches[i].begin()
	})
	if err != nil {
		return nil, err
	}

	begin := time.Now()
	arrived := make(chan error)
	go func() {
		arrived <- together(readers, func(i int, _ *connection) error { return watches[i].follow(*changes) })
	}()
	made := make([][]int, *width)
	err = together(writers, func(i int, writer *connection) error {
		for change := i; change < *changes; change += *width {
			version, err := changeObject(server, writer, i, change)
			if err != nil {
				return err
			}
			made[i] = append(made[i], version)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := <-arrived; err != nil {
		return nil, err
	}
	seconds := time.Since(begin).Seconds()

	expected := slices.Sorted(slices.Values(slices.Concat(made...)))
	result := watched{Changes: *changes, Watchers: *watchers, Seconds: seconds}
	for _, watch := range watches {
		result.Events += len(watch.seen)
		result.Resumed += watch.resumed
		for i, version := range expected {
			if watch.seen[i] != version {
				result.Wrong++
			}
		}
	}
	return result, nil
}

// makeWatchedObjects makes one object for every writer and returns the last resourceVersion.
func makeWatchedObjects(server *endpoint, writers []*connection) (int, error) {
	last := 0
	for i := range writers {
		body := fmt.Sprintf(`{"metadata":{"name":"watched-%d"},"stringData":{"change":"none"}}`, i)
		request := server.request("POST", "/api/v1/namespaces/bench/secrets", body, jsonBody)
		answer, err := writers[0].expect(201, request)
		if err != nil {
			return 0, err
		}
		if last, err = resourceVersion(answer); err != nil {
			return 0, err
		}
	}
	return last, nil
}

func changeObject(server *endpoint, writer *connection, object, change int) (int, error) {
	path := fmt.Sprintf("/api/v1/namespaces/bench/secrets/watched-%d", object)
	body := fmt.Sprintf(`{"stringData":{"change":"%d"}}`, change)
	answer, err := writer.expect(200, server.request("PATCH", path, body, "Content-Type: application/merge-patch+json"))
	if err != nil {
		return 0, err
	}
	return resourceVersion(answer)
}

// watcher follows the objects and remembers the resourceVersions it was shown.
type watcher struct {
	connection *connection
	lines      *bufio.Reader
	seen       []int
	last       int
	resumed    int
}

func (w *watcher) begin() error {
	server := w.connection.endpoint
	w.connection.socket.SetReadDeadline(time.Now().Add(time.Minute))
	path := fmt.Sprintf("/api/v1/namespaces/bench/secrets?watch=1&resourceVersion=%d", w.last)
	stream, err := w.connection.send(server.request("GET", path, ""))
	if err != nil {
		return err
	}
	if stream.StatusCode != 200 {
		return fmt.Errorf("a watch was answered with %s", stream.Status)
	}
	w.lines = bufio.NewReaderSize(stream.Body, 256<<10)
	return nil
}

// follow reads as many events as there are changes. A watch that ends before is begun anew from the last event.
func (w *watcher) follow(changes int) error {
	for len(w.seen) < changes {
		line, err := w.lines.ReadSlice('\n')
		if err == io.EOF {
			err = w.resume()
			if err == nil {
				continue
			}
		}
		if err != nil {
			return fmt.Errorf("after %d of %d events: %w", len(w.seen), changes, err)
		}
		if w.last, err = resourceVersion(line); err != nil {
			return err
		}
		w.seen = append(w.seen, w.last)
	}
	return nil
}

func (w *watcher) resume() error {
	w.resumed++
	w.connection.socket.Close()
	connection, err := w.connection.endpoint.connect()
	if err != nil {
		return err
	}
	w.connection = connection
	return w.begin()
}

var versionField = []byte(`"resourceVersion":"`)

// resourceVersion finds the version of an object, which is the first that its JSON names.
func resourceVersion(text []byte) (int, error) {
	_, rest, found := bytes.Cut(text, versionField)
	end := bytes.IndexByte(rest, '"')
	if !found || end < 0 {
		return 0, fmt.Errorf("no resourceVersion in %.200s", text)
	}
	return strconv.Atoi(string(rest[:end]))
}
