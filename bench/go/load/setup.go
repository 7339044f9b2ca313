package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"
)

const readiness = 30 * time.Second

// setup waits until the server is ready, makes a namespace and a ServiceAccount that may edit it and nothing else, and
// writes a kubeconfig with a token of that account.
func setup(arguments []string) (any, error) {
	flags := flag.NewFlagSet("setup", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "of an administrator")
	out := flags.String("out", "", "where the account's kubeconfig goes")
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
	if err := waitUntilReady(server, connection); err != nil {
		return nil, err
	}
	for _, object := range []struct{ path, body string }{
		{"/api/v1/namespaces", `{"metadata":{"name":"bench"}}`},
		{"/api/v1/namespaces/bench/serviceaccounts", `{"metadata":{"name":"bench"}}`},
		{"/apis/rbac.authorization.k8s.io/v1/namespaces/bench/roles", `{"metadata":{"name":"bench"},
			"rules":[{"apiGroups":[""],"resources":["configmaps","pods","secrets"],
			"verbs":["get","list","watch","create","update","patch","delete"]}]}`},
		{"/apis/rbac.authorization.k8s.io/v1/namespaces/bench/rolebindings", `{"metadata":{"name":"bench"},
			"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"bench"},
			"subjects":[{"kind":"ServiceAccount","name":"bench","namespace":"bench"}]}`},
	} {
		if _, err := connection.expect(201, server.request("POST", object.path, object.body, jsonBody)); err != nil {
			return nil, err
		}
	}
	token, err := requestToken(server, connection)
	if err != nil {
		return nil, err
	}
	return map[string]string{"kubeconfig": *out}, os.WriteFile(*out, []byte(server.kubeconfigFor(token)), 0o600)
}

const jsonBody = "Content-Type: application/json"

func waitUntilReady(server *endpoint, connection *connection) error {
	for deadline := time.Now().Add(readiness); ; time.Sleep(20 * time.Millisecond) {
		_, err := connection.expect(200, server.request("GET", "/readyz", ""))
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

func requestToken(server *endpoint, connection *connection) (string, error) {
	path := "/api/v1/namespaces/bench/serviceaccounts/bench/token"
	body, err := connection.expect(201, server.request("POST", path, `{"spec":{"expirationSeconds":3600}}`, jsonBody))
	if err != nil {
		return "", err
	}
	var answer struct{ Status struct{ Token string } }
	if err := json.Unmarshal(body, &answer); err != nil {
		return "", err
	}
	if answer.Status.Token == "" {
		return "", fmt.Errorf("the server gave no token: %.200s", body)
	}
	return answer.Status.Token, nil
}
