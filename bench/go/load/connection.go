package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// connection is one keep-alive connection; its requests do not overlap.
type connection struct {
	endpoint *endpoint
	socket   *tls.Conn
	reader   *bufio.Reader
	answer   bytes.Buffer
}

func (e *endpoint) connect() (*connection, error) {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	socket, err := tls.DialWithDialer(dialer, "tcp", e.address, e.tls)
	if err != nil {
		return nil, err
	}
	return &connection{endpoint: e, socket: socket, reader: bufio.NewReaderSize(socket, 64<<10)}, nil
}

func (e *endpoint) connectAll(count int) ([]*connection, error) {
	connections := make([]*connection, count)
	for i := range connections {
		var err error
		if connections[i], err = e.connect(); err != nil {
			return nil, err
		}
	}
	return connections, nil
}

// request makes the bytes of a request; headers are whole lines.
func (e *endpoint) request(method, path, body string, headers ...string) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\nAccept: application/json\r\n", method, path, e.address)
	if e.token != "" {
		fmt.Fprintf(&text, "Authorization: Bearer %s\r\n", e.token)
	}
	for _, header := range headers {
		fmt.Fprintf(&text, "%s\r\n", header)
	}
	if body != "" {
		fmt.Fprintf(&text, "Content-Length: %d\r\n", len(body))
	}
	text.WriteString("\r\n")
	text.WriteString(body)
	return text.Bytes()
}

// send writes a request and reads the head of its answer. The body must be read to its end before the next request.
func (c *connection) send(request []byte) (*http.Response, error) {
	if _, err := c.socket.Write(request); err != nil {
		return nil, err
	}
	return http.ReadResponse(c.reader, nil)
}

// exchange returns the whole answer, which is valid until the next exchange.
func (c *connection) exchange(request []byte) (status int, body []byte, err error) {
	response, err := c.send(request)
	if err != nil {
		return 0, nil, err
	}
	c.answer.Reset()
	if _, err = io.Copy(&c.answer, response.Body); err != nil {
		return 0, nil, err
	}
	return response.StatusCode, c.answer.Bytes(), nil
}

// expect is an exchange that must be answered with one status.
func (c *connection) expect(want int, request []byte) ([]byte, error) {
	status, body, err := c.exchange(request)
	if err != nil {
		return nil, err
	}
	if status != want {
		line, _, _ := bytes.Cut(request, []byte("\r\n"))
		return nil, fmt.Errorf("%s: answered %d, not %d: %.400s", line, status, want, body)
	}
	return body, nil
}

// together runs work on every connection at once and returns the first error.
func together(connections []*connection, work func(index int, connection *connection) error) error {
	errors := make(chan error, len(connections))
	for index, connection := range connections {
		go func() { errors <- work(index, connection) }()
	}
	var first error
	for range connections {
		if err := <-errors; err != nil && first == nil {
			first = err
		}
	}
	return first
}

func closeAll(connections []*connection) {
	for _, connection := range connections {
		connection.socket.Close()
	}
}
