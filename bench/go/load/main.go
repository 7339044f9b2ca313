// Program load measures a Kubernetes API server from outside, with as little work of its own as it can: requests are
// bytes made beforehand, answers are searched and not decoded. It knows servers by kubeconfig alone, so it cannot treat
// two servers differently. Each command prints one line of JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

var commands = map[string]func(arguments []string) (any, error){
	"start":  start,
	"setup":  setup,
	"create": create,
	"list":   list,
	"watch":  watch,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 0 || commands[arguments[0]] == nil {
		return fmt.Errorf("name a command: start, setup, create, list or watch")
	}
	result, err := commands[arguments[0]](arguments[1:])
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
