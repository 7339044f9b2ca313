package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
)

// endpoint is a server and who speaks to it.
type endpoint struct {
	address   string
	authority []byte
	tls       *tls.Config
	token     string
}

// readEndpoint reads a kubeconfig with one cluster and one user. It looks for lines, not for YAML: both sides' files are
// made by programs.
func readEndpoint(path string) (*endpoint, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, found := strings.Cut(strings.TrimSpace(strings.TrimLeft(line, "- ")), ": ")
		if found {
			fields[name] = strings.Trim(value, `"'`)
		}
	}
	authority, err := pem(fields, "certificate-authority")
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("%s names no usable certificate authority", path)
	}
	config := &tls.Config{RootCAs: roots, NextProtos: []string{"http/1.1"}}
	if fields["client-certificate-data"] != "" {
		certificate, err := clientCertificate(fields)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	return &endpoint{
		address:   strings.TrimPrefix(fields["server"], "https://"),
		authority: authority,
		tls:       config,
		token:     fields["token"],
	}, nil
}

func clientCertificate(fields map[string]string) (tls.Certificate, error) {
	certificate, err := pem(fields, "client-certificate")
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := pem(fields, "client-key")
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(certificate, key)
}

func pem(fields map[string]string, name string) ([]byte, error) {
	if data := fields[name+"-data"]; data != "" {
		return base64.StdEncoding.DecodeString(data)
	}
	return os.ReadFile(fields[name])
}

func (e *endpoint) kubeconfigFor(token string) string {
	authority := base64.StdEncoding.EncodeToString(e.authority)
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- name: bench
  cluster:
    server: https://%s
    certificate-authority-data: %s
users:
- name: bench
  user:
    token: %s
contexts:
- name: bench
  context:
    cluster: bench
    user: bench
current-context: bench
`, e.address, authority, token)
}
