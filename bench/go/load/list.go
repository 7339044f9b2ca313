package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"time"
)

// list reads all ConfigMaps of the namespace in one answer, several times, and tells the milliseconds of each.
func list(arguments []string) (any, error) {
	flags := flag.NewFlagSet("list", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "")
	count := flags.Int("count", 10000, "how many objects there are")
	repeats := flags.Int("repeats", 5, "")
	compressed := flags.Bool("gzip", false, "ask for gzip, as Go's clients do")
	flags.Parse(arguments)
	server, err := readEndpoint(*kubeconfig)
	if err != nil {
		return nil, err
	}
	connection, err := server.connect()
	if err != nil {
		return nil, err
	}
	defer connection.socket.Close()
	encoding := "identity"
	if *compressed {
		encoding = "gzip"
	}
	request := server.request("GET", "/api/v1/namespaces/bench/configmaps", "", "Accept-Encoding: "+encoding)
	var milliseconds []float64
	var text bytes.Buffer
	for range *repeats {
		begin := time.Now()
		if err := readList(connection, request, &text); err != nil {
			return nil, err
		}
		milliseconds = append(milliseconds, time.Since(begin).Seconds()*1000)
		if found := bytes.Count(text.Bytes(), []byte(`"labels":{"app":"bench"}`)); found != *count {
			return nil, fmt.Errorf("the list has %d objects, not %d", found, *count)
		}
	}
	return map[string]any{"milliseconds": milliseconds, "bytes": text.Len()}, nil
}

func readList(connection *connection, request []byte, text *bytes.Buffer) error {
	text.Reset()
	response, err := connection.send(request)
	if err != nil {
		return err
	}
	if response.StatusCode != 200 {
		return fmt.Errorf("the list was answered with %s", response.Status)
	}
	var body io.Reader = response.Body
	if response.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(response.Body); err != nil {
			return err
		}
	}
	if _, err = io.Copy(text, body); err != nil {
		return err
	}
	// What follows the compressed data (a last empty chunk) belongs to this answer.
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
