package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"net/http"
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
	streams := make([]*http.Response, *watchers)
	err = together(readers, func(i int, reader *connection) error {
		path := fmt.Sprintf("/api/v1/namespaces/bench/secrets?watch=1&resourceVersion=%d", from)
		stream, err := reader.send(server.request("GET", path, ""))
		if err == nil && stream.StatusCode != 200 {
			err = fmt.Errorf("a watch was answered with %s", stream.Status)
		}
		streams[i] = stream
		return err
	})
	if err != nil {
		return nil, err
	}

	seen := make([][]int, *watchers)
	begin := time.Now()
	arrived := make(chan error)
	go func() {
		arrived <- together(readers, func(i int, reader *connection) error {
			reader.socket.SetReadDeadline(time.Now().Add(time.Minute))
			var err error
			seen[i], err = readVersions(streams[i], *changes)
			return err
		})
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
	for _, versions := range seen {
		result.Events += len(versions)
		for i, version := range expected {
			if i >= len(versions) || versions[i] != version {
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

func readVersions(stream *http.Response, count int) ([]int, error) {
	lines := bufio.NewReaderSize(stream.Body, 256<<10)
	versions := make([]int, 0, count)
	for len(versions) < count {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return versions, fmt.Errorf("after %d of %d events: %w", len(versions), count, err)
		}
		version, err := resourceVersion(line)
		if err != nil {
			return versions, err
		}
		versions = append(versions, version)
	}
	return versions, nil
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
